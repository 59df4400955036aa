"""Partitions: the colors of sequential first-fit, color for color, whatever the partition and whatever goes wrong."""

from __future__ import annotations

import functools
import sys
import threading
from pathlib import Path
from typing import Any

import corpus
import emulated
import numpy as np
import pytest
import scipy.sparse as sp
import two_hop_cases

sys.path.insert(0, str(Path(__file__).parents[1]))  # benchmarks/ is not part of the distribution

import lagcolor
from benchmarks.simulator import (
    Faults,
    Report,
    Waves,
    balanced,
    core_of_all,
    global_order,
    in_place,
    longest_chain,
    partitions,
    rounds,
    simulate,
)
from lagcolor.core.result import Log
from lagcolor.problems import PROBLEMS
from lagcolor.scale.keys import AT_DISTANCE_1, AT_DISTANCE_2, GlobalOrder
from lagcolor.scale.local import Partition
from lagcolor.scale.messages import STARTS, Message
from lagcolor.scale.worker import Worker

PARTS = (1, 2, 3, 5, 16, 64)
SEEDS = (None, 3)
TWO_HOPS = ("distance2", "columns", "rows")
SMALL = tuple(name for name in corpus.CORPUS if name != "clique 1100")
FEW = ("path", "grid", "isolated among others")


def structure(problem: str, name: str) -> Any:
    """The canonical input and what constrains what."""
    G = corpus.graph(name) if problem == "distance1" else two_hop_cases.case(problem, name)
    return G, PROBLEMS[problem].structure(G)


@functools.cache
def apart(problem: str, name: str) -> np.ndarray:
    """Which vertices constrain each other: a symmetric mask."""
    if problem != "distance1":
        return two_hop_cases.apart(problem, structure(problem, name)[0])
    G = corpus.graph(name)
    near = np.zeros((G.n, G.n), bool)
    near[np.repeat(np.arange(G.n), np.diff(G.indptr)), G.indices] = True
    return near


@functools.cache
def wanted(problem: str, name: str, order: str, seed: int | None) -> list[int]:
    """Colors of first-fit in plain Python, in the order as the whole graph has it."""
    G, H = structure(problem, name)
    sequence = lagcolor.Priorities.of(H, order, seed).sequence.tolist()
    return corpus.first_fit(G, sequence) if problem == "distance1" else two_hop_cases.first_fit(
        apart(problem, name), sequence
    )  # fmt: skip


def seeds(order: str) -> int | None:
    """A seed for each order; largest_first without one."""
    return None if order in ("natural", "largest_first") else 3


def check(problem: str, name: str, order: str, parts: int, **more: Any) -> Any:
    """The colors are those wanted."""
    seed = seeds(order)
    result = simulate(structure(problem, name)[0], parts, order=order, seed=seed, problem=problem, **more)
    assert result.colors.tolist() == wanted(problem, name, order, seed), (problem, name, order, parts, more)
    return result


def few_or_many(near: np.ndarray, i: int) -> int:
    """A number of partitions; few of what is nearly a clique, whose colors follow one from the other."""
    return PARTS[i % (3 if near.sum() > 12 * len(near) else len(PARTS))]


@pytest.mark.parametrize("order", AT_DISTANCE_1)
def test_distance_1(order: str) -> None:
    for i, name in enumerate(SMALL):
        parts = few_or_many(apart("distance1", name), i + AT_DISTANCE_1.index(order))
        result = check("distance1", name, order, parts, core=0 if i % 2 else None)
        assert result.rounds <= result.notes["longest_chain"] + 1
        assert result.algorithm == "first_fit"


@pytest.mark.parametrize("problem", TWO_HOPS)
def test_two_hops(problem: str) -> None:
    names = [name for name in two_hop_cases.cases(problem) if len(apart(problem, name)) <= 100]
    assert len(names) >= 12
    for i, name in enumerate(names):
        parts = few_or_many(apart(problem, name), i + i // 4)
        result = check(problem, name, AT_DISTANCE_2[i % len(AT_DISTANCE_2)], parts, core=0 if i % 3 else None)
        assert result.rounds <= result.notes["longest_chain"] + 1


def test_more_colors_than_a_word_has() -> None:
    check("distance1", "clique 80 and more", "natural", 3)
    check("columns", "dense", "random", 2)


@pytest.mark.parametrize("parts", PARTS)
def test_each_number_of_partitions(parts: int) -> None:
    for problem in ("distance1", "distance2"):
        check(problem, "grid", "random", parts)
    check("distance1", "random sparse", "largest_first", parts)
    assert check("distance1", "one edge", "random", parts).notes["parts"] == parts
    check("distance1", "empty", "natural", parts)


def test_the_colors_of_color() -> None:
    for x, problem in (("rmat:8", "distance1"), ("grid2d:9", "distance2")):
        result = simulate(x, 6, problem=problem)
        expected = lagcolor.color(x, "first_fit", problem=problem)
        assert (result.colors == expected.colors).all()
        assert (result.order, result.seed) == (expected.order, expected.seed)


@pytest.mark.parametrize("seed", range(8))
def test_faults(seed: int) -> None:
    r = np.random.default_rng(seed)
    faults = Faults(
        seed, int(r.integers(0, 9)), r.random() * 0.6, r.random() * 0.6, int(r.integers(0, 6)), seed % 2 == 0
    )
    for problem in ("distance1", "distance2", "columns"):
        for name in FEW:
            parts, order = int(r.choice(PARTS[:-1])), str(r.choice(AT_DISTANCE_2))
            result = check(problem, name, order, parts, faults=faults, core=None if seed % 3 else 0)
            assert result.notes["restarts"] <= faults.restarts and result.notes["waves"] >= 2


def test_all_faults_at_once_on_the_corpus() -> None:
    total = dict.fromkeys(("lost", "doubled", "resent", "restarts"), 0)
    for i, name in enumerate(SMALL):
        if apart("distance1", name).sum() > 30 * len(apart("distance1", name)):
            continue
        faults = Faults(i, delay=6, lose=0.3, duplicate=0.3, restarts=4, checkpoints=i % 2 == 0)
        parts = (2, 5, 7)[i % 3]
        result = check("distance1", name, AT_DISTANCE_1[i % len(AT_DISTANCE_1)], parts, faults=faults)
        total = {what: count + result.notes[what] for what, count in total.items()}
    assert min(total.values()) > 10, total


def test_faults_and_64_partitions() -> None:
    first, second = (check("distance1", "grid", "random", 64, faults=Faults(1, restarts=5)) for _ in range(2))
    assert first.notes == second.notes  # all of it from the seed


@pytest.mark.parametrize("problem", ["distance1", "distance2", "rows"])
def test_any_colors_to_begin_with(problem: str) -> None:
    r = np.random.default_rng(5)
    for name in FEW:
        n = len(apart(problem, name))
        right = np.array(wanted(problem, name, "random", 3), np.int32)
        for start in (r.integers(-1, 9, n), r.integers(0, 2**31, n), np.zeros(n, int), right):
            for faults in (None, Faults(2, restarts=2)):
                check(problem, name, "random", 5, start=start, faults=faults)
        assert check(problem, name, "random", 5, start=right).notes["messages"] == 0


@pytest.mark.parametrize("problem", ["distance1", "distance2", "columns"])
def test_any_owners(problem: str) -> None:
    r = np.random.default_rng(6)
    for name in FEW:
        n = len(apart(problem, name))
        for owner in (r.integers(0, 7, n), np.full(n, 3), np.arange(n) % 7, r.choice([1, 5], n).astype(np.uint8)):
            faults = Faults(4, restarts=1) if owner.dtype == np.uint8 else None
            check(problem, name, "largest_first", 7, owner=owner, faults=faults)


def test_the_users_order() -> None:
    G = corpus.graph("random sparse")
    r = np.random.default_rng(7)
    floats = r.integers(-3, 3, G.n) * 0.5
    floats[:3] = np.inf, -np.inf, -0.0
    orders = (floats, floats.astype(np.float32), r.integers(-(2**62), 2**62, G.n), r.integers(0, 2**64, G.n, np.uint64))
    for order in (*orders, floats > 0, r.integers(-5, 5, G.n).astype(np.int8), dict(enumerate(floats.tolist()))):
        for seed in SEEDS:
            sequence = lagcolor.Priorities.of(G, order, seed).sequence.tolist()
            got = simulate(G, 4, order=order, seed=seed)
            assert got.colors.tolist() == corpus.first_fit(G, sequence) and got.order == "user"


@pytest.mark.parametrize("seed", SEEDS)
def test_keys_are_the_orders_of_the_whole_graph(seed: int | None) -> None:
    r = np.random.default_rng(8)
    for problem, names in (("distance1", AT_DISTANCE_1), ("distance2", AT_DISTANCE_2), ("columns", AT_DISTANCE_2)):
        for name in ("rmat", "star", "no edges", "empty"):
            _, H = structure(problem, name)
            for order in names:
                p = lagcolor.Priorities.of(H, order, seed)
                known = global_order(H, p, order)
                some = np.sort(r.permutation(H.n)[: H.n // 2])  # a partition sees no others
                for ids in (np.arange(H.n), some):
                    sequence = p.sequence[np.isin(p.sequence, ids)]
                    assert ids[np.argsort(known.keys(ids).places())].tolist() == sequence.tolist(), (order, name)


def test_keys_of_more_ids_than_32_bits_count_are_different() -> None:
    ids = np.array([5, 6, 37, 5 + 2**32, 5 + 2**33, 37 + 2**40])
    for name in ("natural", "random", "random_spread"):
        keys = GlobalOrder(name, 3).keys(ids)
        assert len(set(zip(keys.major.tolist(), keys.minor.tolist(), strict=True))) == len(ids)


def test_ranges_are_balanced() -> None:
    for name in corpus.CORPUS:
        G = corpus.graph(name)
        for parts in (1, 2, 7, 64, 1000):
            owner = balanced(G, parts)
            assert len(owner) == G.n and (np.diff(owner) >= 0).all() and (owner < parts).all()
            work = np.bincount(owner, G.degrees + 1, minlength=parts)
            assert work.max(initial=0) <= (G.m + G.n) / parts + G.max_degree + 2


@pytest.mark.parametrize("problem", ["distance1", "distance2", "columns", "rows"])
def test_ghosts_are_the_earlier_ones_around(problem: str) -> None:
    r = np.random.default_rng(9)
    for name in FEW:
        _, H = structure(problem, name)
        near = apart(problem, name)
        place = np.argsort(lagcolor.Priorities.of(H, "random", 1).sequence)
        owner = r.integers(0, 5, H.n).astype(np.int32)
        parts = partitions(H, GlobalOrder("random", 1), owner, 5)
        for part in parts:
            own = np.flatnonzero(owner == part.rank)
            assert part.ids[: part.own].tolist() == own.tolist()
            needed = near[own].T & (place[:, None] < place[own]) & (owner != part.rank)[:, None]
            assert sorted(part.ids[part.own :]) == np.flatnonzero(needed.any(axis=1)).tolist()
            assert part.own + sum(s.stop - s.start for s in part.ghosts.values()) == len(part.ids)
            for q, ghosts in part.ghosts.items():
                assert part.ids[ghosts].tolist() == parts[q].ids[parts[q].sends[part.rank]].tolist()
            for q, sent in part.sends.items():
                assert len(sent) and part.rank in parts[q].ghosts
            assert part.local(np.arange(H.n + 1))[part.ids].tolist() == list(range(len(part.ids)))


def few_parts(name: str = "grid", k: int = 4) -> list[Partition]:
    """Partitions of a graph."""
    G = corpus.graph(name)
    return partitions(G, GlobalOrder("random", 1), balanced(G, k), k)


def test_the_core_is_the_beginning_of_the_order() -> None:
    for problem in ("distance1", "distance2"):
        for name in FEW:
            _, H = structure(problem, name)
            p = lagcolor.Priorities.of(H, "random", 1)
            parts, total = partitions(H, GlobalOrder("random", 1), balanced(H, 6), 6), H.m + H.n
            sizes = [0]
            for budget in sorted((0, 1, 7, total // 8, total // 2, 2**40)):
                core = core_of_all(parts, budget)
                ids = [] if core is None else core.ids.tolist()
                assert ids == p.sequence[: len(ids)].tolist() and len(ids) <= budget
                sizes.append(len(ids))
                if core is not None:
                    expected = two_hop_cases.first_fit(apart(problem, name), ids)
                    assert core.colors.tolist() == [expected[v] for v in ids]
            assert sizes == sorted(sizes) and sizes[-1] == H.n


def test_the_core_keeps_chains_short() -> None:
    G = lagcolor.generate.rmat(9)
    without, default = (simulate(G, 4, core=core) for core in (0, None))
    assert default.notes["longest_chain"] < without.notes["longest_chain"] and default.rounds < without.rounds
    assert simulate("grid2d:9", 4).notes["core"] == 0  # no hubs
    all_of_it = simulate(G, 4, core=2**40)
    assert (all_of_it.rounds, all_of_it.notes["messages"], all_of_it.notes["core"]) == (1, 0, G.n)


@pytest.mark.parametrize("problem", ["distance1", "distance2"])
def test_the_longest_chain_is_that_of_its_definition(problem: str) -> None:
    """All chains of ever later vertices outside of the core, tried one by one."""
    r = np.random.default_rng(3)
    with_core = 0
    for k in range(40):
        n = int(r.integers(1, 10))
        near = np.triu(r.random((n, n)) < r.choice([0.2, 0.5]), 1)
        G = lagcolor.Graph.of(sp.csr_array(near | near.T))
        H = PROBLEMS[problem].structure(G)
        near = near | near.T
        if problem == "distance2":
            near = near | (near.astype(int) @ near > 0)
        place, owner = r.permutation(n).astype(np.int32), r.integers(0, 3, n).astype(np.int32)
        sequence = np.argsort(place)
        core = np.zeros(n, bool) if k % 3 == 0 else r.random(n) < 0.3

        def most(v: int, near: Any = near, place: Any = place, owner: Any = owner, core: Any = core) -> int:
            later = [u for u in np.flatnonzero(near[v]).tolist() if place[u] > place[v] and not core[u]]
            return max((int(owner[u] != owner[v]) + most(u, near, place, owner, core) for u in later), default=0)

        expected = max((most(v) for v in range(n) if not core[v]), default=0)
        assert longest_chain(H, sequence, owner, core) == expected
        without = longest_chain(H, sequence, owner, np.zeros(n, bool))
        with_core += expected < without
    assert with_core >= 10  # a chain through the core does not count


def test_in_turn_one_pass_is_enough_in_the_order_of_the_partitions() -> None:
    in_turn = check("distance1", "grid", "natural", 6, in_turn=True, core=0)
    n = len(in_turn.colors)
    assert (in_turn.rounds, in_turn.notes["visited"]) == (1, n)
    at_once = check("distance1", "grid", "natural", 6, core=0)
    assert at_once.rounds > 1 and at_once.notes["visited"] > n


def test_the_trace_has_rounds_and_bytes() -> None:
    result = simulate("grid2d:12", 4, trace=True)
    rows = result.trace
    assert len(rows) == result.rounds and rows[-1]["messages"] == 0
    for what in ("messages", "bytes"):
        assert sum(row[what] for row in rows) == result.notes[what]
    assert sum(row["active"] for row in rows) == result.notes["visited"]


class Meeting:
    """An exchange of workers that are threads, one each: a round ends when all have called."""

    def __init__(self, parts: int) -> None:
        self.barrier, self.sent = threading.Barrier(parts, timeout=120), [[] for _ in range(parts)]  # type: ignore[var-annotated]

    def of(self, rank: int) -> Any:
        def exchange(outgoing: list[Message]) -> tuple[list[Message], int]:
            self.sent[rank] = outgoing
            self.barrier.wait()
            everything = [m for sent in self.sent for m in sent]
            self.barrier.wait()
            return [m for m in everything if m.receiver == rank], len(everything)

        return exchange


def test_a_transport_with_a_worker_per_thread() -> None:
    parts = few_parts("random sparse", 5)
    meeting, logs = Meeting(5), [Log(trace=True) for _ in parts]
    workers = [Worker(part) for part in parts]

    def one(rank: int) -> None:
        rounds({rank: workers[rank]}, meeting.of(rank), logs[rank])

    threads = [threading.Thread(target=one, args=(rank,)) for rank in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    colors = np.empty(500, np.int32)
    for worker in workers:
        colors[worker.solver.part.ids[: worker.solver.part.own]] = worker.solver.own_colors
    sequence = lagcolor.Priorities.of(corpus.graph("random sparse"), "random", 1).sequence
    assert colors.tolist() == corpus.first_fit(corpus.graph("random sparse"), sequence.tolist())
    assert len({log.rounds for log in logs}) == 1 and sum(log.notes["bytes"] for log in logs) > 0


def test_a_late_message_changes_nothing() -> None:
    parts = few_parts()
    part = next(p for p in parts if p.ghosts)
    q, ghosts = next(iter(part.ghosts.items()))
    worker, k = Worker(part), ghosts.stop - ghosts.start
    new, old = (Message(q, part.rank, i, None, np.full(k, c, np.int32)) for i, c in ((9, 5), (8, 2)))
    worker.accept(new)
    worker.work()
    stamp = worker.stamp
    answer = worker.accept(old)
    assert (answer.sender, answer.receiver, answer.number) == (part.rank, q, 8)
    assert (worker.solver.colors[ghosts] == 5).all() and worker.stamp == stamp and not worker.has_work
    part_of_it = Message(q, part.rank, STARTS, np.array([k - 1], np.int32), np.array([1], np.int32))
    worker.accept(part_of_it)
    assert worker.solver.colors[ghosts].tolist() == [5] * (k - 1) + [1]


def test_a_worker_that_was_lost_asks_until_it_is_answered() -> None:
    parts = few_parts(k=2)
    a, b = (Worker(part) for part in parts)
    rounds({0: a, 1: b}, lambda sent: (sent, len(sent)), Log())
    right = [*a.solver.own_colors, *b.solver.own_colors]
    b = Worker(parts[1], start=1)
    (asking,) = b.work()
    assert asking.asks and asking.number > STARTS and not b.quiet
    answer = a.accept(asking)
    assert not a.quiet  # it has all of its boundary to send
    b.acknowledged(answer)
    a.accept(asking)  # a copy of the same: asked once
    (everything,) = a.work()
    assert everything.positions is None and not everything.asks
    again = a.accept(asking)
    assert not a.has_work and again.number == asking.number
    a.acknowledged(b.accept(everything))
    while b.has_work:
        for message in b.work():
            b.acknowledged(a.accept(message))
    while a.has_work:
        a.work()
    assert a.quiet and b.quiet
    assert [*a.solver.own_colors, *b.solver.own_colors] == right


def test_one_wave_is_not_enough() -> None:
    colors = np.zeros(1, np.int32)

    def report(rank: int, activity: int, start: int = 0, quiet: bool = True) -> Report:
        return Report(rank, quiet, (start, activity), colors if quiet else None)

    waves = Waves(2)
    assert waves.hear(report(0, 4)) is None and waves.hear(report(1, 4)) is None
    assert waves.hear(report(0, 5)) is None  # it was woken by a message that the other sent before its answer
    assert waves.hear(report(1, 4)) is None
    assert waves.hear(report(0, 5)) is None and waves.hear(report(1, 0, start=1)) is None  # lost meanwhile
    assert waves.hear(report(0, 5, quiet=False)) is None and waves.turn == 0
    assert waves.hear(report(0, 5)) is None and waves.hear(report(1, 0, start=1)) is None
    assert waves.hear(report(0, 5)) is None
    assert waves.hear(report(1, 0, start=1)) is not None


def test_orders_of_the_whole_graph() -> None:
    G = corpus.graph("path")
    with pytest.raises(lagcolor.OptionError, match=r"'smallest_last' is not made in partitions.*Priorities.of\(graph"):
        simulate(G, 2, order="smallest_last")
    p = lagcolor.Priorities.of(G, "smallest_last").p  # as the message says
    assert simulate(G, 2, order=p).colors.tolist() == lagcolor.color(G, "greedy", "smallest_last").colors.tolist()
    with pytest.raises(lagcolor.OptionError, match="largest_first; or pass"):
        simulate(G, 2, order="smallest_last", problem="distance2")


@pytest.mark.emulated
@pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
@pytest.mark.parametrize("problem", ["distance1", "distance2"])
def test_partitions_on_a_gpu(problem: str) -> None:
    check_on_gpu(problem)


@pytest.mark.gpu
@pytest.mark.parametrize("problem", ["distance1", "distance2"])
def test_partitions_on_a_real_gpu(problem: str) -> None:
    check_on_gpu(problem)


def check_on_gpu(problem: str) -> None:
    """Workers whose partitions are there, one of which is lost."""
    G, H = structure(problem, "grid")
    parts = partitions(H, GlobalOrder("random", 3), balanced(H, 3), 3)
    core = core_of_all(parts, 30)
    assert core is not None
    workers = {p.rank: Worker(p.on(corpus.gpu()), (core.ids, core.colors)) for p in parts}
    rounds(workers, in_place, Log())
    workers[1] = Worker(parts[1].on(corpus.gpu()), (core.ids, core.colors), start=1)
    rounds(workers, in_place, Log())
    colors = np.empty(G.n, np.int32)
    for part in parts:
        colors[part.ids[: part.own]] = workers[part.rank].solver.own_colors
    assert colors.tolist() == wanted(problem, "grid", "random", 3)
