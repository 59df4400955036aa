"""Colorings of graphs whose edges a function computes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import compile_clock
from ..base import device as dev
from ..base.compile_clock import importing
from ..base.device import extremes
from ..base.errors import GraphError
from ..base.messages import counted
from ..base.options import DEFAULT_SEED, Seed, seed_of, whole
from ..engines.greedy.sequential import first_fit as stored_first_fit
from ..engines.implicit import windows
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..problems.report import SHOWN, Report
from . import implicit_session as computed_edges
from .implicit_session import ComputedColoring, ImplicitPlan, Vertices

MOST = 2**31 - 1  # vertices: colors and orders are int32
EDGE = 8  # bytes in the stored graph
SAMPLE = 64  # vertices of a window and of the others, compared in both directions in each round
BATCHES = {False: 1024, True: 4096}  # by whether it is on a GPU


@dataclass(repr=False, eq=False)
class ImplicitColoring(ComputedColoring):
    """The result of `color_implicit`: the attributes of `ComputedColoring`, and the oracle.

    Attributes
    ----------
    oracle : callable
        The function that computes the edges.
    batch : int
        Vertices that are colored at a time.
    """

    oracle: Any = None
    batch: int = 0

    def verify(self) -> Report:
        """Check with the oracle that no two vertices of one color conflict.

        Returns
        -------
        Report
            The findings of the check.

        Raises
        ------
        ColoringError
            Two vertices of one color conflict, or a vertex has no color.
        """
        with dev.using(self.colors):
            findings = _findings(_Oracle(self.oracle, self.device, 0), self.colors, self.batch)
        return self._settled(findings)

    def __repr__(self) -> str:
        colors, vertices = counted(self.n_colors, "colors"), counted(len(self), "vertices")
        return (
            f"<ImplicitColoring: {colors} for {vertices}, {self.quality} ({self.order}) "
            f"on {self.device}, {self.seconds * 1e3:.3g} ms (+ {self.order_seconds * 1e3:.3g} ms to prepare)>"
        )


def color_implicit(
    oracle: Callable[[Any, Any], Any],
    n: int,
    order: Any = None,
    *,
    seed: Seed = DEFAULT_SEED,
    rng: Any = None,
    quality: str | None = None,
    time_limit: float | None = None,
    batch: int | None = None,
    device: str = "cpu",
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
    seed : int, None or "default", optional
        With a number, ties of the order are broken by a hash. With None or "default", the smaller vertex id comes
        first. It also seeds the search of the other qualities, where None and "default" count as 0.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    quality : {"fast", "balanced", "best"}, optional
        Default: "balanced"; "best" with `time_limit`; "fast" if the call names `order` or a rule.

        - "fast": first-fit in one order.
        - "balanced": first-fit in each order, passes of iterated greedy from the coloring with the fewest colors, and
          ejection if the graph fits 128 MB, which is then stored. Each pair is evaluated once, and about 64 × 64 pairs
          of each two batches twice more, in both directions, to compare the values. With batches of up to 64 these are
          about all pairs. The colors are the same on every run and device.
        - "best": the same with a graph of up to 512 MB, and then a search until `time_limit`. It returns the best
          coloring so far, also after Ctrl-C. ``notes["tried"]`` lists the attempts.
    time_limit : float, optional
        Seconds for "best", default 1, from the start of the call. Without `quality` it selects "best". The first
        coloring is always completed.
    batch : int, optional
        Vertices that are colored at a time. Memory is O(n + batch²), plus the graph if it is stored. Default: 1024, on
        a GPU 4096.
    device : str, default: "cpu"
        "cpu", "cuda", "cuda:1" ….
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
    compiled, n = compile_clock.seconds(), whole("n", n, 0, MOST, of="vertices")
    how = {"order": order, "seed": seed_of(seed, rng), "quality": quality, "time_limit": time_limit}
    plan = ImplicitPlan.of(how, "color_implicit", options, verify)
    every = dev.to_device(np.arange(n, dtype=np.int64), device)
    batch = BATCHES[dev.is_cupy(every)] if batch is None else whole("batch", batch, 1, of="vertices")
    conflicts = _Oracle(oracle, dev.device_of(every), min(batch, SAMPLE))

    @functools.cache
    def sweep() -> Any:
        return windows.sweep(conflicts, every, batch, plan.bytes // EDGE, conflicts.look_both_ways)

    @functools.cache
    def graph() -> Graph | None:
        ends = sweep()[1] if plan.bytes else None
        return None if ends is None else _stored(n, *ends)

    def first_fit(sequence: Any) -> Any:
        G = graph()
        if G is None:
            return windows.first_fit(conflicts, n, sequence, batch, conflicts.look_both_ways)
        return dev.to_device(stored_first_fit(*unsigned(G), dev.to_device(sequence, "cpu").view(np.uint32)), device)

    vertices = Vertices(every, lambda: sweep()[0], first_fit, graph)
    make = functools.partial(ImplicitColoring, oracle=oracle, batch=batch)
    return computed_edges.color(vertices, plan, make, verify, compiled)


def _stored(n: int, u: np.ndarray, v: np.ndarray) -> Graph:
    """The graph of these edges, each given once, on the CPU."""
    with importing():
        import scipy.sparse as sp

    half = sp.coo_array((np.ones(len(u), bool), (u, v)), (n, n)).tocsr()
    both = half + half.T
    return Graph(both.indptr, both.indices)


class _Oracle:
    """The oracle, whose answers are checked; vertices do not conflict with themselves."""

    def __init__(self, oracle: Callable[[Any, Any], Any], device: str, sample: int) -> None:
        self._oracle, self._device, self._sample = oracle, device, sample
        self._xp = np if device == "cpu" else dev.cupy()

    def __call__(self, us: Any, vs: Any) -> Any:
        answer = self._matrix(us, vs)
        if us is vs:
            self._symmetric(answer, us)
        itself = us[:, None] == vs[None, :]
        return answer & ~itself

    def look_both_ways(self, window: Any, members: Any) -> None:
        """Some pairs of an uncolored and a colored vertex."""
        step = max(len(members) // self._sample, 1)
        us, vs = window[: self._sample], members[::step][: self._sample]
        if len(us) and len(vs):
            self._compare(self._matrix(us, vs), self._matrix(vs, us).T, us, vs)

    def _symmetric(self, answer: Any, us: Any) -> None:
        self._compare(answer, answer.T, us, us)

    def _compare(self, one: Any, other: Any, us: Any, vs: Any) -> None:
        different = one != other
        if extremes.count_true(different):
            i, j = divmod(int(different.argmax()), different.shape[1])
            u, v, says = int(us[i]), int(vs[j]), bool(one[i, j])
            raise GraphError(
                f"the oracle says {says} of vertices {u} and {v}, and {not says} of {v} and {u}: "
                "whether two vertices conflict must not depend on which comes first"
            )

    def _matrix(self, us: Any, vs: Any) -> Any:
        answer, wanted = self._oracle(us, vs), (len(us), len(vs))
        if dev.device_of(answer) != self._device:
            raise GraphError(
                f"the oracle must return an array on {self._device}, where its arguments are, "
                f"not {type(answer).__name__} on {dev.device_of(answer)}"
            )
        answer = self._xp.asarray(answer)
        if answer.shape != wanted:
            raise GraphError(
                f"oracle(us, vs) must have shape (len(us), len(vs)) = {wanted}, not {answer.shape}: "
                "for functions of two numbers compare us[:, None] with vs[None, :]"
            )
        if answer.dtype != bool:
            raise GraphError(
                f"oracle(us, vs) must be an array of bool, not {answer.dtype}: say what a conflict is, e.g. answer > 0"
            )
        return answer


def _findings(conflicts: _Oracle, colors: Any, batch: int) -> Report:
    """Pairs of one color that conflict, by blocks of the vertices that lie sorted by color."""
    xp, n = dev.module_of(colors), len(colors)
    by_color = xp.argsort(colors, kind="stable").astype(np.int64)
    own = dev.to_device(colors[by_color], "cpu")
    count, named = 0, list[str]()
    for first in range(0, n, batch):
        last = int(np.searchsorted(own, own[min(first + batch, n) - 1], "right"))
        rows = by_color[first : first + batch]
        for other in range(first, last, batch):
            columns = by_color[other : min(other + batch, last)]
            pairs = conflicts(rows, columns) & (colors[rows][:, None] == colors[columns][None, :])
            pairs &= (colors[rows] >= 0)[:, None]
            if other == first:
                pairs = xp.triu(pairs)
            count += int(pairs.sum())
            for i, j in zip(*(p.tolist() for p in xp.nonzero(pairs)), strict=True) if len(named) < SHOWN else ():
                u, v = int(rows[i]), int(columns[j])
                named.append(f"vertices {u} and {v} conflict, and both have color {int(colors[u])}")
                if len(named) == SHOWN:
                    break
    bare = np.flatnonzero(dev.to_device(colors, "cpu") < 0)
    used = np.unique(own[own >= 0])
    return Report(
        len(used),
        count,
        named,
        len(bare),
        bare[:SHOWN].tolist(),
        gaps=int(used[-1]) + 1 - len(used) if len(used) else 0,
    )
