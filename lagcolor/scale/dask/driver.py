"""The client's side of a run: stages, one after the other, each of which leaves what it found in the run's folder."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import ColoringError, FormatError, GraphError, OptionError
from ...inputs.sizes import OCCUR, warn_of_first
from ...inputs.sizes import whole as whole_n
from ...options import choice, flag, whole
from ...options import seed as as_seed
from ...orders.user import numbers
from ...progress import listened
from ...registry import TABLES
from ...strategies import meant
from ...timing import VERIFY_UP_TO
from ..keys import GlobalOrder
from ..simulator import CORE_SHARE, HUBS
from . import given, tasks
from .board import State
from .cluster import USABLE, Cluster, Worker
from .files import load_record, save, save_record
from .result import FORMAT, HEADER, VERSION, ClusterColoring, Colors
from .run import Plan, Run
from .shuffle import Census

# Bytes that tasks take at most, as measured (docs/scaling.md), and a fifth more.
PER_EDGE = 130  # reading and sorting, per edge
PER_SORTED = 40  # merging, per sorted entry
PER_ENTRY = 90  # building a partition, per entry
PER_VERTEX = 120  # and per vertex
BUILDING, KEPT = 0.5, 0.4  # of the room: for what a task makes, and for what a worker keeps
LEAST_ROOM = 1 << 24  # bytes
LEAST_PIECE, MOST_PIECE = 1 << 12, 1 << 24  # edges
OFFERED = 8  # times the even share of the core: the most that a partition offers
LEAST_OFFER = 1 << 12  # vertices and entries


@listened
def color(
    edges: Any,
    client: Any = None,
    n: int | None = None,
    *,
    order: Any = None,
    seed: int | None = None,
    parts: int | None = None,
    core: int | None = None,
    device: str = "cpu",
    checkpoint: Any = None,
    output: Any = None,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
) -> ClusterColoring:
    """Color the vertices of a graph on a Dask cluster: the colors of ``lagcolor.color`` of the same graph, bit for bit.

    Vertices are divided among partitions, which tasks solve in rounds; in between partitions tell each other which
    colors of their boundaries have changed. All that must not be lost is in files: workers may be lost and added at any
    time.

    Parameters
    ----------
    edges : path, or list of paths, or dask.dataframe.DataFrame
        Files of edges (Parquet, .npy of shape (m, 2) or (2, m), text as `lagcolor.io` reads edge lists, perhaps
        gzipped), patterns such as ``edges/*.parquet``, a folder of such files; a graph folder (`web.csr/`); or a dask
        DataFrame with two columns, or with two whose names say that they are ends of edges. Edges are undirected, in
        one direction or both, as often as they like; loops do not count. Vertices are numbers from 0 on. Workers read
        the files under these paths.
    client : distributed.Client, optional
        Default: the current one.
    n : int, optional
        Number of vertices. Default: the largest number and 1.
    order : str or array of numbers, shape (n,), optional
        "natural", "random", "random_spread", "largest_first", "largest_first_spread" (the default, as of
        `lagcolor.color`), "largest_log_first"; or your own priorities, the larger first.
    seed : int, optional
        As for `lagcolor.color`.
    parts : int, optional
        Number of partitions. Default: one per thread of the cluster, and as many as it takes that each fits the memory
        of a worker.
    core : int, optional
        As for `lagcolor.scale.simulate`: the first vertices of the order, of which one worker colors as many as have
        so many entries to earlier ones, and vertices. 0: none.
    device : {"cpu", "cuda", "auto"}
        Where workers color; "auto": on a GPU where CuPy and a GPU are there.
    checkpoint : path-like, optional
        A folder for the files of the run, on storage that all machines share; it is made if need be. A call with the
        same arguments goes on from what is there, on any cluster. Default: a temporary folder of this machine, for
        clusters of one machine.
    output : path-like, optional
        The folder of colors to make; it is there whole or not at all. Default: ``colors`` in `checkpoint`, or a
        temporary folder that goes with the result.
    verify : bool, optional
        Read all edges again, and compare the colors of their ends. Default: up to 10 M edges.
    trace : bool
        Keep a row of statistics per round.
    progress : callable, True or None
        As for `lagcolor.color`.

    Returns
    -------
    ClusterColoring
        Its colors are in files.

    Raises
    ------
    GraphError
        Edges with names or negative numbers, too few or too many columns, a vertex that is not under `n`.
    FormatError
        A file of edges, or one of the run, is malformed or damaged.
    OptionError
        An order that depends on the whole graph; a folder that workers do not see, or that is of another run; too few
        partitions for the memory of the workers, with how many it takes.
    ClusterError
        No workers, others than a run takes, or lost too often.
    DeviceError
        A worker has no GPU, and "cuda" was asked for.
    OSError
        A file is missing, or a disk full.

    Notes
    -----
    Distance 1 only. See :doc:`/scaling` for the algorithm, what it costs, and what breaks first.

    References
    ----------
    Jones, Plassmann 1993, "A parallel graph coloring heuristic", for first-fit by priorities in parallel; Rocklin 2015,
    "Dask: parallel computation with blocked algorithms and task scheduling".

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> client = Client(n_workers=4, threads_per_worker=1)  # doctest: +SKIP
    >>> result = lagcolor.scale.dask.color("edges/*.parquet", client, checkpoint="run/")  # doctest: +SKIP
    >>> result.n_colors, result.to_dask()  # doctest: +SKIP
    (7, dask.array<concatenate, shape=(4000000,), dtype=int32, chunksize=(1000000,), chunktype=numpy.ndarray>)
    """
    begun = time.perf_counter()
    asked = Asked.of(n, order, seed, parts, core, device, verify, trace)
    source = given.of(edges)
    with _folder(checkpoint, kept=output is None) as folder:
        run, record = _opened(folder, asked, source)
        if "done" in record:
            return _of_before(record["done"], output)
        target = _free(folder / "colors" if output is None else Path(output))
        done = Driver(Cluster(client), run, asked, source, target).color()
        done["seconds"] = time.perf_counter() - begun
        save_record(folder / "run.json", {**record, "done": done})
        _clear(run)
        result = _result(done)
        if checkpoint is None and output is None:
            result.removed_with(folder)
        return result


@dataclass(frozen=True)
class Asked:
    """Arguments of a call, checked."""

    n: int | None
    order: str
    seed: int | None
    priorities: np.ndarray | None
    parts: int | None
    core: int | None
    device: str
    verify: bool | None
    trace: bool

    @classmethod
    def of(cls, n: Any, order: Any, seed: Any, parts: Any, core: Any, device: Any, verify: Any, trace: Any) -> Asked:
        """Those of `color`.

        Raises
        ------
        OptionError
            One is none that it can take.
        """
        row = TABLES["distance1"]["first_fit"]
        n = None if n is None else whole_n(n)
        if n is not None and n < 0:
            raise GraphError(f"n must not be negative, but is {n}")
        priorities = None
        if order is not None and not isinstance(order, str):
            priorities = np.asarray(order)
            order = "user"
        order = row.order if order is None else order
        if priorities is None:
            order = GlobalOrder.of(meant("first_fit", order)[1], None, lambda: None, two_hops=False).name
        return cls(
            n, order, row.seed if seed is None else as_seed(seed), priorities, whole("parts", parts, 1, none=True),
            whole("core", core, none=True), choice("device", device, ("cpu", "cuda", "auto")),
            flag("verify", verify, none=True), flag("trace", trace),
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """What decides the files of a run."""
        given = None if self.priorities is None else zlib.crc32(np.ascontiguousarray(self.priorities).tobytes())
        return {"n": self.n, "order": self.order, "seed": self.seed, "priorities": given, "parts": self.parts,
                "core": self.core}  # fmt: skip


class Driver:
    """A run from its edges to its colors.

    Parameters
    ----------
    cluster : Cluster
    run : Run
    asked : Asked
    source : Files, Frame or Rows
    target : Path
        The folder of colors to make.
    """

    def __init__(self, cluster: Cluster, run: Run, asked: Asked, source: Any, target: Path) -> None:
        self.cluster, self.run, self.asked, self.source, self.target = cluster, run, asked, source, target
        self.seconds: dict[str, float] = {}
        self.notes: dict[str, Any] = {"resumed": None}
        self.built = 0

    def color(self) -> dict[str, Any]:
        """All stages; what there is to say of the result."""
        self.memory = Memory.of(self.cluster.ask(self.run.path, self.asked.device))
        try:
            with self._stage("reading"):
                self.plan, rows = self._rows()
            self.cluster.settle(self.plan.parts)
            with self._stage("core"):
                self._core(rows)
            with self._stage("coloring"):
                state = self._rounds()
            with self._finished(state) as (folder, sizes):
                verified = self._check(folder, rows["entries"] // 2)
        finally:
            self.cluster.forget(tasks.forget, self.run)
        trace = state.totals.pop("trace")
        self.notes |= {"parts": self.plan.parts, "entries": rows["entries"], **state.totals, "seconds": self.seconds}
        self.notes |= {"built": self.built, "recomputed": self.cluster.begun - self.cluster.wanted}
        self.notes["chain"] = state.round
        return {
            "folder": os.path.abspath(self.target), "n": self.plan.n, "sizes": sizes.tolist(), "order": self.plan.order,
            "seed": self.plan.seed, "rounds": state.round + 1, "verified": verified, "notes": self.notes,
            "trace": trace if self.asked.trace else [],
        }  # fmt: skip

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - begun, 6)

    def _rows(self) -> tuple[Plan, dict[str, Any]]:
        """Partitions with their rows in files; what is known of the rows."""
        path = self.run.path / "rows.json"
        if path.exists():
            return self.run.plan(), load_record(path)
        rows = self._of_folder() if self.source.folder is not None else self._shuffled()
        save_record(path, rows)
        shutil.rmtree(self.run.path / "runs", ignore_errors=True)
        return self.run.plan(), rows

    def _of_folder(self) -> dict[str, Any]:
        """Of a graph folder, whose rows are checked."""
        folder = self.source.folder
        if self.asked.n not in (None, folder.n):
            raise GraphError(f"n = {self.asked.n}, but {folder.path} has {folder.n} vertices: leave n out")
        parts = self.memory.parts(self.asked.parts, folder.entries, folder.n)
        self._plan(self.source.bounds(parts), os.path.abspath(folder.path))
        key = int.from_bytes(os.urandom(8), "little")
        found = self.cluster.each("reading", tasks.check_folder, {k: (self.run, k, key) for k in range(parts)})
        if sum(sums for *_, sums in found.values()) % 2**64:
            raise FormatError(f"{folder.path}: an entry has no mirror image: Folder.check() of the folder names it")
        return self._summed({k: about[:3] for k, about in found.items()})

    def _shuffled(self) -> dict[str, Any]:
        """Of edges in pieces."""
        pieces = self.run.path / "pieces.json"
        if pieces.exists():
            self.source.divided(load_record(pieces)["pieces"])
        else:
            save_record(pieces, {"pieces": self.source.divide(self.memory.piece)})
        census = Census(self.cluster.each("reading", *self.source.read(self.run)).values())
        n = census.largest + 1 if self.asked.n is None else self.asked.n
        if n <= census.largest:
            raise GraphError(
                f"n = {n}, but there is a vertex {census.largest}: pass n={census.largest + 1} or more, or leave n out"
            )
        if not (self.run.path / "plan.json").exists():
            parts = self.memory.parts(self.asked.parts, census.entries, n)
            self._plan(census.bounds(n, parts), None)
        parts = self.run.plan().parts
        jobs = {k: (self.run, k, len(self.source)) for k in range(parts)}
        rows = self._summed(self.cluster.each("shuffling", tasks.merge_rows, jobs))
        if self.asked.n is None and census.smallest == 1 and rows["joined"] >= OCCUR * (n - 1):
            warn_of_first(n, rows["joined"])
        return rows

    def _plan(self, bounds: np.ndarray, graph: str | None) -> None:
        """Write down partitions and order."""
        n = int(bounds[-1])
        if self.asked.priorities is not None:
            values = numbers(SimpleNamespace(n=n), self.asked.priorities)  # type: ignore[arg-type]
            nan = np.flatnonzero(values != values)
            if len(nan):
                raise OptionError(f"the order is NaN at vertex {int(nan[0])}: every vertex needs a number")
            save(self.run.path / "order.npy", values)
        self.run.write_plan(Plan(bounds, self.asked.order, self.asked.seed, graph))

    def _summed(self, found: dict[int, tuple[int, int, int]]) -> dict[str, Any]:
        """Entries of all partitions, the largest degree, and how many vertices have edges; where they fit."""
        own = np.diff(self.run.plan().bounds)
        entries = [found[k][0] for k in range(len(own))]
        largest = max(found[k][1] for k in found)
        self.memory.check(entries, own.tolist(), largest)
        return {"entries": sum(entries), "largest": largest, "joined": sum(found[k][2] for k in found)}

    def _core(self, rows: dict[str, Any]) -> None:
        """Color the first vertices of the order, where that saves rounds."""
        path, parts, n = self.run.path / "core.json", self.plan.parts, self.plan.n
        if not path.exists():
            budget = self.asked.core
            if budget is None:
                hubs = rows["largest"] * n > HUBS * rows["entries"]
                budget = (rows["entries"] + n) // (CORE_SHARE * parts) if hubs and parts > 1 else 0
            save_record(path, self._colored_core(budget) if budget else {"core": 0, "core_bytes": 0})
        self.notes |= load_record(path)

    def _colored_core(self, budget: int) -> dict[str, Any]:
        parts, each = self.plan.parts, self.cluster.each
        most = max(OFFERED * budget // parts, LEAST_OFFER)
        device, room = self.asked.device, self.memory.kept
        found = each("core", tasks.offer, {k: (self.run, k, budget, most, device, room) for k in range(parts)})
        self.built += sum(found.values())
        if not each("core-end", tasks.cut, {parts: (self.run, budget)})[parts]:
            return {"core": 0, "core_bytes": 0}
        found = each("core-rows", tasks.core_rows, {k: (self.run, k, device, room) for k in range(parts)})
        self.built += sum(found.values())
        vertices, nbytes = each("core-colors", tasks.core_colors, {parts: (self.run,)})[parts]
        return {"core": vertices, "core_bytes": nbytes}

    def _rounds(self) -> State:
        """Solve partitions until none has anything to tell another."""
        state = _last(self.run)
        if state is None:
            state = State.first(self.plan.parts)
            state.totals = {"messages": 0, "bytes": 0, "visited": 0, "trace": []}
            state.write(self.run)
        else:
            self.notes["resumed"] = state.round
        while state.active:
            state = self._round(state)
        return state

    def _round(self, state: State) -> State:
        """One more: partitions that were told something are solved."""
        begun, number = time.perf_counter(), state.round + 1
        jobs = {k: (self.run, k, number, self.asked.device, self.memory.kept) for k in state.active}
        solved: dict[int, tasks.Solved] = self.cluster.each("coloring", tasks.solve, jobs)
        sent = [list(rounds) for rounds in state.sent]
        for k, each in solved.items():
            if each.nbytes:
                sent[k] = [number] if state.renews(k) else [*sent[k], number]
        row: dict[str, Any] = {
            "round": number + 1, "active": sum(s.visited for s in solved.values()),
            "colored": sum(s.colors for s in solved.values()),
            "messages": sum(len(s.receivers) for s in solved.values()),
            "bytes": sum(s.nbytes for s in solved.values()), "partitions": len(solved),
            "built": sum(s.built for s in solved.values()), "ms": (time.perf_counter() - begun) * 1e3,
        }  # fmt: skip
        self.built += row["built"]
        old = state.totals
        totals = {"messages": old["messages"] + row["messages"], "bytes": old["bytes"] + row["bytes"],
                  "visited": old["visited"] + row["active"], "trace": [*old["trace"], row]}  # fmt: skip
        after = State(number, sorted({q for s in solved.values() for q in s.receivers}), sent, totals)
        after.write(self.run)
        _remove_old(self.run, state, after)
        return after

    @contextmanager
    def _finished(self, state: State) -> Iterator[tuple[Path, np.ndarray]]:
        """A folder of colors, which gets its name at the end; and the sizes of the classes."""
        folder = self.target.with_name(f".{self.target.name}.{self.run.name}")
        folder.mkdir(exist_ok=True)
        try:
            with self._stage("writing"):
                jobs = {k: (self.run, k, state.round, self.asked.device, str(folder)) for k in range(self.plan.parts)}
                found: dict[int, tasks.Finished] = self.cluster.each("writing", tasks.finish, jobs)
                sizes = np.zeros(max(len(f.sizes) for f in found.values()), np.int64)
                for f in found.values():
                    sizes[: len(f.sizes)] += f.sizes
                self.built += sum(f.built for f in found.values())
                names = [tasks.file_name(k) for k in range(self.plan.parts)]
                about = {"format": FORMAT, "version": VERSION, "bounds": self.plan.bounds.tolist(), "files": names}
                save_record(folder / HEADER, {**about, "n_colors": len(sizes)})
            yield folder, sizes
            os.rename(folder, self.target)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _check(self, folder: Path, edges: int) -> bool:
        """Read the edges again, and compare colors of their ends; whether that was asked for.

        Raises
        ------
        ColoringError
            Two are the same.
        """
        if not (edges <= VERIFY_UP_TO if self.asked.verify is None else self.asked.verify):
            return False
        with self._stage("checking"):
            if self.source.folder is None and (self.run.path / "pieces.json").exists():
                self.source.divided(load_record(self.run.path / "pieces.json")["pieces"])
            found = self.cluster.each("checking", *self.source.check(Colors(folder)))
            for conflict in found.values():
                if conflict is not None:
                    raise ColoringError(
                        f"vertices {conflict[0]} and {conflict[1]} have one color and an edge: did the edges change "
                        "while they were colored? Then delete the folder of the run, and start again"
                    )
        return True


@dataclass(frozen=True)
class Memory:
    """What there is for a task.

    Attributes
    ----------
    room : int
        Bytes per thread, of the worker that has the least.
    limit, used : int
        Memory of that worker, and what of it is in use before the run.
    threads : int
        Of all workers.
    kept : int
        Bytes of partitions that a worker keeps between rounds.
    """

    room: int
    limit: int
    used: int
    threads: int
    kept: int

    @classmethod
    def of(cls, workers: list[Worker]) -> Memory:
        """That of workers.

        Raises
        ------
        OptionError
            There is none left.
        """
        least = min(workers, key=lambda w: (USABLE * w.limit - w.used) / w.threads)
        room = int((USABLE * least.limit - least.used) / least.threads)
        if room < LEAST_ROOM:
            wanted = (least.used + LEAST_ROOM * least.threads) / USABLE
            raise OptionError(
                f"a worker has {_mb(least.limit)} of memory, of which {_mb(least.used)} are in use before the run: "
                f"give workers memory_limit={_mb(wanted)!r} or more"
            )
        kept = int(KEPT * room * least.threads)
        return cls(room, least.limit, least.used, sum(w.threads for w in workers), kept)

    @property
    def piece(self) -> int:
        """Edges that a task sorts at once."""
        return int(min(max(BUILDING * self.room / PER_EDGE, LEAST_PIECE), MOST_PIECE))

    def parts(self, asked: int | None, entries: int, n: int) -> int:
        """How many partitions there are to be.

        Raises
        ------
        OptionError
            So few as asked for will not do.
        """
        wanted = self.wanted(PER_ENTRY * entries + PER_VERTEX * n)
        if asked is None:
            return max(min(max(self.threads, wanted), n), 1)
        if PER_SORTED * entries > asked * BUILDING * self.room:
            raise OptionError(self._too_few(asked, entries // asked, wanted))
        return asked

    def wanted(self, nbytes: int) -> int:
        """Partitions that take so many bytes in all to build; with some to spare, as they are not quite alike."""
        return -(-nbytes * 5 // int(4 * BUILDING * self.room))

    def check(self, entries: list[int], own: list[int], largest: int) -> None:
        """Nothing, where each partition fits.

        Raises
        ------
        OptionError
            One does not; with how many partitions it takes.
        """
        need = [PER_ENTRY * e + PER_VERTEX * k for e, k in zip(entries, own, strict=True)]
        if max(need) <= BUILDING * self.room:
            return
        k = int(np.argmax(need))
        if PER_ENTRY * largest > BUILDING * self.room:
            raise OptionError(
                f"a vertex has {largest:,} neighbors, whose partition takes {_mb(PER_ENTRY * largest)} to build, and a "
                f"worker has {_mb(BUILDING * self.room)} for that per thread: give workers more memory"
            )
        raise OptionError(self._too_few(len(entries), entries[k], max(self.wanted(sum(need)), len(entries) + 1)))

    def _too_few(self, parts: int, entries: int, wanted: int) -> str:
        return (
            f"of {parts} partition{'s' * (parts != 1)} one has {entries:,} entries and takes "
            f"{_mb(PER_ENTRY * entries)} to build, and a worker has {_mb(BUILDING * self.room)} for that per thread: "
            f"pass parts={wanted} or more, or give workers more memory"
        )


def _mb(nbytes: float) -> str:
    """Bytes in a message, as Dask writes them."""
    return f"{int(-(-nbytes // 2**20))} MiB"


def _last(run: Run) -> State | None:
    """The state after the last round that ended."""
    found = sorted((run.path / "state").glob("[0-9]*.json"))
    return State(**load_record(found[-1])) if found else None


def _remove_old(run: Run, before: State, after: State) -> None:
    """Remove messages that no longer count, and states but the last two."""
    for k, rounds in enumerate(before.sent):
        for number in set(rounds) - set(after.sent[k]):
            run.messages(number, k).unlink(missing_ok=True)
    run.state(before.round - 1).unlink(missing_ok=True)


@contextmanager
def _folder(checkpoint: Any, kept: bool) -> Iterator[Path]:
    """The folder of a run; a temporary one is removed on an error, and unless it is kept."""
    if checkpoint is not None:
        path = Path(os.path.abspath(checkpoint))
        path.mkdir(exist_ok=True)
        yield path
        return
    path = Path(tempfile.mkdtemp(prefix="lagcolor-"))
    try:
        yield path
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    if not kept:
        shutil.rmtree(path, ignore_errors=True)


def _opened(folder: Path, asked: Asked, source: Any) -> tuple[Run, dict[str, Any]]:
    """The run of a folder, made if the folder is empty, and its record.

    Raises
    ------
    OptionError
        The folder is of something else.
    """
    path = folder / "run.json"
    wanted = {"source": source.record(), "asked": asked.record()}
    if not path.exists():
        if any(folder.iterdir()):
            raise OptionError(f"{folder} has files of something else: pass a new folder as checkpoint")
        record = {"format": "lagcolor run", "version": VERSION, "name": uuid.uuid4().hex, **wanted}
        save_record(path, record)
        return Run(str(folder), record["name"]), record
    record = load_record(path)
    if record.get("format") != "lagcolor run" or record.get("version") != VERSION:
        raise OptionError(f"{path} is not that of a run of this lagcolor: pass a new folder as checkpoint")
    if record["source"] != wanted["source"]:
        raise OptionError(
            f"{folder} has a run of other edges, or they have changed since: pass a new folder as checkpoint"
        )
    if record["asked"] != wanted["asked"]:
        if "done" in record or (folder / "plan.json").exists():
            other = [name for name, value in record["asked"].items() if value != wanted["asked"][name]]
            raise OptionError(
                f"{folder} has a run with another {' and another '.join(other)}: pass the same, or a new folder as "
                "checkpoint"
            )
        record |= wanted
        save_record(path, record)
    return Run(str(folder), record["name"]), record


def _free(target: Path) -> Path:
    """A path where a folder can be made.

    Raises
    ------
    OSError
        There is something already, or no folder to make it in.
    """
    target = Path(os.path.abspath(target))
    if os.path.lexists(target):
        raise FileExistsError(17, "there is something already, which is not replaced", str(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(2, f"there is no folder {target.parent}", str(target))
    return target


def _clear(run: Run) -> None:
    """Remove what a run that is done needs no more."""
    for name in ("runs", "rows", "core", "messages", "state"):
        shutil.rmtree(run.path / name, ignore_errors=True)
    for name in ("plan.json", "bounds.npy", "order.npy", "pieces.json", "rows.json", "core.json"):
        (run.path / name).unlink(missing_ok=True)


def _result(done: dict[str, Any]) -> ClusterColoring:
    sizes = np.array(done["sizes"], np.int64)
    return ClusterColoring(
        Path(done["folder"]), done["n"], len(sizes), sizes, done["order"], done["seed"], done["rounds"],
        done["seconds"], done["verified"], done["trace"], done["notes"],
    )  # fmt: skip


def _of_before(done: dict[str, Any], output: Any) -> ClusterColoring:
    """The result of a run that is done.

    Raises
    ------
    OptionError
        Its colors are elsewhere than they are to be.
    FormatError
        They are gone.
    """
    if output is not None and os.path.abspath(output) != done["folder"]:
        raise OptionError(f"the run is done, and its colors are in {done['folder']}: leave output out, or pass that")
    result = _result(done)
    Colors(result.folder)
    return result
