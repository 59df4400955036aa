"""The NetworkX backend: its functions against NetworkX's own, and NetworkX's tests through its dispatch."""

from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import pytest
from networkx.algorithms.coloring.equitable_coloring import is_coloring, is_equitable

from lagcolor.networkx import from_networkx, info
from lagcolor.networkx.backend import FEWEST, FEWEST_WITH_INTERCHANGE, backend

ROOT = Path(__file__).resolve().parents[2]
EQUAL = [
    "largest_first",
    "random_sequential",
    "connected_sequential",
    "connected_sequential_bfs",
    "connected_sequential_dfs",
    "saturation_largest_first",
    "DSATUR",
]
NO_INTERCHANGE = ["independent_set", "saturation_largest_first", "DSATUR"]


def graphs() -> Iterator[tuple[str, nx.Graph]]:
    yield "one node", nx.empty_graph(1)
    yield "no edges", nx.empty_graph(7)
    yield "people", nx.les_miserables_graph()
    for seed in range(2):
        G = nx.gnp_random_graph(50 + 7 * seed, 0.03 + 0.07 * seed, seed=seed)
        yield f"random {seed}", G
        yield f"strings {seed}", nx.relabel_nodes(G, {v: f"v{v * 7919 % 101}" for v in G})
        yield f"large ids {seed}", nx.relabel_nodes(G, {v: v * 7919 % 997 * 4096 for v in G})
        yield f"view {seed}", G.subgraph(range(5, 45))
        draw = random.Random(seed)
        multi = nx.MultiGraph((draw.randrange(40), draw.randrange(40)) for _ in range(150))
        multi.remove_edges_from(list(nx.selfloop_edges(multi, keys=True)))
        yield f"multigraph {seed}", multi
        loops = G.copy()
        loops.add_edges_from((v, v) for v in range(0, 50, 6))
        yield f"loops {seed}", loops


GRAPHS = dict(graphs())
SIMPLE = {name: G for name, G in GRAPHS.items() if not nx.number_of_selfloops(G)}


def proper(G: nx.Graph, colors: dict[Any, int]) -> bool:
    """Whether it is a complete coloring of the nodes, in Python's integers, from 0 on without gaps."""
    whole = all(type(color) is int for color in colors.values())
    complete = colors.keys() == set(G) and set(colors.values()) == set(range(len(set(colors.values()))))
    return whole and complete and all(colors[u] != colors[v] for u, v in G.edges() if u != v)


@pytest.mark.parametrize("strategy", EQUAL)
def test_colors_of_networkx(strategy: str) -> None:
    for name, G in GRAPHS.items():
        H = from_networkx(G)
        for interchange in [False, True][: 1 if strategy in NO_INTERCHANGE else 2]:
            if interchange and name not in SIMPLE:
                assert proper(G, backend.greedy_color(H, strategy, True))  # NetworkX's lists break there
                continue
            random.seed(3)
            theirs = nx.greedy_color(G, strategy, interchange)
            random.seed(3)
            assert list(backend.greedy_color(H, strategy, interchange).items()) == list(theirs.items()), name


def test_smallest_last_needs_no_more_than_the_degeneracy() -> None:
    """Degeneracy plus one: two colors for a tree, where most other orders need three."""
    trees = {f"tree {seed}": nx.random_labeled_tree(60, seed=seed) for seed in range(5)}
    for name, G in {**SIMPLE, **trees}.items():
        colors = backend.greedy_color(from_networkx(G), "smallest_last")
        assert proper(G, colors) and max(colors.values()) <= max(nx.core_number(nx.Graph(G)).values()), name


def test_independent_sets_by_definition() -> None:
    """The first remaining node of least degree joins a set; its neighbors wait for the next set."""
    for name, G in SIMPLE.items():
        left, expected = set(G), {}
        for color in itertools.count():
            if not left:
                break
            near = set(left)
            while near:
                v = min((v for v in G if v in near), key=lambda v: sum(u in near for u in set(G[v])))
                expected[v] = color
                near -= {v, *G[v]}
                left.remove(v)
        assert backend.greedy_color(from_networkx(G), "independent_set") == expected, name


def test_strategy_functions() -> None:
    G = GRAPHS["strings 1"]
    H = from_networkx(G)
    theirs = nx.coloring.strategy_largest_first
    assert backend.greedy_color(H, theirs) == nx.greedy_color(G)

    def backwards(G: nx.Graph, colors: dict[Any, int]) -> list[Any]:
        assert isinstance(G, nx.Graph)
        return list(G)[::-1]

    assert backend.greedy_color(H, backwards) == nx.greedy_color(G, backwards)


def test_there_and_back() -> None:
    """Nodes, rows in their order, parallel edges and both ends' shared attributes come back."""
    for G in GRAPHS.values():
        H = backend.convert_from_nx(G)
        back = backend.convert_to_nx(H)
        assert {v: list(back[v]) for v in back} == {v: list(G[v]) for v in G}
        assert list(back) == list(G) == list(H)
        assert back.is_multigraph() == G.is_multigraph() == H.is_multigraph()
        assert dict(back.degree) == dict(G.degree) == H.by_node(H.degree)
        assert back.number_of_edges() == G.number_of_edges() == H.number_of_edges()
        assert all(back._adj[u][v] is back._adj[v][u] for u, v in back.edges())
        assert len(H) == len(G) and all(v in H for v in G) and "nobody" not in H and [] not in H


@pytest.mark.parametrize("label", [lambda v: v * 4096, str], ids=["large ids", "strings"])
def test_independent_set_where_tables_are_rebuilt(label: Any) -> None:
    G = nx.relabel_nodes(nx.gnp_random_graph(1500, 0.004, seed=1), label)
    ours = backend.maximal_independent_set(from_networkx(G), seed=random.Random(7))
    assert ours == nx.maximal_independent_set(G, seed=7)


def test_independent_set_whatever_the_hashes() -> None:
    """Names of nodes decide when and how CPython rebuilds the table of a set."""
    draw = random.Random(5)
    for seed in range(60):
        n = draw.choice([5, 12, 20, 33, 64, 90, 150])
        G = nx.gnp_random_graph(n, draw.choice([0.0, 1 / n, 3 / n, 8 / n]), seed=seed)
        names = draw.choice([lambda v: str(draw.random()), lambda v: draw.getrandbits(40), lambda v: (v, str(v))])
        G = nx.relabel_nodes(G, {v: names(v) for v in G})
        nodes = draw.choice([None, [next(iter(G))]])
        ours = backend.maximal_independent_set(from_networkx(G), nodes, random.Random(seed))
        assert ours == nx.maximal_independent_set(G, nodes, seed=seed)


def test_two_colors_in_the_order_of_networkx() -> None:
    """Several components, nodes without neighbors among them, and rows in any order."""
    shuffled = random.Random(5)
    for n in (2, 30, 200):
        tree = nx.random_labeled_tree(n, seed=n)
        edges = [e for e in tree.edges if shuffled.random() < 0.8]
        shuffled.shuffle(edges)
        G = nx.Graph()
        G.add_nodes_from(shuffled.sample(range(n + 5), n + 5))
        G.add_edges_from(edges)
        assert list(backend.color(from_networkx(G)).items()) == list(nx.bipartite.color(G).items())


def test_checks_find_faults() -> None:
    for edges in ([(0, 1), (1, 2)], [(0, 1), (1, 2), (3, 3)]):
        G = nx.Graph(edges)
        G.add_nodes_from(range(5))
        H = from_networkx(G)
        for colors in itertools.product("ab", repeat=5):
            coloring = dict(enumerate(colors))
            assert backend.is_coloring(H, coloring) == is_coloring(G, coloring)
            for count in (None, 0, 2, 9):
                assert backend.is_equitable(H, coloring, count) == is_equitable(G, coloring, count)
    G = nx.empty_graph(6)
    H = from_networkx(G)
    for colors, count in itertools.product(itertools.product(range(3), repeat=6), (None, 2, 3, 4)):
        coloring = dict(enumerate(colors))
        assert backend.is_equitable(H, coloring, count) == is_equitable(G, coloring, count)
    assert backend.is_equitable(from_networkx(nx.Graph()), {})
    assert not backend.is_equitable(from_networkx(nx.Graph()), {}, 0)


@pytest.mark.parametrize("coloring", [{0: 0}, {0: [1], 1: 2}, {0: float("nan"), 1: 1}], ids=["missing", "list", "nan"])
def test_checks_leave_to_networkx(coloring: dict[int, Any]) -> None:
    with pytest.raises(NotImplementedError):
        backend.is_coloring(from_networkx(nx.path_graph(2)), coloring)


def test_equitable() -> None:
    for G in SIMPLE.values():
        least = max(d for _, d in G.degree) + 1
        for k in {least, least + 1, max(least, len(G)), len(G) + 3}:
            colors = backend.equitable_color(from_networkx(G), k)
            count = Counter(colors.values())
            sizes = [count[color] for color in range(k)]
            assert sum(sizes) == len(G) and max(sizes) - min(sizes) <= 1
            assert all(colors[u] != colors[v] for u, v in G.edges())
        with pytest.raises(nx.NetworkXAlgorithmError, match=f"maximum degree {least - 1}"):
            backend.equitable_color(from_networkx(G), least - 1)


def test_refusals() -> None:
    """Errors equal errors of NetworkX, which checks for an empty graph before it checks the strategy."""
    empty, one, path = (from_networkx(G) for G in (nx.Graph(), nx.empty_graph(1), nx.path_graph(4)))
    assert backend.greedy_color(empty, "no such strategy", interchange=True) == {}
    with pytest.raises(nx.NetworkXError, match="no such strategy"):
        backend.greedy_color(one, "no such strategy")
    for strategy in NO_INTERCHANGE:
        with pytest.raises(nx.NetworkXPointlessConcept):
            backend.greedy_color(one, strategy, interchange=True)
    for nodes in ([9], [0, 1]):
        with pytest.raises(nx.NetworkXUnfeasible):
            backend.maximal_independent_set(path, nodes, random.Random(0))
    with pytest.raises(nx.NetworkXError, match="not bipartite"):
        backend.color(from_networkx(nx.cycle_graph(5)))
    assert backend.equitable_color(empty, 3) == {}
    with pytest.raises(nx.NetworkXAlgorithmError):
        backend.equitable_color(empty, 0)
    with pytest.raises(NotImplementedError):
        backend.equitable_color(from_networkx(nx.Graph([(0, 0)])), 9)


# Dispatch -------------------------------------------------------------------------------------------------------------


def test_when_it_runs() -> None:
    small, large = nx.path_graph(20), nx.path_graph(max(FEWEST.values()))
    for name in info.FUNCTIONS:
        assert callable(getattr(backend, name))
        assert backend.can_run(name, (small,), {}) is True
        assert isinstance(backend.can_run(name, (), {"G": nx.DiGraph()}), str)
        assert isinstance(backend.should_run(name, (small,), {}), str)
        assert (backend.should_run(name, (large,), {}) is True) == (not name.startswith("is_"))
        large.__networkx_cache__["backends"] = {"lagcolor": {(False, False): from_networkx(large)}}
        assert backend.should_run(name, (large,), {}) is True
        large.__networkx_cache__.clear()
    middle = nx.path_graph(FEWEST_WITH_INTERCHANGE)
    assert backend.should_run("greedy_color", (middle, "DSATUR"), {}) is True
    assert backend.should_run("greedy_color", (middle,), {"strategy": "largest_first", "interchange": True}) is True
    assert isinstance(backend.should_run("greedy_color", (middle, "largest_first"), {}), str)
    assert isinstance(backend.should_run("greedy_color", (large, nx.coloring.strategy_largest_first), {}), str)
    with pytest.raises(NotImplementedError, match="undirected"):
        from_networkx(nx.DiGraph())


def test_a_set_of_a_seed_is_of_cpython_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    assert "CPython" in str(backend.can_run("maximal_independent_set", (nx.path_graph(3),), {}))
    assert backend.can_run("greedy_color", (nx.path_graph(3),), {}) is True


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of a process that finds the entry points of pyproject.toml, whatever an installation has."""
    folder = tmp_path_factory.mktemp("site")
    dist = folder / "lagcolor-0.dist-info"
    dist.mkdir()
    dist.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: lagcolor\nVersion: 0\n")
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert {"networkx.backends", "networkx.backend_info"} <= points.keys()
    lines = [
        line for group, names in points.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in names.items()))
    ]
    dist.joinpath("entry_points.txt").write_text("\n".join(lines) + "\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NETWORKX_")}
    return environment | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")])}


def test_importing_networkx_imports_nothing_heavy(installed: dict[str, str]) -> None:
    code = """
import sys, networkx as nx
assert "lagcolor" in nx.config.backends, nx.config.backends
heavy = {"numpy", "scipy", "numba", "cupy", "lagcolor.graph.graph", "lagcolor.api.color"} & set(sys.modules)
assert not heavy, heavy
assert "lagcolor" in nx.greedy_color.backends and "lagcolor :" in nx.greedy_color.__doc__
assert nx.greedy_color(nx.path_graph(4)) == {1: 0, 2: 1, 0: 1, 3: 0}
assert "lagcolor.graph.graph" not in sys.modules, "the backend ran without being asked"
"""
    subprocess.run([sys.executable, "-c", code], env=installed, check=True)


def test_dispatch(installed: dict[str, str]) -> None:
    """Named, by priority and by a converted graph; stored with the graph, and forgotten where that changes."""
    code = """
import networkx as nx
from lagcolor.networkx import from_networkx
from lagcolor.networkx.backend import Backend
nx.config.warnings_to_ignore.add("cache")
calls, convert = [], Backend.convert_from_nx
Backend.convert_from_nx = staticmethod(lambda graph, **k: calls.append(1) or convert(graph, **k))
G = nx.gnp_random_graph(300, 0.1, seed=2)
expected = nx.greedy_color(G, "DSATUR")
assert nx.greedy_color(G, "DSATUR", backend="lagcolor") == expected and len(calls) == 1
nx.config.backend_priority = ["lagcolor"]
assert nx.greedy_color(G, "DSATUR") == expected and len(calls) == 1
assert nx.algorithms.coloring.equitable_coloring.is_coloring(G, expected) and len(calls) == 1
G.add_edge(0, next(v for v in G if v and expected[v] == expected[0]))
assert not nx.algorithms.coloring.equitable_coloring.is_coloring(G, expected) and len(calls) == 1
assert nx.greedy_color(G, "DSATUR") != expected and len(calls) == 2
path = nx.path_graph(300)
view = path.subgraph(range(200))
first = nx.greedy_color(view, "DSATUR", backend="lagcolor")
path.add_edge(0, 2)
second = nx.greedy_color(view, "DSATUR", backend="lagcolor")
assert first[0] == first[2] and second[0] != second[2]
calls[2:] = []
nx.greedy_color(nx.path_graph(5))
D = nx.path_graph(3000).to_directed()
assert nx.greedy_color(D) == nx.greedy_color.orig_func(D) and len(calls) == 2  # NetworkX's own
nx.greedy_color(G, lambda G, colors: list(G))
assert nx.bipartite.is_bipartite(nx.path_graph(9000)) and len(calls) == 3
nx.config.backend_priority = []
H = from_networkx(G)
assert nx.greedy_color(H) == nx.greedy_color(G)
assert nx.maximal_independent_set(H, seed=3) == nx.maximal_independent_set(G, seed=3)
try:
    nx.greedy_color(D, backend="lagcolor")
except NotImplementedError as e:
    assert "lagcolor" in str(e)
else:
    raise AssertionError
assert len(set(nx.greedy_color(D.to_undirected(), backend="lagcolor").values())) == 2
"""
    subprocess.run([sys.executable, "-c", code], env=installed, check=True)


def test_networkx_own_tests(installed: dict[str, str], tmp_path: Path) -> None:
    modules = ["networkx.algorithms.coloring", "networkx.algorithms.tests.test_mis"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--pyargs", *modules]
    environment = installed | {"NETWORKX_TEST_BACKEND": "lagcolor"}  # without fallback what is missing is an xfail
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, done.stdout
    assert re.fullmatch(r"\d+ passed(, \d+ warnings?)? in .*", last), last
