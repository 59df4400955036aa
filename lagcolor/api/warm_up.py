"""Colorings of small graphs that load code before a measurement: of benchmarks, and of the command line on a GPU.

`compile_seconds` does not include CuPy's own kernels and first launches. `lagcolor.color` does not use this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.log import Log
from ..base.options import DEFAULT_SEED
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..problems import PROBLEMS
from ..problems.registry import Algorithm
from .session import priorities

SPECS = ("clique:71", "path:3", "rmat:10")  # over 64 colors, two colors, and hubs
# Calls that have run in this process: problem, algorithm, device, order, type of offsets, trace and options.
_WARM: set[tuple[Any, ...]] = set()


def warm_up(G: Pattern, row: Algorithm, order: Any, trace: bool, options: dict[str, Any]) -> None:
    """Color small graphs with the types and the device of `G`, once in a process.

    Options that are functions expect the caller's graph, so other functions replace them here.
    """
    name = row.order_for(G) if order is None else order if isinstance(order, str) else "the caller's"
    choices = [
        (k, v) if isinstance(v, (str, bool)) else k for k, v in options.items()
    ]  # other values run the same code
    key = (row.problem, row.name, G.device, name, G.indptr.dtype.char, trace, *choices)
    if key in _WARM:
        return
    options = {k: (lambda *_: True) if callable(v) else v for k, v in options.items()}
    for small in small_graphs(G):
        log = Log(trace)
        own = np.arange(small.n) if name == "the caller's" else name
        taken = PROBLEMS[row.problem].structure(small)
        row.run(taken, priorities(taken, row, own, DEFAULT_SEED)[0], log, **options)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt
    _WARM.add(key)


def small_graphs(G: Pattern) -> Iterator[Graph]:
    """The graphs of `SPECS` with the types and the device of `G`."""
    return (small_graph(spec, G.device, G.indptr.dtype.char) for spec in SPECS)


def small_graph(spec: str, device: str, offsets: str) -> Graph:
    """Return the graph of a text such as "path:70" on a device, with offsets of a type."""
    from ..generate import from_spec

    small = from_spec(spec)
    return Graph(small.indptr.astype(offsets), small.indices).on(device)
