"""A whole run: graph after graph; each row is appended when it is known, and rows of the file are not repeated."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagcolor.base import device as dev
from lagcolor.base.progress import Progress, StatusLine, time_left

from .codes import Code, import_algorithms, ours
from .floor import floor_ms
from .graphs import Source
from .measure import Plan, Result, measure
from .peers import Library, wanted
from .provenance import meta, portable
from .recorder import Recorder, key_of
from .reference import read_reference
from .results import Row
from .worker import Worker, WorkerError, Workers, host_command


@dataclass
class Settings:
    """Settings of a run."""

    sources: Sequence[Source]  # the result of `graphs.resolve`
    out: Path | str  # folder of the result file
    device: str = "cpu"
    algorithms: Sequence[str] | None = None  # names or patterns; None: all that run on the device
    peers: Sequence[str] | None = None  # the same; also "all" and "none"
    modules: Sequence[str] = ()  # that register algorithms of other packages
    orders: Sequence[str] = ()  # besides each algorithm's own
    seeds: Sequence[int | None] = (None,)  # None: the algorithm's own; so for threads
    threads: Sequence[int | None] = (None,)
    repeat: int = 5  # as in `measure.Plan`, and budget and trace
    budget: float = 5.0
    timeout: float = 30.0  # seconds a run may take
    trace: bool = False
    fresh: bool = False  # start the file over
    retry: bool = False  # run again what failed or was late
    references: Sequence[str | Path] = ()  # tables of numbers to compare with ours
    commit: str | None = None  # the measured commit, if the tree has no history
    command: Sequence[str] = field(default_factory=lambda: ["benchmarks.compare", *sys.argv[1:]])  # for the record


def run(
    settings: Settings,
    on_row: Callable[[Row], None] = lambda row: None,
    on_graph: Callable[[str, list[Row]], None] = lambda name, rows: None,
    shown: bool | None = None,
) -> Recorder:
    """Measure all rows that the result file does not have."""
    return _Session(settings, on_row).run(on_graph, shown)


class Visits(StatusLine):
    """A line on standard error: the running code, the finished visits, and the estimated time left."""

    where: str

    def __init__(self, total: int, shown: bool | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("starting", shown, clock)
        self._total, self._done, self._begun, self.where = total, 0, clock(), ""

    def say(self, text: str, visits: int = 0) -> None:
        """Show the next code, after `visits` more visits ended or were given up."""
        self._done += visits
        super().say(" · ".join(filter(None, (self.where, text))))
        left = time_left(self._done, self._total, self.clock() - self._begun)
        self(Progress("", self._done, self._total, "visits", 0.0, left))


class _Session:
    def __init__(self, settings: Settings, on_row: Callable[[Row], None]) -> None:
        self._s, self._on_row = settings, on_row
        dev.parse_device(settings.device)
        for module in settings.modules:
            import_algorithms(module)
        self._ours = ours(settings.device, settings.algorithms, settings.orders, settings.seeds, settings.threads)
        self._peers = wanted(settings.peers, settings.device)
        self._references = [row for path in settings.references for row in read_reference(path)]
        self._absent = {peer.name: self._why_absent(peer) for peer in self._peers}
        probed = probe(settings.device)
        self._bandwidth: float = probed["bandwidth"]
        self._hardware: dict[str, Any] = probed["hardware"]
        self._recorder = Recorder(Path(settings.out), settings.fresh)
        self._recorder.check_machine(self._hardware)
        self._complete = self._recorder.complete(settings.retry)
        self._plan = Plan(settings.repeat, settings.budget, settings.trace)

    def run(self, on_graph: Callable[[str, list[Row]], None], shown: bool | None) -> Recorder:
        self._add(self._meta())
        for row in self._references:
            if row not in self._recorder.rows:
                self._add(row)
        todo = {source: self._todo(source) for source in self._s.sources}
        workers = Workers(self._s.device, self._s.timeout, self._s.modules)
        visits = sum(len(codes) for codes in todo.values()) * (1 + self._s.repeat)
        with contextlib.closing(workers), Visits(visits, shown) as progress:
            for i, (source, codes) in enumerate(todo.items()):
                progress.where = f"{source.name} ({i + 1} of {len(todo)})"
                self._graph(source, codes, workers, progress)
                on_graph(source.name, self._recorder.current())
        return self._recorder

    def _add(self, row: Row) -> None:
        self._recorder.add(row)
        self._on_row(row)

    def _meta(self) -> Row:
        s = self._s
        versions = {p.name: p.version() for p in self._peers if self._absent[p.name] is None}
        return meta(
            "cpu" if s.device == "cpu" else "cuda", self._hardware, s.command, s.commit, versions,
            seeds=list(s.seeds), repeat=s.repeat, timeout=s.timeout, budget=s.budget, bandwidth=self._bandwidth,
        )  # fmt: skip

    def _why_absent(self, peer: Library) -> str | None:
        if peer.device == "cuda" and self._s.device == "cpu":
            return "runs on a GPU: pass --device cuda"
        return peer.absent()

    def _todo(self, source: Source) -> dict[Code, Library | None]:
        """Return the codes that are not in the file, with their library (None: lagcolor)."""
        every: dict[Code, Library | None] = dict.fromkeys(self._ours)
        for other in self._peers:
            every |= dict.fromkeys(other.codes(), other)
        out: dict[Code, Library | None] = {}
        for code, peer in every.items():
            if key_of(self._frame(source, code, peer, {})) in self._complete:
                continue
            if peer is not None and (why := self._absent[peer.name]) is not None:
                self._add_absent(source, code, peer, {}, why)
            else:
                out[code] = peer
        return out

    def _graph(self, source: Source, codes: Mapping[Code, Library | None], workers: Workers, progress: Visits) -> None:
        """Load a graph and measure; a graph that cannot be loaded is a failure of all codes."""
        if not codes:
            return
        with workers.graph(source):
            progress.say("loading")
            try:
                facts = workers.facts()
            except WorkerError as e:
                for code, peer in codes.items():
                    failed = Result(code, status="failed", error=f"the graph could not be loaded: {e}")
                    self._add(self._row(source, code, peer, {}, failed))
                progress.say("", len(codes) * (1 + self._s.repeat))
                return

            row = {"kind": "graph", "graph": source.name, "spec": portable(source.spec), **facts}
            if row not in self._recorder.rows:
                self._add(row)

            def done(result: Result) -> None:
                self._add(self._row(source, result.code, codes[result.code], facts, result))

            measure(self._of(source, codes, workers, facts, progress), self._plan, done, progress.say)

    def _of(
        self, source: Source, codes: Mapping[Code, Library | None], workers: Workers, facts: Mapping[str, Any],
        progress: Visits,
    ) -> dict[Code, Worker]:  # fmt: skip
        """Return the process of each code; a peer that does not accept the graph is absent."""
        peers: dict[str, Worker] = {}
        out: dict[Code, Worker] = {}
        for code, peer in codes.items():
            if peer is None:
                out[code] = workers.home
            elif (why := peer.unfit(facts["n"], facts["m"])) is not None:
                self._add_absent(source, code, peer, facts, why)
                progress.say("", 1 + self._s.repeat)
            else:
                if peer.name not in peers:
                    peers[peer.name] = peer.open(workers)
                out[code] = peers[peer.name]
        return out

    def _frame(self, source: Source, code: Code, peer: Library | None, facts: Mapping[str, Any]) -> Row:
        """The part of a row that is known before a run."""
        n, m = facts.get("n"), facts.get("m")
        return {
            "kind": "run",
            "graph": source.name,
            "spec": portable(source.spec),
            "n": n,
            "m": m,
            "max_degree": facts.get("max_degree"),
            "floor_ms": None if n is None or m is None else floor_ms(n, m, self._bandwidth),
            "code": code.name,
            "style": code.style,
            "device": ("cpu" if self._s.device == "cpu" else "cuda") if peer is None else peer.device,
            "order": code.order,
            "seed": code.seed,
            "threads": code.threads,
            "options": dict(code.options),
        }

    def _row(self, source: Source, code: Code, peer: Library | None, facts: Mapping[str, Any], result: Result) -> Row:
        return {**self._frame(source, code, peer, facts), **result.measured()}

    def _add_absent(self, source: Source, code: Code, peer: Library, facts: Mapping[str, Any], why: str) -> None:
        """Add a row for an absent peer, unless the last row of the file is the same."""
        row = self._row(source, code, peer, facts, Result(code, status="absent", error=why))
        before = next((r for r in reversed(self._recorder.rows) if r["kind"] == "run" and key_of(r) == key_of(row)), {})
        if (before.get("status"), before.get("error")) != ("absent", why):
            self._add(row)


def probe(device: str) -> dict[str, Any]:
    """Measure hardware and copy bandwidth in another process, because this one never uses the GPU."""
    with contextlib.closing(Worker(lambda: host_command("probe", device), 0.0)) as worker:
        return worker.greeting()
