"""Partitions in one process: rounds without faults, or with faults messages one by one, out of order, and lost workers.

Everything that a real transport may do to messages and workers happens here at random, from a seed, so that a run that
fails can be repeated. The code that colors is that of each transport; only time and the wires are simulated.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirings.runtime import compile_clock as compiling

from ..core.errors import ColoringError, OptionError
from ..core.nets import Structure
from ..core.options import flag, number, whole
from ..core.result import Coloring, Log
from ..orders import Priorities
from ..orders.seeds import DEFAULT_SEED, Seed, resolve
from ..orders.two_hop import degrees
from ..orders.user import numbers
from ..problems import DEFAULT
from ..run.request import Request
from ..run.session import Session
from ..run.timing import is_checked, timed
from . import core as dense_core
from .crossing import longest_chain
from .keys import GlobalOrder
from .local import Partition, build, shard
from .messages import Acknowledgement, Message
from .partition import owners
from .rounds import in_place, rounds
from .termination import Report, Waves
from .worker import Worker

IN_PARTS = ("distance1", "distance2", "columns", "rows")
HUBS = 4  # times the mean degree: the largest, from which on a core saves rounds
CORE_SHARE = 4  # of the mean cost of a partition: the core costs the others so much waiting
MOST_LOST = 0.9  # of messages: each is sent until it arrives


@dataclass(frozen=True)
class Faults:
    """What goes wrong in a simulation, at random; time is in steps of the simulator.

    Attributes
    ----------
    seed : int
    delay : int
        A message takes 1 to 1 + `delay` steps, each another number, so that they overtake each other.
    lose : float
        The share of messages, and of acknowledgements, that do not arrive; up to 0.9.
    duplicate : float
        The share that arrive twice, the second time later.
    restarts : int
        How often a worker is lost and started anew.
    checkpoints : bool
        Colors are saved now and then, and a worker begins with what was saved last; else with nothing.
    resend : int
        Steps after which a message that is not acknowledged is sent again.

    Examples
    --------
    >>> faults = lagcolor.scale.Faults(seed=1, delay=5, lose=0.2, duplicate=0.2, restarts=2)
    >>> result = lagcolor.scale.simulate("grid2d:8", 4, faults=faults)
    >>> bool((result.colors == lagcolor.color("grid2d:8").colors).all())
    True
    """

    seed: int = 0
    delay: int = 4
    lose: float = 0.1
    duplicate: float = 0.1
    restarts: int = 0
    checkpoints: bool = True
    resend: int = 12

    def __post_init__(self) -> None:
        whole("seed", self.seed)
        whole("delay", self.delay)
        number("lose", self.lose, 0.0, MOST_LOST)
        number("duplicate", self.duplicate, 0.0, 1.0)
        whole("restarts", self.restarts)
        flag("checkpoints", self.checkpoints)
        whole("resend", self.resend, 1)


def simulate(
    x: Any,
    parts: int,
    *,
    order: Any = None,
    seed: Seed = DEFAULT_SEED,
    problem: str = DEFAULT,
    by: Any = "contiguous",
    core: int | None = None,
    start: Any = None,
    faults: Faults | None = None,
    in_turn: bool = False,
    verify: bool | None = None,
    trace: bool = False,
) -> Coloring:
    """Color a graph in partitions, all in this process: the colors of ``color(x, "first_fit")``, bit for bit.

    This is the plain form of coloring on several devices or machines: it shows how many rounds and bytes that takes,
    and that faults change no color. It runs on the CPU.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes; of columns and rows, that `Pattern.of` takes
    parts : int
        Number of partitions; some may be empty.
    order, seed
        As for `lagcolor.color` with "first_fit". The order is one that follows from ids and degrees: "natural",
        "random", "random_spread", "largest_first", and at distance 1 "largest_first_spread" and "largest_log_first"; or
        an array of priorities. A number as the seed breaks ties by a hash, None by vertex id.
    problem : {"distance1", "distance2", "columns", "rows"}
    by : {"contiguous", "metis"} or array of integers, shape (n,)
        Ranges of ids balanced by entries, METIS (takes pymetis), or the partition of each vertex.
    core : int, optional
        The first vertices of the order are colored once, for all: as many as have so many entries to earlier ones, and
        vertices, together. 0: none. Default: a quarter of what one partition has, where the largest degree is over 4
        times the mean, else none.
    start : array of integers, shape (n,), optional
        Colors to begin with, of any kind: those of a coloring before save visits, and wrong ones do no harm.
    faults : Faults, optional
        Then there are no rounds, and messages are sent one by one. Default: none.
    in_turn : bool
        Without faults: partitions take turns in a round, as where one after the other is read from disk.
    verify : bool, optional
        As for `lagcolor.color`.
    trace : bool
        Keep one row per round: active, colored (colors sent), messages, bytes.

    Returns
    -------
    Coloring
        `rounds`, of which the last sends nothing; with faults the most often that one partition was solved. ``notes``:
        parts, messages, bytes (of acknowledgements, too), boundary (ghosts of all partitions), core (its vertices),
        core_bytes, longest_chain (the most edges between partitions on a chain of ever later vertices outside of the
        core: there is at most one round more, without `in_turn` and faults), visited (colors computed); with faults
        waves, lost, doubled, resent and restarts.

    Raises
    ------
    OptionError
        An order that depends on the whole graph, another problem, partitions that are malformed; METIS without pymetis.
    ColoringError
        `start` is no array of colors.
    GraphError, FormatError
        As for `lagcolor.color`.

    References
    ----------
    Jones, Plassmann 1993, "A parallel graph coloring heuristic", for first-fit by priorities in parallel; Bogle, Slota,
    Boman, Devine, Rajamanickam 2021, "Distributed graph coloring on GPUs", for ghosts and their exchange, there with
    colors that depend on the number of partitions.

    Examples
    --------
    >>> result = lagcolor.scale.simulate("grid2d:20", 4, order="random", seed=1)
    >>> bool((result.colors == lagcolor.color("grid2d:20", order="random", seed=1).colors).all())
    True
    >>> result.rounds <= result.notes["longest_chain"] + 1
    True
    """
    compiled, parts = compiling.seconds(), whole("parts", parts, 1)
    budget = whole("core", core, none=True)
    if faults is not None and not isinstance(faults, Faults):
        raise OptionError(f"faults must be lagcolor.scale.Faults(…), not {type(faults).__name__}")
    for name, given in (("in_turn", in_turn), ("trace", trace)):
        if faults is not None and flag(name, given):
            raise OptionError(f"{name} is for rounds, and with faults there are none: leave one of them out")
    parameters = {"problem": problem, "algorithm": "first_fit", "order": order, "seed": seed, "device": "cpu"}
    session = Session(Request.of(parameters), trace)
    row, problem, log = session.request.row, session.request.problem.name, session.log
    if problem not in IN_PARTS:
        raise OptionError(f"partitions are for problem={', '.join(IN_PARTS)}, not {problem!r}")
    G = session.input(x)
    H, convert_seconds = session.structure(G)
    p = Priorities.of(H, row.order if order is None else order, resolve(seed, row.seed))
    owner_of, owner = owners(H, parts, by)
    here, total = partitions(H, global_order(H, p, order), owner_of, owner, parts)
    known = None if start is None else _colors(start, H.n)

    def run() -> np.ndarray:
        cost = _core_budget(H, total, parts) if budget is None else budget
        first = dense_core.of_all(here, cost)
        _note(log, H, p, owner, here, first)
        fixed = None if first is None else (first.ids, first.colors)

        def worker(rank: int, checkpoint: Any, starts: int) -> Worker:
            part = here[rank]
            return Worker(part, fixed, None if known is None or starts else known[part.ids], checkpoint, starts)

        found = _in_rounds(worker, parts, log, in_turn) if faults is None else _Wires(worker, parts, faults, log).run()
        colors = np.empty(H.n, np.int32)
        for part, own in zip(here, found, strict=True):
            colors[part.ids[: part.own]] = own
        return colors

    colors, seconds = timed(H, run)
    taken = (seconds, 0.0, G.convert_seconds + convert_seconds)
    result = Coloring.of(colors, G, row.name, p, log, taken, problem)
    if is_checked(verify, G):
        result.verify()
    result.compile_seconds = compiling.seconds() - compiled
    return result


def global_order(H: Any, p: Priorities, order: Any) -> GlobalOrder:
    """The order of priorities, as partitions know it: by name, or the user's numbers, which are in `order`."""
    name = numbers(H, order) if p.name == "user" else p.name
    return GlobalOrder.of(name, p.seed, lambda: degrees(H), H.hops)


def partitions(
    H: Structure, order: GlobalOrder, owner_of: Callable[[np.ndarray], np.ndarray], owner: np.ndarray, parts: int
) -> tuple[list[Partition], int]:
    """All partitions of what is here as a whole, and the entries and vertices of all."""
    by_owner = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[by_owner], np.arange(parts + 1))
    mine = [by_owner[ends[rank] : ends[rank + 1]].astype(np.int64) for rank in range(parts)]
    return [build(rank, parts, shard(H, ids), owner_of, order) for rank, ids in enumerate(mine)], H.m + H.n


def _core_budget(H: Any, total: int, parts: int) -> int:
    """What the core may cost by default: nothing on meshes, whose long chains begin everywhere."""
    return total // (CORE_SHARE * parts) if H.patterns[0].max_degree * H.n > HUBS * H.m else 0


def _colors(start: Any, n: int) -> np.ndarray:
    """Colors to begin with, int32.

    Raises
    ------
    ColoringError
        They are something else.
    """
    array = np.asarray(getattr(start, "colors", start))
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ColoringError(
            f"start must be an array of whole numbers of shape ({n},), a color per vertex, not of {array.dtype} and "
            f"shape {array.shape}"
        )
    if n and (int(array.min()) < -1 or int(array.max()) >= 2**31):
        raise ColoringError("start has a number that is no color: colors are 0 to 2**31 - 1, and -1 means none")
    return array.astype(np.int32)


def _note(log: Log, H: Any, p: Priorities, owner: np.ndarray, here: list[Partition], first: Any) -> None:
    """What is known before the first round."""
    in_core, place = np.zeros(H.n, bool), np.empty(H.n, np.int32)
    if first is not None:
        in_core[first.ids] = True
    place[p.sequence] = np.arange(H.n, dtype=np.int32)
    log.notes.update(
        parts=len(here), boundary=sum(part.boundary for part in here), core=0 if first is None else len(first.ids),
        core_bytes=0 if first is None else first.nbytes, longest_chain=longest_chain(H, place, owner, in_core),
    )  # fmt: skip


def _in_rounds(worker: Callable[..., Worker], parts: int, log: Log, in_turn: bool) -> list[np.ndarray]:
    """The colors of each partition, without faults."""
    workers = {rank: worker(rank, None, 0) for rank in range(parts)}
    rounds(workers, in_place, log, in_turn)
    log.notes["visited"] = sum(w.visited for w in workers.values())
    return [w.solver.own_colors for w in workers.values()]


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
