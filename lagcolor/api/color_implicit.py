"""color_implicit(oracle, n): color a graph whose edges a function computes; the session for computed edges."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base import __version__, imported_from
from ..base import device as dev
from ..base.compile_clock import clock, importing
from ..base.device import limited
from ..base.errors import OptionError
from ..base.messages import counted
from ..base.options import DEFAULT_SEED, Owner, Seed, resolve, seed_of, whole
from ..engines.implicit import ComputedGraph
from ..graph.classes import ColorClasses
from ..graph.graph import Graph
from ..orders import COMPUTED, Priorities
from ..problems.report import Report
from ..problems.rules import NONE, Rules
from ..problems.rules.check import check_rules
from ..search import Limit
from .request import ELSEWHERE, EVEN, RULES, Request
from .result import with_evenness
from .session import VERIFY_UP_TO, Clock, Session, finished

MOST = 2**31 - 1  # vertices; colors and orders are int32
BYTES = {"fast": 0, "balanced": 1 << 27, "best": 1 << 29}  # largest stored graph, by quality
OPTIONS = (*RULES, *EVEN)  # options of `color` that need the stored graph
FIRST = {"color_implicit": "natural", "pauli.group": "largest_first"}  # the order of "fast"
KEYWORDS = ("order", "seed", "rng", "quality", "time_limit", "device", "threads", "verify")
OWN = {"color_implicit": ("batch",), "pauli.group": ("commute", "qubits")}


class ComputedSession(Session):
    """A call that colors a graph with computed edges. Rules and balance apply to the stored graph."""

    computed: ComputedGraph
    orders: list[Priorities]  # the orders that the call tries
    best: Priorities  # the order with the fewest colors

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
        """Order, color and check; `make` constructs the result."""
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
            checked = request.verify
            if checked is None:
                sizes = dev.to_device(result.class_sizes, "cpu").astype(np.float64)
                checked = bool((sizes * sizes).sum() <= VERIFY_UP_TO)  # about the number of pairs of one color
            return finished(result, watch, request.compiled, checked)

    def _stored(self, G: ComputedGraph) -> Graph:
        """The stored graph, or an error if it is too large."""
        if G.graph is not None:
            return G.graph
        names = ", ".join(option for option in OPTIONS if option in self.request.specified)
        raise OptionError(
            f"{names}: the conflict graph takes over {self.most:,} bytes, too many to store it: leave them out, or "
            f"color fewer vertices; quality='best' stores up to {BYTES['best']:,} bytes"
        )

    def _pass(self, H: Any, p: Priorities, rules: Rules | None = None, limit: Limit | None = None) -> Any:
        return H.first_fit(p.sequence) if H is self.computed else super()._pass(H, p, rules, limit)

    def _search(self, H: Any, p: Priorities, limit: Limit) -> Any:
        with importing():
            from ..search.implicit import run

        request = self.request
        how = self.log, request.quality, request.stream, limit
        colors, self.best = run(self.computed, self.orders, *how)
        return dev.to_device(colors, H.device)


@dataclass(repr=False, eq=False)
class ComputedColoring(ColorClasses):
    """A coloring of a graph whose edges are computed. `ImplicitColoring` documents the attributes:

    colors, order, seed, seconds, order_seconds, convert_seconds, compile_seconds, verified, quality, notes, rules
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

    def provenance(self) -> dict[str, Any]:
        """Return version, settings, times, `verified`, rules and notes, as plain JSON types."""
        times = "seconds", "order_seconds", "convert_seconds", "compile_seconds"
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
        """Check that no two vertices of one color conflict, by the oracle, or letter by letter for Pauli strings.

        Returns
        -------
        Report
            The findings of the check.

        Raises
        ------
        ColoringError
            Two vertices of one color conflict, or a vertex has no color. The message names them.
        """
        with dev.using(self.colors):
            found = self._graph.findings(self.colors)
        if self.rules is None:
            found = found.or_raise(False, "raise")
        else:
            found = check_rules(found, self.colors, self.rules, None, False, "raise")
        found = with_evenness(found, self)
        self.verified = True
        return found


def _windows() -> Any:
    """Import the module of graphs whose edges a function computes; Pauli strings do not need it."""
    with importing():
        from ..engines.implicit import windows
    return windows


@imported_from("lagcolor")
@dataclass(repr=False, eq=False)
class ImplicitColoring(ComputedColoring):
    """The result of `color_implicit`: colors, times, notes and the function that computes the edges.

    Attributes
    ----------
    colors : array of int32, shape (n,)
        0…k−1, on the device that computed the edges.
    order : str
        The order of first-fit; of several orders, the order with the fewest colors.
    seed : int or None
        The seed of the order; None: ties are broken by id.
    seconds, order_seconds, convert_seconds, compile_seconds : float
        The time of the coloring alone, of the order, of the conversion, and to compile and load code.
    verified : bool
        Whether the verifier has checked these colors.
    quality : {"fast", "balanced", "best"}
        The quality of the call.
    notes : dict
        Except for "fast", ``"tried"`` lists the attempts with their name, colors and ms. ``"interrupted"`` is True if
        Ctrl-C ended the search. For ``"balance"``, ``"gaps"`` and ``"quality"`` see `lagcolor.color`.
    rules : Rules or None
        The rules that the coloring keeps, in canonical form.
    oracle : callable
        The function that computes the edges.
    batch : int
        Vertices that are colored at a time.
    """

    oracle: Any = None
    batch: int = 0

    @property
    def _graph(self) -> Any:
        return _windows().OracleGraph(self.oracle, self.colors, self.batch)

    def __repr__(self) -> str:
        colors, vertices = counted(self.n_colors, "colors"), counted(len(self), "vertices")
        return (
            f"<ImplicitColoring: {colors} for {vertices}, {self.quality} ({self.order}) "
            f"on {self.device}, {self.seconds * 1e3:.3g} ms (+ {self.order_seconds * 1e3:.3g} ms to prepare)>"
        )


@limited
def color_implicit(
    oracle: Callable[[Any, Any], Any],
    n: int,
    order: Any = None,
    *,
    rng: Any = None,
    seed: Seed = DEFAULT_SEED,
    quality: str | None = None,
    time_limit: float | None = None,
    batch: int | None = None,
    device: str = "cpu",
    threads: int | None = None,
    verify: bool | None = None,
    **options: Any,
) -> ImplicitColoring:
    """Color a graph whose edges a function computes.

    First-fit without rules stores no edge. Its colors equal sequential first-fit on the stored graph, on every
    device and for every batch size.

    Parameters
    ----------
    oracle : callable
        ``oracle(us, vs)`` returns an array of bool of shape (len(us), len(vs)). Entry [i, j] says whether us[i] and
        vs[j] must have different colors. The arguments are arrays of int64 (NumPy, or CuPy on a GPU), not empty, with
        at most `batch` vertices, and the result is an array of the same library. The function must be symmetric. Its
        value for a vertex and itself is ignored.
    n : int
        Number of vertices. They are numbered 0 … n − 1.
    order : {"natural", "random", "largest_first"} or array of shape (n,), optional
        An array has priorities: vertices with larger ones are colored earlier. "largest_first" first evaluates all
        pairs. Default: all three names are tried; for "fast", "natural".
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    seed : int, None or "default", optional
        With a number, ties of the order are broken by a hash. With None or "default", the smaller vertex id comes
        first. It also seeds the search of the other qualities, where None and "default" count as 0.
    quality : {"fast", "balanced", "best"}, optional
        Default: "balanced"; "best" with `time_limit`; "fast" if the call names `order` or a rule.

        - "fast": first-fit in one order.
        - "balanced": first-fit in each order, passes of iterated greedy from the coloring with the fewest colors, and
          ejection if the graph fits 128 MB. It is then stored, and each pair is evaluated once. To check symmetry,
          about 64 × 64 pairs of every two batches are evaluated again, in both directions; with batches of up to 64,
          these are about all pairs. The colors are the same on every run and device.
        - "best": "balanced" with a graph of up to 512 MB, then a search until `time_limit`. It returns the best
          coloring so far, also after Ctrl-C. ``notes["tried"]`` lists the attempts.
    time_limit : float, optional
        Seconds for "best", default 1, from the start of the call. Without `quality` it selects "best". The first
        coloring is always completed.
    batch : int, optional
        Vertices that are colored at a time. Memory is O(n + batch²), plus the graph if it is stored. Default: 1024, on
        a GPU 4096.
    device : str, default: "cpu"
        "cpu", "cuda", "cuda:1" ….
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    verify : bool, optional
        Evaluate all pairs of one color again, outside the timing. Default: for up to 10 M such pairs.
    **options
        Parameters of `lagcolor.color` with the same meaning: `fixed`, `forbidden`, `max_colors`, `capacity`, `weights`,
        `balance`, `equitable`. They need the conflict graph, which must fit 128 MB, or 512 MB for "best". Rules make
        "fast" the default.

    Returns
    -------
    ImplicitColoring
        The colors, times and notes.

    Raises
    ------
    GraphError
        The oracle returns no array of booleans of the right shape, or different values for a pair and its reverse. The
        check covers all pairs of a window of `batch` vertices, and a sample of the others.
    OptionError
        The order, seed, quality, time limit or batch is not valid.
    DeviceError
        The call requests a GPU, and there is none.

    See Also
    --------
    color : Color a stored graph.
    lagcolor.pauli.group : Group Pauli strings, whose conflicts are computed.

    Notes
    -----
    If the graph is not stored, each vertex is compared with the members of the classes up to its own, and with the
    other vertices of its window.

    Examples
    --------
    Color the whole numbers from 2 on. Numbers with a common divisor get different colors:

    >>> import numpy as np
    >>> result = lagcolor.color_implicit(lambda us, vs: np.gcd(us[:, None] + 2, vs[None, :] + 2) > 1, 8)
    >>> result.colors
    array([0, 0, 1, 0, 2, 0, 3, 1], dtype=int32)
    """
    n = whole("n", n, 0, MOST, of="vertices")
    how = {"order": order, "seed": seed_of(seed, rng), "quality": quality, "time_limit": time_limit, "verify": verify}
    session = ComputedSession("color_implicit", how, options)
    every = dev.to_device(np.arange(n, dtype=np.int64), device)
    G = _windows().OracleGraph(oracle, every, whole("batch", batch, 1, of="vertices", none=True), session.most)
    return session.run(G, functools.partial(ImplicitColoring, oracle=oracle, batch=G.batch))
