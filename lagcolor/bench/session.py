"""A whole run: graph after graph, rows appended as they are known, what is in the file already not run again."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import device as dev
from ..core.registry import import_algorithms
from .codes import Code, ours
from .floor import floor_ms
from .graph_run import GraphRun, Processes, opened
from .graphs import Source
from .measure import Plan, Process, Result, measure
from .peers import Library, wanted
from .progress import Progress
from .provenance import meta, portable
from .recorder import Recorder, key_of
from .reference import read_reference
from .remote import Guest
from .resident import Resident, ResidentError
from .results import Row

PROBING = 300.0  # seconds


@dataclass
class Settings:
    """What to measure, and how.

    Attributes
    ----------
    sources : sequence of Source
        As `graphs.resolve` gives them.
    out : Path
        Folder of the result file.
    device : str
        "cpu", "cuda", "cuda:1"
    algorithms, peers : sequence of str or None
        Names or patterns; None: all that run on the device. Of peers also "all" and "none".
    modules : sequence of str
        That register algorithms of other packages.
    orders : sequence of str
        Besides each algorithm's own.
    seeds, threads : sequence of int or None
        None: the algorithm's own.
    repeat, budget, trace
        As in `measure.Plan`.
    timeout : float
        Seconds a run may take.
    fresh, retry : bool
        Start the file over; run again what failed or was late.
    references : sequence of path-like
        Tables of numbers to lay beside ours.
    commit : str or None
        What is measured, where the tree has no history.
    command : sequence of str
        For the record.
    """

    sources: Sequence[Source]
    out: Path | str
    device: str = "cpu"
    algorithms: Sequence[str] | None = None
    peers: Sequence[str] | None = None
    modules: Sequence[str] = ()
    orders: Sequence[str] = ()
    seeds: Sequence[int | None] = (None,)
    threads: Sequence[int | None] = (None,)
    repeat: int = 5
    budget: float = 5.0
    timeout: float = 30.0
    trace: bool = False
    fresh: bool = False
    retry: bool = False
    references: Sequence[str | Path] = ()
    commit: str | None = None
    command: Sequence[str] = field(default_factory=lambda: sys.argv[1:])


def run(
    settings: Settings,
    on_row: Callable[[Row], None] = lambda row: None,
    on_graph: Callable[[str, list[Row]], None] = lambda name, rows: None,
    shown: bool | None = None,
) -> Recorder:
    """Measure what is not in the result file yet."""
    return _Session(settings, on_row).run(on_graph, shown)


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
        self._settled = self._recorder.settled(settings.retry)
        self._plan = Plan(settings.repeat, settings.budget, settings.trace)

    def run(self, on_graph: Callable[[str, list[Row]], None], shown: bool | None) -> Recorder:
        self._add(self._meta())
        for row in self._references:
            if row not in self._recorder.rows:
                self._add(row)
        todo = {source: self._todo(source) for source in self._s.sources}
        processes = Processes(self._s.device, self._s.timeout, self._s.modules)
        visits = sum(len(codes) for codes in todo.values()) * (1 + self._s.repeat)
        with contextlib.closing(processes), Progress(visits, shown) as progress:
            for i, (source, codes) in enumerate(todo.items()):
                progress.where = f"{source.name} ({i + 1} of {len(todo)})"
                self._graph(source, codes, processes, progress)
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
        """Codes that are not in the file, and whose they are (None: ours)."""
        every: dict[Code, Library | None] = dict.fromkeys(self._ours)
        for other in self._peers:
            every |= dict.fromkeys(other.codes(), other)
        out: dict[Code, Library | None] = {}
        for code, peer in every.items():
            if key_of(self._frame(source, code, peer, {})) in self._settled:
                continue
            if peer is not None and (why := self._absent[peer.name]) is not None:
                self._add_absent(source, code, peer, {}, why)
            else:
                out[code] = peer
        return out

    def _graph(
        self, source: Source, codes: Mapping[Code, Library | None], processes: Processes, progress: Progress
    ) -> None:
        """Load a graph and measure; a graph that cannot be loaded is a failure of all codes."""
        if not codes:
            return
        with opened(source, processes) as graph_run:
            progress.say("loading")
            try:
                facts = graph_run.facts()
            except ResidentError as e:
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

            measure(self._of(codes, graph_run, facts, progress), self._plan, done, progress.say)

    def _of(
        self, codes: Mapping[Code, Library | None], graph_run: GraphRun, facts: Mapping[str, Any], progress: Progress
    ) -> dict[Code, Process]:
        """The process of each code; a peer that is not for such a graph is absent."""
        guests: dict[str, Guest] = {}
        out: dict[Code, Process] = {}
        for code, peer in codes.items():
            if peer is None:
                out[code] = graph_run.home
            elif (why := peer.unfit(facts["n"], facts["m"])) is not None:
                self._add_absent(graph_run.source, code, peer, facts, why)
                progress.say("", 1 + self._s.repeat)
            else:
                if peer.name not in guests:
                    guests[peer.name] = peer.open(graph_run)
                out[code] = guests[peer.name]
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
        """Said once: not again where the file's last word on it is the same."""
        row = self._row(source, code, peer, facts, Result(code, status="absent", error=why))
        before = next((r for r in reversed(self._recorder.rows) if r["kind"] == "run" and key_of(r) == key_of(row)), {})
        if (before.get("status"), before.get("error")) != ("absent", why):
            self._add(row)


def probe(device: str) -> dict[str, Any]:
    """Hardware and copy bandwidth, asked in a process of its own: this one never touches the GPU."""
    child = Resident([sys.executable, "-m", f"{__package__}.host", "probe", device], timeout=PROBING)
    with contextlib.closing(child):
        return child.greeting
