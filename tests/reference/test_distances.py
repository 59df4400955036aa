"""Distances between the colors of neighbors: by definition in plain Python, by all colorings, and broken ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph

import lagcolor
from lagcolor import cli
from lagcolor.core.errors import ColoringError, FormatError, OptionError
from lagcolor.engines.distances import Instance
from lagcolor.engines.distances.bounds import lower_bound
from lagcolor.engines.distances.breakout import Breakout
from lagcolor.io import read_distances
from lagcolor.rules import Given, Rules, frequencies

Distances = dict[tuple[int, int], int]
SMALL = [name for name in CORPUS if name not in ("clique 1100", "hub last")]


def distances_of(G: lagcolor.Graph, most: int, seed: int) -> Distances:
    """Of each edge a random one."""
    rng = np.random.default_rng(seed)
    rows = G.rows_of_entries()
    return {
        (u, v): int(rng.integers(1, most + 1)) for u, v in zip(rows.tolist(), G.indices.tolist(), strict=True) if u < v
    }


def around(n: int, distances: Distances) -> list[list[tuple[int, int]]]:
    """The neighbors of each vertex with their distances."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for (u, v), d in distances.items():
        out[u].append((v, d))
        out[v].append((u, d))
    return out


def plain(n: int, distances: Distances, order: Iterable[int], rules: dict[str, Any]) -> list[int]:
    """Each free vertex in turn takes the least color that no rule bars and no neighbor is too close to."""
    near, fixed, forbidden = around(n, distances), rules.get("fixed", {}), rules.get("forbidden", {})
    colors = [fixed.get(v, -1) for v in range(n)]
    for v in [v for v in order if v not in fixed]:
        for c in range(rules.get("max_colors", 10**6)):
            if c not in forbidden.get(v, ()) and all(colors[u] < 0 or abs(colors[u] - c) >= d for u, d in near[v]):
                colors[v] = c
                break
    return colors


def least_span(n: int, distances: Distances, rules: dict[str, Any]) -> int | None:
    """By all colorings; None where there is none up to a span of 40."""
    near, fixed, forbidden = around(n, distances), rules.get("fixed", {}), rules.get("forbidden", {})

    def go_on(colors: list[int], k: int) -> bool:
        v = len(colors)
        choices = [fixed[v]] if v in fixed else range(k)
        return v == n or any(
            c < k
            and c not in forbidden.get(v, ())
            and all(u >= v or abs(colors[u] - c) >= d for u, d in near[v])
            and go_on([*colors, c], k)
            for c in choices
        )

    return next((k for k in range(40) if go_on([], k)), None)


def random_case(seed: int) -> tuple[lagcolor.Graph, Distances, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n) if rng.random() < 0.6]
    distances = {pair: int(rng.integers(1, 5)) for pair in pairs}
    forbidden = {v: np.flatnonzero(rng.random(5) < 0.3).tolist() for v in range(n) if rng.random() < 0.4}
    fixed = {v: int(rng.integers(6)) for v in range(n) if rng.random() < 0.2}
    fixed = {v: c for v, c in fixed.items() if c not in forbidden.get(v, ())}
    return lagcolor.Graph.of(pairs or ([], []), n=n), distances, {"fixed": fixed, "forbidden": forbidden}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("order", ["natural", "largest_first"])
def test_first_fit_on_the_corpus(name: str, order: str) -> None:
    G = graph(name)
    distances = distances_of(G, 7, 2)
    rng = np.random.default_rng(4)
    rules = {"forbidden": {v: rng.integers(0, 9, 3).tolist() for v in range(0, G.n, 3)}}
    sequence = range(G.n) if order == "natural" else lagcolor.orders.Priorities.of(G, order, seed=0).sequence.tolist()
    result = lagcolor.color(G, "first_fit", order, seed=0, distances=distances, **rules)
    assert result.colors.tolist() == plain(G.n, distances, sequence, rules) and result.verified


@pytest.mark.parametrize("name", SMALL)
def test_distances_of_one_are_a_coloring(name: str) -> None:
    G = graph(name)
    for order in ("natural", "random"):
        expected = lagcolor.color(G, "first_fit", order).colors.tolist()
        assert lagcolor.color(G, "first_fit", order, distances={}).colors.tolist() == expected


@pytest.mark.parametrize("seed", range(40))
def test_all_colorings_of_small_graphs(seed: int) -> None:
    G, distances, rules = random_case(seed)
    expected = least_span(G.n, distances, rules)
    if expected is None:
        with pytest.raises(ColoringError, match=r"distance|both have color"):
            lagcolor.color(G, distances=distances, **rules)
        return
    result = lagcolor.color(G, distances=distances, quality="balanced", **rules)
    assert result.n_colors == expected and result.lower_bound <= expected and result.verified
    assert lagcolor.color(G, distances=distances, max_colors=expected, **rules).n_colors <= expected
    if expected > max(rules["fixed"].values(), default=0) + 1:
        with pytest.raises(ColoringError, match="max_colors=") as caught:
            lagcolor.color(G, distances=distances, max_colors=expected - 1, **rules)
        partial: Any = caught.value.partial
        lagcolor.verify(G, partial, distances=distances, allow_uncolored=True, max_colors=expected - 1, **rules)
        assert (partial < 0).any()


def test_forms_and_labels() -> None:
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 3), ("b", "c", 2), ("c", "a", 4)])
    G.add_edge("c", "d")
    D = np.zeros((4, 4), int)
    D[0, 1], D[1, 2], D[0, 2] = 3, 2, 4
    forms = (
        "weight",
        {("a", "b"): 3, ("c", "b"): 2, ("a", "c"): 4},
        D,
        D + D.T,
        D.T,
        sp.csr_array(D),
        sp.dok_array(D * 1.0),
    )
    expected = {"a": 0, "b": 3, "c": 5, "d": 0}
    for form in forms:
        result = lagcolor.color(G, order="natural", distances=form)
        assert result.to_dict() == expected and result.n_colors == 6
        assert lagcolor.verify(G, expected, distances=form).ok
    assert lagcolor.color(G, distances=D, quality="balanced").optimal  # 4 between the ends of a path of 2 and 3


def test_results_are_the_same_on_every_run() -> None:
    G = lagcolor.generate.uniform(128, 12, seed=1)
    D = distances_of(G, 10, 3)
    one, two = (lagcolor.color(G, distances=D, quality="balanced") for _ in range(2))
    assert one.colors.tolist() == two.colors.tolist() and one.notes["tried"][-1]["name"] == "breakout"
    fast = lagcolor.color(G, distances=D)
    best = lagcolor.color(G, distances=D, quality="best", time_limit=1.0)
    assert one.lower_bound <= best.n_colors <= one.n_colors + 1 and one.n_colors < fast.n_colors
    several = lagcolor.color(G, order=("natural", "random"), distances=D)
    spans = [lagcolor.color(G, order=order, distances=D).n_colors for order in ("natural", "random")]
    assert several.n_colors == min(spans)


def raising(error: type[BaseException]) -> Any:
    def run(self: Any, *_: Any) -> Any:
        raise error

    return run


def test_an_interrupt_keeps_the_best_complete_coloring(monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.uniform(128, 12, seed=1)
    D = distances_of(G, 10, 3)
    limit = lagcolor.color(G, distances=D, quality="balanced").n_colors
    monkeypatch.setattr(Breakout, "run", raising(KeyboardInterrupt))
    result = lagcolor.color(G, distances=D, quality="balanced", verify=True)
    assert result.notes["interrupted"] and result.n_colors == min(row["colors"] for row in result.notes["tried"])
    with pytest.raises(KeyboardInterrupt):  # greedy attempts leave vertices without a color
        lagcolor.color(G, distances=D, max_colors=limit, quality="balanced")


def test_an_attempt_without_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.uniform(128, 12, seed=1)
    D = distances_of(G, 10, 3)
    monkeypatch.setattr(Breakout, "run", raising(MemoryError))
    result = lagcolor.color(G, distances=D, quality="balanced", verify=True)
    assert result.notes["memory"].startswith("a further attempt ran out of memory")
    assert {row["name"] for row in result.notes["tried"]} >= {"first_fit", "saturation"}


def test_large_tables_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.uniform(128, 12, seed=1)
    monkeypatch.setattr(frequencies, "TABLE", 127)
    result = lagcolor.color(G, distances=distances_of(G, 10, 3), quality="balanced", verify=True)
    assert result.notes["quality"] == "no local search: the vertices times the span are too many"
    assert not {row["name"] for row in result.notes["tried"]} & {"saturation", "breakout"}


def test_tables_stay_true() -> None:
    """After many moves the table has what each vertex pays, recomputed; both entries of an edge weigh the same."""
    G = lagcolor.generate.uniform(64, 14, seed=2)
    D = distances_of(G, 9, 5)
    rules: Any = Rules.of(Given(distances=D, forbidden={0: [1], 63: [1]}, fixed={1: 2}), G.n, None, "cpu", G)
    instance = Instance.of(G, rules)
    walk = Breakout(instance, instance.fixed, 12, 3)
    assert not walk.run(1 << 18)
    colors, cost, weights, rows = walk.walk.colors, walk.walk.cost, walk.walk.weights, G.rows_of_entries()
    by_pair = {(u, v): w for u, v, w in zip(rows.tolist(), G.indices.tolist(), weights.tolist(), strict=True)}
    assert all(by_pair[u, v] == by_pair[v, u] for u, v in by_pair) and max(by_pair.values()) > 1
    near, listed = around(G.n, D), set(walk.walk.clashing[: walk.at[4]].tolist())
    for v in range(G.n):
        for c in range(12):
            paid = sum(by_pair[u, v] for u, d in near[v] if abs(colors[u] - c) < d)
            assert cost[v, c] == paid + (1 << 29) * (v in (0, 63) and c == 1)
        assert (v in listed) == any(abs(colors[u] - colors[v]) < d for u, d in near[v])
    assert colors[1] == 2 and colors[0] != 1
    assert walk.at[0] == sum(by_pair[u, v] for (u, v), d in D.items() if abs(colors[u] - colors[v]) < d)


@pytest.mark.parametrize("q", [3, 6, 14])
def test_cliques_bound_the_span(q: int) -> None:
    G = lagcolor.generate.clique(q)
    assert lagcolor.color(G, distances={}, quality="balanced").lower_bound == q
    tripled = lagcolor.color(G, distances=dict.fromkeys(distances_of(G, 1, 0), 3), quality="balanced")
    assert tripled.n_colors == tripled.lower_bound == 3 * (q - 1) + 1 and tripled.optimal
    if q == 6:
        D = distances_of(G, 9, 1)
        rules: Any = Rules.of(Given(distances=D), q, None, "cpu", G)
        assert lower_bound(Instance.of(G, rules))[0] <= (least_span(q, D, {}) or 99)


@pytest.mark.parametrize("seed", range(6))
def test_broken_colorings_are_found(seed: int) -> None:
    G = lagcolor.generate.uniform(30, 6, seed=seed)
    D, rng = distances_of(G, 6, seed), np.random.default_rng(seed)
    colors = lagcolor.color(G, distances=D).colors.copy()
    assert lagcolor.verify(G, colors, distances=D).ok
    colors[rng.integers(30)] = rng.integers(12)
    wrong = sum(abs(int(colors[u]) - int(colors[v])) < d for (u, v), d in D.items())
    report: Any = lagcolor.verify(G, colors, distances=D, errors="return")
    assert report.ok == (wrong == 0)
    if wrong:
        assert any(f"{wrong} edge" in line and "too close" in line for line in report.broken)


def test_a_result_is_checked() -> None:
    G = lagcolor.generate.path(3)
    result = lagcolor.color(G, distances={(0, 1): 4, (1, 2): 2}, order="natural")
    assert result.colors.tolist() == [0, 4, 0]
    result.colors[1] = 3
    with pytest.raises(
        ColoringError, match="1 edge with colors too close, the first vertex 0 and vertex 1: colors 0 and 3"
    ):
        result.verify()
    with pytest.raises(OptionError, match="balance keeps no distances"):
        lagcolor.balance(G, result)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({(0, 2): 1}, "vertex 0 and vertex 2 are no neighbors"),
        ({(0, 1): 0}, "vertex 0 and vertex 1 have distance 0, and distances go from 1 on"),
        ({(0, 1): -2}, "have distance -2"),
        ({(0, 1): 1.5}, "must be a whole number from 1"),
        ({(0, 1): 2, (1, 0): 3}, "have the distances"),
        ({(1, 1): 2}, "vertex 1 has one to itself|are no neighbors"),
        ({(0, 9): 2}, "there is no vertex 9"),
        ({0: 2}, "keys are pairs of vertices"),
        (np.ones((2, 2), int), r"must have shape \(3, 3\)"),
        (np.diag([0.5, 0], 1) * 0 + np.array([[0, 0.5, 0]] * 3), "must be whole numbers"),
        (3, "must be a matrix"),
        ("weight", "name of an edge attribute"),
        (sp.coo_array(([0], ([0], [1])), shape=(3, 3)), "have distance 0"),
        ({(0, 1): 2**31 - 2}, "too many for 32-bit colors"),
    ],
)
def test_errors(value: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        lagcolor.color(lagcolor.generate.path(3), distances=value)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"problem": "distance2"}, "for problem='distance1'"),
        ({"capacity": 2}, "capacity does not go with distances"),
        ({"balance": True}, "balance does not go with distances"),
        ({"partial": "fewest", "max_colors": 1}, "partial does not go with distances"),
        ({"equitable": True}, "equitable does not go with distances"),
        ({"algorithm": "dsatur"}, "dsatur keeps no distances; algorithms that do: first_fit"),
    ],
)
def test_what_does_not_go_together(how: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        lagcolor.color(lagcolor.generate.path(3), distances={(0, 1): 2}, **how)


def test_no_coloring() -> None:
    G, D = lagcolor.generate.clique(4), dict.fromkeys(distances_of(lagcolor.generate.clique(4), 1, 0), 3)
    with pytest.raises(ColoringError, match="there is a clique whose span is 10 at least"):
        lagcolor.color(G, distances=D, max_colors=9)
    with pytest.raises(
        ColoringError, match="fixed: vertex 0 and vertex 1 have colors 0 and 2, and their distance is 3"
    ):
        lagcolor.color(G, distances=D, fixed={0: 0, 1: 2})
    with pytest.raises(ColoringError, match="whether there is one is unknown"):  # a span of 2 is over no clique
        lagcolor.color(lagcolor.generate.cycle(5), distances={(0, 1): 1}, max_colors=2)
    path, apart = lagcolor.generate.path(3), {(0, 1): 3, (1, 2): 3}
    with pytest.raises(
        ColoringError, match="vertex 1 has no color under 6 that is allowed to it and far enough from fixed ones"
    ):
        lagcolor.color(path, distances=apart, fixed={0: 3, 2: 3}, forbidden={1: [0]}, max_colors=6)
    named = nx.path_graph(["a", "b", "c"], nx.Graph())
    with pytest.raises(ColoringError, match=r"vertex 1 \('b'\) has no color under 6"):
        lagcolor.color(
            named,
            distances={("a", "b"): 3, ("b", "c"): 3},
            fixed={"a": 3, "c": 3},
            allowed={"b": range(1, 6)},
            max_colors=6,
        )


def test_files(tmp_path: Any, capsys: Any) -> None:
    edges, expected = [(0, 1, 3), (1, 2, 2)], np.array([[0, 3, 0], [0, 0, 2], [0, 0, 0]])
    (tmp_path / "d.csv").write_text("vertex,neighbor,distance\n" + "".join(f"{u},{v},{d}\n" for u, v, d in edges))
    (tmp_path / "d.col").write_text(
        "c x\np edge 3 2\ne 1 1 9\n" + "".join(f"e {u + 1} {v + 1} {d}\n" for u, v, d in edges)
    )
    sp.save_npz(tmp_path / "d.npz", sp.csr_array(expected))
    (tmp_path / "d.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 3\n2 3 2\n")
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    for name in ("d.csv", "d.col", "d.npz", "d.mtx"):
        assert (read_distances(tmp_path / name, 3).toarray() == expected).all()
        out = str(tmp_path / "c.txt")
        args = [str(tmp_path / "g.txt"), "--distances", str(tmp_path / name)]
        assert cli.main(["color", *args, "--order", "natural", "--out", out]) == 0
        assert np.loadtxt(out).tolist() == [0, 3, 0]
        assert cli.main(["verify", *args[:1], out, *args[1:]]) == 0
    (tmp_path / "bad.txt").write_text("0\n1\n0\n")
    assert cli.main(["verify", args[0], str(tmp_path / "bad.txt"), *args[1:]]) == 1
    assert "too close" in capsys.readouterr().out
    (tmp_path / "no.csv").write_text("vertex,neighbor,distance\n0,7,2\n")
    (tmp_path / "no.col").write_text("e 1 2\n")
    (tmp_path / "out.col").write_text("e 1 9 2\n")
    (tmp_path / "over.col").write_text("e 1 4 2\n")
    (tmp_path / "no.mtx").write_text("3\n")
    (tmp_path / "no.npz").write_text("3\n")
    (tmp_path / "huge.csv").write_text(f"vertex,neighbor,distance\n0,1,{10**20 - 1}\n")
    (tmp_path / "huge.col").write_text(f"e 1 {10**20} 2\n")
    for name, said in (
        ("no.csv", "no vertex '7'"),
        ("no.col", "expected 'e vertex neighbor distance'"),
        ("out.col", "line 1: vertices go from 1 to 3: 'e 1 9 2'"),
        ("over.col", "line 1: vertices go from 1 to 3: 'e 1 4 2'"),
        ("no.mtx", "no sparse matrix: "),
        ("no.npz", "no sparse matrix: "),
        ("huge.csv", "line 2: '99999999999999999999' is too large"),
        ("huge.col", "line 1: '100000000000000000000' is too large"),
    ):
        with pytest.raises(FormatError, match=said):
            read_distances(tmp_path / name, 3)
