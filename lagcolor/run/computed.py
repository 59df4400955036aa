"""Colorings of graphs with computed edges: their vertices, orders, call path and results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from semirings.runtime.compile_clock import clock, importing, stopwatch

from .. import device as dev
from ..core.classes import ColorClasses
from ..core.errors import OptionError
from ..core.graph import Graph
from ..core.options import Seed, choice, known, number, resolve, stream
from ..core.result import Log
from ..device import extremes
from ..orders import Priorities
from ..orders.by_key import by_key
from ..orders.ties import natural, random
from ..search import DEFAULT_LIMIT, QUALITIES, Limit
from .request import Call, refuse
from .session import VERIFY_UP_TO, Work, finish


class Vertices:
    """Vertices 0 … n − 1 of a graph whose edges are computed: what orders, searches and `finish` need of it.

    Parameters
    ----------
    indices : array of length n
        On the device where edges are computed.
    degrees : callable
        Computes the degrees (whole numbers, shape (n,)); called once.
    first_fit : callable
        Colors of first-fit in a sequence of all vertices (int32).
    graph : callable
        The conflict graph on the CPU; None where it takes more than `Plan.bytes`.
    """

    def __init__(
        self, indices: Any, degrees: Callable[[], Any], first_fit: Callable[[Any], Any],
        graph: Callable[[], Graph | None],
    ) -> None:  # fmt: skip
        self.indices, self.n, self.labels = indices, len(indices), None
        self.degrees, self.first_fit, self.graph = functools.cache(degrees), first_fit, graph
        self.device, self.on_gpu, self.xp = dev.device_of(indices), dev.is_cupy(indices), dev.module_of(indices)


def _largest_first(vertices: Any, seed: int | None) -> Any:
    key = vertices.degrees().astype(np.int32)
    return by_key(vertices, key, max(extremes.largest(key), 0), seed)


ORDERS = {"natural": natural, "random": random, "largest_first": _largest_first}


def priorities(vertices: Any, order: Any, seed: Seed) -> Priorities:
    """The order of a call: a name in `ORDERS`, or an array of priorities."""
    seed = resolve(seed, None)
    if not isinstance(order, str):
        return Priorities.of(vertices, order, seed)
    name = known(order, ORDERS)
    if name is None:
        among = ", ".join(ORDERS)
        raise OptionError(f"unknown order {order!r}; where edges are computed there are: {among} (or pass an array)")
    return Priorities(vertices, name, seed, ORDERS[name])


BYTES = {"fast": 0, "balanced": 1 << 27, "best": 1 << 29}  # of the conflict graph, at most


class Plan(NamedTuple):
    """Which orders a call tries, and how long it searches.

    Attributes
    ----------
    orders : tuple
        Names, or one array of priorities.
    seed : int, None or "default"
    quality : {"fast", "balanced", "best"}
    limit : Limit
    """

    orders: tuple[Any, ...]
    seed: Seed
    quality: str
    limit: Limit

    @property
    def bytes(self) -> int:
        """The memory that the conflict graph may take."""
        return BYTES[self.quality]

    @classmethod
    def of(
        cls, order: Any, seed: Seed, quality: str | None, time_limit: float | None, verify: bool | None, fast: str
    ) -> Plan:
        """Check the parameters of a call; `fast` is the order of a single pass where none is named."""
        quality = choice("quality", quality, QUALITIES, none=True) or ("balanced" if order is None else "fast")
        seconds = number("time_limit", time_limit, of="seconds", none=True, over=True)
        if seconds is not None:
            refuse(Call("color", given={"time_limit": seconds}, quality=quality))
        orders = (order,) if order is not None else (fast,) if quality == "fast" else tuple(ORDERS)
        limit = Limit(clock(), DEFAULT_LIMIT if seconds is None else seconds, verify is not False)
        return cls(orders, seed, quality, limit)


def color(vertices: Vertices, plan: Plan, make: Callable[..., Any], verify: bool | None, compiled: float) -> Any:
    """Order, color and check vertices whose edges are computed; `make` makes the result."""

    def begin() -> Work:
        passed, log = stopwatch(), Log()
        orders = [priorities(vertices, order, plan.seed) for order in plan.orders]
        for p in orders:
            _ = p.sequence
        if vertices.on_gpu:
            dev.cupy().cuda.get_current_stream().synchronize()
        order_seconds, best = passed(), orders[0]

        def run() -> Any:
            nonlocal best
            if plan.quality == "fast":
                return vertices.first_fit(best.sequence)
            with importing():
                from ..search.computed import run as search
            colors, best = search(vertices, orders, log, plan.quality, stream(plan.seed), plan.limit)
            return colors

        def result(colors: Any) -> Any:
            how = {"quality": plan.quality, "notes": log.notes}
            return make(colors, best.name, best.seed, 0.0, order_seconds, **how)

        return Work(vertices, run, result)

    def check(result: Any) -> None:
        if verify or (verify is None and (result.class_sizes.astype(np.float64) ** 2).sum() <= VERIFY_UP_TO):
            result.verify()

    return finish(vertices, begin, True, compiled, check)


@dataclass(repr=False, eq=False)
class ComputedColoring(ColorClasses):
    """A coloring of a graph that is stored nowhere.

    Attributes
    ----------
    colors : array of int32, shape (n,)
        0…k−1, on the device that computed the edges.
    order : str
        Of its first-fit: of several that with the fewest colors.
    seed : int or None
        None: ties are broken by id.
    seconds, order_seconds, convert_seconds, compile_seconds : float
        The coloring alone, making the order, reading the input; compiling and loading code counts in the last alone.
    verified : bool
        Whether the verifier has checked these colors.
    quality : {"fast", "balanced", "best"}
    notes : dict
        But for "fast" ``"tried"``: a row for each attempt, with its name, colors and ms. ``"interrupted"``: True where
        Ctrl-C ended the search.
    """

    colors: Any
    order: str
    seed: int | None = None
    seconds: float = 0.0
    order_seconds: float = 0.0
    convert_seconds: float = 0.0
    verified: bool = False
    quality: str = "fast"
    notes: dict[str, Any] = field(default_factory=dict)
    compile_seconds: float = field(default=0.0, init=False)
    _n_colors: int | None = field(default=None, init=False)

    @property
    def prepare_seconds(self) -> float:
        """Everything before the coloring: reading and ordering."""
        return self.convert_seconds + self.order_seconds

    def provenance(self) -> dict[str, Any]:
        """Everything but the colors, as plain JSON types."""
        from .. import __version__

        return {
            "lagcolor": __version__,
            "quality": self.quality,
            "order": self.order,
            "seed": self.seed,
            "device": self.device,
            "seconds": self.seconds,
            "order_seconds": self.order_seconds,
            "convert_seconds": self.convert_seconds,
            "verified": self.verified,
            **({"notes": self.notes} if self.notes else {}),
        }

    def members(self) -> list[np.ndarray]:
        """The vertices of each color, ascending: a list of `n_colors` arrays of int32 on the CPU."""
        offsets, vertices = (dev.to_device(part, "cpu") for part in self.groups())
        return np.split(vertices, offsets[1:-1]) if self.n_colors else []
