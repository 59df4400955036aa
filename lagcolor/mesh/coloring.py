"""Colorings of meshes: elements, nodes, edges and facets, each by one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.color import color
from ..api.result import Coloring
from ..api.session import Clock, finished, is_checked
from ..base import compile_clock
from ..base import device as dev
from ..base.compile_clock import stopwatch
from ..base.device import extremes, limited
from ..base.log import Log, stage
from ..base.options import choice, flag
from ..engines.balance.even import RATIO, is_reached, ratio_of
from ..engines.elements import Rows, cuda
from ..engines.elements.sequential import MOST_COLORS, SEED, balance_classes, breadth_first, first_fit
from ..engines.two_hop.cuda import first_fit_in_nets
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from ..orders.ties import tie_order
from ..orders.two_hop_linear import cyclic
from ..problems import PROBLEMS
from ..search import UNSUITED, Attempt, Search, one_by_one
from .blocks import Connectivity

BY = ("node", "facet")
QUALITIES = ("fast", "balanced")
MOST_COPIED = 1 << 21  # entries of a mesh on a GPU, up to which the default is "balanced", on a copy on the CPU
READS = 1 << 24  # of elements of the nodes of elements, up to which the graph of conflicting elements is stored


@limited
def color_elements(
    cells: Any, by: str = "node", *, n_nodes: int | None = None,
    balance: bool = True, device: str | None = None, quality: str | None = None, verify: bool | None = None,
    threads: int | None = None,
) -> Coloring:  # fmt: skip
    """Color the elements of a mesh so that two elements of one color share no node.

    The elements of one color can be assembled at the same time, because no two of them add to the same entry.

    Parameters
    ----------
    cells : array of integers, shape (elements, nodes per element), block, list of blocks, or mesh
        The nodes of each element, numbered from 0: a NumPy or CuPy array, or any array with DLPack or
        ``__cuda_array_interface__``. −1 stands for no node, so that elements of several types fit one array. A block is
        such an array, or a pair of a type name of meshio and an array, such as ``("tetra", cells)`` with four columns
        or ``("tetra10", cells)`` with ten; a dict also has such pairs. All blocks of a meshio mesh or dict are used;
        they must be of one dimension. To use only some, or blocks of several dimensions, pass them as a list, such as
        ``mesh.cells``. Elements are numbered through all blocks.
    by : {"node", "facet"}
        What elements of one color must not share. A facet is a face in three dimensions, an edge in two, and a node in
        one. For "facet", blocks need the type names and the node order of meshio.
    n_nodes : int, optional
        Number of nodes. Default: the number of points of the mesh, or the largest node plus one.
    balance : bool
        Balance the sizes of the classes. No color is added. In a small mesh a class may become empty, which removes a
        color.
    device : str, optional
        "cpu", "cuda", "cuda:1" …; default: the device of the cells.
    quality : {"fast", "balanced"}, optional
        "fast": one pass of first-fit in the order "random", on the device of the cells. "balanced": several attempts,
        listed in ``notes["tried"]``: first-fit by number, by residues of the number, and breadth first from a corner of
        the mesh; for small meshes also the attempts of `lagcolor.color`. The first coloring with the fewest colors is
        returned. A mesh on a GPU is copied to the CPU for that. Both qualities give the same colors on a CPU and a GPU.
        Default: "balanced"; "fast" for more than 2²¹ entries on a GPU. For a longer search, pass `graph` of the result
        to ``lagcolor.color(graph, problem="rows", quality="best")``.
    verify : bool, optional
        Check the result. Default: for graphs of up to 10 M edges.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.

    Returns
    -------
    Coloring
        The colors of the elements: `colors` is int32 of shape (elements,), and `classes()` has the elements of each
        color. The graph is the pattern of elements and nodes, or of elements and facets; the problem is "rows".

    Raises
    ------
    GraphError
        The cells are not integers from −1 to n_nodes − 1, the blocks of a mesh have several dimensions, or "facet"
        needs the types of elements.
    OptionError, DeviceError
        See `lagcolor.color`.

    See Also
    --------
    color_nodes, color_edges, color_facets : Color other parts of a mesh.
    lagcolor.color_pairs : Color contacts between bodies.

    References
    ----------
    Farhat, Crivelli 1989, "A general approach to nonlinear FE computations on shared-memory multiprocessors"; Cecka,
    Lew, Darve 2011, "Assembly of finite element methods on graphics processors".

    Examples
    --------
    Color two triangles with a common edge, and one that shares a node with the second:

    >>> from lagcolor.mesh import color_elements
    >>> result = color_elements([[0, 1, 2], [1, 2, 3], [3, 4, 5]])
    >>> result.n_colors, result.class_sizes.tolist()
    (2, [2, 1])
    >>> for elements in result.classes():
    ...     print(elements)  # no two of these share a node
    [0 2]
    [1]
    """
    by = choice("by", by, BY)

    def read() -> Rows:
        mesh = Connectivity.of(cells, n_nodes, device)
        if not isinstance(cells, (list, tuple)):
            mesh = mesh.of_one_dimension()
        if by == "node":
            return mesh.rows
        found, of_elements = mesh.parts("facet")
        return Rows(of_elements, len(found))

    return _color(read, ("elements", f"{by}s"), balance, quality, verify)


@limited
def color_nodes(
    cells: Any, *, n_nodes: int | None = None, balance: bool = True, device: str | None = None,
    threads: int | None = None, **more: Any,
) -> Coloring:  # fmt: skip
    """Color the nodes of a mesh so that the nodes of each element have different colors.

    Nodes of one color share no element. A smoother, or an optimization of the positions of nodes, can update them at
    the same time.

    Parameters
    ----------
    cells : array of integers, block, list of blocks, or mesh
        The nodes of each element; see `color_elements`.
    n_nodes, balance, device, threads : optional
        See `color_elements`.
    **more
        Parameters of `lagcolor.color`.

    Returns
    -------
    Coloring
        The colors of the nodes. The problem is "columns" of the pattern of elements and nodes.

    See Also
    --------
    color_elements, color_edges, color_facets : Color other parts of a mesh.

    Examples
    --------
    >>> from lagcolor.mesh import color_nodes
    >>> color_nodes([[0, 1, 2], [1, 2, 3]]).colors
    array([0, 1, 2, 0], dtype=int32)
    """
    mesh = Connectivity.of(cells, n_nodes, device)
    result = color(mesh.rows.pattern(), problem="columns", balance=flag("balance", balance), **more)
    result._parts = ("elements", "nodes")
    return result


@limited
def color_edges(
    cells: Any, *, n_nodes: int | None = None,
    balance: bool = True, device: str | None = None, quality: str | None = None, verify: bool | None = None,
    threads: int | None = None,
) -> Coloring:  # fmt: skip
    """Color the edges of a mesh so that two edges of one color share no node.

    A loop over the edges of one color can add to both ends of each edge at the same time.

    Parameters
    ----------
    cells : array of integers, block, list of blocks, or mesh
        The nodes of each element; see `color_elements`. Blocks need type names.
    n_nodes, balance, device, quality, verify, threads : optional
        See `color_elements`.

    Returns
    -------
    Coloring
        The colors of the edges, in the order of `edges`.

    See Also
    --------
    edges : The edges of a mesh.
    color_elements, color_nodes, color_facets : Color other parts of a mesh.

    Examples
    --------
    >>> from lagcolor.mesh import color_edges, edges
    >>> cells = "triangle", [[0, 1, 2], [1, 2, 3]]
    >>> edges(cells).tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    >>> color_edges(cells).n_colors
    3
    """

    def read() -> Rows:
        mesh = Connectivity.of(cells, n_nodes, device)
        return Rows(mesh.parts("edge")[0], mesh.n_nodes)

    return _color(read, ("edges", "nodes"), balance, quality, verify)


@limited
def color_facets(
    cells: Any, by: str = "element", *, n_nodes: int | None = None,
    balance: bool = True, device: str | None = None, quality: str | None = None, verify: bool | None = None,
    threads: int | None = None,
) -> Coloring:  # fmt: skip
    """Color the facets of a mesh so that two facets of one color share no element, or no node.

    A finite volume method adds the flux through a facet to the elements on both sides (``by="element"``). If sheets or
    lines meet, a facet may have more than two elements.

    Parameters
    ----------
    cells : array of integers, block, list of blocks, or mesh
        The nodes of each element; see `color_elements`. Blocks need type names.
    by : {"element", "node"}
        What facets of one color must not share.
    n_nodes, balance, device, quality, verify, threads : optional
        See `color_elements`.

    Returns
    -------
    Coloring
        The colors of the facets, in the order of `facets`.

    See Also
    --------
    facets : The facets of a mesh.
    color_elements, color_nodes, color_edges : Color other parts of a mesh.

    Examples
    --------
    >>> from lagcolor.mesh import color_facets
    >>> color_facets(("triangle", [[0, 1, 2], [1, 2, 3]])).n_colors
    3
    """
    by = choice("by", by, ("element", "node"))

    def read() -> Rows:
        mesh = Connectivity.of(cells, n_nodes, device)
        found, of_elements = mesh.parts("facet")
        return Rows(found, mesh.n_nodes) if by == "node" else mesh.sides(of_elements, len(found))

    return _color(read, ("facets", f"{by}s"), balance, quality, verify)


def edges(cells: Any, *, n_nodes: int | None = None, device: str | None = None) -> Any:
    """Return the edges of a mesh, each once.

    Parameters
    ----------
    cells : array of integers, block, list of blocks, or mesh
        The nodes of each element; see `color_elements`. Blocks need type names.
    n_nodes, device : optional
        See `color_elements`.

    Returns
    -------
    array of int32, shape (edges, 2)
        The nodes of each edge, the smaller first, in lexicographic order.

    Examples
    --------
    >>> lagcolor.mesh.edges(("line", [[2, 1], [1, 0]]))
    array([[0, 1],
           [1, 2]], dtype=int32)
    """
    return Connectivity.of(cells, n_nodes, device).parts("edge")[0]


def facets(cells: Any, *, n_nodes: int | None = None, device: str | None = None) -> Any:
    """Return the facets of a mesh, each once.

    Parameters
    ----------
    cells : array of integers, block, list of blocks, or mesh
        The nodes of each element; see `color_elements`. Blocks need type names.
    n_nodes, device : optional
        See `color_elements`.

    Returns
    -------
    array of int32, shape (facets, nodes)
        The corners of each facet in rising order, filled with −1, in lexicographic order.

    Examples
    --------
    >>> lagcolor.mesh.facets(("tetra", [[0, 1, 2, 3]])).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    """
    return Connectivity.of(cells, n_nodes, device).parts("facet")[0]


def _color(
    read: Callable[[], Rows], parts: tuple[str, str], balance: bool, quality: str | None, verify: bool | None
) -> Coloring:
    """Read rows, and color them so that rows of one color share no column. `parts` names rows and columns."""
    compiled, passed, even = compile_clock.seconds(), stopwatch(), flag("balance", balance)
    quality, verify = choice("quality", quality, QUALITIES, none=True), flag("verify", verify, none=True)
    rows, log = read(), Log()
    P, nodes, seconds = rows.pattern(), rows.nodes, passed()
    if quality is None:
        quality = "fast" if P.on_gpu and nodes.size > MOST_COPIED else "balanced"

    with dev.using(P.indices):
        log.stage = stage("coloring")
        with Clock(P) as watch:
            colors = colors_of(nodes, P, quality, even, log)
        if even:
            sizes = dev.to_device(dev.counts(colors, extremes.largest(colors, empty=-1) + 1), "cpu")
            log.notes["balance"] = {"ratio": RATIO, "after": ratio_of(sizes), "reached": is_reached(sizes, RATIO)}
        name = f"first_fit, {quality}" + " + balance" * even
        order = "random" if quality == "fast" else log.notes["order"]
        coloring = Coloring(colors, P, name, order, problem="rows", notes=log.notes)
        coloring._parts = parts
        coloring.convert_seconds = seconds
        return finished(coloring, watch, compiled, is_checked(verify, P))


def colors_of(nodes: Any, P: Pattern, quality: str, even: bool, log: Log) -> Any:
    """Return the colors of elements, on the device of the pattern; `nodes` is int32 and contiguous."""
    if quality == "fast" and P.on_gpu and P.rows:
        colors = first_fit_in_nets(Nets(P, P.T), tie_order(P.xp, P.rows, SEED))
        k = extremes.largest(colors, empty=-1) + 1
        if even and 1 < k <= MOST_COLORS:
            cuda.launch(cuda.ELEMENTS, nodes, None, P.columns, cuda.BALANCE, -(-k // 64), colors)
        return colors
    here, P = dev.to_device(nodes, "cpu"), P.on("cpu")
    colors = first_fit(P, tie_order(np, P.rows, SEED)) if quality == "fast" else fewest(here, P, log)
    if even:
        balance_classes(P, colors)
    return dev.to_device(colors, dev.device_of(nodes))


def fewest(nodes: np.ndarray, P: Pattern, log: Log) -> Any:
    """Return the first coloring with the fewest colors of several orders; ``log.notes["tried"]`` lists them."""
    search = Search(Nets.rows(P), Log(), least=PROBLEMS["rows"].lower_bound(P))

    def in_order(order: np.ndarray | None) -> Any:
        return UNSUITED if order is None else first_fit(P, order)

    rows = (
        Attempt("natural", 0, lambda *_: first_fit(P)),
        Attempt("cyclic", 0, lambda search, *_: in_order(cyclic(search.G, search.n_colors))),
        Attempt("breadth_first", 0, lambda *_: in_order(breadth_first(nodes, P.T))),
        Attempt("search", 0, lambda search, *_: by_search(search.G, search.log)),
    )
    one_by_one(search, rows)
    colors = search.result()
    order = next(row["name"] for row in search.tried if row["colors"] == search.n_colors)
    log.notes |= search.log.notes | {"order": order}
    return colors


def by_search(H: Nets, log: Log) -> Any:
    """Colors by `lagcolor.color` on the graph of elements that share a node, unless this graph is too large."""
    if H.reads(READS) > READS:
        return UNSUITED
    result = color(H.of_vertices, problem="rows", quality="balanced", verify=False)
    skipped = [row["why"] for row in result.notes.get("tried", ()) if "why" in row]
    if why := result.notes.get("memory", skipped and skipped[0]):
        log.notes["memory"] = why
    return result.colors
