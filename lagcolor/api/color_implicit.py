"""Colorings of graphs whose edges a function computes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.messages import counted
from ..base.options import DEFAULT_SEED, Seed, seed_of, whole
from ..engines.implicit.windows import OracleGraph
from .implicit_session import ComputedColoring, ComputedSession

MOST = 2**31 - 1  # vertices: colors and orders are int32


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

    @property
    def _graph(self) -> OracleGraph:
        return OracleGraph(self.oracle, self.colors, self.batch)

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
    n = whole("n", n, 0, MOST, of="vertices")
    how = {"order": order, "seed": seed_of(seed, rng), "quality": quality, "time_limit": time_limit, "verify": verify}
    session = ComputedSession("color_implicit", how, options)
    every = dev.to_device(np.arange(n, dtype=np.int64), device)
    G = OracleGraph(oracle, every, whole("batch", batch, 1, of="vertices", none=True), session.most)
    return session.run(G, functools.partial(ImplicitColoring, oracle=oracle, batch=G.batch))
