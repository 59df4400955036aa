"""Partitions in one process: rounds without faults, or with faults messages one by one, out of order, and lost workers.

python -m benchmarks.simulator    the table of rounds and bytes in docs/scaling.md

`simulate` gives the colors of `lagcolor.color`; tests/test_scale.py checks that. What transports do to messages and
workers happens here at random, from a seed, so that a run that fails can be repeated. `lagcolor.scale` colors; only
time and the wires are simulated.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lagcolor.core.graph import Graph
from lagcolor.core.nets import Structure
from lagcolor.core.options import DEFAULT_SEED, Seed, resolve
from lagcolor.core.pattern import Pattern
from lagcolor.core.registry import TABLES
from lagcolor.core.result import Coloring, Log
from lagcolor.generate import from_spec
from lagcolor.orders import Priorities
from lagcolor.orders.two_hop import degrees
from lagcolor.orders.user import numbers
from lagcolor.problems import DEFAULT, PROBLEMS
from lagcolor.run.session import timed
from lagcolor.scale import core as dense_core
from lagcolor.scale.keys import GlobalOrder
from lagcolor.scale.local import Partition, Shard, build, through_nets
from lagcolor.scale.messages import Acknowledgement, Message
from lagcolor.scale.worker import Worker

Exchange = Callable[[list[Message]], tuple[list[Message], int]]  # sent → received here, and how many all have sent


@dataclass(frozen=True)
class Faults:
    """What goes wrong in a simulation, at random; time is in steps of the simulator.

    Attributes
    ----------
    seed : int
    delay : int
        A message takes 1 to 1 + `delay` steps, each another number, so that they overtake each other.
    lose : float
        The share of messages, and of acknowledgements, that do not arrive; under 1.
    duplicate : float
        The share that arrive twice, the second time later.
    restarts : int
        How often a worker is lost and started anew.
    checkpoints : bool
        Colors are saved now and then, and a worker begins with what was saved last; else with nothing.
    resend : int
        Steps after which a message that is not acknowledged is sent again.
    """

    seed: int = 0
    delay: int = 4
    lose: float = 0.1
    duplicate: float = 0.1
    restarts: int = 0
    checkpoints: bool = True
    resend: int = 12


def simulate(
    x: Any,
    parts: int,
    *,
    order: Any = None,
    seed: Seed = DEFAULT_SEED,
    problem: str = DEFAULT,
    owner: np.ndarray | None = None,
    core: int | None = None,
    start: np.ndarray | None = None,
    faults: Faults | None = None,
    in_turn: bool = False,
    trace: bool = False,
) -> Coloring:
    """Color a graph in partitions, all in this process and on the CPU.

    Parameters
    ----------
    x : object
        As for `lagcolor.color`.
    parts : int
        Number of partitions; some may be empty.
    order, seed, problem
        As for `lagcolor.color`, for orders that follow from ids and degrees, or an array; distance 1, distance 2,
        columns and rows.
    owner : array of integers, shape (n,), optional
        The partition of each vertex. Default: ranges of ids with about equally many entries and vertices together.
    core : int, optional
        Cost of the vertices that are colored once, for all (`lagcolor.scale.core`). Default: as on a cluster.
    start : array of int32, shape (n,), optional
        Colors to begin with, any at all.
    faults : Faults, optional
        Then there are no rounds, and messages are sent one by one.
    in_turn : bool
        Without faults: partitions take turns in a round, as where one after the other is read from disk.
    trace : bool
        Without faults: keep one row per round: active, colored (colors sent), messages, bytes.

    Returns
    -------
    Coloring
        `rounds`, the last of which sends nothing; with faults the most often that one partition was solved. ``notes``:
        parts, messages, bytes (of acknowledgements, too), boundary (ghosts of all partitions), core (its vertices),
        core_bytes, longest_chain, visited (colors computed); with faults waves, lost, doubled, resent and restarts.
    """
    kind, row, log = PROBLEMS[problem], TABLES[problem]["first_fit"], Log(trace)
    G = Graph.of(x) if kind.symmetric else Pattern.of(x)
    H = kind.structure(G)
    p = Priorities.of(H, row.order if order is None else order, resolve(seed, row.seed))
    owner = balanced(H, parts) if owner is None else np.asarray(owner, np.int32)
    here = partitions(H, global_order(H, p, order), owner, parts)

    def run() -> np.ndarray:
        cost = dense_core.default_budget(parts, H.n, H.m, H.patterns[0].max_degree) if core is None else core
        first = core_of_all(here, cost)
        fixed = None if first is None else (first.ids, first.colors)
        _note(log, H, p, owner, here, first)

        def worker(rank: int, checkpoint: Any, starts: int) -> Worker:
            part = here[rank]
            return Worker(part, fixed, None if start is None or starts else start[part.ids], checkpoint, starts)

        found = _in_rounds(worker, parts, log, in_turn) if faults is None else _Wires(worker, parts, faults, log).run()
        colors = np.empty(H.n, np.int32)
        for part, own in zip(here, found, strict=True):
            colors[part.ids[: part.own]] = own
        return colors

    colors, seconds = timed(H, run)
    return Coloring.of(colors, G, row.name, p, log, (seconds, 0.0, G.convert_seconds), problem)


# ---- the whole, divided ----------------------------------------------------------------------------------------


def balanced(H: Structure, parts: int) -> np.ndarray:
    """Owners of contiguous ranges with about equally many entries and vertices together: int32, shape (n,)."""
    work = H.patterns[0].indptr.astype(np.int64) + np.arange(H.n + 1)
    ends = work[-1] * np.arange(1, parts) // parts
    return np.searchsorted(np.searchsorted(work, ends, side="left"), np.arange(H.n), side="right").astype(np.int32)


def global_order(H: Structure, p: Priorities, order: Any) -> GlobalOrder:
    """The order of priorities, as partitions know it: by name, or the user's numbers, which are in `order`."""
    name = numbers(H, order) if p.name == "user" else p.name
    return GlobalOrder.of(name, p.seed, lambda: degrees(H), H.hops)


def partitions(H: Structure, order: GlobalOrder, owner: np.ndarray, parts: int) -> list[Partition]:
    """All partitions of what is here as a whole."""
    mine = [np.flatnonzero(owner == rank) for rank in range(parts)]
    return [build(rank, parts, shard(H, ids), lambda some: owner[some], order) for rank, ids in enumerate(mine)]


def shard(H: Structure, ids: np.ndarray) -> Shard:
    """Cut what is one partition's, rising ids, out of the whole."""
    rows = _rows(H.patterns[0], ids)
    return Shard(ids, *rows) if H.hops == 1 else through_nets(ids, *rows, partial(_rows, H.patterns[1]), H.closed)


def _rows(P: Pattern, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some rows of a pattern: CSR in int64."""
    begin = P.indptr[ids].astype(np.int64)
    sizes = P.indptr[ids + 1].astype(np.int64) - begin
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    entries = np.arange(indptr[-1]) + np.repeat(begin - indptr[:-1], sizes)
    return indptr, P.indices[entries].astype(np.int64)


class Core(NamedTuple):
    """Ids (int64) and colors (int32) of the core, in its order; what it took to send: bytes."""

    ids: np.ndarray
    colors: np.ndarray
    nbytes: int


def core_of_all(parts: Sequence[Partition], budget: int) -> Core | None:
    """The core of partitions that are all here, None where it is empty; bytes as processes would send them."""
    offers = [dense_core.offer(part, budget) for part in parts]
    last = dense_core.cut(offers, budget)
    if last is None:
        return None
    rows = [dense_core.rows(part, last) for part in parts]
    ids, colors = dense_core.color(rows)
    sent = sum(o.keys.major.nbytes + o.keys.minor.nbytes + o.cost.nbytes for o in offers)
    sent += sum(r.ids.nbytes + r.keys.major.nbytes + r.keys.minor.nbytes + r.pairs.nbytes for r in rows)
    return Core(ids, colors, sent + len(parts) * (ids.nbytes + colors.nbytes))


def _note(log: Log, H: Structure, p: Priorities, owner: np.ndarray, here: list[Partition], first: Core | None) -> None:
    """What is known before the first round."""
    in_core = np.zeros(H.n, bool)
    if first is not None:
        in_core[first.ids] = True
    log.notes.update(
        parts=len(here), boundary=sum(part.boundary for part in here), core=0 if first is None else len(first.ids),
        core_bytes=0 if first is None else first.nbytes, longest_chain=longest_chain(H, p.sequence, owner, in_core),
    )  # fmt: skip


def longest_chain(H: Structure, sequence: np.ndarray, owner: np.ndarray, core: np.ndarray) -> int:
    """The most edges between partitions on a chain of ever later vertices outside of the core (a mask).

    Without faults and `in_turn` there is at most one round more.
    """
    depth, place = np.zeros(H.n, np.int32), np.empty(H.n, np.int32)
    place[sequence] = np.arange(H.n, dtype=np.int32)
    for v in sequence[~core[sequence]].tolist():
        u = _around(H, v)
        u = u[(place[u] < place[v]) & ~core[u]]
        depth[v] = (depth[u] + (owner[u] != owner[v])).max(initial=0)
    return int(depth.max(initial=0))


def _around(H: Structure, v: int) -> np.ndarray:
    """All that constrain v; itself, and some twice, are among them."""
    near = _rows(H.patterns[0], np.array([v]))[1]
    if H.hops == 1:
        return near
    nets = np.append(near, v) if H.closed else near
    members = _rows(H.patterns[1], nets)[1]
    return np.append(members, nets) if H.closed else members


# ---- in rounds -------------------------------------------------------------------------------------------------


def in_place(outgoing: list[Message]) -> tuple[list[Message], int]:
    """The exchange of a process that has all workers."""
    return outgoing, len(outgoing)


def rounds(workers: Mapping[int, Worker], exchange: Exchange, log: Log, in_turn: bool = False) -> None:
    """Let workers solve and exchange until nothing changes.

    Let the crossing depth of a vertex be the most edges between partitions on a chain of ever earlier neighbors that
    ends at it. By induction the vertices of a depth under r are final after round r. A vertex of the largest depth d is
    no ghost of a later vertex of another partition, so that nothing is sent in round d + 1: there are at most d + 1
    rounds, whatever the colors to begin with.

    Parameters
    ----------
    workers : mapping from rank to Worker
        Of this process, in the order of their turns.
    exchange : callable
        Reliable; all processes call it as often. Messages may come in any order.
    log : Log
        Gets rounds, and in its notes ``messages`` and ``bytes`` that this process sent.
    in_turn : bool
        What one worker sends another of this process is there when that one has its turn, in the same round.
    """
    messages = sent = 0
    while True:
        outgoing: list[Message] = []
        visited = sum(w.visited for w in workers.values())
        round_messages = round_bytes = colors = 0
        for worker in workers.values():
            composed = worker.work()
            worker.forget(composed)
            round_messages += len(composed)
            round_bytes += sum(m.nbytes for m in composed)
            colors += sum(len(m.colors) for m in composed)
            here = [m for m in composed if in_turn and m.receiver in workers]
            for m in here:
                workers[m.receiver].accept(m)
            outgoing += composed if not here else [m for m in composed if m.receiver not in workers]
        incoming, everywhere = exchange(outgoing)
        for m in incoming:
            workers[m.receiver].accept(m)
        messages, sent = messages + round_messages, sent + round_bytes
        visited = sum(w.visited for w in workers.values()) - visited
        log.round(active=visited, colored=colors, messages=round_messages, bytes=round_bytes)
        if everywhere == 0 and not any(w.has_work for w in workers.values()):
            break
    log.notes["messages"], log.notes["bytes"] = messages, sent


def _in_rounds(worker: Callable[..., Worker], parts: int, log: Log, in_turn: bool) -> list[np.ndarray]:
    """The colors of each partition, without faults."""
    workers = {rank: worker(rank, None, 0) for rank in range(parts)}
    rounds(workers, in_place, log, in_turn)
    log.notes["visited"] = sum(w.visited for w in workers.values())
    return [w.solver.own_colors for w in workers.values()]


# ---- without rounds --------------------------------------------------------------------------------------------


class Report(NamedTuple):
    """An answer of a worker: whether it is quiet, its stamp, and if quiet its own colors."""

    rank: int
    quiet: bool
    stamp: tuple[int, int]
    colors: np.ndarray | None

    @classmethod
    def of(cls, worker: Worker) -> Report:
        """The answer of a worker now."""
        quiet = worker.quiet
        return cls(worker.rank, quiet, worker.stamp, worker.solver.own_colors.copy() if quiet else None)


class Waves:
    """What the coordinator knows, which asks one worker after the other, in waves.

    If in two waves, one after the other, all were quiet with the same stamps, then each was quiet from its first answer
    to its second, and between the waves all were quiet at the same time. At that time no worker has work, and every
    message has been accepted: messages still under way are copies of accepted ones, which change nothing. So the colors
    are final. A worker that is lost and started again has another stamp; one that is lost after its second answer has
    given its colors. After Mattern 1987, "Algorithms for distributed termination detection".

    Parameters
    ----------
    parts : int

    Attributes
    ----------
    turn : int
        The worker that is asked next.
    waves : int
        Waves begun so far.
    """

    __slots__ = ("_before", "_now", "parts", "turn", "waves")

    def __init__(self, parts: int) -> None:
        self.parts, self.turn, self.waves = parts, 0, 1
        self._before: list[Report] = []
        self._now: list[Report] = []

    def hear(self, report: Report) -> list[np.ndarray] | None:
        """Take the answer of the one whose turn it was; if that shows the end, the colors of all partitions."""
        self._now.append(report)
        if not report.quiet:  # the wave fails
            self._restart([])
            return None
        if len(self._now) < self.parts:
            self.turn += 1
            return None
        if [r.stamp for r in self._now] == [r.stamp for r in self._before]:
            return [r.colors for r in self._now if r.colors is not None]
        self._restart(self._now)
        return None

    def _restart(self, before: list[Report]) -> None:
        self._before, self._now, self.turn = before, [], 0
        self.waves += 1


class _Wires:
    """Workers, and messages on their way to them; one step of time after the other.

    Progress: a message that is lost is sent again, and arrives with a chance over 0 each time; restarts end. From then
    on the vertices of each crossing depth in turn become final (rounds.py), in whatever order partitions are solved.
    """

    def __init__(self, worker: Callable[..., Worker], parts: int, faults: Faults, log: Log) -> None:
        self.make, self.parts, self.faults, self.log = worker, parts, faults, log
        self.random = random.Random(faults.seed)
        self.workers = [worker(rank, None, 0) for rank in range(parts)]
        self.saved: list[np.ndarray | None] = [None] * parts
        self.under_way: list[tuple[int, float, int, Message | Acknowledgement]] = []
        self.sent_at: dict[tuple[int, int, int], int] = {}
        self.now = self.count = 0
        self.restarts, self.visited, self.steps = faults.restarts, 0, 0
        log.notes.update(messages=0, bytes=0, lost=0, doubled=0, resent=0, restarts=0)

    def run(self) -> list[np.ndarray]:
        """The colors of each partition, once the coordinator knows that they are final."""
        waves, colors = Waves(self.parts), None
        while colors is None:
            self.now += 1
            self._deliver()
            for worker in self.workers:
                if worker.has_work and self.random.random() < 0.5:
                    for message in worker.work():
                        self._send(message)
                self._again(worker)
            self._disturb()
            for _ in range(self.random.randint(0, 2 * self.parts)):
                if colors is None:
                    colors = waves.hear(Report.of(self.workers[waves.turn]))
        self.log.rounds = max([self.steps, *(w.steps for w in self.workers)])
        self.log.notes.update(waves=waves.waves, visited=self.visited + sum(w.visited for w in self.workers))
        return colors

    def _send(self, what: Message | Acknowledgement) -> None:
        """Put it on its way, unless it is lost; perhaps twice."""
        notes, faults = self.log.notes, self.faults
        notes["messages"] += isinstance(what, Message)
        notes["bytes"] += what.nbytes
        self.sent_at[what.sender, what.receiver, what.number] = self.now
        copies = 1 + (self.random.random() < faults.duplicate)
        notes["doubled"] += copies - 1
        for _ in range(copies):
            if self.random.random() < faults.lose:
                notes["lost"] += 1
                continue
            self.count += 1
            due = self.now + 1 + self.random.randint(0, faults.delay)
            heapq.heappush(self.under_way, (due, self.random.random(), self.count, what))

    def _deliver(self) -> None:
        """What is due, in random order."""
        while self.under_way and self.under_way[0][0] <= self.now:
            what = heapq.heappop(self.under_way)[-1]
            if isinstance(what, Message):
                self._send(self.workers[what.receiver].accept(what))
            else:
                self.workers[what.receiver].acknowledged(what)

    def _again(self, worker: Worker) -> None:
        """Send what has not been acknowledged in time."""
        for message in list(worker.unacknowledged.values()):
            if self.now - self.sent_at[message.sender, message.receiver, message.number] >= self.faults.resend:
                self.log.notes["resent"] += 1
                self._send(message)

    def _disturb(self) -> None:
        """Save the colors of a worker now and then; lose one now and then, and start it anew."""
        rank = self.random.randrange(self.parts)
        if self.faults.checkpoints and self.random.random() < 0.3:
            self.saved[rank] = self.workers[rank].solver.own_colors.copy()
        if self.restarts and self.random.random() < 0.3:
            self.restarts -= 1
            self.log.notes["restarts"] += 1
            rank = self.random.randrange(self.parts)
            lost = self.workers[rank]
            self.visited, self.steps = self.visited + lost.visited, max(self.steps, lost.steps)
            self.workers[rank] = self.make(rank, self.saved[rank], lost.start + 1)


# ---- the table of docs/scaling.md ------------------------------------------------------------------------------

BY_DEGREE = "largest_first_spread"
ROWS = [  # spec, order, partitions, and whether there is a core
    *(("rmat:12", BY_DEGREE, parts, core) for parts in (4, 16) for core in (False, True)),
    *(("rmat:12", "natural", parts, False) for parts in (4, 16)),
    *(("rgg:12", BY_DEGREE, parts, core) for parts, core in ((4, False), (16, False), (16, True))),
    *(("grid2d:64", order, parts, False) for order in (BY_DEGREE, "natural") for parts in (4, 16)),
]
HEAD = ["graph", "order", "partitions", "core", "rounds", "longest chain", "ghosts", "bytes", "bytes for the core",
        "computed per vertex"]  # fmt: skip


def main() -> None:
    """Print the table."""
    print(f"| {' | '.join(HEAD)} |\n| --- | --- |{' ---: |' * (len(HEAD) - 2)}")
    for spec, order, parts, core in ROWS:
        G = from_spec(spec)
        found = simulate(G, parts, order=order, core=(G.m + G.n) // (dense_core.SHARE * parts) if core else 0)
        counts = (found.notes[key] for key in ("longest_chain", "boundary", "bytes", "core_bytes"))
        cells = [parts, found.notes["core"], found.rounds, *(f"{count:,}" for count in counts)]
        print(f"| {' | '.join(map(str, [spec, order, *cells]))} | {found.notes['visited'] / G.n:.2f} |")


if __name__ == "__main__":
    main()
