"""Graphs in partitions: the colors of one CPU, bit for bit, from parts that only exchange colors of their boundary.

First-fit in a fixed order is the only solution of c(v) = mex of the colors of v's earlier neighbors. So each partition
may be solved at any time, from any colors, given what it knows of the others; when nothing changes any more, the colors
are those of `lagcolor.color`. The files, in the order to read them in:

=============  ====================================================================================
keys           the order of two vertices, from their global ids (and degrees) alone
partition      who owns which vertex: ranges of ids
local          what one partition holds: its vertices, ghosts, and who needs which of its colors
core           the first vertices of the order, colored once and broadcast
solve          one partition made right for the colors of its ghosts
messages       colors of a boundary as they are sent, and what a partition that is restarted sends
worker         a partition with its messages: sent until acknowledged, accepted in any order
dask           partitions on a Dask cluster
gpus           parts on the GPUs of one host
=============  ====================================================================================
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """`dask` and `gpus`, imported when they are first used."""
    if name in ("dask", "gpus"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
