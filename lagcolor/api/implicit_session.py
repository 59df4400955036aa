"""Colorings of graphs with computed edges: their vertices, orders, call path and results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..base.compile_clock import importing, stopwatch
from ..base.device import extremes
from ..base.errors import OptionError
from ..base.options import Owner, Seed, flag, known, resolve, stream
from ..graph.classes import ColorClasses
from ..graph.graph import Graph
from ..orders import Priorities
from ..orders.by_key import by_key
from ..orders.ties import natural, random
from ..problems import DEFAULT, PROBLEMS
from ..problems.report import Report
from ..problems.rules import NONE, Rules
from ..problems.rules.check import settled
from ..problems.rules.contradictions import check as contradictions
from ..search import Limit
from .request import ELSEWHERE, EVEN, RULES, Request
from .result import with_evenness
from .session import VERIFY_UP_TO, Session, Work, finish


class Vertices:
    """Vertices 0 … n − 1 of a graph whose edges are computed: what orders, searches and `finish` need of it."""

    indices: Any  # array of length n, on the device where edges are computed
    n: int
    labels: None
    degrees: Any  # computes the degrees (whole numbers, shape (n,)), once
    first_fit: Any  # colors of first-fit in a sequence of all vertices (int32)
    graph: Any  # makes the conflict graph on the CPU; None where it takes more than `ImplicitPlan.bytes`
    device: str
    on_gpu: bool
    xp: Any

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


ORDERS: dict[str, Callable[..., Any]] = {"natural": natural, "random": random, "largest_first": _largest_first}


def priorities(vertices: Any, order: Any, seed: Seed) -> Priorities:
    """The order of a call: a name in `ORDERS`, or an array of priorities."""
    seed = resolve(seed, None)
    if not isinstance(order, str):
        return Priorities.of(vertices, order, seed=seed)
    name = known(order, ORDERS)
    if name is None:
        among = ", ".join(ORDERS)
        raise OptionError(f"unknown order {order!r}; where edges are computed there are: {among} (or pass an array)")
    return Priorities(vertices, name, seed, ORDERS[name])


BYTES = {"fast": 0, "balanced": 1 << 27, "best": 1 << 29}  # of the conflict graph, at most
OPTIONS = (*RULES, *EVEN)  # of `color`, which need that graph
FIRST = {"color_implicit": "natural", "pauli.group": "largest_first"}  # the order of a single pass
KEYWORDS = ("order", "seed", "rng", "quality", "time_limit", "device", "verify")
OWN = {"color_implicit": ("batch",), "pauli.group": ("commute", "qubits", "threads")}


class ImplicitPlan(NamedTuple):
    """Which orders a call tries, and how long it searches."""

    orders: tuple[Any, ...]  # names, or one array of priorities
    request: Request  # at distance 1, of the conflict graph where that is stored
    limit: Limit
    single: str  # the order of one pass, where several are tried

    @property
    def stored(self) -> bool:
        """Whether the call needs the conflict graph."""
        return self.request.rules is not NONE or self.request.even is not None

    @property
    def bytes(self) -> int:
        """The memory that the conflict graph may take."""
        quality = self.request.quality
        return BYTES["balanced" if self.stored and quality == "fast" else quality]

    @classmethod
    def of(
        cls, parameters: dict[str, Any], owner: str, options: Mapping[str, Any], verify: bool | None
    ) -> ImplicitPlan:
        """Check the parameters order, seed, quality and time_limit of a call, and options as `color` has them."""
        options = Owner(owner, "", OPTIONS, (*KEYWORDS, *OWN[owner]), ELSEWHERE).spelled(options)
        verify = flag("verify", verify, none=True)
        order, quality = parameters.pop("order"), parameters["quality"]
        if quality is None and order is not None and parameters["time_limit"] is None:
            parameters["quality"] = "fast"
        request = Request.of({**parameters, **options})
        orders = (order,) if order is not None else (FIRST[owner],) if request.quality == "fast" else tuple(ORDERS)
        return cls(orders, request, Limit(request.begun, request.limit, verify is not False), FIRST[owner])

    def on_graph(self, G: Graph | None) -> tuple[Graph, Rules | None]:
        """The conflict graph that the options need, and the rules of the call."""
        if G is None:
            names = ", ".join(option for option in OPTIONS if option in self.request.given)
            raise OptionError(
                f"{names}: the conflict graph takes over {self.bytes:,} bytes, too many to store it: leave out what "
                f"needs it, or color fewer vertices; quality='best' stores up to {BYTES['best']:,} bytes"
            )
        rules = PROBLEMS[DEFAULT].rules(G, self.request.rules)
        if rules is not None:
            contradictions(rules, G, PROBLEMS[DEFAULT])
        return G, rules


def color(
    vertices: Vertices, plan: ImplicitPlan, make: Callable[..., Any], verify: bool | None, compiled: float
) -> Any:
    """Order, color and check vertices whose edges are computed; `make` makes the result."""
    request, session = plan.request, Session(plan.request)

    def begin() -> Work:
        passed, log = stopwatch(), session.log
        G, rules = plan.on_graph(vertices.graph()) if plan.stored else (None, None)
        orders = [priorities(vertices, order, request.seed) for order in plan.orders]
        for p in orders:
            _ = p.sequence
        if vertices.on_gpu:
            dev.cupy().cuda.get_current_stream().synchronize()
        order_seconds, best = passed(), next((p for p in orders if p.name == plan.single), orders[0])
        single = best

        def search(limit: Limit = plan.limit) -> Any:
            nonlocal best
            if request.quality == "fast":
                return vertices.first_fit(best.sequence)
            with importing():
                from ..search.implicit import run
            colors, best = run(vertices, orders, log, request.quality, stream(request.seed), limit)
            return colors

        def run() -> Any:
            if G is None:
                return search()
            nonlocal best
            p = Priorities(G, single.name, single.seed, lambda *_: dev.to_device(single.sequence, "cpu"))
            colors = session.first(G, p, rules, plan.limit.checked, lambda limit: dev.to_device(search(limit), "cpu"))
            colors = session.even(G, p, rules, colors)
            best = single if "quality" in log.notes.get("balance", {}) else best
            return dev.to_device(colors, vertices.device)

        def result(colors: Any) -> Any:
            how = {"quality": request.quality, "notes": log.notes, "rules": rules}
            return make(colors, best.name, best.seed, 0.0, order_seconds, **how)

        return Work(vertices, run, result)

    def check(result: Any) -> None:
        if verify or (verify is None and _pairs_in_classes(result) <= VERIFY_UP_TO):
            result.verify()

    return finish(vertices, begin, True, compiled, check)


def _pairs_in_classes(result: Any) -> float:
    """How many pairs of vertices a check looks at, about."""
    sizes = dev.to_device(result.class_sizes, "cpu").astype(np.float64)
    return float((sizes * sizes).sum())


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
        Ctrl-C ended the search. ``"balance"``, ``"gaps"`` and ``"quality"`` see `lagcolor.color`.
    rules : Rules or None
        Those that it keeps, in canonical form.
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
    rules: Rules | None = None
    compile_seconds: float = field(default=0.0, init=False)
    _n_colors: int | None = field(default=None, init=False)

    @property
    def prepare_seconds(self) -> float:
        """Everything before the coloring: reading and ordering."""
        return self.convert_seconds + self.order_seconds

    def provenance(self) -> dict[str, Any]:
        """All attributes except the colors, as plain JSON types."""
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
            **({"rules": self.rules.summary()} if self.rules is not None else {}),
            **({"notes": self.notes} if self.notes else {}),
        }

    def _settled(self, found: Report) -> Report:
        """What was found of pairs, and of rules and sizes; an error where anything is wrong."""
        if self.rules is None:
            found = found.settled(False, "raise")
        else:
            found = settled(found, self.colors, self.rules, None, False, "raise")
        found = with_evenness(found, self)
        self.verified = True
        return found

    def members(self) -> list[np.ndarray]:
        """The vertices of each color, ascending: a list of `n_colors` arrays of int32 on the CPU."""
        offsets, vertices = (dev.to_device(part, "cpu") for part in self.groups())
        return np.split(vertices, offsets[1:-1]) if self.n_colors else []
