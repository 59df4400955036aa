"""Calls that color graphs with computed edges: their options, steps and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base import __version__
from ..base import device as dev
from ..base.compile_clock import clock, importing
from ..base.errors import OptionError
from ..base.options import Owner, resolve, stream
from ..engines.implicit import ComputedGraph
from ..graph.classes import ColorClasses
from ..graph.graph import Graph
from ..orders import COMPUTED, Priorities
from ..problems.report import Report
from ..problems.rules import NONE, Rules
from ..problems.rules.check import settled
from ..search import Limit
from .request import ELSEWHERE, EVEN, RULES, Request
from .result import with_evenness
from .session import VERIFY_UP_TO, Clock, Session, finished

BYTES = {"fast": 0, "balanced": 1 << 27, "best": 1 << 29}  # of the stored graph, at most
OPTIONS = (*RULES, *EVEN)  # of `color`, which need that graph
FIRST = {"color_implicit": "natural", "pauli.group": "largest_first"}  # the order of a single pass
KEYWORDS = ("order", "seed", "rng", "quality", "time_limit", "device", "verify")
OWN = {"color_implicit": ("batch",), "pauli.group": ("commute", "qubits", "threads")}


class ComputedSession(Session):
    """A call that colors a graph with computed edges. Rules and balance are those of the stored graph."""

    computed: ComputedGraph
    orders: list[Priorities]  # that the call tries
    best: Priorities  # the order of the first-fit with the fewest colors

    def __init__(self, owner: str, parameters: dict[str, Any], options: Mapping[str, Any]) -> None:
        options = Owner(owner, "", OPTIONS, (*KEYWORDS, *OWN[owner]), ELSEWHERE).spelled(options)
        order = parameters.pop("order")
        if parameters["quality"] is None and order is not None and parameters["time_limit"] is None:
            parameters["quality"] = "fast"
        super().__init__(Request(**parameters, **options))
        request, self.single = self.request, FIRST[owner]
        several = (self.single,) if request.quality == "fast" else tuple(COMPUTED)
        self.names = several if order is None else (order,)
        self.stores = request.rules is not NONE or request.even is not None
        self.most = BYTES["balanced" if self.stores and request.quality == "fast" else request.quality]

    def run(self, G: ComputedGraph, make: Callable[..., Any]) -> Any:
        """Order, color and check; `make` makes the result."""
        request, log, self.computed = self.request, self.log, G
        with dev.using(G.indices):
            begun, seed = clock(), resolve(request.seed, None)
            H: Any = self._stored(G) if self.stores else G
            rules = self._rules(H)
            self.orders = [Priorities.of(G, order, seed=seed) for order in self.names]
            for p in self.orders:
                _ = p.sequence
            if G.on_gpu:
                dev.cupy().cuda.get_current_stream().synchronize()
            ordered = max(clock() - begun, 0.0)
            one = next((p for p in self.orders if p.name == self.single), self.orders[0])
            p = Priorities(H, one.name, one.seed, lambda *_: dev.to_device(one.sequence, H.device))
            self.best = one
            with Clock(G) as watch:
                colors = self.first(H, p, rules, request.verify is not False)
                colors = dev.to_device(self.even(H, p, rules, colors), G.device)
            best = one if "quality" in log.notes.get("balance", {}) else self.best
            how = {"quality": request.quality, "notes": log.notes, "rules": rules}
            result = make(colors, best.name, best.seed, 0.0, ordered, **how)
            sizes = dev.to_device(result.class_sizes, "cpu").astype(np.float64)
            few = bool((sizes * sizes).sum() <= VERIFY_UP_TO)  # pairs of one color, about
            return finished(result, watch, request.compiled, few if request.verify is None else request.verify)

    def _stored(self, G: ComputedGraph) -> Graph:
        """The graph that the options need."""
        if G.graph is not None:
            return G.graph
        names = ", ".join(option for option in OPTIONS if option in self.request.given)
        raise OptionError(
            f"{names}: the conflict graph takes over {self.most:,} bytes, too many to store it: leave out what "
            f"needs it, or color fewer vertices; quality='best' stores up to {BYTES['best']:,} bytes"
        )

    def _pass(self, H: Any, p: Priorities, rules: Rules | None = None, limit: Limit | None = None) -> Any:
        return H.first_fit(p.sequence) if H is self.computed else super()._pass(H, p, rules, limit)

    def _search(self, H: Any, p: Priorities, limit: Limit) -> Any:
        with importing():
            from ..search.implicit import run

        request = self.request
        how = self.log, request.quality, stream(request.seed), limit
        colors, self.best = run(self.computed, self.orders, *how)
        return dev.to_device(colors, H.device)


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
        times = "seconds", "order_seconds", "convert_seconds"
        return {
            "lagcolor": __version__,
            **{name: getattr(self, name) for name in ("quality", "order", "seed", "device", *times, "verified")},
            **({"rules": self.rules.summary()} if self.rules is not None else {}),
            **({"notes": self.notes} if self.notes else {}),
        }

    @property
    def _graph(self) -> Any:
        """The colored graph."""
        raise NotImplementedError

    def verify(self) -> Report:
        """Check that no two members of a class conflict: by the oracle, or letter by letter of Pauli strings.

        Returns
        -------
        Report
            The findings of the check.

        Raises
        ------
        ColoringError
            Two members of a class conflict, or one is in no class. The message names them.
        """
        with dev.using(self.colors):
            found = self._graph.findings(self.colors)
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
