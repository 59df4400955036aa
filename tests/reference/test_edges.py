"""Colorings of edges: fans and paths against brute force and König, rules, names, files, the verifier on bad colors."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import rustworkx as rx
import scipy.sparse as sp
from contract import definitions
from corpus import CORPUS, gpu, graph, random_graph
from emulated import ENGINES
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import ColoringError, Graph, OptionError
from lagcolor.base.device import to_device
from lagcolor.engines.edges import coloring
from lagcolor.engines.edges.coloring import EdgeColoring, even, graph_of
from lagcolor.engines.edges.plain import chromatic_index
from lagcolor.engines.edges.table import Table, common_free, edge_of, next_free, put, take
from lagcolor.graph.components import is_bipartite
from lagcolor.graph.nets import Nets
from lagcolor.networkx.graph import BackendGraph
from lagcolor.problems import PROBLEMS, certificates
from lagcolor.search import rules as rule_search

NONE = 2**32 - 1


def edges_of(G: lagcolor.Graph) -> list[tuple[int, int]]:
    """In plain Python, from the arrays."""
    return [(u, int(v)) for u in range(G.n) for v in G.indices[G.indptr[u] : G.indptr[u + 1]] if v > u]


@pytest.mark.parametrize("quality", ["fast", "balanced"])
def test_corpus(quality: str) -> None:
    for name in CORPUS:
        if name == "clique 1100":
            continue
        G = graph(name)
        result = lagcolor.color(G, problem="edges", quality=quality, verify=True)
        u, v = result.edges
        assert list(zip(u.tolist(), v.tolist(), strict=True)) == edges_of(G)
        assert definitions.edges(G, result.colors.tolist()), name
        assert result.edge_colors is result.colors and result.colors.dtype == np.int32
        most = max(2 * G.max_degree - 1, 0) if quality == "fast" else G.max_degree + 1
        assert result.lower_bound <= result.n_colors <= most
        if quality == "balanced" and G.n_edges < 10_000:
            assert certificates.check(G, result.certificate, problem="edges") is not False


@settings(deadline=None, max_examples=30)
@given(n=st.integers(2, 7), m=st.integers(1, 12), seed=st.integers(0, 10**6))
def test_brute_force(n: int, m: int, seed: int) -> None:
    """Best proves its number on such small graphs, and it is the chromatic index."""
    G = random_graph(n, m, seed)
    assume(G.m)
    result = lagcolor.color(G, problem="edges", quality="best", time_limit=60)
    assert definitions.edges(G, result.colors.tolist())
    assert result.n_colors == chromatic_index(edges_of(G), G.max_degree) == result.lower_bound


@settings(deadline=None, max_examples=30)
@given(a=st.integers(1, 30), b=st.integers(1, 30), density=st.floats(0.05, 1), seed=st.integers(0, 10**6))
def test_bipartite_graphs_take_as_many_colors_as_the_largest_degree(a: int, b: int, density: float, seed: int) -> None:
    A = np.random.default_rng(seed).random((a, b)) < density
    G = lagcolor.Graph.of(np.block([[np.zeros((a, a), bool), A], [A.T, np.zeros((b, b), bool)]]))
    assert lagcolor.color(G, problem="edges", quality="balanced").n_colors == G.max_degree


@settings(deadline=None, max_examples=30)
@given(n=st.integers(3, 60), m=st.integers(1, 400), seed=st.integers(0, 10**6))
def test_one_color_more_never_fails(n: int, m: int, seed: int) -> None:
    """Fans alone, without the passes for Δ colors."""
    G = random_graph(n, m, seed)
    assume(G.m)
    H = Nets.incidence(G)
    edges = EdgeColoring(H, graph_of(H), seed)
    edges.k = G.max_degree + 1
    for _ in edges.passes((G.max_degree + 1, 1 << 40, 1, 1 << 40)):
        pass
    assert not len(edges.todo)
    assert definitions.edges(G, edges.colors.tolist())


def test_bipartite_graphs_take_no_color_more_for_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in (("STEPS", 0), ("LEAST_STEPS", 0), ("MEMBERS", 1), ("LENGTH", 1)):
        monkeypatch.setattr(coloring, name, limit)
    asked = []
    monkeypatch.setattr(coloring, "is_bipartite", lambda G: bool(asked.append(G)) or is_bipartite(G))
    G = lagcolor.Graph.of(nx.complete_bipartite_graph(40, 40))
    result = lagcolor.color(G, problem="edges")
    assert asked and result.n_colors == 40 and result.verified


def test_lower_keeps_what_it_cannot_color() -> None:
    G = lagcolor.Graph.of(nx.petersen_graph())
    H = Nets.incidence(G)
    edges = EdgeColoring(H, graph_of(H))
    edges.complete(3)
    assert edges.k == 4
    turns = itertools.count()
    assert not edges.lower(3, lambda: next(turns) < 5)
    assert (edges.colors < 0).sum() == len(edges.todo) > 0
    assert lagcolor.verify(G, edges.colors, problem="edges", allow_uncolored=True, errors="return").n_violations == 0


@pytest.mark.parametrize("n", [2, 3, 20, 21])
def test_cliques(n: int) -> None:
    result = lagcolor.color(nx.complete_graph(n), problem="edges")
    assert result.n_colors == (n if n % 2 and n > 1 else n - 1)
    assert result.optimal
    if n % 2 and n > 1:
        assert result.certificate.kind == "overfull"
        assert certificates.check(nx.complete_graph(n), result.certificate, problem="edges")


def test_the_petersen_graph_is_proven_to_take_four() -> None:
    result = lagcolor.color(nx.petersen_graph(), problem="edges", quality="best", time_limit=60)
    assert result.n_colors == result.lower_bound == 4
    assert result.certificate.kind == "exhaustive search"
    assert certificates.check(nx.petersen_graph(), result.certificate, problem="edges")


def test_the_smallest_overfull_part_is_the_certificate() -> None:
    """Of two parts of degree 6, seven vertices with 21 edges and nine with 27, the smaller one is the certificate."""
    G = nx.disjoint_union(nx.complement(nx.cycle_graph(9)), nx.complete_graph(7))
    certificate = lagcolor.color(G, problem="edges").certificate
    assert (certificate.kind, certificate.k, len(certificate.vertices)) == ("overfull", 7, 21)


def test_overfull_certificates_that_do_not_hold() -> None:
    G = lagcolor.Graph.of(nx.complete_graph(5))
    good = lagcolor.color(G, problem="edges").certificate.vertices
    with pytest.raises(ColoringError, match="8 edges between 5 vertices do not prove 5 colors"):
        certificates.check(G, certificates.Certificate("overfull", 5, good[:8]), problem="edges")
    with pytest.raises(ColoringError, match="has edges, but problem='distance1' colors none"):
        certificates.check(G, certificates.Certificate("overfull", 5, np.arange(5)))


@settings(deadline=None, max_examples=30)
@given(k=st.sampled_from([6, 40, 300]), seed=st.integers(0, 10**6))
def test_tables_against_dicts(k: int, seed: int) -> None:
    """Random changes of the tables of a hub, its leaves and two more vertices."""
    r = np.random.default_rng(seed)
    G = lagcolor.Graph.of(nx.compose(nx.star_graph(5), nx.path_graph(70)))
    H = Nets.incidence(G)
    table, plain = Table.of(H, k), [dict[int, int]() for _ in range(G.n)]
    u64 = np.uint64
    for step in range(300):
        v, c = int(r.integers(G.n)), int(r.integers(k))
        if c in plain[v]:
            assert int(edge_of(table, u64(v), u64(c))) == plain[v].pop(c)
            take(table, u64(v), u64(c))
        elif len(plain[v]) < G.degrees[v]:
            put(table, u64(v), u64(c), u64(step))
            plain[v][c] = step
        assert int(edge_of(table, u64(v), u64(c))) == plain[v].get(c, NONE)
        w, least = int(r.integers(G.n)), int(r.integers(k))
        free = [c for c in range(least, k) if c not in plain[v]]
        assert int(next_free(table, u64(v), u64(least), u64(k))) == (free or [NONE])[0]
        both = [c for c in range(k) if c not in plain[v] and c not in plain[w]]
        assert int(common_free(table, u64(v), u64(w), u64(k))) == (both or [NONE])[0]


def test_the_verifier_finds_each_conflict() -> None:
    """Against all pairs of edges, on random colors; some are missing."""
    found = []
    for seed in range(100):
        G = random_graph(6, 6, seed)
        edges, colors = edges_of(G), np.random.default_rng(seed).integers(-1, 9, G.n_edges)
        pairs = itertools.combinations(range(len(edges)), 2)
        holds = not any(colors[d] == colors[e] >= 0 and set(edges[d]) & set(edges[e]) for d, e in pairs)
        report = lagcolor.verify(G, colors, problem="edges", errors="return")
        assert (report.n_violations == 0) == holds == (not report.violations)
        assert report.n_uncolored == (colors == -1).sum()
        found.append(holds)
    assert 20 < sum(found) < 80


def test_the_verifier_names_the_edges() -> None:
    G = nx.Graph([("a", "b"), ("b", "c")])
    with pytest.raises(ColoringError, match=r"edges \('a', 'b'\) and \('b', 'c'\) both have color 0"):
        lagcolor.verify(G, [0, 0], problem="edges")
    with pytest.raises(ColoringError, match=r"shape \(2,\), one per edge"):
        lagcolor.verify(G, [0, 0, 0], problem="edges")


def lettered() -> nx.Graph:
    return nx.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])


def test_labels_and_rules() -> None:
    G = lettered()
    free = lagcolor.color(G, problem="edges")
    assert set(free.to_dict()) == {("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")}
    rules: dict[str, Any] = {"fixed": {("b", "a"): 2}, "forbidden": {("d", "c"): [0, 1]}}
    result = lagcolor.color(G, problem="edges", **rules)
    assert result.to_dict()["a", "b"] == 2 and result.to_dict()["c", "d"] >= 2
    lagcolor.verify(G, result.colors, problem="edges", **rules)
    assert not lagcolor.verify(G, free.colors, problem="edges", fixed={("a", "b"): 7}, errors="return").ok
    assert lagcolor.color(G, problem="edges", max_colors=3, quality="balanced").n_colors == 3
    same = lagcolor.color(G, problem="edges", fixed={("a", "b"): 1, ("b", "a"): 1, 0: 1})
    assert same.to_dict()["a", "b"] == 1


def test_an_order_by_the_names_of_edges() -> None:
    G = lettered()
    order = {("b", "a"): 1, ("a", "c"): 2, ("c", "b"): 3, ("d", "c"): 4}
    named = lagcolor.color(G, problem="edges", order=order)
    assert named.colors.tolist() == lagcolor.color(G, problem="edges", order=[1, 2, 3, 4]).colors.tolist()
    assert named.to_dict()["c", "d"] == 0
    assert lagcolor.color(G, problem="edges", order={**order, ("a", "b"): 1}).colors.tolist() == named.colors.tolist()
    by_function = lagcolor.color(G, problem="edges", order=lambda ends: ends == ("c", "d"))
    assert by_function.to_dict()["c", "d"] == 0


TWICE = r"edge 0 \(\('a', 'b'\)\) is named twice, with"


@pytest.mark.parametrize(("options", "error", "message"), [
    *(({"fixed": {name: 0}}, OptionError, "there is no edge") for name in (("a", "d"), "ab", ("a", "b", "c"))),
    ({"fixed": {("a", "b"): 1, ("b", "c"): 1}}, ColoringError, "fixed: edges"),
    ({"fixed": {("a", "b"): 0, ("b", "a"): 1}}, OptionError, TWICE),
    ({"allowed": {("a", "b"): [0], 0: [1]}, "max_colors": 5}, OptionError, TWICE),
    ({"weights": {("a", "b"): 2, 0: 3, 1: 1, 2: 1, 3: 1}, "capacity": 9}, OptionError, TWICE),
    ({"order": {("a", "c"): 1}}, OptionError, r"no priority for edge \('a', 'b'\)"),
    ({"order": {("a", "b"): 1, 1: 2, 2: 3, 3: 4, ("b", "a"): 5}}, OptionError, "priorities 1 and 5 for edge"),
    ({"max_colors": 2}, ColoringError, r"clique of 3 edges.*leaves 1 of 4 edges"),
    ({"max_colors": 3, "forbidden": {("b", "a"): [0, 1, 2]}}, ColoringError, r"'b'\)\) has no color left"),
    ({"max_colors": 3, "capacity": 1}, ColoringError, "the edges weigh 4"),
], ids=str)  # fmt: skip
def test_errors_name_edges(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        lagcolor.color(lettered(), problem="edges", **options)
    if options == {"max_colors": 2}:
        assert caught.value.clique == [("a", "b"), ("a", "c"), ("b", "c")]


def test_colorings_of_vertices_are_none_of_edges() -> None:
    """A cycle has as many of both."""
    G = nx.cycle_graph(6)
    of_vertices, of_edges = lagcolor.color(G), lagcolor.color(G, problem="edges")
    for problem, wrong in (("edges", of_vertices), ("distance1", of_edges)):
        with pytest.raises(ColoringError, match=f"the coloring is for problem='{wrong.problem}'"):
            lagcolor.verify(G, wrong, problem=problem)
        with pytest.raises(OptionError, match=f"fixed: the coloring is for problem='{wrong.problem}'"):
            lagcolor.color(G, problem=problem, fixed=wrong)
    assert lagcolor.verify(G, of_edges, problem="edges").ok
    assert lagcolor.color(G, problem="edges", fixed=of_edges).colors.tolist() == of_edges.colors.tolist()


def test_a_limited_number_of_colors_is_found_by_fans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fans succeed if first-fit needs more colors and the graph of conflicts is too large for other attempts."""
    monkeypatch.setattr(rule_search, "MOST", 100)
    r, n = np.random.default_rng(0), 200
    u, v = np.tile(np.arange(n), 8), np.concatenate([n + r.permutation(n) for _ in range(8)])
    for G, k in ((nx.complete_graph(60), 59), (Graph.of((u, v)), 8)):
        result = lagcolor.color(G, problem="edges", max_colors=k, verify=True)
        assert result.n_colors == result.lower_bound == k
        assert result.algorithm == "first_fit + fans"
        even_too = lagcolor.color(G, problem="edges", max_colors=k, equitable=True, verify=True)
        assert np.ptp(even_too.class_sizes) <= 1
    with pytest.raises(ColoringError, match="there is no coloring with 60 colors: every coloring has at least 61"):
        lagcolor.color(nx.complete_graph(61), problem="edges", max_colors=60)
    with pytest.raises(ColoringError, match="coloring found that keeps the rules: the graph of conflict"):
        lagcolor.color(nx.complete_graph(60), problem="edges", max_colors=59, fixed={(0, 1): 0})


def test_a_picture_of_edge_colors_is_refused() -> None:
    with pytest.raises(OptionError, match="draws colors of vertices, and these are of edges"):
        lagcolor.plot.graph(lagcolor.color(nx.cycle_graph(5), problem="edges"))  # as many edges as vertices


THREE = [(0, 1)] * 3


def of_rustworkx(kind: Any, pairs: list[tuple[int, int]]) -> Any:
    g = kind()
    g.add_nodes_from(range(2))
    g.add_edges_from_no_data(pairs)
    return g


@pytest.mark.parametrize("x", [
    THREE, np.array([[0, 1], [0, 1], [0, 2]]), (np.zeros(3, int), np.ones(3, int)), [(0, 1, 7.0), (0, 1, 8.0)],
    [("a", "b"), ("c", "b"), ("a", "b")], {0: [1, 1], 1: [0]}, pd.DataFrame({"u": [0, 0], "v": [1, 1]}),
    nx.MultiGraph(THREE), nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)]), nx.MultiGraph(THREE).edges,
    BackendGraph.of(nx.MultiGraph(THREE)), igraph.Graph([(0, 1), (1, 0)]),
    igraph.Graph([(0, 1), (0, 1), (1, 0)], directed=True), of_rustworkx(rx.PyGraph, [(0, 1), (1, 0)]),
    of_rustworkx(rx.PyDiGraph, [(0, 1), (0, 1), (1, 0)]),
], ids=lambda x: type(x).__name__)  # fmt: skip
def test_parallel_edges_are_refused(x: Any) -> None:
    """Parallel edges are refused, because a graph would merge them."""
    message = r"edge \(.+\) is there more than once, and problem='edges' .+ `lagcolor.color_pairs\(pairs, n\)`"
    for call in (
        lambda: lagcolor.color(x, problem="edges"),
        lambda: lagcolor.verify(x, [0], problem="edges"),
        lambda: lagcolor.verify(x, {(0, 1): 0}, problem="edges"),
    ):
        with pytest.raises(lagcolor.GraphError, match=message):
            call()
    assert lagcolor.color(Graph.of(x), problem="edges").verified  # as the message advises
    assert lagcolor.color(x).verified
    assert sorted(lagcolor.color_pairs(np.array(THREE), 2).colors.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("x", [
    [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)], [(0, 1), (1, 2), (0, 2), (1, 1), (1, 1)],
    {0: [1, 2], 1: [0, 2], 2: [0, 1]}, {0: [1, 2], 1: [2]}, np.array([[0, 1, 1, 2, 0, 2], [1, 0, 2, 1, 2, 0]]),
    [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "a"), ("a", "c")], nx.DiGraph(nx.complete_graph(3)),
    nx.MultiGraph(nx.complete_graph(3)), nx.MultiDiGraph(nx.complete_graph(3)), igraph.Graph.Full(3, directed=True),
    sp.coo_array((np.ones(8), ([0, 1, 0, 1, 1, 2, 0, 2], [1, 0, 1, 0, 2, 1, 2, 0]))),  # entries add up
], ids=lambda x: type(x).__name__)  # fmt: skip
def test_edges_in_one_direction_or_all_in_both(x: Any) -> None:
    assert lagcolor.color(x, problem="edges").n_colors == 3


def test_loops_and_duplicates_are_dropped_and_arrays_may_be_read_only() -> None:
    u, v = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 2, 1, 2])
    u.setflags(write=False)
    for arrays in ((u, v), (np.repeat(u, 2)[::2], np.repeat(v, 2)[::2])):
        result = lagcolor.color(arrays, problem="edges")
        assert [end.tolist() for end in result.edges] == [[0, 1], [1, 2]]
        assert sorted(result.colors.tolist()) == [0, 1]


def test_no_edges() -> None:
    for n, quality in itertools.product((0, 3), ("fast", "balanced", "best")):
        result = lagcolor.color(nx.empty_graph(n), problem="edges", quality=quality, verify=True)
        assert result.n_colors == result.lower_bound == len(result.edges[0]) == 0
    of_vertices = lagcolor.color(nx.path_graph(3))
    assert of_vertices.edges is of_vertices.edge_colors is None


@pytest.mark.parametrize("names", ["numbers", "words", "sentences"])
def test_files(tmp_path: Path, names: str) -> None:
    G = nx.gnm_random_graph(12, 30, seed=1)
    if names != "numbers":
        G = nx.relabel_nodes(G, {v: f"v{v}{', or' if names == 'sentences' else ''}" for v in G})
    result = lagcolor.color(G, problem="edges")
    labels = PROBLEMS["edges"].labels(result.graph)
    for ending in (".npy", ".txt", ".csv", ".json", ".csv.gz"):
        path = tmp_path / f"colors{ending}"
        if names == "sentences" and ending == ".txt":
            with pytest.raises(lagcolor.GraphError, match="is no word"):
                result.save(path)
            continue
        result.save(path)
        assert lagcolor.io.read_coloring(path, labels=labels, n=len(labels)).tolist() == result.colors.tolist()


def test_files_of_rules(tmp_path: Path) -> None:
    G = Graph.of(lettered())
    labels, path = PROBLEMS["edges"].labels(G), tmp_path / "rule.csv"
    path.write_text("u,v,color\nb,a,2\nc,d,0\nd,c,1\n")
    forbidden = lagcolor.io.read_forbidden(path, 4, labels=labels)
    assert forbidden.toarray().tolist() == [[False, False, True], [False] * 3, [False] * 3, [True, True, False]]
    assert lagcolor.io.read_allowed(path, 4, labels=labels) == {("a", "b"): [2], ("c", "d"): [0, 1]}
    lagcolor.color(G, problem="edges", forbidden=forbidden, verify=True)
    path.write_text("u,v,weight\na,c,2\nb,a,1\nb,c,3.5\nd,c,4\n")
    assert lagcolor.io.read_weights(path, 4, labels=labels).tolist() == [1, 2, 3.5, 4]
    path.write_text("b a 5\n")
    assert lagcolor.io.read_coloring(path.rename(tmp_path / "c.txt"), labels=labels).tolist() == [5, -1, -1, -1]


@pytest.mark.parametrize(("name", "text", "message"), [
    ("w.csv", "u,v,weight\na,c,2\n", r"edge \('a', 'b'\) has no weight"),
    ("w.csv", "u,v,weight\na,c,2\nc,a,3\n", r"line 3: edge \('a', 'c'\) has a weight already"),
    ("w.csv", "vertex,weight\na,2\n", "expected the header 'u,v,weight'"),
    ("c.txt", "a b 2\nb a 2\n", "line 2: edge 'b a' has a color already"),
    ("c.txt", "a b 2\na d 1\n", "line 2: there is no edge 'a d'"),
    ("c.txt", "a b\n", "expected 'u v color'"),
    ("c.txt", "a b x\n", "a color must be a whole number"),
])  # fmt: skip
def test_faults_in_files(name: str, text: str, message: str, tmp_path: Path) -> None:
    labels, path = PROBLEMS["edges"].labels(Graph.of(lettered())), tmp_path / name
    path.write_text(text)
    with pytest.raises(lagcolor.FormatError, match=message):
        if name == "w.csv":
            lagcolor.io.read_weights(path, 4, labels=labels)
        else:
            lagcolor.io.read_coloring(path, labels=labels)


@settings(deadline=None, max_examples=30)
@given(n=st.integers(2, 40), m=st.integers(1, 300), more=st.integers(0, 5), seed=st.integers(0, 10**6))
def test_classes_of_one_size_by_paths(n: int, m: int, more: int, seed: int) -> None:
    """Classes become equal by paths, also with more colors than are in use."""
    G = random_graph(n, m, seed)
    assume(G.m)
    colors = lagcolor.color(G, problem="edges", order="random", seed=seed).colors
    k = int(colors.max()) + 1 + more
    out = even(Nets.incidence(G), colors, k)
    sizes = np.bincount(out, minlength=k)
    assert definitions.edges(G, out.tolist())
    assert sizes.max() - sizes.min() <= 1


def test_balance_of_a_hub_and_of_a_coloring() -> None:
    """The graph of the conflicting edges of the star has over two billion entries."""
    G = lagcolor.Graph.of(nx.disjoint_union(nx.star_graph(66_000), nx.path_graph(300)))
    result = lagcolor.color(G, problem="edges", balance=True, verify=True)
    assert result.n_colors == 66_000
    assert result.notes["balance"]["reached"]
    again = lagcolor.balance(G, lagcolor.color(G, problem="edges", quality="fast"), verify=True)
    assert again.class_sizes.max() - again.class_sizes.min() <= 1
    limited = lagcolor.color(nx.path_graph(50), problem="edges", equitable=True, max_colors=5)
    assert sorted(limited.class_sizes.tolist()) == [9, 10, 10, 10, 10]


@pytest.mark.parametrize(("error", "note"), [(KeyboardInterrupt, "interrupted"), (MemoryError, "memory")])
def test_what_fans_find_stays(error: type[BaseException], note: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Petersen graph needs more colors than its degree, so that the search goes on after the fans."""

    def failing(*_: Any) -> Any:
        raise error

    G = nx.petersen_graph()
    monkeypatch.setattr("lagcolor.search.edges.on_conflicts", failing)
    result = lagcolor.color(G, problem="edges", quality="balanced", verify=True)
    assert result.n_colors == 4 and result.notes[note]
    monkeypatch.setattr(EdgeColoring, "complete", failing)  # there is nothing yet to return
    with pytest.raises(error):
        lagcolor.color(G, problem="edges", quality="balanced")


@pytest.mark.parametrize("engine", ENGINES[1:])
@pytest.mark.parametrize("name", ["empty", "no edges", "isolated among others", "star", "grid"])
def test_a_gpu_has_the_colors_of_the_cpu(engine: str, name: str) -> None:
    G = graph(name)
    for options in ({"quality": "fast"}, {"quality": "balanced"}, {"order": "random", "seed": 3}):
        here = lagcolor.color(G, problem="edges", **options)
        there = lagcolor.color(G, problem="edges", device="cuda", **options)
        assert there.device == gpu() and there.to_numpy().tolist() == here.colors.tolist()
        assert [to_device(end, "cpu").tolist() for end in there.edges] == [end.tolist() for end in here.edges]


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_a_gpu_checks_by_sorting(engine: str) -> None:
    G, r = graph("grid"), np.random.default_rng(1)
    there = lagcolor.color(G, problem="edges", device="cuda", quality="fast")
    for _ in range(5):
        e, d = r.integers(G.n_edges, size=2)
        colors = there.to_numpy()
        colors[e] = colors[d]
        reports = [
            lagcolor.verify(x, c, problem="edges", errors="return")
            for x, c in ((G, colors), (there.graph, to_device(colors, "cuda")))
        ]
        assert reports[0].ok == reports[1].ok
