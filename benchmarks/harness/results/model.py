"""The lines of result files as objects: runs, the graphs they ran on, and where and with what."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .schema import Row

COPIED = ("seed", "threads", "colors", "rounds", "order_ms", "convert_ms", "floor_ms", "memory_bytes")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One code on one graph.

    Attributes
    ----------
    graph, code : str
        Names; `code` is an algorithm of lagcolor, a variant of one that a script has named, or a peer.
    style : str
        Of the algorithm; "peer" for other libraries' codes, "reference" for figures taken from a table.
    device, machine : str
        "cpu" or "cuda", and its name.
    order : str
    seed : int or None
    threads : int or None
    options : str
        Further options, "name=value, …".
    colors, rounds, memory_bytes : int or None
    ms, ms_min, ms_max : float or None
        Median and extremes, ordering and coloring together.
    order_ms, convert_ms, floor_ms : float or None
        The ordering's part of `ms` (None: left out of it); turning the input into a graph; reading the graph and
        writing the colors once.
    verified : bool or None
        None: unknown.
    status : {"ok", "failed", "timeout", "absent"}
    error : str
    trace : sequence of mapping
        One row per round, as in `Coloring.trace`.
    source, date, commit : str
        File name, and what its last meta line says.
    """

    graph: str
    code: str
    style: str = ""
    device: str = "cpu"
    machine: str = ""
    order: str = ""
    seed: int | None = None
    threads: int | None = None
    options: str = ""
    colors: int | None = None
    ms: float | None = None
    ms_min: float | None = None
    ms_max: float | None = None
    order_ms: float | None = None
    convert_ms: float | None = None
    floor_ms: float | None = None
    rounds: int | None = None
    memory_bytes: int | None = None
    verified: bool | None = None
    status: str = "ok"
    error: str = ""
    trace: Sequence[Mapping[str, Any]] = ()
    source: str = ""
    date: str = ""
    commit: str = ""

    @property
    def usable(self) -> bool:
        """Whether it may be compared: it ended, with a time and colors that no check has refused."""
        return self.status == "ok" and self.verified is not False and (self.ms or 0) > 0 and (self.colors or 0) > 0

    def time(self, *, ordering: bool = True) -> float:
        """Milliseconds of a usable run, with the ordering or without."""
        return (self.ms or 0.0) - (0.0 if ordering else (self.order_ms or 0.0))

    def floors(self, *, ordering: bool = True) -> float | None:
        """Its time over the floor's, if that is known."""
        return self.time(ordering=ordering) / self.floor_ms if self.floor_ms and self.usable else None

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same in two measurements of one thing."""
        if self.style == "reference":
            return self.graph, self.code, self.style, self.order, self.threads
        return (
            *(self.graph, self.code, self.order, self.seed, self.options),
            *(self.device, self.machine, self.threads),
        )


@dataclass(kw_only=True)
class GraphFacts:
    """A measured graph; `degrees` is (smallest degree of a bin, vertices) where known."""

    name: str
    spec: str = ""
    n: int | None = None
    m: int | None = None
    max_degree: int | None = None
    floor_ms: float | None = None
    degrees: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Meta:
    """The machine and software of the runs after a meta line."""

    source: str
    date: str = ""
    commit: str = ""
    command: str = ""
    cpu: str = ""
    gpu: str = ""
    load: str = ""  # see `load_of`
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def hardware(self) -> str:
        """The CPU with its cores, and the GPU."""
        return ", ".join(filter(None, (self.cpu, self.gpu)))


@dataclass
class Results:
    """The contents of some result files.

    Attributes
    ----------
    runs : list of Run
        Of two measurements of one thing the newest.
    graphs : dict of str to GraphFacts
        By name, in the order of the file.
    metas : list of Meta
    notes : list of str
        What was left out, a sentence each.
    """

    runs: list[Run]
    graphs: dict[str, GraphFacts]
    metas: list[Meta]
    notes: list[str]

    @property
    def usable(self) -> list[Run]:
        """The runs that may be compared."""
        return [r for r in self.runs if r.usable]

    def on(self, graph: str) -> list[Run]:
        """The usable runs on one graph."""
        return [r for r in self.runs if r.usable and r.graph == graph]

    def only(self, runs: Iterable[Run]) -> Results:
        """Return results with only these runs and their graphs."""
        runs = list(runs)
        names = {r.graph for r in runs}
        return Results(runs, {k: g for k, g in self.graphs.items() if k in names}, self.metas, self.notes)

    def label(self, run: Run) -> str:
        """What to call the code of a run, with its order, and as much more as distinguishes it from others."""
        name = _name(run)
        places = self._places.get(name, set())
        if run.style != "reference" and len(places) > 1:
            name += f", {run.device}"
            if sum(device == run.device for device, _ in places) > 1:
                name += f", {run.machine}"
        return name

    @cached_property
    def _places(self) -> dict[str, set[tuple[str, str]]]:
        """Where what has one name ran."""
        places: dict[str, set[tuple[str, str]]] = {}
        for run in self.runs:
            if run.style != "reference":
                places.setdefault(_name(run), set()).add((run.device, run.machine))
        return places


def _name(run: Run) -> str:
    order = run.order if run.order != run.code else ""
    threads = f"{run.threads} threads" if (run.threads or 1) > 1 else ""
    return ", ".join(filter(None, (run.code, order, run.options, threads)))


def load_of(hardware: Mapping[str, Any]) -> str:
    """Return the load in words: the mean number of running processes in the minute before; "" if it is unknown."""
    return f"load {hardware['load'][0]:.1f}" if hardware.get("load") else ""


def meta_of(row: Row, source: str) -> Meta:
    """Of a meta line."""
    hardware = row["hardware"]
    return Meta(
        source=source,
        date=row["date"],
        commit=row["commit"],
        command=" ".join(row["command"]),
        cpu=f"{hardware['cpu']}, {hardware['cores']} cores",
        gpu=hardware.get("gpu") or "",
        load=load_of(hardware),
        versions=row["versions"],
    )


def facts_of(row: Row) -> GraphFacts:
    """What a line of any kind says of its graph."""
    spec = row.get("spec") or row["graph"]
    return GraphFacts(
        name=row["graph"],
        spec=spec if ":" in spec else "",
        n=row.get("n"),
        m=row.get("m"),
        max_degree=row.get("max_degree"),
        floor_ms=row.get("floor_ms"),
        degrees=[(low, count) for low, count in row.get("degrees", ())],
    )


def run_of(row: Row, meta: Meta | None, source: str) -> Run:
    """Of a line of kind run or reference; a time that is no finite number is none."""
    meta = meta or Meta(source=source)
    theirs = row["kind"] == "reference"
    device = row.get("device", "cpu")
    ms = row["ms"] if isinstance(row.get("ms"), (int, float)) and math.isfinite(row["ms"]) else None
    every = row.get("ms_all") or []
    return Run(
        graph=row["graph"],
        code=row.get("variant") or row["code"],
        style="reference" if theirs else row.get("style", ""),
        device=device,
        machine="" if theirs else meta.gpu if device == "cuda" else meta.cpu,
        options=", ".join(f"{k}={v}" for k, v in row.get("options", {}).items()),
        ms=ms,
        ms_min=min(every, default=ms),
        ms_max=max(every, default=ms),
        verified=row.get("verified"),
        status=row.get("status", "ok"),
        error=row.get("error") or "",
        order=row.get("order", ""),
        trace=tuple(row.get("trace") or ()),
        source=source,
        date=meta.date,
        commit=meta.commit,
        **{name: row.get(name) for name in COPIED},
    )
