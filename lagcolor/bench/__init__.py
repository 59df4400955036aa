"""Every algorithm and every peer on the same graphs, interleaved and verified: what `lagcolor bench` runs.

`run` measures and appends rows to a result file, `read` reads one; docs/bench.md has the schema. In the order of the
data: `graphs` names graphs, `codes` what to time, `session` goes through the graphs, `measure` interleaves the codes of
one, `remote` is the near and `host` the far end of a child process, `results` the file, `tables` what people see.

>>> from lagcolor import bench
>>> rows = bench.read("benchmarks/results")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .results import meta_of, read

if TYPE_CHECKING:
    from .session import Settings, run

__all__ = ["Settings", "meta_of", "read", "run"]


def __getattr__(name: str) -> Any:
    if name in ("Settings", "run"):  # they import the registry, and so Numba
        from . import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
