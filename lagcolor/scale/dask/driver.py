"""The client's side of a run: stages, one after the other, each of which leaves what it found in the run's folder."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.errors import ColoringError, FormatError, GraphError, OptionError
from ...inputs.sizes import OCCUR, warn_of_first
from ...orders.user import numbers
from ...run.session import VERIFY_UP_TO
from ..core import default_budget
from . import tasks
from .asked import Asked
from .board import State
from .checkpoint import unnamed
from .cluster import Cluster
from .files import load_record, save, save_record
from .memory import Memory
from .result import FORMAT, HEADER, VERSION, Colors
from .rows import around
from .run import Plan, Run
from .shuffle import Census

OFFERED = 8  # times the even share of the core: the most that a partition offers
LEAST_OFFER = 1 << 12  # vertices and entries
SPARSE, SPARSE_FROM = 256, 1 << 20  # vertices per entry over which, from so many on, nearly all have no edge


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
    keep : callable
        ``keep(done)`` writes down what there is to say of the result, before its folder gets its name.
    """

    def __init__(
        self,
        cluster: Cluster,
        run: Run,
        asked: Asked,
        source: Any,
        target: Path,
        keep: Callable[[dict[str, Any]], None],
    ) -> None:
        self.keep = keep
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
                done = self._done(rows, state, sizes, verified)
                self.keep(done)
        finally:
            self.cluster.forget(tasks.forget, self.run)
        return done

    def _done(self, rows: dict[str, Any], state: State, sizes: np.ndarray, verified: bool) -> dict[str, Any]:
        """What there is to say of the result."""
        trace = state.totals.pop("trace")
        self.notes |= {"parts": self.plan.parts, "entries": rows["entries"], **state.totals, "seconds": self.seconds}
        self.notes |= {"built": self.built, "recomputed": self.cluster.begun - self.cluster.wanted}
        self.notes["chain"] = state.round
        asked, n = self.asked, self.plan.n
        return {
            "folder": os.path.abspath(self.target), "n": n, "sizes": sizes.tolist(), "problem": asked.problem,
            "order": self.plan.order, "seed": self.plan.seed, "rounds": state.round + 1, "verified": verified,
            "notes": self.notes, "trace": trace if asked.trace else [],
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
        if n > max(SPARSE_FROM, SPARSE * census.entries):
            raise GraphError(
                f"there are {n} vertices, the largest with an edge is {census.largest}, and at most "
                f"{census.entries // 2} edges: number the vertices that have edges from 0 on, as "
                "`numpy.unique(edges, return_inverse=True)` does"
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
        self.run.write_plan(Plan(bounds, self.asked.order, self.asked.seed, graph, self.asked.hops))

    def _summed(self, found: dict[int, tuple[int, int, int]]) -> dict[str, Any]:
        """Entries of all partitions, the largest degree, and how many vertices have edges; where they fit."""
        own = np.diff(self.run.plan().bounds)
        entries = [found[k][0] for k in range(len(own))]
        largest = max(found[k][1] for k in found)
        self.memory.check(entries, own.tolist(), largest)
        if self.asked.hops == 2:
            jobs = {k: (self.run, k) for k in range(len(own))}
            built_of = self.cluster.each("measuring", around, jobs)
            self.memory.check_nets([built_of[k] for k in range(len(own))], own.tolist())
        return {"entries": sum(entries), "largest": largest, "joined": sum(found[k][2] for k in found)}

    def _core(self, rows: dict[str, Any]) -> None:
        """Color the first vertices of the order, where that saves rounds."""
        path, parts, n = self.run.path / "core.json", self.plan.parts, self.plan.n
        if not path.exists():
            budget = self.asked.core
            if budget is None:
                budget = default_budget(parts, n, rows["entries"], rows["largest"])
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
        folder = unnamed(self.target, self.run)
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
        """Read the edges again, and compare colors of their ends; whether that was asked for."""
        if not (edges <= VERIFY_UP_TO if self.asked.verify is None else self.asked.verify):
            return False
        with self._stage("checking"):
            if self.source.folder is None and (self.run.path / "pieces.json").exists():
                self.source.divided(load_record(self.run.path / "pieces.json")["pieces"])
            checks = [("an edge", self.source.check(Colors(folder)))]
            if self.asked.hops == 2:
                jobs = {k: (Colors(folder), self.run, k) for k in range(self.plan.parts)}
                checks.append(("a neighbor", (tasks.check_nets, jobs)))
            for both, check in checks:
                for conflict in self.cluster.each("checking", *check).values():
                    if conflict is not None:
                        raise ColoringError(
                            f"vertices {conflict[0]} and {conflict[1]} have one color and {both} in common: did the "
                            "edges change while they were colored? Then delete the folder of the run, and start again"
                        )
        return True


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
