"""Orders in which vertices are colored: permutations of the vertices, without ties.

Start with the table below, then with `degree.py`. An order assigns a key to each vertex. If the seed is None, the
smaller vertex id breaks ties. If it is a number, a hash of seed and id does (`mix`, a bijection, so hashes do not
collide). Ids make memory access local and give meshes few colors. Hashes make chains of dependent vertices short, which
parallel algorithms need.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import device as dev
from ..base import imported_from
from ..base.compile_clock import load
from ..base.errors import OptionError
from ..base.options import known, resolve, seed_of, unknown
from ..graph.graph import Graph

__all__ = ["ORDERS", "TWO_HOPS", "Order", "Priorities", "degeneracy"]


@dataclass(frozen=True)
class Order:
    """A named order of `lagcolor.ORDERS`.

    Attributes
    ----------
    name : str
        Name of the order, as `lagcolor.color` accepts it.
    where : str
        "module:function" in `lagcolor.orders`. ``function(G, seed)`` returns the vertices in the order of coloring:
        int32, shape (n,), on the graph's device.
    engines : tuple of {"cpu", "cuda"}
        Devices with code for the order. Without "cuda", the order of a graph on a GPU is computed on the CPU, with the
        same result.
    exact : bool
        False for a parallel approximation of a sequential order.
    reference : str
        Source or definition of the order.
    """

    name: str
    where: str
    engines: tuple[str, ...]
    exact: bool
    reference: str

    @functools.cached_property
    def make(self) -> Callable[[Graph, int | None], Any]:
        """The function of the order, imported at first use."""
        module, _, function = self.where.partition(":")
        return getattr(load(f".{module}", __name__), function)


_BOTH, _CPU = ("cpu", "cuda"), ("cpu",)
_TABLE = [
    Order("natural", "ties:natural", _BOTH, True, "vertex id, the smaller first"),
    Order("random", "ties:random", _BOTH, True, "hash of seed and id (no seed counts as 0)"),
    Order("random_spread", "degree:random_spread", _BOTH, True, "runs of 32 ids by hash (no seed counts as 0)"),
    Order("largest_first", "degree:largest_first", _BOTH, True, "Welsh and Powell 1967"),
    Order(
        "largest_first_spread", "degree:largest_first_spread", _BOTH, True,
        "Welsh and Powell 1967, ties by group of a hash (no seed counts as 0), then id",
    ),
    Order("largest_log_first", "degree:largest_log_first", _BOTH, True, "Hasenplaugh et al. 2014, LLF"),
    Order("smallest_last", "queues:smallest_last", _CPU, True, "Matula and Beck 1983"),
    Order(
        "smallest_log_last", "smallest_log_last:smallest_log_last", _BOTH, False,
        "Hasenplaugh et al. 2014, SLL",
    ),
    Order(
        "approximate_degeneracy", "approximate_degeneracy:approximate_degeneracy", _BOTH, False,
        "Besta et al. 2020, ADG (ε = 0.01)",
    ),
    Order("incidence_degree", "queues:incidence_degree", _CPU, True, "Coleman and Moré 1983"),
    Order(
        "dynamic_largest_first", "queues:dynamic_largest_first", _CPU, True,
        "Gebremedhin et al. 2013, DLF",
    ),
    Order(
        "connected_sequential_bfs", "traversals:connected_sequential_bfs", _CPU, True,
        "Kosowski and Manuszewski 2004, CS, breadth first",
    ),
    Order(
        "connected_sequential_dfs", "traversals:connected_sequential_dfs", _CPU, True,
        "Kosowski and Manuszewski 2004, CS, depth first",
    ),
    Order(
        "independent_set", "independent_sets:independent_sets", _CPU, True,
        "Kosowski and Manuszewski 2004, greedy independent sets",
    ),
]  # fmt: skip
ORDERS: Mapping[str, Order] = {row.name: row for row in _TABLE}
# Orders of vertices that constrain each other through nets: the functions take `Nets` instead of a graph.
_TWO_HOPS = [
    *_TABLE[:3],
    Order("largest_first", "two_hop:largest_first", _BOTH, True, "Gebremedhin et al. 2013, LF at distance 2"),
    Order("smallest_last", "two_hop:smallest_last", _CPU, True, "Gebremedhin et al. 2013, SL at distance 2"),
    Order("incidence_degree", "two_hop:incidence_degree", _CPU, True, "Coleman and Moré 1983"),
    Order(
        "dynamic_largest_first", "two_hop:dynamic_largest_first", _CPU, True,
        "Gebremedhin et al. 2013, DLF at distance 2",
    ),
]  # fmt: skip
TWO_HOPS: Mapping[str, Order] = {row.name: row for row in _TWO_HOPS}
# Orders of graphs with computed edges.
COMPUTED: Mapping[str, Order] = {
    **{row.name: row for row in _TABLE[:2]},
    "largest_first": Order("largest_first", "degree:by_degree", _BOTH, True, "Welsh and Powell 1967"),
}
BY_ID = ("natural", "random", "random_spread")  # keys depend on vertex ids only
BY_DEGREE = ("largest_first", "largest_first_spread", "largest_log_first")  # keys depend on degrees and ids only


@imported_from("lagcolor")
class Priorities:
    """A permutation of the vertices as a sequence and as priorities, each computed at first use.

    Attributes
    ----------
    G : Graph
        The graph.
    name : str
        Name of the order, "user" for an array.
    seed : int or None
        Ties are broken by a hash of seed and id, or by id if None.
    made_on_cpu : bool
        True if the graph is on a GPU and the order is computed on the CPU, from a copy of the graph.

    Examples
    --------
    >>> G = lagcolor.generate.star(4)
    >>> lagcolor.Priorities.of(G, "largest_first").sequence
    array([0, 1, 2, 3], dtype=int32)
    """

    __slots__ = ("G", "_make", "_p", "_sequence", "made_on_cpu", "name", "seed")
    made_on_cpu: bool
    name: str
    seed: int | None

    def __init__(
        self, G: Graph, name: str, seed: int | None, make: Callable[[Graph, int | None], Any], made_on_cpu: bool = False
    ) -> None:
        self.G, self.name, self.seed, self._make, self.made_on_cpu = G, name, seed, make, made_on_cpu
        self._sequence: Any = None
        self._p: Any = None

    @classmethod
    def of(cls, G: Any, order: Any = "natural", *, seed: int | None = None, rng: Any = None) -> Priorities:
        """Convert the name of an order, or numbers by vertex or label, to priorities.

        Vertices with larger numbers are colored earlier. `Priorities` of the same graph are returned, moved to the
        device of the graph if necessary. If an order has no GPU code and the graph is on a GPU, the order is computed
        on the CPU from a copy of the graph, and moved to the GPU.

        Parameters
        ----------
        G : Graph
            The graph.
        order : str, array of shape (n,), mapping, callable or Priorities
            The order; see `lagcolor.color`.
        seed : int or None
            Breaks ties; see `lagcolor.color`.
        rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
            Draws a number that replaces `seed`.

        Raises
        ------
        OptionError
            The order is unknown, or an array has the wrong shape or NaN. Errors in an array may be raised only when the
            sequence is used for the first time.
        """
        return priorities_of(G, order, resolve(seed_of(seed, rng, None), None))

    @property
    def notes(self) -> dict[str, str]:
        """Note for the result, if the order of a graph on a GPU is computed on the CPU."""
        if not self.made_on_cpu:
            return {}
        return {"order": f"{self.name} was computed on the CPU, from a copy of the graph: it has no GPU code"}

    @property
    def is_natural(self) -> bool:
        """True if the order is the vertex id, so that `sequence` need not be read."""
        return self.name == "natural"

    @property
    def is_made(self) -> bool:
        """True if `sequence` has been computed, so that it takes no more memory."""
        return self._sequence is not None

    @property
    def sequence(self) -> Any:
        """Vertices in the order of coloring: int32, shape (n,), on the graph's device."""
        if self._sequence is None:
            with dev.using(self.G.indices) if self.G.on_gpu else dev.NO_CHANGE:
                self._sequence = self._make(self.G, self.seed)
        return self._sequence

    @property
    def p(self) -> Any:
        """Priorities p[v], larger is colored earlier: a permutation of 0 … n − 1, int32, on the graph's device."""
        if self._p is None:
            xp, n = self.G.xp, self.G.n
            with dev.using(self.G.indices):
                self._p = xp.empty(n, np.int32)
                self._p[self.sequence] = xp.arange(n - 1, -1, -1, dtype=np.int32)
        return self._p

    @property
    def keys(self) -> Any:
        """`sequence` on a CPU; on a GPU `p`, or None for orders that kernels compare by id or by hash of the id."""
        if not self.G.on_gpu:
            return self.sequence
        return None if self.name in ("natural", "random") else self.p

    def on(self, device: str) -> Priorities:
        """Copy these priorities to another device."""
        out = Priorities(self.G.on(device), self.name, self.seed, self._make)
        out._sequence = dev.to_device(self.sequence, device)
        return out


def priorities_of(G: Any, order: Any, seed: int | None) -> Priorities:
    """`Priorities.of` for a checked seed."""
    if isinstance(order, Priorities):
        if order.G.n != G.n:
            raise OptionError(f"these priorities are for {order.G.n} vertices, but the graph has {G.n}")
        return order if order.G.device == G.device else order.on(G.device)
    if not isinstance(order, str):
        from_array = load(".user", __name__).from_array
        return Priorities(G, "user", seed, lambda G, seed: from_array(G, order, seed))
    table = (COMPUTED, ORDERS, TWO_HOPS)[G.hops]
    name = order if order in table else known(order, table)
    if name is None and table is COMPUTED:
        raise OptionError(
            f"unknown order {order!r}; graphs with computed edges have: {', '.join(table)} (or pass an array)"
        )
    if name is None:
        also = ""
        if known(order, ["dsatur"]):  # a strategy of NetworkX, but no fixed order
            also = "; DSATUR is an algorithm here: color(x, 'dsatur')"
        raise OptionError(f"{unknown('order', order, table)} (or pass an array of priorities){also}")
    row = table[name]
    kind = "cuda" if G.on_gpu else "cpu"
    if kind not in row.engines:
        return Priorities(G, name, seed, lambda G, seed: _through_cpu(G, seed, row), made_on_cpu=True)
    return Priorities(G, name, seed, row.make)


def degeneracy(G: Graph) -> int:
    """Return the degeneracy of a graph: the largest k such that some subgraph has minimum degree k.

    Parameters
    ----------
    G : Graph
        The graph.

    Returns
    -------
    int
        The exact degeneracy. The order "smallest_last" needs at most one color more.

    Examples
    --------
    >>> lagcolor.orders.degeneracy(lagcolor.generate.grid2d(3))
    2
    """
    from .queues import degeneracy

    return degeneracy(G)


def _through_cpu(G: Any, seed: int | None, row: Order) -> Any:
    """Compute the sequence from a copy of G on the CPU and move it to the device of G."""
    return dev.to_device(row.make(G.on("cpu"), seed), G.device)
