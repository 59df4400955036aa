"""TabuCol, PartialCol and HEAD: their tables after every few moves, what they find, and that they repeat themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import fewer, graph, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.improve.tabu import head, moves
from lagcolor.engines.improve.tabu import search as local
from lagcolor.engines.improve.tabu.descent import Descent, without
from lagcolor.engines.improve.tabu.head import Head, Pair
from lagcolor.engines.improve.tabu.search import MOVES, LocalSearch

ROWS = ("tabucol", "partialcol", "head")
REACTIVE = [("tabucol", {}), ("partialcol", {}), ("partialcol", {"reactive": True}), ("head", {"pairs": 2})]


def planted(n: int, k: int, p: float, seed: int) -> lagcolor.Graph:
    """A graph with a coloring of k classes of equal size, and each edge between two of these with probability p."""
    r = np.random.default_rng(seed)
    classes = r.permutation(np.arange(n) % k)
    u, v = np.nonzero(np.triu((classes[:, None] != classes) & (r.random((n, n)) < p), 1))
    return lagcolor.Graph.of((u, v), n=n)


def consistent(search: LocalSearch, G: lagcolor.Graph) -> None:
    """The table, the list, the objective and the tabu list are what the colors say they are."""
    state = search.state
    n, k, width = G.n, int(state.k), int(state.width)
    near = np.zeros((n, k), int)
    rows = np.repeat(np.arange(n), G.degrees)
    has = state.colors[G.indices] >= 0
    np.add.at(near, (rows[has], state.colors[G.indices][has]), 1)
    table = state.near.reshape(k, state.stride)[:, :n].T.astype(int)
    assert np.array_equal(table % moves.BARRED, near)
    colored = np.flatnonzero(state.colors >= 0)
    own = near[colored, state.colors[colored]]
    barred = np.zeros((n, k), bool)
    if MOVES[state.moves] == "tabucol":
        listed, value = set(colored[own > 0].tolist()), own.sum() // 2
    else:
        assert not own.any()
        listed, value = set(np.flatnonzero(state.colors < 0).tolist()), np.count_nonzero(state.colors < 0)
    assert state.at[0]["tabus"] <= moves.SLOTS
    for s in state.slots[moves.ORDER, : state.at[0]["tabus"]]:
        if (entry := int(state.slots[moves.ENTRY, s])) >= 0:
            assert not barred[entry // width, entry % width]
            assert entry // width == state.slots[moves.VERTEX, s]
            barred[entry // width, entry % width] = True
    assert np.array_equal(table >= moves.BARRED, barred)
    barred[colored, state.colors[colored]] = True
    rows = state.rows.reshape(n, width).astype(int)
    assert (rows[:, k:] == moves.NEVER).all()
    for v in listed:
        assert np.array_equal(rows[v, :k], near[v] + moves.BARRED * barred[v])
    assert set(state.listed[: state.at[0]["listed"]].tolist()) == listed
    assert state.at[0]["value"] == value >= search.value


@pytest.mark.parametrize("how", MOVES)
@settings(max_examples=fewer(30))
@given(
    n=st.integers(2, 60), density=st.floats(0.05, 1), k=st.integers(2, 40), seed=st.integers(0, 2**64 - 1),
    step=st.integers(1, 60),
)  # fmt: skip
def test_tables_stay_true(how: str, n: int, density: float, k: int, seed: int, step: int) -> None:
    G = random_graph(n, int(density * n * n / 2), seed % 2**32)
    search = LocalSearch(G, k, seed, how)
    search.begin(np.random.default_rng(seed).integers(-1, k, n).astype(np.int32))
    consistent(search, G)
    for _ in range(8):
        before = search.value
        done = search.steps(step)
        assert done == step or not search.value
        consistent(search, G)
        assert search.value <= before
    if not search.value and G.m:
        assert (search.best[np.repeat(np.arange(n), G.degrees)] != search.best[G.indices]).all()
        assert search.best.min() >= 0 and search.best.max() < k


def test_a_tenure_is_at_most_the_number_of_buckets() -> None:
    """The tenure follows the number of conflicts, here tens of thousands, and is cut to the number of buckets."""
    G = lagcolor.generate.from_spec("clique:400")
    search = LocalSearch(G, 2, 1, "tabucol")
    search.begin(np.zeros(G.n, np.int32))
    for steps in (500, 3000, 1500):
        search.steps(steps)
        consistent(search, G)
        assert search.state.at[0]["tabus"] == min(search.iterations, moves.BUCKETS - 1)


def test_a_full_tabu_list_changes_nothing_else() -> None:
    """The first vertex that is colored ejects more neighbors than the list has entries."""
    hubs, class_size = 3, moves.SLOTS + 100
    near = np.arange(hubs, hubs + 2 * class_size)
    G = lagcolor.Graph.of((np.repeat(np.arange(hubs), len(near)), np.tile(near, hubs)))
    search = LocalSearch(G, 2, 1, "partialcol")
    search.begin(np.concatenate([np.full(hubs, -1), near % 2]).astype(np.int32))
    for _ in range(12):
        search.steps(1)
        consistent(search, G)
        assert search.state.at[0]["tabus"] == moves.SLOTS
    assert search.state.at[0]["value"] > moves.SLOTS


@pytest.mark.parametrize(("spec", "k"), [("erdos_renyi:60,0.5", 4), ("clique:6", 5)])
def test_the_reactive_tenure(spec: str, k: int) -> None:
    """The tenure grows after a period with a nearly constant objective, and falls by one after any other period."""
    G = lagcolor.generate.from_spec(spec)
    search = LocalSearch(G, k, 1, "foo_partialcol")
    search.begin(np.full(G.n, -1, np.int32))
    tenure, values = local.TENURE, [G.n]
    for _ in range(4):
        for _ in range(local.PERIOD):
            search.steps(1)
            values.append(int(search.state.at[0]["value"]))
        tenure += local.GROWTH if max(values) - min(values) <= 1 else -1
        values = values[-1:]
        assert search.state.at[0]["long"] == tenure


def test_a_pair_searches_two_ways() -> None:
    """The two searches start from the same colors and draw different random numbers."""
    pair = Pair(lagcolor.generate.from_spec("erdos_renyi:100,0.5"), 12, 5)
    child = np.random.default_rng(1).integers(0, 12, 100).astype(np.int32)
    for search in pair.searches:
        search.begin(child)
        search.steps(200)
    assert not np.array_equal(pair.searches[0].state.colors, pair.searches[1].state.colors)


def test_slices_do_not_decide_which_search_finds_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """If several searches find a coloring in one slice, the one with the fewest iterations is returned."""
    G = planted(60, 6, 0.8, 1)
    found = []
    for first_slice in (head.FIRST_SLICE, 1):
        monkeypatch.setattr(head, "FIRST_SLICE", first_slice)
        monkeypatch.setattr(head, "SLICE", 0.0)
        searches = [Head(G, 6, seed, 10_000, pairs=3) for seed in range(4)]
        assert all(search.run(most=10_000) for search in searches)
        found.append([search.found for search in searches])
    assert np.array_equal(*found)


@pytest.mark.parametrize("how", MOVES)
def test_slices_change_nothing(how: str) -> None:
    G = graph("random dense")
    whole, sliced = (LocalSearch(G, 26, 5, how) for _ in range(2))
    for search in (whole, sliced):
        search.begin(np.full(G.n, -1, np.int32))
    whole.steps(3000)
    for size in (1, 2, 997, 1000, 1000):
        sliced.steps(size)
    assert all(map(np.array_equal, whole.state, sliced.state))


@pytest.mark.parametrize(("name", "options"), REACTIVE)
def test_a_planted_coloring_is_found(name: str, options: dict[str, Any]) -> None:
    G = planted(120, 6, 0.6, 3)
    result = lagcolor.color(G, name, colors=6, steps=200_000, seed=3, **options)
    assert result.n_colors == 6 and result.verified


@pytest.mark.parametrize(("name", "options"), REACTIVE)
def test_steps_and_seed_determine_the_colors(name: str, options: dict[str, Any]) -> None:
    G = lagcolor.generate.from_spec("erdos_renyi:120,0.5")
    made = [lagcolor.color(G, name, steps=4000, seed=seed, **options).colors for seed in (1, 1, 2)]
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])
    more = lagcolor.color(G, name, steps=40_000, seed=1, **options)
    assert more.n_colors <= made[0].max() + 1


def test_threads_change_nothing() -> None:
    G = lagcolor.generate.from_spec("erdos_renyi:100,0.5")
    made = [lagcolor.color(G, "head", steps=6000, pairs=3, threads=t).colors for t in (1, 5)]
    assert np.array_equal(*made)


@pytest.mark.parametrize("name", ROWS)
def test_first_fit_is_the_beginning(name: str) -> None:
    """No more colors than it has, and exactly its own where so many are enough."""
    G = lagcolor.generate.from_spec("erdos_renyi:80,0.4")
    first = lagcolor.color(G, "greedy", order="smallest_last", seed=4)
    same_as = lagcolor.color(G, name, order="smallest_last", seed=4, colors=first.n_colors)
    assert np.array_equal(first.colors, same_as.colors)
    assert lagcolor.color(G, name, order="smallest_last", seed=4).n_colors < first.n_colors


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("tabucol", {"steps": 0}, "steps must be a whole number from 1 on, not 0"),
        ("partialcol", {"steps": 1.5}, "steps must be a whole number from 1 on, not 1.5"),
        ("head", {"colors": 0}, "colors must be a whole number of colors from 1 on, not 0"),
        ("head", {"pairs": 0}, "pairs must be a whole number from 1 on, not 0"),
        ("partialcol", {"reactive": 1}, "reactive must be True or False, not 1"),
        ("exact", {"nodes": -1}, "nodes must be a whole number of nodes from 0 on, or None, not -1"),
    ],
)  # fmt: skip
def test_bad_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("path"), name, **options)


@pytest.mark.parametrize("name", ROWS)
def test_degrees_that_do_not_fit(name: str) -> None:
    assert lagcolor.color("star:40000", name).n_colors == 2  # no question for a search
    rim = np.arange(39_999)
    G = lagcolor.Graph.of((np.append(rim, rim), np.append(np.roll(rim, 1), np.full(len(rim), len(rim)))))
    with pytest.raises(lagcolor.OptionError, match=f"{name} supports degrees up to 32,767, and .* has 39,999: take"):
        lagcolor.color(G, name)
    assert lagcolor.color(G, quality="best", time_limit=0.05).n_colors == 4


def test_an_interrupt_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    G, run, ran = lagcolor.generate.from_spec("queen:7"), Descent.run, list[Any]()

    def second(self: Any, *args: Any, **options: Any) -> Any:
        ran.append(args)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return run(self, *args, **options)

    monkeypatch.setattr(Descent, "run", second)
    result = lagcolor.color(G, "head", verify=True)
    first = lagcolor.color(G, "greedy", "largest_first", seed=0)
    assert result.notes["interrupted"] and result.n_colors < first.n_colors


# Parts ----------------------------------------------------------------------------------------------------------------


def is_child(parents: list[np.ndarray], k: int, child: np.ndarray, c: int = 0) -> bool:
    """Whether each class of a child, from c on, contains a largest remaining class of the first or second parent.

    The parents alternate. A class may contain more vertices, since vertices in no class get a random color.
    """
    if c == k:
        return True
    left = parents[c % 2]
    sizes = np.bincount(left[left >= 0], minlength=k)
    for d in np.flatnonzero(sizes == sizes.max()):  # ties are broken at random
        taken = left == d
        rest = [np.where(taken, -1, parent) for parent in parents]
        if (child[taken] == c).all() and is_child(rest, k, child, c + 1):
            return True
    return False


@given(n=st.integers(1, 80), k=st.integers(1, 12), seed=st.integers(0, 2**32 - 1), empty=st.booleans())
def test_crossover(n: int, k: int, seed: int, empty: bool) -> None:
    """Classes are largest remaining classes of the first and second parent alternately."""
    r = np.random.default_rng(seed)
    parents = [r.integers(-1 if empty else 0, k, n).astype(np.int32) for _ in range(2)]
    child, again = np.empty(n, np.int32), np.empty(n, np.int32)
    for out in (child, again):
        head.cross(*parents, k, out, np.array([seed], np.uint64))
    assert child.min() >= 0 and child.max() < k
    assert is_child(parents, k, child)
    assert np.array_equal(child, again)


def test_without_the_smallest_class() -> None:
    colors = np.array([0, 0, 1, 2, 2, 2], np.int32)
    assert without(colors, 3).tolist() == [0, 0, -1, 1, 1, 1]
    assert without(np.array([0, 0, 1, 1, 2], np.int32), 3).tolist() == [0, 0, 1, 1, -1]


@pytest.mark.parametrize("name", ["even cycle", "grid", "random dense", "rmat"])
def test_a_descent_is_proper_and_goes_on(name: str) -> None:
    """Many short calls find the same colorings as one long call, and each coloring has fewer colors."""
    G = graph(name)
    made = []
    for pieces in (1, 4):
        descent = Descent(G, lagcolor.color(G, "greedy", "random", seed=1).colors, 3, pairs=1)
        ks = [descent.k]
        for _ in range(3):
            while descent.k > 2 and any(descent.run(most=2000 * (i + 1) // pieces) for i in range(pieces)):
                ks.append(descent.k)
                lagcolor.verify(G, descent.colors)
                assert descent.colors.max() == descent.k - 1
        assert len(ks) > 1 and sorted(set(ks), reverse=True) == ks
        made.append(descent.colors)
    assert np.array_equal(*made)


def test_elites_come_back() -> None:
    """After two cycles the best of the first is a parent again."""
    G = lagcolor.generate.from_spec("erdos_renyi:200,0.5")
    head = Head(G, 20, 1, length=20)
    pair, best = head.pairs[0], []
    while head.generations < 19:
        assert not head.run(most=head.iterations + head.length)
        if head.generations == 10:
            best.append(pair.elite)
    assert pair.elite is best[0]
    head.run(most=head.iterations + head.length)
    assert head.generations == 20 and pair.parents[0] is best[0] and pair.elite is not best[0]


def test_parents_that_are_alike_begin_anew_with_longer_searches() -> None:
    """A path of three and one color less than it needs: soon all colorings are the same."""
    G = lagcolor.generate.from_spec("clique:3")
    head = Head(G, 2, 1, length=8)
    head.run(most=10_000)
    assert head.found is None and head.value == 1 and head.length > 8
