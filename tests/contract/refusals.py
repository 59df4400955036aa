"""Refusals: the call, the class of its error, what the message says, and a call that it advises."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import semirings
from lagcolor import (
    ColoringError,
    DeviceError,
    FormatError,
    Graph,
    GraphError,
    OptionError,
    Pattern,
    balance,
    color,
    color_implicit,
    color_pairs,
    convert,
    derivatives,
    equitable,
    generate,
    io,
    mesh,
    pauli,
    plot,
    recolor,
    reduce,
    solvers,
    verify,
)

At = Path  # a folder with the files of `files`


class Row(NamedTuple):
    """A call that is refused; `says` is in the message; `advice` does what that says, and is not refused."""

    call: Callable[[At], Any]
    error: type[Exception]
    says: str
    advice: Callable[[At], Any] | None = None


PATH, RING, CLIQUE = generate.path(4), generate.cycle(6), generate.clique(5)
ONE_WAY = sp.csr_array([[0, 1], [0, 0]])
SOLVABLE = sp.csr_array(np.diag([4.0, 4, 4]) - np.eye(3, k=1) - np.eye(3, k=-1))
# Collecting the tests computes none of these results: a row that uses one computes it.
old = functools.cache(lambda: color(PATH, order="natural"))
star = functools.cache(lambda: color(PATH, problem="star"))
ruled = functools.cache(lambda: color(PATH, fixed={0: 3}))
partial = functools.cache(lambda: color(CLIQUE, max_colors=3, partial="fewest"))
rectangle = functools.cache(lambda: Pattern.of(np.eye(3, 4, dtype=bool)))
jacobian = functools.cache(lambda: derivatives.jacobian(rectangle()))
hessian = functools.cache(lambda: derivatives.hessian(SOLVABLE))
both = functools.cache(lambda: derivatives.jacobian(rectangle(), "both"))


def on_cluster(path: Path, **options: Any) -> Any:
    """A coloring on a Dask cluster, which a test may lack."""
    import lagcolor.scale.dask

    return lagcolor.scale.dask.color(path, **options)


def networkx(kind: str, *edges: tuple[Any, ...]) -> Any:
    """A graph of NetworkX, which a test may lack."""
    import networkx as nx

    return getattr(nx, kind)(edges)


def letters() -> Any:
    """A path with names."""
    return networkx("Graph", ("a", "b"), ("b", "c"))


@functools.cache
def verbs() -> Any:
    """The engine on python-graphblas, which Python 3.14 lacks."""
    return semirings.engine("cpu")


DAMAGED = sp.csr_array((np.ones(1), np.array([7]), np.array([0, 1, 1, 1, 1])), shape=(4, 2))
SEVERAL = ["cuda:0", "cuda:1"]


def never(us: Any, vs: Any) -> Any:
    """An oracle without edges."""
    return np.zeros((len(us), len(vs)), bool)


NAMES = {
    "algorithm": Row(
        lambda at: color(PATH, "gredy"), OptionError,
        "unknown algorithm 'gredy' (did you mean 'greedy'?); there are: ",
        lambda at: color(PATH, "greedy"),
    ),
    "algorithm of a problem": Row(
        lambda at: color(PATH, "greedy", problem="star"), OptionError,
        "unknown algorithm 'greedy' for star; there are: first_fit",
        lambda at: color(PATH, "first_fit", problem="star"),
    ),
    "order": Row(
        lambda at: color(PATH, order="larges_first"), OptionError,
        "unknown order 'larges_first' (did you mean 'largest_first' or 'largest_log_first' or "
        "'largest_first_spread'?);",
        lambda at: color(PATH, order="largest_first"),
    ),
    "problem": Row(
        lambda at: color(PATH, problem="colums"), OptionError,
        "unknown problem 'colums' (did you mean 'columns'?); there are: distance1, distance2, distance3, "
        "columns, rows, edges, star, acyclic, star_bicoloring, acyclic_bicoloring",
        lambda at: color(PATH, problem="columns"),
    ),
    "problem without its distance": Row(
        lambda at: color(PATH, problem="distance"), OptionError,
        "problem='distance' needs a distance: write problem='distance3', or pass k=3 to color and verify",
        lambda at: (color(PATH, problem="distance", k=3), color(PATH, problem="distance3")),
    ),
    "distance of another problem": Row(
        lambda at: verify(PATH, old(), problem="star", k=3), OptionError,
        "k=3 is the distance of problem='distance', and this call names 'star': for at most 3 colors pass "
        "max_colors=3, for vertices within 3 edges problem='distance', k=3, else leave k out",
        lambda at: verify(PATH, star(), problem="star"),
    ),
    "distance over the budget": Row(
        lambda at: color(generate.star(70_000), problem="distance", k=3), OptionError,
        "problem='distance3' stores the pairs of vertices within 3 edges: about 4,899,930,000 entries, 19.6 GB, where "
        "268,435,456 are allowed: take a smaller distance, or a part of the graph; distances 1 and 2 store no pairs",
        lambda at: color(generate.star(70_000), problem="distance", k=2),
    ),
    "quality": Row(
        lambda at: color(PATH, quality="good"), OptionError,
        "quality must be one of fast, balanced, best, or None, not 'good'",
        lambda at: color(PATH, quality="balanced"),
    ),
    "option": Row(
        lambda at: color(PATH, "greedy", chunk=2), OptionError,
        "color has no option 'chunk'; options of greedy: none",
    ),
    "option, misspelled": Row(
        lambda at: color(PATH, ordr="natural"), OptionError,
        "color has no option 'ordr' (did you mean 'order'?); it has: algorithm, order, ",
        lambda at: color(PATH, order="natural"),
    ),
    "option of another library": Row(
        lambda at: color(PATH, timeout=1), OptionError,
        "color has no option 'timeout' (did you mean 'time_limit'?); it has: algorithm, order, ",
        lambda at: color(PATH, time_limit=1),
    ),
    "number of colors as an algorithm": Row(
        lambda at: color(PATH, 3), OptionError,
        "the second argument is an algorithm, not 3: for at most 3 colors pass max_colors=3",
        lambda at: color(PATH, max_colors=3),
    ),
    "number of colors as a distance": Row(
        lambda at: color(PATH, k=3), OptionError,
        "k=3 is the distance of problem='distance', and this call names 'distance1': for at most 3 colors pass "
        "max_colors=3, for vertices within 3 edges problem='distance', k=3",
        lambda at: (color(PATH, max_colors=3), color(PATH, problem="distance", k=3)),
    ),
    "option, twice": Row(
        lambda at: color(PATH, "ipgc", mode="data", Mode="data"), OptionError,
        "option 'mode' of ipgc is given twice",
    ),
    "method of reduce": Row(
        lambda at: reduce(PATH, old(), method="kempe"), OptionError,
        "unknown method 'kempe'; there are: ejection, iterated_greedy, heuristics",
        lambda at: reduce(PATH, old(), method="ejection"),
    ),
    "option of reduce": Row(
        lambda at: reduce(PATH, old(), rounds=3), OptionError,
        "reduce has no option 'rounds'; options of ejection: passes, least",
    ),
    "option of jacobian": Row(
        lambda at: derivatives.jacobian(rectangle(), mode="fwd"), OptionError,
        "jacobian has no option 'mode' (did you mean 'partition'?); it has: partition, decompression, order, "
        "postprocess, colors, threads, algorithm, seed, rng, quality, "
        "time_limit, device, verify, trace, progress",
    ),
    "partition": Row(
        lambda at: derivatives.jacobian(rectangle(), "column"), OptionError,
        "partition must be one of columns, rows, both, auto, not 'column' (did you mean 'columns'?)",
        lambda at: derivatives.jacobian(rectangle(), "columns"),
    ),
    "decompression": Row(
        lambda at: derivatives.jacobian(rectangle(), decompression="fast"), OptionError,
        "decompression must be one of direct, substitution, not 'fast'",
    ),
    "sweep": Row(
        lambda at: solvers.multicolor_sor(SOLVABLE, sweep="up"), OptionError,
        "sweep must be one of symmetric, forward, backward, not 'up'",
    ),
    "types of elements": Row(
        lambda at: mesh.color_elements([[0, 1, 2, 3]], by="facet"), GraphError,
        "4 nodes per element do not tell which of them form a facet or an edge: name the type of the elements, as in "
        '("tetra", cells)',
        lambda at: mesh.color_elements(("tetra", [[0, 1, 2, 3]]), by="facet"),
    ),
    "an unknown type of elements": Row(
        lambda at: mesh.facets(("polygon", [[0, 1, 2]])), GraphError,
        "facets and edges of type 'polygon' are not known; there are line, triangle, quad, tetra, pyramid, wedge",
    ),
    "corners of elements": Row(
        lambda at: mesh.edges(("tetra", [[0, 1, 2]])), GraphError,
        "elements of type 'tetra' have 4 corners, and these have 3 nodes",
    ),
    "dimensions of elements": Row(
        lambda at: mesh.facets([("tetra", [[0, 1, 2, 3]]), ("triangle", [[0, 1, 2]])]), GraphError,
        "facets of elements of several dimensions (tetra, triangle): pass blocks of one dimension only",
    ),
    "an element without a corner": Row(
        lambda at: mesh.facets([("quad", [[0, 1, 4, 3]]), ("quad", [[1, 2, 4, -1]])]), GraphError,
        "element 1 of type quad has no node at corner 3: pass elements of fewer corners, such as triangles among "
        "quadrilaterals, as a block of their own",
        lambda at: mesh.facets([("quad", [[0, 1, 4, 3]]), ("triangle", [[1, 2, 4]])]),
    ),
    "a facet of many elements": Row(
        lambda at: mesh.color_facets(("line", np.stack((np.zeros(20_000, int), np.arange(1, 20_001)), axis=1))),
        GraphError, "facet 0 belongs to 20,000 elements, and a table of 20,001 facets as wide takes 1.6 GB: leave out",
    ),
    "masked cells": Row(
        lambda at: mesh.color_elements(np.ma.masked_less([[0, 1], [2, -1]], 0)), GraphError,
        "cells are a masked array: .filled(-1) stands for no node where it is masked",
        lambda at: mesh.color_elements(np.ma.masked_less([[0, 1], [2, -1]], 0).filled(-1)),
    ),
    "more nodes than int32 counts": Row(
        lambda at: mesh.color_elements([[0, 1]], n_nodes=2**40), OptionError,
        "n_nodes must be a whole number from 0 to 2",
    ),
    "masked pairs": Row(
        lambda at: color_pairs(np.ma.masked_less([[0, 1], [2, -1]], 0), 3), GraphError,
        "pairs are a masked array: .filled(-1) stands for no body where it is masked",
        lambda at: color_pairs(np.ma.masked_less([[0, 1], [2, -1]], 0).filled(-1), 3),
    ),
    "pairs of different sizes": Row(
        lambda at: color_pairs([[0, 1], [1]], 3), GraphError,
        "pairs have different numbers of bodies: each has two, and −1 stands for none",
        lambda at: color_pairs([[0, 1], [1, -1]], 3),
    ),
    "out that is read-only": Row(
        lambda at: color_pairs([[0, 1]], 2, out=np.broadcast_to(np.int32(0), 1)), OptionError,
        "out is read-only: pass out.copy(), or an array of your own",
        lambda at: color_pairs([[0, 1]], 2, out=np.broadcast_to(np.int32(0), 1).copy()),
    ),
    "elements of different sizes": Row(
        lambda at: mesh.color_elements([[0, 1, 2], [1, 2]]), GraphError,
        "elements have different numbers of nodes: pad them with −1, or pass a block for each number",
        lambda at: mesh.color_elements([[0, 1, 2], [1, 2, -1]]),
    ),
    "elements of floats": Row(
        lambda at: mesh.color_elements(np.zeros((2, 3))), GraphError,
        "cells are of float64, and nodes are integers: convert them with .astype(numpy.int64)",
        lambda at: mesh.color_elements(np.zeros((2, 3)).astype(np.int64)),
    ),
    "elements in one line": Row(
        lambda at: mesh.color_elements(np.arange(4)), GraphError,
        "cells have shape (4,): cells are an integer array of shape (elements, nodes per element), a pair such as",
    ),
    "a node under none": Row(
        lambda at: mesh.color_elements([[0, 1], [1, -2]]), GraphError,
        "element 1 has node -2 at place 1, and nodes are numbered from 0 to",
    ),
    "a node over the last": Row(
        lambda at: mesh.color_elements([[0, 1], [3, 2]], n_nodes=3), GraphError,
        "element 1 has node 3 at place 0, and nodes are numbered from 0 to n_nodes − 1 = 2",
    ),
    "no mesh": Row(
        lambda at: mesh.color_elements(7), GraphError,
        "a int has no elements that can be read: cells are an integer array",
    ),
    "by of elements": Row(
        lambda at: mesh.color_elements([[0, 1]], by="edge"), OptionError, "by must be one of node, facet, not 'edge'",
    ),
    "shape of pairs": Row(
        lambda at: color_pairs(np.zeros((2, 3), int), 4), GraphError,
        "pairs have shape (m, 2), two bodies each, not (2, 3): .T turns (2, m)",
        lambda at: color_pairs(np.zeros((2, 3), int).T, 4),
    ),
    "pairs of floats": Row(
        lambda at: color_pairs(np.ones((2, 2)), 4), GraphError,
        "pairs are of float64, and bodies are integers: convert them with .astype(numpy.int32)",
        lambda at: color_pairs(np.ones((2, 2)).astype(np.int32), 4),
    ),
    "a body over the last": Row(
        lambda at: color_pairs([[0, 1], [1, 4]], 4), GraphError,
        "pair 1 has body 4, and bodies are numbered from 0 to n − 1 = 3; −1 is none",
    ),
    "static as numbers": Row(
        lambda at: color_pairs([[0, 1]], 2, static=[0]), GraphError,
        "static is an array of bool of shape (n,) = (2,), not of int64 and shape (1,): numpy.isin(numpy.arange(n), ",
        lambda at: color_pairs([[0, 1]], 2, static=np.isin(np.arange(2), [0])),
    ),
    "out of pairs": Row(
        lambda at: color_pairs([[0, 1]], 2, out=np.empty(2, np.int32)), OptionError,
        "out is a contiguous array of int32 of shape (1,)",
    ),
    "stream of a CPU": Row(
        lambda at: color_pairs([[0, 1]], 2, stream=1), OptionError,
        "stream is for pairs on a GPU, and these are on the CPU: leave it out",
        lambda at: color_pairs([[0, 1]], 2),
    ),
    "verify without waiting": Row(
        lambda at: color_pairs([[0, 1]], 2, wait=False, verify=True), OptionError,
        "verify waits for the colors, which wait=False does not: leave one out, or call result.verify()",
        lambda at: color_pairs([[0, 1]], 2, wait=False).verify(),
    ),
    "of of pairs": Row(
        lambda at: color_pairs([[0, 1]], 2, of="edges"), OptionError, "of must be one of pairs, bodies, not 'edges'",
    ),
    "commute": Row(
        lambda at: pauli.group(["XX"], "all"), OptionError,
        "commute must be one of qubitwise, general, anti, not 'all'",
        lambda at: pauli.group(["XX"], "general"),
    ),
    "order of groups": Row(
        lambda at: pauli.group(["XX"], order="largest"), OptionError,
        "unknown order 'largest'; where edges are computed there are: natural, random, largest_first (or pass an "
        "array)",
        lambda at: pauli.group(["XX"], order="largest_first"),
    ),
    "option of groups": Row(
        lambda at: pauli.group(["XX"], blance=True), OptionError,
        "pauli.group has no option 'blance' (did you mean 'balance'?); it has: order, seed, rng, quality, "
        "time_limit, device, threads, verify, commute, qubits, fixed, forbidden, ",
        lambda at: pauli.group(["XX"], balance=True),
    ),
    "option of an oracle": Row(
        lambda at: color_implicit(never, 3, equitabel=True), OptionError,
        "color_implicit has no option 'equitabel' (did you mean 'equitable'?)",
        lambda at: color_implicit(never, 3, equitable=True),
    ),
    "quality of groups": Row(
        lambda at: pauli.group(["XX"], quality="good"), OptionError,
        "quality must be one of fast, balanced, best, or None, not 'good'",
        lambda at: pauli.group(["XX"], quality="balanced"),
    ),
    "time limit of groups": Row(
        lambda at: pauli.group(["XX"], quality="fast", time_limit=1), OptionError,
        "time_limit is for quality='best': the others end by themselves",
        lambda at: pauli.group(["XX"], quality="best", time_limit=0.1),
    ),
    "errors": Row(
        lambda at: verify(PATH, old(), errors="print"), OptionError,
        "errors must be 'raise' or 'return', not 'print'",
        lambda at: verify(PATH, old(), errors="return"),
    ),
    "family": Row(
        lambda at: generate.from_spec("grid:3"), OptionError,
        "unknown family 'grid' (did you mean 'grid2d' or 'grid3d'?); there are: grid2d, grid3d, stencil27, "
        "banded, rmat,",
        lambda at: generate.from_spec("grid2d:3"),
    ),
    "spec": Row(lambda at: generate.from_spec("rmat:x"), OptionError, "rmat: scale must be a whole number, not 'x'"),
    "format": Row(
        lambda at: io.read(at / "edges.txt", format="edge"), FormatError,
        "unknown format 'edge' (did you mean 'edges'?); there are: mtx, ",
        lambda at: io.read(at / "edges.txt", format="edges"),
    ),
    "device": Row(
        lambda at: color(PATH, device="gpux"), DeviceError,
        "unknown device 'gpux': use 'cpu', 'cuda' or 'cuda:<number>'",
        lambda at: color(PATH, device="cpu"),
    ),
}  # fmt: skip

VALUES = {
    "seed": Row(
        lambda at: color(PATH, order="random", seed=-1), OptionError,
        "seed must be a whole number from 0 to 2**64 - 1, None or 'default', not -1",
    ),
    "threads": Row(
        lambda at: color(PATH, "jones_plassmann", threads=0), OptionError,
        "threads must be a whole number from 1 on, not 0",
    ),
    "time_limit": Row(
        lambda at: color(PATH, quality="best", time_limit=0), OptionError,
        "time_limit must be a number of seconds over 0, or None, not 0",
    ),
    "verify": Row(
        lambda at: color(PATH, verify="yes"), OptionError,
        "verify must be True or False, or None, not 'yes'",
    ),
    "memory": Row(
        lambda at: color(at / "grid.csr", memory="much"), OptionError,
        "memory must be a number of bytes from 1 on, such as '4GB', '500MB' or 2**30, not 'much'",
        lambda at: color(at / "grid.csr", memory="500MB"),
    ),
    "balance": Row(lambda at: color(PATH, balance=0.5), OptionError, "balance must be a number from 1 on, not 0.5"),
    "equitable": Row(
        lambda at: color(PATH, equitable=3), OptionError,
        "equitable must be True or False, not 3",
        lambda at: equitable(PATH, 3),
    ),
    "ratio": Row(lambda at: balance(PATH, old(), ratio=0.9), OptionError, "ratio must be a number from 1 on, not 0.9"),
    "passes": Row(
        lambda at: reduce(PATH, old(), passes=-1), OptionError,
        "passes of ejection must be a number from 0 to 1e+09, or None, not -1",
    ),
    "batch": Row(
        lambda at: color_implicit(never, 3, batch=0), OptionError,
        "batch must be a whole number of vertices from 1 on, or None, not 0",
    ),
    "n of an oracle": Row(
        lambda at: color_implicit(never, -1), OptionError,
        "n must be a whole number of vertices from 0 to 2147483647, not -1",
    ),
    "omega": Row(
        lambda at: solvers.multicolor_sor(SOLVABLE, 2.0), OptionError,
        "omega must be over 0 and under 2, not 2: SOR converges for no other (Kahan 1958)",
    ),
    "block_size": Row(
        lambda at: solvers.multicolor_ilu0(SOLVABLE, block_size=2), OptionError,
        "block_size = 2 does not divide the matrix's 3 rows",
        lambda at: solvers.multicolor_ilu0(SOLVABLE, block_size=3),
    ),
    "storage": Row(
        lambda at: solvers.multicolor_ilu0(SOLVABLE.astype("f4"), storage="float64"), OptionError,
        "storage='float64' for a matrix of float32 keeps no more digits: leave storage out",
        lambda at: solvers.multicolor_ilu0(SOLVABLE.astype("f4")),
    ),
    "uplo": Row(
        lambda at: hessian().decompress(hessian().compress(SOLVABLE), "X"), OptionError,
        "uplo must be one of F, L, U, not 'X'",
    ),
    "order of another length": Row(
        lambda at: color(PATH, order=[1, 2]), OptionError,
        "the order must have shape (4,), one number per vertex, not (2,)",
    ),
    "order with NaN": Row(
        lambda at: color(PATH, order=[1, 2, np.nan, 3]), OptionError,
        "the order is NaN at vertex 2: every vertex needs a number",
    ),
    "no order": Row(
        lambda at: color(PATH, order=()), OptionError,
        "order is an empty tuple: name the orders to try in it, or leave order out",
    ),
    "columns of a file": Row(
        lambda at: io.read(at / "edges.txt", columns="ab"), OptionError,
        "columns must be two names, as in columns=('source', 'target'), not 'ab'",
    ),
    "progress": Row(
        lambda at: color(PATH, progress="bar"), OptionError,
        "progress must be a function, True for a line on a terminal or in a notebook, None, not 'bar'",
        lambda at: color(PATH, progress=lambda progress: None),
    ),
}  # fmt: skip

COMBINATIONS = {
    "quality of an algorithm": Row(
        lambda at: color(PATH, "greedy", quality="best"), OptionError,
        "quality is for algorithm='auto', and this call names 'greedy': leave one of them out",
        lambda at: color(PATH, quality="balanced"),
    ),
    "time_limit of an algorithm": Row(
        lambda at: color(PATH, "greedy", time_limit=1), OptionError,
        "time_limit is for algorithm='auto', and this call names 'greedy': leave one of them out",
        lambda at: color(PATH, "greedy"),
    ),
    "time_limit of a quality": Row(
        lambda at: color(PATH, quality="balanced", time_limit=1), OptionError,
        "time_limit is for quality='best': the others end by themselves",
        lambda at: color(PATH, quality="best", time_limit=1),
    ),
    "order of an algorithm": Row(
        lambda at: color(PATH, "ipgc", order="random"), OptionError,
        "ipgc reads no order: leave it out, or take an algorithm that does, such as first_fit",
        lambda at: color(PATH, "first_fit", order="random"),
    ),
    "seed of an algorithm": Row(
        lambda at: color(PATH, "ipgc", seed=1), OptionError,
        "ipgc reads no seed: leave it out, or take an algorithm that does, such as first_fit",
        lambda at: color(PATH, "first_fit", seed=1),
    ),
    "order of a problem": Row(
        lambda at: color(PATH, problem="distance2", order="largest_log_first"), OptionError,
        "unknown order 'largest_log_first' (did you mean 'largest_first'?); there are: natural, random, "
        "random_spread, largest_first, smallest_last, incidence_degree, dynamic_largest_first (or pass an array "
        "of priorities)",
        lambda at: color(PATH, problem="distance2", order="largest_first"),
    ),
    "symmetrize of a pattern": Row(
        lambda at: color(rectangle(), problem="rows", symmetrize=True), OptionError,
        "symmetrize is for problems of graphs, and 'rows' takes any pattern",
        lambda at: color(rectangle(), problem="rows"),
    ),
    "n of a pattern": Row(
        lambda at: color(([0, 1], [1, 2]), problem="rows", n=4), OptionError,
        "n is for problems of graphs: for 'rows' pass Pattern.of(x, shape=(rows, columns))",
        lambda at: color(Pattern.of(([0, 1], [1, 2]), shape=(4, 4)), problem="rows"),
    ),
    "device of an algorithm": Row(
        lambda at: color(PATH, "luby_is_fused"), OptionError,
        "luby_is_fused runs on cuda only, and the graph is on cpu: pass device='cuda' or another algorithm",
        lambda at: color(PATH, "luby_is"),
    ),
    "rule of a problem": Row(
        lambda at: color(PATH, problem="star", fixed={0: 0}), OptionError,
        "fixed is for problems distance1, distance2, columns, rows, edges: star keeps no rules",
        lambda at: color(PATH, problem="distance2", fixed={0: 0}),
    ),
    "rule of an algorithm": Row(
        lambda at: color(PATH, "greedy", fixed={0: 0}), OptionError,
        "greedy keeps no fixed; algorithms that do: dsatur, exact, first_fit",
        lambda at: color(PATH, "dsatur", fixed={0: 0}),
    ),
    "balance of a problem": Row(
        lambda at: color(PATH, problem="star", balance=True), OptionError,
        "balance is for problems distance1, distance2, columns, rows, edges: for 'star' leave it out",
        lambda at: color(PATH, problem="distance2", balance=True),
    ),
    "equitable of a problem": Row(
        lambda at: color(PATH, problem="star", equitable=True), OptionError,
        "equitable is for problems distance1, distance2, columns, rows, edges: for 'star' leave it out",
        lambda at: color(PATH, problem="distance2", equitable=True),
    ),
    "equitable and weights": Row(
        lambda at: color(PATH, equitable=True, weights=[1, 2, 1, 1]), OptionError,
        "equitable counts vertices: leave weights out, or pass balance=1 in its place",
        lambda at: color(PATH, balance=1, weights=[1, 2, 1, 1]),
    ),
    "balance and a capacity per color": Row(
        lambda at: color(PATH, balance=True, capacity=[2, 2]), OptionError,
        "balance goes with one capacity for all colors, not with one per color",
        lambda at: color(PATH, balance=True, capacity=2),
    ),
    "several orders, one no name": Row(
        lambda at: derivatives.jacobian(rectangle(), "auto", order=np.arange(4)), OptionError,
        'partition="auto" takes an order by name, or a tuple of names, since it colors columns, rows and both: '
        "for priorities of your own name the partition",
        lambda at: derivatives.jacobian(rectangle(), "columns", order=np.arange(4)),
    ),
    "problem of jacobian": Row(
        lambda at: derivatives.jacobian(rectangle(), problem="rows"), OptionError,
        "the problem follows from partition= and decompression=: leave problem= out",
        lambda at: derivatives.jacobian(rectangle(), partition="rows"),
    ),
    "rule of jacobian": Row(
        lambda at: derivatives.jacobian(rectangle(), fixed={0: 0}), OptionError,
        "fixed is a rule for colors, and these are products, renamed and without those that no entry needs: leave"
        ' it out, or color with lagcolor.color(pattern, problem="columns", fixed=...) or "rows"',
        lambda at: color(rectangle(), problem="columns", fixed={0: 0}),
    ),
    "rule of hessian": Row(
        lambda at: derivatives.hessian(SOLVABLE, max_colors=False), OptionError,
        "max_colors is a rule for colors, and these are products, renamed",
        lambda at: derivatives.hessian(SOLVABLE, balance=False),
    ),
    "own colors and an order": Row(
        lambda at: derivatives.jacobian(rectangle(), colors=[0, 0, 0, 0], order="natural"), OptionError,
        "order does not go with colors=, which are kept as they are: leave one of the two out",
        lambda at: derivatives.jacobian(rectangle(), colors=[0, 0, 0, 0]),
    ),
    "own colors and no partition": Row(
        lambda at: derivatives.jacobian(rectangle(), "auto", colors=[0, 0, 0, 0]), OptionError,
        'partition="auto" chooses what is colored, and colors= are of columns, rows or both: name it',
        lambda at: derivatives.jacobian(rectangle(), "rows", colors=[0, 0, 0]),
    ),
    "own colors of another length": Row(
        lambda at: derivatives.jacobian(rectangle(), colors=[0, 0]), ColoringError,
        "colors have shape (2,), and there are 4 to color: the shape is (4,)",
        lambda at: derivatives.jacobian(rectangle(), colors=[0, 0, 0, 0]),
    ),
    "own colors of both": Row(
        lambda at: derivatives.jacobian(rectangle(), "both", colors=[0, 0, 0]), ColoringError,
        'colors of partition="both" are a pair (row_colors, column_colors)',
        lambda at: derivatives.jacobian(rectangle(), "both", colors=([0, 0, 0], [-1, -1, -1, -1])),
    ),
    "differences by rows": Row(
        lambda at: derivatives.fd_jacobian(lambda x: x[:3], np.ones(4), both()), OptionError,
        "differences are products A @ s, and this compression is of both kinds of products: take jacobian(S), or "
        "hessian(S) where the Jacobian is symmetric",
        lambda at: derivatives.fd_jacobian(lambda x: x[:3], np.ones(4), jacobian()),
    ),
    "differences at complex numbers": Row(
        lambda at: derivatives.fd_jacobian(lambda x: x.real[:3], np.ones(4), jacobian(), "cs"), OptionError,
        'method="cs" evaluates fun at complex numbers, and it gives real ones: take "3-point", or let fun compute with '
        "the type of its argument",
        lambda at: derivatives.fd_jacobian(lambda x: x.real[:3], np.ones(4), jacobian(), "3-point"),
    ),
    "differences without room": Row(
        lambda at: derivatives.fd_jacobian(lambda x: x[:3], np.ones(4), jacobian(), bounds=(2, 3)), OptionError,
        "x[0] = 1.0 is not within its bounds 2.0 and 3.0",
        lambda at: derivatives.fd_jacobian(lambda x: x[:3], np.ones(4), jacobian(), bounds=(1, 3)),
    ),
    "SciPy's groups of both": Row(
        lambda at: both().for_scipy(), OptionError,
        'SciPy takes groups of columns, and this compression is of both kinds of products: take jacobian(S, "columns")',
        lambda at: jacobian().for_scipy(),
    ),
    "one product of a substitution": Row(
        lambda at: derivatives.hessian(SOLVABLE, "substitution").entries_of(0), OptionError,
        "this decompression is by substitution, which is no gather: take decompression='direct'",
        lambda at: derivatives.hessian(SOLVABLE).entries_of(0),
    ),
    "balance of jacobian": Row(
        lambda at: derivatives.jacobian(rectangle(), balance=True), OptionError,
        "balance is for distance-1 colorings: leave it out",
        lambda at: derivatives.jacobian(rectangle()),
    ),
    "uplo of jacobian": Row(
        lambda at: jacobian().decompress(jacobian().compress(rectangle().to_scipy()), "L"), OptionError,
        "uplo='L' is for symmetric matrices: leave it out",
        lambda at: jacobian().decompress(jacobian().compress(rectangle().to_scipy())),
    ),
    "gather of a substitution": Row(
        lambda at: derivatives.hessian(SOLVABLE, "substitution").gather, OptionError,
        "this decompression is by substitution, which is no gather: take decompression='direct'",
        lambda at: derivatives.hessian(SOLVABLE, "direct").gather,
    ),
    "reduce of a problem": Row(
        lambda at: reduce(PATH, star()), OptionError,
        "reduce is for colorings of distance1, distance2, columns, rows, edges, and this one is of star: pass other "
        "orders to "
        "color",
        lambda at: color(PATH, problem="star", order=("natural", "random")),
    ),
    "reduce with rules": Row(
        lambda at: reduce(PATH, ruled()), OptionError,
        "reduce keeps no rules, and this coloring has rules: pass quality='balanced' to color for "
        "fewer, or reduce(x, result.colors) to drop the rules",
        lambda at: (color(PATH, fixed={0: 3}, quality="balanced"), reduce(PATH, ruled().colors)),
    ),
    "reduce of a partial coloring": Row(
        lambda at: reduce(CLIQUE, partial()), ColoringError,
        "reduce is for complete colorings, and this one leaves 2 vertices without a color: color with a larger "
        "max_colors",
        lambda at: reduce(CLIQUE, color(CLIQUE, max_colors=5).colors),
    ),
    "balance of another problem": Row(
        lambda at: balance(PATH, star()), OptionError,
        "balance is for colorings of distance1, distance2, columns, rows, edges, and this one is of star: it has no "
        "balanced "
        "colorings",
    ),
    "recolor of a problem": Row(
        lambda at: recolor(PATH, star()), OptionError,
        "recolor is for problem=distance1 and distance2, not 'star': color it anew",
        lambda at: color(PATH, problem="star"),
    ),
    "recolor for another problem": Row(
        lambda at: recolor(PATH, old(), problem="distance2"), OptionError,
        "the old coloring is of distance1, not of distance2: leave problem out",
        lambda at: recolor(PATH, old()),
    ),
    "recolor with rules": Row(
        lambda at: recolor(PATH, ruled()), OptionError,
        "the old coloring keeps rules, which recolor does not: color x anew with them, or pass its array of "
        "colors and leave changed out",
        lambda at: recolor(PATH, ruled().colors),
    ),
    "recolor in an order of degrees": Row(
        lambda at: recolor(PATH, color(PATH, order="largest_first")), OptionError,
        "a change reshuffles the order 'largest_first', so that most colors may change: pass keep=True to change "
        "few, or make the old coloring in another order: natural, random, random_spread, or an array of your own",
        lambda at: recolor(PATH, color(PATH, order="largest_first"), keep=True),
    ),
    "recolor in an order of the user": Row(
        lambda at: recolor(PATH, color(PATH, order=[1, 2, 3, 4])), OptionError,
        "the old order was an array: pass order=, an array for the vertices of x",
        lambda at: recolor(PATH, color(PATH, order=[1, 2, 3, 4]), order=[1, 2, 3, 4]),
    ),
    "recolor of another algorithm": Row(
        lambda at: recolor(PATH, color(PATH, "dsatur")), OptionError,
        "the old colors are of dsatur, and only first-fit's follow from a change: pass keep=True, or make them by"
        " lagcolor.color(x, 'first_fit', 'natural')",
        lambda at: recolor(PATH, color(PATH, "first_fit", "natural")),
    ),
    "order of an oracle": Row(
        lambda at: color_implicit(never, 3, "smallest_last"), OptionError,
        "unknown order 'smallest_last'; where edges are computed there are: natural, random, largest_first (or "
        "pass an array)",
        lambda at: color_implicit(never, 3, "largest_first"),
    ),
    "balance with memory, verified": Row(
        lambda at: verify(at / "grid.csr", np.zeros(9, int), memory="1MB", balance=2), OptionError,
        "balance is for graphs in memory: leave balance out, or leave memory out",
        lambda at: verify(at / "grid.csr", color(at / "grid.csr"), balance=2),
    ),
}  # fmt: skip

PLACES = {
    "memory of a problem": Row(
        lambda at: color(at / "grid.csr", memory="9MB", problem="star"), OptionError,
        "memory is for problem='distance1': for 'star' leave it out, and the folder is read into memory",
        lambda at: color(at / "grid.csr", problem="star"),
    ),
    "memory of an algorithm": Row(
        lambda at: color(at / "grid.csr", "dsatur", memory="9MB"), OptionError,
        "with memory the algorithm is 'first_fit', not 'dsatur': leave one of them out",
        lambda at: color(at / "grid.csr", memory="9MB"),
    ),
    "memory and quality": Row(
        lambda at: color(at / "grid.csr", memory="9MB", quality="best"), OptionError,
        "quality is for graphs in memory: leave quality out, or leave memory out",
        lambda at: color(at / "grid.csr", quality="balanced"),
    ),
    "memory and a rule": Row(
        lambda at: color(at / "grid.csr", memory="9MB", fixed={0: 0}), OptionError,
        "fixed is for graphs in memory: leave fixed out, or leave memory out",
        lambda at: color(at / "grid.csr", fixed={0: 0}),
    ),
    "memory and an option": Row(
        lambda at: color(at / "grid.csr", memory="9MB", chunk=2), OptionError,
        "color has no option 'chunk'; it has: ",
        lambda at: color(at / "grid.csr", memory="9MB", threads=2),
    ),
    "a rule that is False": Row(
        lambda at: color(PATH, max_colors=False), OptionError, "max_colors must be a whole number of colors",
        lambda at: color(PATH, max_colors=None, symmetrize=np.False_),
    ),
    "memory and balance": Row(
        lambda at: color(at / "grid.csr", memory="9MB", balance=True), OptionError,
        "balance is for graphs in memory: leave balance out, or leave memory out",
        lambda at: color(at / "grid.csr", balance=True),
    ),
    "memory and an order": Row(
        lambda at: color(at / "grid.csr", memory="9MB", order="smallest_last"), OptionError,
        "order 'smallest_last' is not made of a folder: a vertex's place in it depends on the whole graph. There "
        "are natural, random, random_spread, largest_first, largest_first_spread, largest_log_first (or arrays of"
        " priorities)",
        lambda at: color(at / "grid.csr", memory="9MB", order="largest_first"),
    ),
    "memory and several orders": Row(
        lambda at: color(at / "grid.csr", memory="9MB", order=("natural", "random")), OptionError,
        "several orders are for graphs in memory: pass one order, or leave memory out",
        lambda at: color(at / "grid.csr", memory="9MB", order="natural"),
    ),
    "memory and several GPUs": Row(
        lambda at: color(at / "grid.csr", memory="9MB", device=SEVERAL), OptionError,
        "memory is for one device, and device=['cuda:0', 'cuda:1'] names several: pass one, such as 'cuda:0', or "
        "leave memory out; several GPUs read a folder row by row, and each holds the rows of its part",
    ),
    "memory, too little": Row(
        lambda at: color(at / "grid.csr", memory=1), OptionError,
        "memory=1 is too little for 9 vertices with up to 4 neighbors in the order largest_first_spread: pass "
        "8388763 or more, or order='natural', which needs less",
        lambda at: color(at / "grid.csr", memory="9MB"),
    ),
    "memory of no folder": Row(
        lambda at: color(PATH, memory="9MB"), OptionError,
        "memory is for a graph in a folder, and Graph is no path: leave memory out, or write the graph to a "
        "folder first, with lagcolor.io.write('web.csr', graph)",
        lambda at: color(at / "grid.csr", memory="9MB"),
    ),
    "several GPUs for a problem": Row(
        lambda at: color(PATH, device=SEVERAL, problem="star"), OptionError,
        "problem='star' is for one device, and several GPUs color by first_fit alone: pass one device, such as "
        "'cuda:0'",
    ),
    "several GPUs and quality": Row(
        lambda at: color(PATH, device=SEVERAL, quality="best"), OptionError,
        "quality='best' is for one device, and several GPUs color by first_fit alone: pass one device, such as "
        "'cuda:0'",
    ),
    "several GPUs and an algorithm": Row(
        lambda at: color(PATH, "greedy", device=SEVERAL), OptionError,
        "algorithm='greedy' is for one device, and several GPUs color by first_fit alone: pass one device, such "
        "as 'cuda:0'",
    ),
    "several GPUs and a rule": Row(
        lambda at: color(PATH, device=SEVERAL, fixed={0: 0}), OptionError,
        "fixed is for one device, and several GPUs color by first_fit alone: pass one device, such as 'cuda:0'",
    ),
    "several GPUs and balance": Row(
        lambda at: color(PATH, device=SEVERAL, balance=True), OptionError,
        "balance is for one device, and several GPUs color by first_fit alone: pass one device, such as 'cuda:0'",
    ),
    "a cluster that is not there": Row(
        lambda at: on_cluster(at / "grid.csr"), OptionError,
        "no Dask client: pass client=distributed.Client(address); Client() makes a cluster of this machine",
    ),
    "a cluster for a problem": Row(
        lambda at: on_cluster(at / "grid.csr", problem="star"), OptionError,
        "problem must be one of distance1, distance2, not 'star'",
    ),
    "convert over a folder": Row(
        lambda at: convert(at / "edges.npy", at / "grid.csr"), OSError,
        "[Errno 17] there is a graph already; pass force=True to replace it: '…/grid.csr'",
        lambda at: convert(at / "edges.npy", at / "other.csr", force=True),
    ),
    "convert in little memory": Row(
        lambda at: convert(at / "edges.npy", at / "little.csr", memory=1), OptionError,
        "memory must be a number of bytes from 16000000 on, such as '4GB', '500MB' or 2**30, not 1",
    ),
}  # fmt: skip

RULES = {
    "fixed, too short": Row(
        lambda at: color(PATH, fixed=[0, 1]), OptionError,
        "fixed must have shape (4,), one entry per vertex, not (2,); or pass a mapping from vertices to colors",
        lambda at: color(PATH, fixed={0: 0, 1: 1}),
    ),
    "fixed, no vertex": Row(
        lambda at: color(PATH, fixed={9: 0}), OptionError,
        "fixed: there is no vertex 9; keys are numbers from 0 to 3",
    ),
    "fixed, no color": Row(
        lambda at: color(PATH, fixed={0: "red"}), OptionError,
        "fixed: the color of 0 must be a whole number from 0 to 2147483646, or -1 for none, not 'red'",
    ),
    "fixed neighbors": Row(
        lambda at: color(PATH, fixed={1: 3, 2: 3}), ColoringError,
        "fixed: vertex 1 and vertex 2 are neighbors, and both have color 3",
    ),
    "fixed and forbidden": Row(
        lambda at: color(PATH, fixed={1: 3}, forbidden={1: [3]}), ColoringError,
        "fixed: vertex 1 has color 3, which is forbidden to it, or not among its allowed colors",
    ),
    "forbidden, no matrix": Row(
        lambda at: color(PATH, forbidden=[[0], [1], [], []]), OptionError,
        "forbidden must be a sparse matrix or a boolean array of shape (n, colors), or a mapping from vertices to"
        " lists of colors, not [[0], [1], [], []]",
        lambda at: color(PATH, forbidden=np.eye(4, dtype=bool)),
    ),
    "max_colors": Row(
        lambda at: color(PATH, max_colors=-1), OptionError,
        "max_colors must be a whole number of colors from 0 to 2147483647, or None, not -1",
    ),
    "max_colors, too few": Row(
        lambda at: color(CLIQUE, max_colors=4), ColoringError,
        "max_colors=4: there is no coloring with 4 colors: there is a clique of 5 vertices, which needs as many "
        "colors: 0, 1, 2, 3, 4. The best partial coloring (`partial` of the error) leaves 1 of 5 vertices without a "
        "color",
    ),
    "capacity": Row(lambda at: color(PATH, capacity=-1), OptionError, "capacity must be a number from 0 on, not -1"),
    "capacity, too small": Row(
        lambda at: color(PATH, capacity=1, max_colors=3), ColoringError,
        "capacity: the vertices weigh 4, and 3 classes hold 3 at most",
    ),
    "weights": Row(
        lambda at: color(PATH, weights=[1, 2, -3, 4]), OptionError,
        "weights: the value of vertex 2 is -3, and must be 0 or more",
    ),
    "equitable, too few": Row(
        lambda at: equitable(CLIQUE, 2), ColoringError,
        "n_colors=2: there is no coloring with 2 colors: there is a clique of 3 vertices, which needs as many "
        "colors: 0, 1, 2. The best partial coloring (`partial` of the error) leaves 3 of 5 vertices without a color",
    ),
    "partial, no limit": Row(
        lambda at: color(PATH, partial="fewest"), OptionError,
        "partial is for a limited number of colors: pass max_colors",
        lambda at: color(PATH, partial="fewest", max_colors=1),
    ),
    "partial, no limit but of weights": Row(
        lambda at: color(PATH, partial="fewest", capacity=2), OptionError,
        "partial is for a limited number of colors: pass max_colors",
        lambda at: color(PATH, partial="fewest", capacity=2, max_colors=1),
    ),
    "partial, no cost": Row(
        lambda at: color(PATH, partial="lightest", max_colors=1), OptionError,
        "partial='lightest' needs weights, the cost of leaving each vertex out: pass weights, or partial='fewest'",
        lambda at: color(PATH, partial="lightest", max_colors=1, weights=[1, 2, 3, 4]),
    ),
    "partial, costs and capacity": Row(
        lambda at: color(PATH, partial="lightest", max_colors=1, weights=[1, 1, 1, 1], capacity=2), OptionError,
        "with partial='lightest' weights are costs, and with capacity what vertices weigh in their class: leave "
        "capacity out, or pass partial='fewest'",
        lambda at: color(PATH, partial="fewest", max_colors=1, weights=[1, 1, 1, 1], capacity=2),
    ),
    "partial, another word": Row(
        lambda at: color(PATH, partial="cheapest", max_colors=1), OptionError,
        "partial must be one of fewest, lightest, or None, not 'cheapest'",
    ),
    "partial and an order": Row(
        lambda at: color(PATH, order="natural", partial="fewest", max_colors=1), OptionError,
        "partial chooses the vertices and their order: leave order out",
        lambda at: color(PATH, partial="fewest", max_colors=1),
    ),
    "partial and even classes": Row(
        lambda at: color(PATH, balance=True, partial="fewest", max_colors=1), OptionError,
        "balance is for complete colorings: leave it or partial out",
        lambda at: color(PATH, balance=True, max_colors=2),
    ),
    "partial of a star coloring": Row(
        lambda at: color(PATH, problem="star", partial="fewest", max_colors=2), OptionError,
        "max_colors is for problems distance1, distance2, columns, rows, edges: star keeps no rules",
    ),
    "a rule that is broken": Row(
        lambda at: verify(PATH, old().colors, fixed={0: 1}), ColoringError,
        "not a coloring that keeps its rules: 1 without their fixed color, the first vertex 0: color 0 instead of"
        " 1",
    ),
    "classes that are not even": Row(
        lambda at: verify(generate.star(9), color(generate.star(9)), balance=1.05), ColoringError,
        "not the coloring that was requested: not balanced: color 1 has 8 and color 0 has 1, more than 1.05 times "
        "as many",
    ),
    "allowed in a damaged matrix": Row(
        lambda at: color(PATH, allowed=DAMAGED), OptionError,
        "allowed: the sparse matrix is damaged: column indices[0] = 7 is out of range; there are 2 columns",
    ),
    "weights of unequal lengths": Row(
        lambda at: color(PATH, weights=[[1], [1, 2]], capacity=3), OptionError,
        "weights must hold numbers: ",
    ),
}  # fmt: skip

INPUTS = {
    "nothing": Row(
        lambda at: Graph.of(None), GraphError,
        "cannot make a graph of builtins.NoneType; Graph.of takes a scipy.sparse or cupyx.scipy.sparse matrix, a",
    ),
    "one way": Row(
        lambda at: color(ONE_WAY), GraphError,
        "not symmetric: entry (0, 1) is there, (1, 0) is not; pass symmetrize=True to take each entry for an "
        "undirected edge",
        lambda at: color(ONE_WAY, symmetrize=True),
    ),
    "one way, with names": Row(
        lambda at: color(networkx("DiGraph", ("a", "b"))), GraphError,
        "not symmetric: entry ('a', 'b') is there, ('b', 'a') is not; pass symmetrize=True to take each entry for"
        " an undirected edge",
        lambda at: color(networkx("DiGraph", ("a", "b")), symmetrize=True),
    ),
    "rectangular": Row(
        lambda at: color(np.zeros((3, 4))), GraphError,
        "the matrix of an undirected graph is square, and this one has shape (3, 4); to color the columns of a "
        "matrix A,",
        lambda at: color(np.zeros((3, 4)), problem="columns"),
    ),
    "two by two": Row(
        lambda at: color(np.array([[0, 1], [1, 0]])), GraphError,
        "an integer array of shape (2, 2) may be an edge index, two edges, or a dense matrix: say which, with "
        "Graph.of((x[0], x[1])) or Graph.of((x[:, 0], x[:, 1])) or Graph.of(numpy.asarray(x, float))",
        lambda at: color(([0, 1], [1, 0])),
    ),
    "edges of two lengths": Row(
        lambda at: color(([0, 1], [1])), GraphError,
        "u and v must be of one length, one entry per edge: 2 and 1",
    ),
    "negative": Row(
        lambda at: color(([0, -4], [1, 2])), GraphError,
        "u[1] = -4 is negative; vertices are numbered from 0",
    ),
    "fractions": Row(
        lambda at: color((np.array([0.5, 1]), np.array([1, 2]))), GraphError,
        "u must be integers, not float64: u[0] = 0.5 is no vertex number",
    ),
    "n too small": Row(
        lambda at: color(([0, 5], [1, 2]), n=5), GraphError,
        "u[1] = 5 is out of range for n = 5; vertices are numbered from 0 to n - 1",
        lambda at: color(([0, 5], [1, 2]), n=6),
    ),
    "n of a matrix": Row(
        lambda at: color(np.zeros((3, 3)), n=4), GraphError,
        "n = 4, but the input has 3 vertices: leave n out",
        lambda at: color(np.zeros((3, 3))),
    ),
    "NaN": Row(
        lambda at: color(np.array([[0, np.nan], [np.nan, 0]])), GraphError,
        "entry (0, 1) of the dense matrix is nan, which may stand for no entry, as in scipy.sparse.csgraph, or for one"
        ": pass `numpy.isfinite(x) & (x != 0)` for none, or `x != 0` for an entry",
    ),
    "a Hessian that is not square": Row(
        lambda at: derivatives.hessian(rectangle()), GraphError,
        "a Hessian is square, and this pattern has shape (3, 4)",
    ),
    "a Hessian one way": Row(
        lambda at: derivatives.hessian(ONE_WAY), GraphError,
        "not symmetric: entry (0, 1) is there, (1, 0) is not; pass symmetrize=True to take each entry for an "
        "undirected edge",
        lambda at: derivatives.hessian(ONE_WAY, symmetrize=True),
    ),
    "a matrix of another pattern": Row(
        lambda at: jacobian().compress(np.ones((3, 4))), GraphError,
        "entry (0, 1) of the matrix is not in the pattern, and would be added to others: make the compression of "
        "a pattern that has it",
        lambda at: derivatives.jacobian(np.ones((3, 4))).compress(np.ones((3, 4))),
    ),
    "products of another shape": Row(
        lambda at: jacobian().decompress(np.zeros((2, 2))), GraphError,
        "the products have shape (2, 2), and this compression makes (3, 1)",
    ),
    "products of one kind": Row(
        lambda at: both().decompress(np.zeros((3, 1))), GraphError,
        "products of rows and columns come as a pair (A @ S, W.T @ A)",
        lambda at: both().decompress(both().compress(rectangle().to_scipy())),
    ),
    "an oracle that answers wrongly": Row(
        lambda at: color_implicit(lambda us, vs: 3, 4), GraphError,
        "oracle(us, vs) must have shape (len(us), len(vs)) = (4, 4), not (): for functions of two numbers compare"
        " us[:, None] with vs[None, :]",
        lambda at: color_implicit(lambda us, vs: us[:, None] == vs[None, :], 4),
    ),
    "an oracle one way": Row(
        lambda at: color_implicit(lambda us, vs: us[:, None] < vs[None, :], 4), GraphError,
        "the oracle says True of vertices 0 and 1, and False of 1 and 0: whether two vertices conflict must not "
        "depend on which comes first",
    ),
    "strings of two lengths": Row(
        lambda at: pauli.group(["XX", "X"]), GraphError,
        "Pauli string 1, 'X', has 1 letters, and string 0, 'XX', has 2: all must have one letter per qubit",
    ),
    "letters": Row(
        lambda at: pauli.group(["XA"]), GraphError,
        "Pauli string 0, 'XA', has 'A' at place 1: letters are I, X, Y and Z",
    ),
    "products of a list": Row(
        lambda at: jacobian().compress([[1.0, 0, 0, 0]] * 3), GraphError,
        "products need sparse matrices and arrays of SciPy, NumPy and CuPy, not list: convert it, as by "
        "numpy.asarray(A), or multiply it with seeds()",
        lambda at: jacobian().compress(np.eye(3, 4)),
    ),
    "no sparse matrix": Row(
        lambda at: solvers.multicolor_sor(np.eye(3)), GraphError,
        "solvers take sparse matrices of scipy.sparse or cupyx.scipy.sparse, not ndarray: convert it, as by "
        "scipy.sparse.csr_array(A)",
        lambda at: solvers.multicolor_sor(sp.csr_array(np.eye(3))),
    ),
    "a solver that is not square": Row(
        lambda at: solvers.multicolor_sor(sp.csr_array((3, 4))), GraphError,
        "solvers take square matrices, and this one has shape (3, 4)",
    ),
    "no diagonal": Row(
        lambda at: solvers.multicolor_ilu0(sp.csr_array(np.ones((2, 2)) - np.eye(2))), GraphError,
        "row 0 has no diagonal entry: sweeps divide by it; permute rows so that it is there, or remove row and "
        "column; multicolor_ilu0 takes stored zeros, as by A = A.tocsr(); A.setdiag(A.diagonal()), where "
        "elimination fills them in",
    ),
    "a pivot of zero": Row(
        lambda at: solvers.multicolor_ilu0(sp.csr_array(np.ones((2, 2)))), GraphError,
        "row 1 has a zero pivot: take a larger shift, as shift=0.01, or permute rows so that the diagonal is "
        "large",
        lambda at: solvers.multicolor_ilu0(sp.csr_array(np.ones((2, 2))), shift=0.1),
    ),
    "not Hermitian": Row(
        lambda at: solvers.multicolor_ic0(sp.csr_array([[2.0, 1], [0, 2]])), GraphError,
        "the matrix is not Hermitian: entry (0, 1) is there, and its mirror image is not; take multicolor_ilu0, "
        "or (A + A.conj().T) / 2",
        lambda at: solvers.multicolor_ilu0(sp.csr_array([[2.0, 1], [0, 2]])),
    ),
    "update with another pattern": Row(
        lambda at: solvers.multicolor_sor(SOLVABLE).update(sp.eye_array(3, format="csr")), GraphError,
        "update: row 0 has other columns than before; update takes new values of the same pattern, so make the "
        "operator anew, or store zeros where the patterns differ",
        lambda at: solvers.multicolor_sor(SOLVABLE).update(2 * SOLVABLE),
    ),
    "a header of what is no file": Row(
        lambda at: Pattern.of(np.eye(3), header=True), OptionError,
        "header and columns are for the path of an edge list, not ndarray",
        lambda at: Pattern.of(at / "edges.txt", header=False),
    ),
    "a pattern of one dimension": Row(
        lambda at: Pattern.of(sp.coo_array(np.ones(4))), GraphError,
        "a pattern has rows and columns, and this array has shape (4,)",
    ),
    "two rows and two columns of names": Row(
        lambda at: Graph.of(np.array([["a", "b"], ["c", "d"]])), GraphError,
        "an array of names of shape (2, 2) may be two edges or the two ends of two: say which, with `Graph.of((x[:, 0],"
        " x[:, 1]))` or `Graph.of((x[0], x[1]))`",
        lambda at: Graph.of((np.array(["a", "c"]), np.array(["b", "d"]))),
    ),
}  # fmt: skip

COLORINGS = {
    "conflict": Row(
        lambda at: verify(PATH, [0, 1, 1, 0]), ColoringError,
        "not a valid coloring: 1 conflicting edge, the first (1, 2): both have color 1",
    ),
    "uncolored": Row(
        lambda at: verify(PATH, [0, 1, -1, 0]), ColoringError,
        "not a valid coloring: 1 uncolored vertex (-1), the first 2",
        lambda at: verify(PATH, [0, 1, -1, 0], allow_uncolored=True),
    ),
    "gap": Row(
        lambda at: verify(PATH, [0, 2, 0, 2]), ColoringError,
        "not a valid coloring: colors are not 0 … k-1: 1 below the largest are unused; "
        "numpy.unique(colors, return_inverse=True)[1] numbers them from 0 without gaps",
        lambda at: verify(PATH, np.unique([0, 2, 0, 2], return_inverse=True)[1]),
    ),
    "masked colors": Row(
        lambda at: verify(PATH, np.ma.array([0, 1, 0, 1], mask=[True, False, False, False])), ColoringError,
        "colors must not have masked entries: remove them, or pass colors.filled(value)",
        lambda at: verify(PATH, np.ma.array([0, 1, 0, 1], mask=[True, False, False, False]).filled(0)),
    ),
    "masked edges": Row(
        lambda at: Graph.of(np.ma.array([[0, 1, 2], [1, 2, 0]], mask=[[0, 0, 1], [0, 0, 1]])), GraphError,
        "edge_index[0] must not have masked entries: remove them, or pass edge_index[0].filled(value)",
    ),
    "lists as the arrays of a graph": Row(
        lambda at: Graph([0, 1, 2], [1, 0]), GraphError,
        "Graph(indptr, indices) takes NumPy or CuPy arrays of int32 (indptr also of int64), not list and list: "
        "Graph.of(scipy.sparse.csr_array((numpy.ones(len(indices)), indices, indptr))) converts others",
        lambda at: Graph.of(sp.csr_array((np.ones(2), [1, 0], [0, 1, 2]))),
    ),
    "int64 indices of a pattern": Row(
        lambda at: Pattern(np.array([0, 1, 2]), np.array([1, 0]), 2), GraphError,
        "Pattern(indptr, indices) takes NumPy or CuPy arrays of int32 (indptr also of int64), not int64 and int64: ",
        lambda at: Pattern.of(sp.csr_array((np.ones(2), np.array([1, 0]), np.array([0, 1, 2])))),
    ),
    "equitable with too many colors": Row(
        lambda at: equitable(PATH, 2**40), OptionError,
        "n_colors must be a whole number of colors from 0 to 2147483647, or None, not 1099511627776",
    ),
    "equitable with max_colors": Row(
        lambda at: equitable(PATH, 3, max_colors=3), OptionError,
        "n_colors of equitable is the number of colors: leave max_colors out",
        lambda at: equitable(PATH, 3),
    ),
    "equitable with equitable": Row(
        lambda at: equitable(PATH, 3, equitable=True), OptionError,
        "the classes of lagcolor.equitable are always equitable: leave the parameter equitable out",
        lambda at: equitable(PATH, 3),
    ),
    "qubits of text": Row(
        lambda at: pauli.group(["XX", "ZZ"], qubits=5), GraphError,
        "the Pauli strings have 2 qubits, and qubits=5: leave qubits out",
        lambda at: pauli.group(["XX", "ZZ"]),
    ),
    "a graph as a file of colors": Row(
        lambda at: io.read_coloring("rgg:8"), FormatError,
        "rgg:8: the name of a file of colors must end in .npy, .txt, .csv, .json (or with .gz)",
    ),
    "masked fixed colors": Row(
        lambda at: color(PATH, fixed=np.ma.array([3, 3, -1, -1], mask=[True, False, False, False])), OptionError,
        "fixed must not have masked entries: remove them, or pass fixed.filled(value)",
        lambda at: color(PATH, fixed=np.ma.array([3, 3, -1, -1], mask=[True, False, False, False]).filled(-1)),
    ),
    "masked weights": Row(
        lambda at: color(PATH, capacity=9, weights=np.ma.masked_less([1, -1, 1, 1], 0)), OptionError,
        "weights must not have masked entries: remove them, or pass weights.filled(value)",
        lambda at: color(PATH, capacity=9, weights=np.ma.masked_less([1, -1, 1, 1], 0).filled(0)),
    ),
    "masked capacities": Row(
        lambda at: color(PATH, capacity=np.ma.masked_less([2, 2, -1], 0)), OptionError,
        "capacity must not have masked entries: remove them, or pass capacity.filled(value)",
        lambda at: color(PATH, capacity=np.ma.masked_less([2, 2, -1], 0).filled(0)),
    ),
    "masked priorities": Row(
        lambda at: color(PATH, order=np.ma.masked_less([3, -1, 1, 0], 0)), OptionError,
        "order must not have masked entries: remove them, or pass order.filled(value)",
        lambda at: color(PATH, order=np.ma.masked_less([3, -1, 1, 0], 0).filled(2)),
    ),
    "symmetrize by a word": Row(
        lambda at: Graph.of(np.triu(np.ones((3, 3))), symmetrize="no"), OptionError,
        "symmetrize must be True or False, not 'no'",
        lambda at: Graph.of(np.triu(np.ones((3, 3))), symmetrize=True),
    ),
    "another length": Row(
        lambda at: verify(PATH, [0, 1]), ColoringError,
        "colors must have shape (4,), one per vertex, not (2,)",
    ),
    "no numbers": Row(
        lambda at: verify(PATH, [0.0, 1.0, 0.0, 1.0]), ColoringError,
        "colors must be integers, not float64",
    ),
    "no vertex": Row(
        lambda at: verify(PATH, {9: 0}), ColoringError,
        "colors: there is no vertex 9; keys are numbers from 0 to 3",
    ),
    "reduce what is improper": Row(
        lambda at: reduce(PATH, [0, 0, 0, 0]), ColoringError,
        "only a proper coloring can be reduced, and this one is not: 3 conflicting edges, the first (0, 1): both "
        "have color 0; lagcolor.color makes a proper one",
        lambda at: reduce(PATH, color(PATH)),
    ),
    "balance what is improper": Row(
        lambda at: balance(PATH, [0, 0, 0, 0]), ColoringError,
        "only a proper coloring can be balanced, and this one is not: 3 conflicting edges, the first (0, 1): both"
        " have color 0; lagcolor.color makes a proper one",
        lambda at: balance(PATH, color(PATH)),
    ),
    "recolor no colors": Row(
        lambda at: recolor(PATH, "red"), ColoringError,
        "colors must be a Coloring or an array of whole numbers, one per vertex, not 'red'",
    ),
    "recolor None": Row(
        lambda at: recolor(PATH, None), ColoringError,
        "colors must be a Coloring or an array of whole numbers, one per vertex, not None",
    ),
    "recolor a mapping to bool": Row(
        lambda at: recolor(PATH, {0: True}), ColoringError,
        "colors: vertex 0 has True: a color is a whole number from 0 on",
        lambda at: recolor(PATH, {0: 1}),
    ),
    "recolor a color under -1": Row(
        lambda at: recolor(PATH, [0, 1, -2, 1]), ColoringError,
        "colors must be from 0 to 2**31 - 1, or -1 for a vertex without a color, not -2",
        lambda at: recolor(PATH, [0, 1, -1, 1]),
    ),
    "recolor changed of text": Row(
        lambda at: recolor(PATH, old(), changed="a"), OptionError,
        "changed must be numbers of vertices, or a mask of shape (4,), not 'a'",
        lambda at: recolor(PATH, old(), changed=[0]),
    ),
    "recolor no vertex": Row(
        lambda at: recolor(PATH, old(), changed=[9]), OptionError,
        "changed names vertex 9, and x has vertices 0 to 3: name those that x has",
        lambda at: recolor(PATH, old(), changed=[3]),
    ),
    "recolor what changed elsewhere": Row(
        lambda at: recolor(CLIQUE, old(), changed=[0]), ColoringError,
        "not a valid coloring: 2 conflicting edges, the first (0, 2): both have color 0; the old colors were of "
        "no such graph, or more changed than `changed` names: leave changed out, and all is looked at",
        lambda at: recolor(CLIQUE, old()),
    ),
    "recolor no name": Row(
        lambda at: recolor(letters(), color(letters(), order="natural"), changed=["z"]), OptionError,
        "changed names 'z', which is no vertex of x: name those that x has",
        lambda at: recolor(letters(), color(letters(), order="natural"), changed=["a"]),
    ),
    "a solver's coloring": Row(
        lambda at: solvers.multicolor_sor(SOLVABLE, coloring=[0, 0, 0]), ColoringError,
        "only a proper coloring can be used for a multicolor sweep, and this one is not: 2 conflicting edges, the"
        " first (0, 1): both have color 0; lagcolor.color makes a proper one",
        lambda at: solvers.multicolor_sor(SOLVABLE, coloring=color(SOLVABLE)),
    ),
    "a number that is no color": Row(
        lambda at: recolor(PATH, [0, 1, 0, 2**40], [0]), ColoringError,
        "colors must be from 0 to 2**31 - 1, or -1 for a vertex without a color, not 1099511627776",
        lambda at: recolor(PATH, [0, 1, 0, -1], [0]),
    ),
    "changed vertices of floats": Row(
        lambda at: recolor(PATH, old(), np.array([0.5])), OptionError,
        "changed must be numbers of vertices, or a mask of shape (4,), not an array of float64 of shape (1,)",
    ),
    "a mask of another length": Row(
        lambda at: recolor(PATH, old(), np.array([True, False])), OptionError,
        "changed must be numbers of vertices, or a mask of shape (4,), not an array of bool of shape (2,)",
        lambda at: recolor(PATH, old(), np.array([True, False, False, False])),
    ),
    "names of rows and columns": Row(
        lambda at: color(rectangle(), problem="star_bicoloring").to_dict(), GraphError,
        "star_bicoloring colors rows and columns: use row_colors and column_colors, by number",
        lambda at: color(rectangle(), problem="star_bicoloring").row_colors,
    ),
}  # fmt: skip

FILES = {
    "no file": Row(
        lambda at: color(at / "nowhere.mtx"), OSError,
        "[Errno 2] No such file or directory: '…/nowhere.mtx'",
    ),
    "no ending": Row(
        lambda at: color(at / "graph.xyz"), FormatError,
        "…/graph.xyz: cannot tell the format from the name; known are .mtx, .mm, .txt, .edges, .edgelist, .el, "
        ".wel,",
        lambda at: io.read(at / "edges.txt", format="edges"),
    ),
    "no number": Row(
        lambda at: color(at / "word.txt"), FormatError,
        "…/word.txt, line 2: expected two vertex numbers, or a comment that begins with # or %, found '1 two'",
    ),
    "three columns missing": Row(
        lambda at: color(at / "short.mtx"), FormatError,
        "…/short.mtx, line 2: this line declares 2 entries, but 1 follow",
    ),
    "no header": Row(
        lambda at: color(at / "head.mtx"), FormatError,
        "…/head.mtx, line 1: expected the header '%%MatrixMarket matrix coordinate|array "
        "real|integer|complex|pattern general|symmetric|skew-symmetric|hermitian', found '3 3 1'",
    ),
    "metis": Row(
        lambda at: color(at / "few.graph"), FormatError,
        "…/few.graph, line 1: the header declares 2 edges, so 4 neighbors, but 3 are listed",
    ),
    "dimacs": Row(
        lambda at: color(at / "beyond.col"), FormatError,
        "…/beyond.col, line 2: vertex 3 is out of range: the p line declares vertices 1 … 2; the line is 'e 1 3'",
    ),
    "npz": Row(
        lambda at: color(at / "damaged.npz"), FormatError,
        "…/damaged.npz: no readable .npz archive of a graph",
    ),
    "gzip": Row(
        lambda at: color(at / "cut.mtx.gz"), FormatError,
        "…/cut.mtx.gz: damaged or truncated gzip file",
    ),
    "folder": Row(
        lambda at: color(at / "damaged.csr"), FormatError,
        "…/damaged.csr: damaged folder of a graph: indices.npy has 8 bytes, not 224; make it anew",
    ),
    "coloring": Row(
        lambda at: io.read_coloring(at / "colors.txt"), FormatError,
        "…/colors.txt, line 2: a color must be a whole number, not 'red'",
    ),
    "a coloring written": Row(
        lambda at: old().save(at / "colors.xyz"), FormatError,
        "…/colors.xyz: the name of a file of colors must end in .npy, .txt, .csv, .json (or with .gz)",
        lambda at: old().save(at / "colors.npy"),
    ),
    "compression": Row(
        lambda at: derivatives.load(at / "damaged.npz"), FormatError,
        "…/damaged.npz: no .npz file of Compression.save, or a damaged one",
    ),
    "a graph written": Row(
        lambda at: io.write(at / "graph.xyz", PATH), FormatError,
        "…/graph.xyz: cannot tell the format from the name; known are .mtx, .mm, .txt, .edges, .edgelist, .el, "
        ".wel,",
        lambda at: io.write(at / "graph.mtx", PATH),
    ),
}  # fmt: skip

OTHERS = {
    "convert nothing": Row(
        lambda at: convert([], at / "none.csr"), OptionError,
        "there are no files of edges to convert",
    ),
    "convert what is not there": Row(
        lambda at: convert(at / "nowhere.npy", at / "none.csr"), OSError,
        "[Errno 2] no such file: '…/nowhere.npy'",
    ),
    "memory of a problem, verified": Row(
        lambda at: verify(at / "grid.csr", np.zeros(9, int), memory="1MB", problem="star"), OptionError,
        "memory is for problem='distance1': leave it out, and the graph is read into memory",
        lambda at: verify(at / "grid.csr", color(at / "grid.csr", problem="star")),
    ),
    "a picture of rounds": Row(
        lambda at: plot.rounds(old()), OptionError,
        "this run has no trace: color with trace=True",
        lambda at: plot.rounds(color(PATH, "luby_is", trace=True)),
    ),
    "a picture of no coloring": Row(
        lambda at: plot.graph(PATH), OptionError,
        "plot.graph draws a coloring, and this is of type Graph: pass what lagcolor.color returns for it",
        lambda at: plot.graph(color(PATH)),
    ),
    "a picture of another ending": Row(
        lambda at: plot.save(plot.graph(old()).figure, at / "graph.txt"), OptionError,
        "cannot draw '…/graph.txt': the ending must be one of ",
    ),
    "engine of verbs": Row(
        lambda at: semirings.engine("gpu"), ValueError,
        "unknown engine 'gpu': use 'cpu', 'cuda' or 'cupyx'",
        lambda at: semirings.engine("cpu"),
    ),
    "index of a verb": Row(
        lambda at: verbs().assign(verbs().zeros(3), 1, [3]), IndexError,
        "assign: index 3 is outside 0 … 2",
    ),
    "index of a verb, twice": Row(
        lambda at: verbs().assign(verbs().zeros(3), 1, [1, 1]), ValueError,
        "assign: index 1 is given twice: indices are distinct (scatter combines what repeats)",
    ),
    "sizes of a verb": Row(
        lambda at: verbs().ewise_add(semirings.BINARY["plus"], verbs().zeros(3), verbs().zeros(4)), ValueError,
        "ewise_add: second vector has size 4, expected 3",
    ),
    "matrix of verbs": Row(
        lambda at: verbs().matrix("abc"), TypeError,
        "cannot make a matrix of str: pass a sparse matrix, or indptr and indices",
    ),
    "direction of a product": Row(
        lambda at: verbs().mxv(
            verbs().matrix(SOLVABLE), verbs().zeros(3), semirings.SEMIRINGS["max_second"], direction="up"
        ), ValueError,
        "direction 'up': use 'pull', 'push' or None for the engine's choice",
    ),
}  # fmt: skip

TABLE = {
    f"{part}: {name}": row
    for part, rows in (
        ("names", NAMES),
        ("values", VALUES),
        ("combinations", COMBINATIONS),
        ("places", PLACES),
        ("rules", RULES),
        ("inputs", INPUTS),
        ("colorings", COLORINGS),
        ("files", FILES),
        ("others", OTHERS),
    )
    for name, row in rows.items()
}


def written(folder: Path) -> Path:
    """The files of the table."""
    for name, text in {
        "edges.txt": "0 1\n1 2\n2 3\n",
        "graph.xyz": "0 1\n",
        "word.txt": "0 1\n1 two\n",
        "short.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n",
        "head.mtx": "3 3 1\n2 1\n",
        "few.graph": "3 2\n2\n1 3\n",
        "beyond.col": "p edge 2 1\ne 1 3\n",
        "colors.txt": "0\nred\n",
        "damaged.npz": "no archive",
    }.items():
        (folder / name).write_text(text)
    (folder / "cut.mtx.gz").write_bytes(gzip.compress(b"%%MatrixMarket matrix coordinate pattern general\n")[:20])
    np.save(folder / "edges.npy", np.array([[0, 1], [1, 2], [2, 3]]))
    for name in ("grid.csr", "other.csr", "damaged.csr"):
        io.write(folder / name, generate.grid2d(3))
    for array in (folder / "damaged.csr").glob("*.npy"):
        array.write_bytes(b"no array")
    return folder
