"""Graphs too large for a device or a machine: the colors of first-fit (`quality="fast"`) on one CPU, bit for bit.

First-fit in a fixed order is the only solution of c(v) = mex of the colors of v's earlier neighbors. So any part can be
colored at any time, from any colors. When no color changes any more, they equal the colors of one CPU.

=============  ====================================================================================
disk           a folder of rows, which stay on disk
dask           partitions on a Dask cluster
gpus           parts on the GPUs of one host
=============  ====================================================================================
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Import `dask` and `gpus` at first use."""
    if name in ("dask", "gpus"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
