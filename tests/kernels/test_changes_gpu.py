"""incremental.cu: rounds of one launch after a change, whatever the schedule of its threads, and rows that differ."""

from __future__ import annotations

import emulated
import numpy as np
import pytest
from rule_cases import neighborhoods

import lagcolor
from lagcolor.base import device as dev
from lagcolor.engines.change import incremental as module
from lagcolor.engines.change.incremental import Change, Turns, first_fit_again
from lagcolor.engines.greedy.plain import first_fit

pytestmark = pytest.mark.inner
GPUS = [pytest.param("emulated", marks=emulated.EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
SPECS = ("star:40", "rmat:5", "grid2d:6", "clique:40", "uniform:90,1")  # a hub, many colors, isolated vertices


def graph(spec: str) -> lagcolor.Graph:
    """A generated graph, or one without edges."""
    name, _, n = spec.partition(":")
    return lagcolor.Graph.of(([], []), n=int(n)) if name == "isolated" else lagcolor.generate.from_spec(spec)


def edges(G: lagcolor.Graph) -> tuple[np.ndarray, np.ndarray]:
    u, v = np.repeat(np.arange(G.n), np.diff(G.indptr)), np.asarray(G.indices)
    return u[u < v], v[u < v]


def changed(G: lagcolor.Graph, seed: int, wide: bool = False) -> tuple[lagcolor.Graph, np.ndarray]:
    """Some edges fewer and some more, perhaps with offsets of 64 bits, and their ends, some of them twice."""
    r = np.random.default_rng(seed)
    u, v = edges(G)
    gone = r.random(len(u)) < 0.1
    a, b = r.integers(0, G.n, (2, 4))
    a, b = a[a != b], b[a != b]
    H = lagcolor.Graph.of((np.append(u[~gone], a), np.append(v[~gone], b)), n=G.n)
    ends = np.concatenate([u[gone], v[gone], a, b])
    return (lagcolor.Graph(H.indptr.astype(np.int64), H.indices) if wide else H), ends


def check(spec: str, seed: int, device: str = "cuda") -> None:
    """Both problems and kinds of orders, against one vertex after the other."""
    G = graph(spec)
    for k, (problem, order) in enumerate((p, o) for p in ("distance1", "distance2") for o in ("natural", "random")):
        H, ends = changed(G, seed, wide=(seed + k) % 2 == 1)
        old = lagcolor.color(G.on(device), "first_fit", order, seed=5, problem=problem)
        near = neighborhoods(H, problem)
        wanted = first_fit(near, lagcolor.Priorities.of(H, order, seed=old.seed).sequence.tolist())
        D = H.on(device)
        for names in (ends, None, D.xp.asarray(ends), D.xp.asarray(np.isin(np.arange(H.n), ends).repeat(2))[::2]):
            assert lagcolor.recolor(D, old, names, verify=False).to_numpy().tolist() == wanted


@emulated.EMULATED
@pytest.mark.parametrize(("spec", "seed"), [(spec, i % 3) for i, spec in enumerate(SPECS)])
def test_every_schedule(spec: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long rows and short ones, of several windows of colors, by blocks of one processor and of three."""
    monkeypatch.setattr(module, "LONG", (0, 3, 1000)[seed])
    monkeypatch.setattr(module, "SOURCE", dev.Source(module.SOURCE.path, BLOCK=64))
    with emulated.emulated_gpu(
        seed=seed or None, processors=1 + seed, macros={"COLOR_WORDS": 1, "FLIGHT": 1 + seed, "EACH": 2}
    ):
        check(spec, seed)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["rmat:14", "star:70000", "grid2d:200"])
def test_on_a_real_gpu(spec: str) -> None:
    G = graph(spec)
    H, ends = changed(G, 0)
    for problem in ("distance1", "distance2") if G.max_degree < 1000 else ("distance1",):
        for order in ("natural", "random"):
            old = lagcolor.color(G.on("cuda"), "first_fit", order, problem=problem)
            wanted = lagcolor.color(H, "first_fit", order, seed=old.seed, problem=problem).colors.tolist()
            for names in (ends, None):
                assert lagcolor.recolor(H.on("cuda"), old, names).to_numpy().tolist() == wanted


@emulated.EMULATED
@pytest.mark.parametrize("seed", [None, 1])
def test_few_vertices_affect_many(seed: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few are of one block, those that they affect of all, a path after these of one again, and then many more."""
    monkeypatch.setattr(module, "SOURCE", dev.Source(module.SOURCE.path, BLOCK=64))
    many, n = 40, 400
    u, v = [1] * many, list(range(2, many + 2))
    u, v = [*u, *v], [*v, *range(many + 2, 2 * many + 2)]  # a leaf behind each neighbor of a hub
    path = list(range(2 * many + 1, 2 * many + 8))
    u, v = [*u, *path[:-1], *[path[-1]] * many], [*v, *path[1:], *range(2 * many + 8, 3 * many + 8)]
    with emulated.emulated_gpu(seed=seed, processors=3):
        G = lagcolor.Graph.of(([0, *u], [1, *v]), n=n).on("cuda")
        old = lagcolor.color(G, "first_fit", "natural", verify=False)
        H = lagcolor.Graph.of((u, v), n=n)
        D = H.on("cuda")
        change = Change(old.colors, D.xp.asarray(np.array([0, 1], np.int32)))
        done = first_fit_again(D, Turns.of(lagcolor.Priorities.of(D)), change, share=1)
        assert done.visits == 2 + 3 * many + 6 and done.rounds == 10
        assert done.colors.get().tolist() == first_fit(neighborhoods(H, "distance1"), range(n))


@emulated.EMULATED
def test_one_launch() -> None:
    """If the change is named, nothing is copied to the host, and no function of CuPy runs."""
    G = graph("grid2d:20").on("cuda")
    for order in ("natural", "random"):
        old = lagcolor.color(G, "first_fit", order, verify=False)
        for names, launches in ((G.xp.asarray(np.array([3, 4], np.int32)), 1), (None, 2)):
            lagcolor.recolor(G, old, names, verify=False)
            emulated.LEDGER.clear()
            lagcolor.recolor(G, old, names, verify=False)
            done = {what: count for (_, what), count in emulated.LEDGER.counts.items() if what != "allocation"}
            assert done == {"launch": launches, "memset": 1} | ({} if launches == 1 else {"kernel": 1})


@pytest.mark.parametrize("gpu", GPUS)
def test_a_change_of_everything(gpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a path, one vertex per round; with the usual limits it is colored anew, as are vertices without color."""
    n = 60
    G = lagcolor.Graph.of((np.arange(n - 1), np.arange(1, n))).on("cuda")
    H = lagcolor.Graph.of((np.arange(1, n - 1), np.arange(2, n)), n=n).on("cuda")
    old, turns = lagcolor.color(G, "first_fit", "natural"), Turns.of(lagcolor.Priorities.of(H))
    change = Change(old.colors, H.xp.arange(2, dtype=np.int32))
    wanted = lagcolor.color(H, "greedy", "natural", device="cpu").colors
    done = first_fit_again(H, turns, change, share=1)
    assert (done.visits, done.rounds) == (n, n - 1) and done.colors.get().tolist() == wanted.tolist()
    assert first_fit_again(H, turns, change).colors is None
    monkeypatch.setattr(module, "ROUNDS", n - 2)
    assert first_fit_again(H, turns, change, share=1).colors is None
    result = lagcolor.recolor(H, old, [0, 1])
    assert result.notes["visited"] == n and result.to_numpy().tolist() == wanted.tolist()
    bare = lagcolor.recolor(H, np.full(n, -1), [])
    assert bare.notes["visited"] == n and bare.to_numpy().tolist() == wanted.tolist()
    few = lagcolor.recolor(H, wanted[:-3], [])
    assert few.notes["visited"] < n and few.to_numpy().tolist() == wanted.tolist()


@pytest.mark.parametrize("gpu", GPUS)
def test_lists_begin_again_at_the_end_of_their_space(gpu: str) -> None:
    """Without a limit there are more visits than the lists hold; colors change in place."""
    n = 50
    G = lagcolor.generate.from_spec(f"path:{n}", device="cuda")
    old = G.xp.full(n, -1, np.int32)
    change = Change(old, G.xp.arange(n, dtype=np.int32))
    done = first_fit_again(G, Turns.of(lagcolor.Priorities.of(G)), change, share=None)
    assert done.colors is old and old.get().tolist() == [v % 2 for v in range(n)]
    assert gpu == "cuda" or done.visits > 3 * n


@pytest.mark.parametrize("gpu", GPUS)
def test_vertices_that_are_not_there(gpu: str) -> None:
    """In arrays of the GPU and of the CPU, of several types."""
    G = lagcolor.generate.from_spec("grid2d:5", device="cuda")
    old = lagcolor.color(G, "first_fit", "natural")
    for keep in (False, True):
        for wrong, kind in ((25, np.int32), (2**31 + 1, np.int64), (200, np.uint8)):
            for names in (np.array([3, wrong], kind), G.xp.asarray(np.array([3, wrong], kind))):
                with pytest.raises(lagcolor.OptionError, match=f"changed names vertex {wrong}, and x has vertices 0"):
                    lagcolor.recolor(G, old, names, keep=keep)
    for kind in (np.uint8, np.int16, np.uint64):
        assert lagcolor.recolor(G, old, G.xp.asarray(np.array([3, 4], kind))).notes["visited"] == 2


@pytest.mark.parametrize("gpu", GPUS)
def test_colors_are_read_from_any_array(gpu: str) -> None:
    """With gaps between the numbers, of other types; the caller's stay as they are."""
    G = lagcolor.generate.from_spec("grid2d:5", device="cuda")
    wanted = lagcolor.color(G, "greedy", "natural", device="cpu").colors
    for old in (np.repeat(wanted, 2)[::2], wanted.astype(np.int8), wanted.astype(np.uint64)):
        for array in (old, G.xp.asarray(old)):
            changed = lagcolor.recolor(G, array, [7])
            assert changed.to_numpy().tolist() == wanted.tolist() and changed.notes["visited"] == 1
    wrong = G.xp.asarray(wanted + 1)
    assert lagcolor.recolor(G, wrong, list(range(25))).to_numpy().tolist() == wanted.tolist()
    assert wrong.get().tolist() == (wanted + 1).tolist()
