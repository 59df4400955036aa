"""Color a divided graph: choose the engine, measure times, and return the result."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ...api.result import Coloring
from ...base import device as dev
from ...base.compile_clock import clock
from ...base.device.several import wait
from ...base.errors import OptionError
from ...base.log import Log
from ...base.options import DEFAULT_SEED, Seed, known, resolve, seed_of
from ...engines.greedy.first_fit import SPREAD
from ...orders import BY_DEGREE, BY_ID, ORDERS
from . import sequence, spread
from .check import verify as verify_parts
from .parts import Distributed, Done

ROW = "first_fit"
USABLE = (*BY_ID, *BY_DEGREE)
# Two colorings could wait for each other for ever, each for a kernel that is queued behind a kernel of the other.
_ONE_AT_A_TIME = threading.Lock()


def color(
    D: Distributed, order: Any = None, *, rng: Any = None, seed: Seed = DEFAULT_SEED, log: Log | None = None
) -> Coloring:
    """Color a divided graph by first-fit. The colors equal the colors of `first_fit` on one device.

    Parameters
    ----------
    D : Distributed
        The divided graph.
    order : str or array of shape (n,), optional
        An order that follows from ids and degrees, or priorities, the larger first. Default: "largest_first_spread".
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    seed : int, None or "default", optional
        A number breaks ties of the order by a hash, None by vertex id, the smaller first; "default" is 0.
    log : Log, optional
        The log for the notes.

    Returns
    -------
    Coloring
        Colors on `D.home`. ``notes["parts"]`` has for each GPU its vertices, stored entries, bytes of memory, and the
        milliseconds before and of the coloring. ``notes["messages"]`` and ``notes["bytes"]`` count the copies from GPU
        to GPU: states before the coloring, and a color for each vertex and each GPU that has a neighbor of the vertex.

    Raises
    ------
    OptionError
        The order needs the whole graph on one device.
    DeviceError
        A GPU cannot run all blocks of a kernel at the same time.
    MemoryError
        A GPU has too little memory.

    Examples
    --------
    >>> parts = lagcolor.scale.gpus.distribute(lagcolor.generate.grid2d(100))  # doctest: +SKIP
    >>> lagcolor.scale.gpus.color(parts, "natural").n_colors  # doctest: +SKIP
    2
    """
    name = _usable(SPREAD if order is None else order)
    seed = resolve(seed_of(seed, rng), 0)
    log = Log() if log is None else log
    low = D.n == 0 or D.max_degree < spread.LOW  # computed once per graph
    with _ONE_AT_A_TIME:
        wait(D.devices)
        begun, order_seconds = clock(), 0.0
        is_spread = isinstance(name, str) and name == SPREAD
        if D.n == 0:
            found = Done([], 0, 1, [])
        elif is_spread and low:
            found = spread.color_low(D, seed or 0)
        elif is_spread:  # this order belongs to the algorithm, as on one GPU
            found = spread.color(D, seed or 0)
        else:
            ordered = sequence.order(D, name, seed)
            order_seconds = clock() - begun
            found = sequence.color(D, ordered)
    seconds = max(clock() - begun - order_seconds, 0.0)
    log.round(active=D.n, colored=D.n, conflicts=0, ms=None)
    log.notes.update(_notes(D, found))
    what: Any = D if D.graph is None else D.graph
    order_name = name if isinstance(name, str) else "user"
    times = (seconds, order_seconds, D.seconds)
    result = Coloring(
        _gathered(D, found.colors), what, ROW, order_name, seed, 1, *times, trace=log.rows, notes=log.notes
    )  # fmt: skip
    if D.graph is None:
        result._check = verify_parts  # checks on the GPUs that have the parts
    return result


def _usable(order: Any) -> Any:
    """Return the name of an order that does not need the whole graph on one device, or priorities."""
    if not isinstance(order, str):
        return order
    name = known(order, ORDERS) or order
    if name not in USABLE:
        raise OptionError(
            f"order {order!r} takes the whole graph on one device; on several there are {', '.join(USABLE)}, or "
            "pass an array of priorities, such as lagcolor.Priorities.of(graph, order).p"
        )
    return name


def _notes(D: Distributed, done: Done) -> dict[str, Any]:
    pairs = sum(a != b and _meets(D, a, b) for a in range(len(D.parts)) for b in range(len(D.parts)))
    pushes = D.boundary if D.n else 0
    parts = [
        {
            "device": f"cuda:{part.device}",
            "vertices": part.n,
            "entries": part.m,
            "bytes": part.indptr.nbytes + part.indices.nbytes + D.n * done.itemsize + part.n * 12,
            "ready_ms": round(ready, 3),
            "color_ms": round(coloring, 3),
        }
        for part, (ready, coloring) in zip(D.parts, done.ms, strict=True)
    ]
    return {"parts": parts, "messages": pairs + pushes, "bytes": done.sent + pushes * done.itemsize}


def _meets(D: Distributed, a: int, b: int) -> bool:
    """Whether part b has a neighbor among the ids of part a."""
    low, high = D.spans[b]
    return max(low, D.parts[a].first) < min(high, D.parts[a].last)


def _gathered(D: Distributed, pieces: list[Any]) -> Any:
    """Return the colors of all parts in one array, on the device that the graph was on."""
    kind, index = dev.parse_device(D.home)
    if kind == "cpu":
        return np.concatenate([p.get() for p in pieces]) if pieces else np.empty(0, np.int32)
    with dev.cupy().cuda.Device(index):
        cp = dev.cupy()
        if not pieces:
            return cp.empty(0, np.int32)
        out = cp.empty(D.n, np.int32)
        for part, piece in zip(D.parts, pieces, strict=True):
            out[part.first : part.last] = dev.to_device(piece, D.home)
        cp.cuda.get_current_stream().synchronize()
        return out
