"""The stages of a conversion.

1. Reading: edges of all sources become runs of sorted keys, from the end of the last run on. If numbers of vertices are
   too large for keys, all inputs are read once before, for a table of the numbers.
2. Merging: the keys of all runs, in order, become rows.
3. Writing: offsets of the rows, or new numbers of the vertices, and the folder.
"""

from __future__ import annotations

import errno
import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....base.errors import FormatError, GraphError, OptionError
from ....base.log import stage
from ....io.files import STDIN, FirstLine, name_of
from ....io.folder import Folder, publish
from ....io.formats import CONVERTED, check_hint, with_format
from ....io.pieces import Place
from . import arrays, text
from .rows import HALF, KEY, LOW, MOST, RowArrays, check_memory, fill, merge, unique, write_array
from .runs import PartialFolder, Run
from .sources import Chunk, EdgeSource, MemoryShares, checked, kind

OVERHEAD = 260  # bytes per name in addition to its characters: an object, its number, its place in a growing table
SOME = 1 << 12  # names that are written at a time
START = 0, Place()  # the number of an input, and a place in it


class LargeNumberError(Exception):
    """A vertex has a number that is too large for a key."""


@dataclass
class Conversion:
    """A conversion of files within the bounds of `budget`; `n`, `hint` and `format` are the caller's hints."""

    work: PartialFolder
    budget: MemoryShares
    paths: list[Path]
    n: int | None
    hint: FirstLine | None
    format: str | None

    def run(self, target: Path, replace: bool) -> Folder:
        """Run all remaining stages."""
        if not self.work.done:
            self._read()
        return self._write(target, replace)

    def _read(self) -> None:
        """Read all inputs; begin again if the input is standard input."""
        if STDIN in self.paths:
            self.work.clear()
        sources, heads = self._heads()
        try:
            Reading(self.work, self.budget, sources, heads).run()
            return
        except LargeNumberError:
            pass  # the error refers to the buffer, which can be freed after this block
        self._keep_labels(sources)
        Reading(self.work, self.budget, sources, heads).run()

    def _heads(self) -> tuple[list[EdgeSource], dict[str, Any]]:
        """Return the sources, and the declarations in their heads."""
        work = self.work.path
        sources = [source(p, self.format, self.hint, self.budget, self.n, work) for p in self.paths]
        first = sources[0]
        for one in sources:
            if one.named != first.named:
                what, other = ("names", "numbers") if first.named else ("numbers", "names")
                raise GraphError(f"vertices are {what} in {name_of(first.path)}, and {other} in {name_of(one.path)}")
            if self.n is not None and one.n is not None and one.n != self.n:
                raise GraphError(f"n = {self.n}, but {name_of(one.path)} has {one.n} vertices: leave n out")
        if first.named and self.n is not None:
            raise OptionError("n is for vertices with numbers, and these have names: leave n out")
        stated = [one.n for one in sources if one.n is not None]
        n = self.n if self.n is not None else max(stated, default=None)
        at_least = max(one.at_least for one in sources)
        self._check_space(sum(one.edges for one in sources), max(n or 0, at_least))
        both = all(one.both for one in sources)
        return sources, {"n": n, "at_least": at_least, "both": both}

    def _check_space(self, edges: float, n: int) -> None:
        """Raise an error if memory or disk is too small for about this number of edges."""
        keys = int(2 * edges)
        check_memory(self.budget.keys, -(-keys // self.budget.keys), keys)
        needed = keys * KEY + int(4 * edges) + 8 * n
        there = sum(file.stat().st_size for file in self.work.path.rglob("*") if file.is_file())
        free = shutil.disk_usage(self.work.path).free + there
        if needed > free:
            what = (
                f"about {needed / 1e9:.1f} GB are needed here, {keys * KEY / 1e9:.1f} of them only temporarily, but "
                f"{free / 1e9:.1f} are free"
            )
            raise OSError(errno.ENOSPC, what, str(self.work.path.parent))

    def _keep_labels(self, sources: list[EdgeSource]) -> None:
        """Write all numbers that occur, ascending, as the first run, which has no keys."""
        self.work.clear()
        numbering, before = stage("numbering", sum(one.size for one in sources), "bytes"), 0
        table, new, count = np.zeros(0, np.int64), list[np.ndarray](), 0
        for one in sources:
            for chunk in one.chunks(Place(), len(sources) == 1):
                new.append(np.unique(np.concatenate([chunk.u, chunk.v])))
                count += len(new[-1])
                if count * 8 > self.budget.table // 2 and count > len(table) // 2:
                    table, new, count = np.unique(np.concatenate([table, *new])), [], 0
                    self._check_table(len(table))
                numbering.at(before + chunk.done)
            before += one.size
        table = np.unique(np.concatenate([table, *new]))
        self._check_table(len(table))
        content = {"count": 0, "labels": len(table), "from": START, "to": START, "last": False, "state": None}
        self.work.keep(content, [table])

    def _check_table(self, count: int) -> None:
        if 8 * count > self.budget.table:
            raise OptionError(
                f"vertices have numbers of 2³² and more, and there are over {count} different ones: a "
                f"table of them takes more than memory leaves for it: pass memory of more than {64 * count}"
            )

    def _write(self, target: Path, replace: bool) -> Folder:
        """Write the arrays of the folder, and rename the folder to its final name."""
        out, runs = self.work.out, self.work.runs
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        state = runs[-1].content["state"]
        n, top = state["n"], state["top"] + 1
        if n is None and state["at_least"] >= top:
            n = state["at_least"]
        rows = RowArrays(out, self._merged(), max(n or 0, top))
        if n is None and rows.far_apart(top):
            n = rows.occur
            rows.renumber(self.budget.table)
        else:
            rows.number(max(n or 0, top), warn=n is None)
            n = max(n or 0, top)
        edges, count = state["edges"], rows.headers["indices"]["elements"]
        notes = {"edges": edges, "loops": state["loops"], "repeated": edges - state["loops"] - count // 2}
        if state["both"] and notes["repeated"] < count // 2:  # fewer than if all entries have mirror images
            notes["one_sided"] = count // 2 - notes["repeated"]
        headers = {**rows.headers, **{name: write_array(out, name, pieces) for name, pieces in _labels(runs).items()}}
        return publish(out, target, n, headers, notes, replace)

    def _merged(self) -> Iterator[np.ndarray]:
        """Yield the keys of all runs, in ascending ranges."""
        runs = [run for run in self.work.runs if run.content["count"]]
        merging, done = stage("merging", sum(run.content["count"] for run in runs) * KEY, "bytes"), 0
        for keys, read in merge(runs, self.budget.keys) if runs else ():
            yield keys
            done += read * KEY
            merging.at(done)


def _labels(runs: list[Run]) -> dict[str, Iterator[np.ndarray]]:
    """Return the arrays of names or of large numbers of the vertices, if they have any."""
    if "labels" in runs[0].content:
        return {"labels": runs[0].pieces("<i8", 0, runs[0].size)}
    if "names" not in runs[0].content:
        return {}

    def ends() -> Iterator[np.ndarray]:
        before = 0
        for run in runs:
            begin, text = _names(run)
            yield from (before + piece for piece in run.pieces("<i8", begin, text))
            before += run.size - text

    names = (piece for run in runs for piece in run.pieces("|u1", _names(run)[1], run.size))
    return {"names": names, "names_end": ends()}


def _names(run: Run) -> tuple[int, int]:
    """Return the bytes of a run at which the ends of names and their text begin."""
    begin = KEY * run.content["count"]
    return begin, begin + 8 * run.content["names"]


class Numbers(dict[str, int]):
    """Numbers of names in order of first occurrence, in up to `memory` bytes; the names in runs are first."""

    def __init__(self, runs: list[Run], memory: int) -> None:
        super().__init__()
        self.new: list[str] = []  # names that are in no run yet
        self._memory, self._bytes, self._counted = memory, 0, 0
        for run in runs:
            begin, at = _names(run)
            text, ends = np.empty(run.size - at, np.uint8), np.zeros(run.content["names"] + 1, np.int64)
            run.read(begin, ends[1:])
            run.read(at, text)
            for first, end in itertools.pairwise(ends.tolist()):
                self[text[first:end].tobytes().decode()]
        self.check_memory()
        self.new.clear()
        self._counted = 0

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        self.new.append(name)
        return number

    def of(self, u: list[str], v: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of both ends of edges; new names are numbered in the order of edges, u before v."""
        flat = itertools.chain.from_iterable(zip(u, v, strict=True))
        found = np.fromiter(map(self.__getitem__, flat), np.int64, 2 * len(u))
        self.check_memory()
        return found[::2], found[1::2]

    def check_memory(self) -> None:
        """Raise an OptionError if names take more bytes than `memory`."""
        self._bytes += sum(len(name.encode()) for name in self.new[self._counted :])
        self._counted = len(self.new)
        needed = self._bytes + OVERHEAD * len(self)
        if needed > self._memory:
            raise OptionError(
                f"{len(self)} names of vertices take about {needed} bytes of memory so far, and memory leaves "
                f"{self._memory} for them: pass memory of more than {4 * needed}, or number the vertices first"
            )

    def pieces(self) -> Iterator[np.ndarray]:
        """Yield the names that are in no run yet, for the next run: where each ends, and then their text."""
        parts, end = [self.new[k : k + SOME] for k in range(0, len(self.new), SOME)], 0
        for part in parts:
            ends = end + np.cumsum([len(name.encode()) for name in part], dtype=np.int64)
            yield ends
            end = int(ends[-1])
        for part in parts:
            yield np.frombuffer("".join(part).encode(), np.uint8)
        self.new.clear()
        self._counted = 0


class Reading:
    """The reading of sources from the end of the last run on; a run is written whenever the buffer is full.

    `heads` has the declarations in the heads of the sources: n, at_least, both.
    """

    def __init__(
        self, work: PartialFolder, budget: MemoryShares, sources: list[EdgeSource], heads: dict[str, Any]
    ) -> None:
        self._work, self._budget, self._sources = work, budget, sources
        last: dict[str, Any] = work.runs[-1].content if work.runs else {"to": START, "state": None}
        self._state = dict(last["state"] or {"edges": 0, "loops": 0, "top": -1, **heads})
        first, place = last["to"]
        self._at = first, Place(*place)
        self._covered = self._at  # the place up to which edges are in runs
        self._names = Numbers(work.runs, budget.table) if sources[0].named else None
        self._labels: np.ndarray | None = None
        if work.runs and "labels" in work.runs[0].content:
            self._labels = np.empty(work.runs[0].content["labels"], np.int64)
            work.runs[0].read(0, self._labels)
            self._state["n"] = len(self._labels)
        self._keys, self._count = np.empty(budget.keys, np.uint64), 0

    def run(self) -> None:
        """Read the rest of all sources."""
        sources, (first, place) = self._sources, self._at
        before = sum(source.size for source in sources[:first])
        reading = stage("reading", sum(source.size for source in sources), "bytes")
        for k in range(first, len(sources)):
            if place == Place() and sources[k].declared is not None:
                self._begin()
            for chunk in sources[k].chunks(place, len(sources) == 1):
                self._take(sources[k], chunk)
                self._at = k, chunk.after
                reading.at(before + chunk.done)
            self._check(sources[k])
            self._at = k + 1, (place := Place())
            before += sources[k].size
        self._keep(last=True)

    def _begin(self) -> None:
        """Begin a source that declares its edges: the next runs have these alone."""
        if self._count:
            self._keep()
        self._state["before"] = len(self._work.runs), self._state["edges"], self._state["loops"]

    def _check(self, source: EdgeSource) -> None:
        """Check the number of edges that a source declares."""
        if source.declared is None:
            return
        if self._count:
            self._keep()
        first, entries, loops = self._state["before"]
        runs = self._work.runs[first:]

        def edges() -> int:
            self._keys = np.empty(0, np.uint64)  # its memory is for the merge
            ranges = (keys for keys, _ in merge(runs, self._budget.keys)) if runs else ()
            found = sum(int(np.count_nonzero(keys >> HALF < keys & LOW)) for keys in ranges)
            self._keys = np.empty(self._budget.keys, np.uint64)
            return found

        source.declared(self._state["edges"] - entries, self._state["loops"] - loops, edges)

    def _take(self, source: EdgeSource, chunk: Chunk) -> None:
        """Add the edges of a chunk to the buffer; write a run first if they do not fit."""
        state = self._state
        u, v = self._numbers(chunk)
        top = max(int(u.max()), int(v.max())) if len(u) else -1
        if self._names is None and state["n"] is not None and top >= state["n"]:
            checked(source.path, u, v, chunk.after.edges - len(u), state["n"])
        if top >= MOST:
            raise LargeNumberError
        most = max(len(self._keys) // 2, 1)
        for begin in range(0, len(u), most):
            a, b = u[begin : begin + most], v[begin : begin + most]
            if self._count + 2 * len(a) > len(self._keys):
                self._keep()
                check_memory(self._budget.keys, len(self._work.runs))
            self._count = int(fill(a, b, self._keys, self._count))
        state["edges"] += len(u)
        state["loops"] += int(np.count_nonzero(u == v))
        state["top"] = max(state["top"], top)

    def _numbers(self, chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of edges as numbers: places in the table of names or of large numbers, if there is one."""
        if self._names is not None:
            return self._names.of(chunk.u, chunk.v)
        if self._labels is None:
            return chunk.u, chunk.v
        return np.searchsorted(self._labels, chunk.u), np.searchsorted(self._labels, chunk.v)

    def _keep(self, last: bool = False) -> None:
        """Write a run, and the range of the inputs that it covers, up to the last completely read chunk."""
        keys = unique(self._keys[: self._count])
        state = dict(self._state)
        content = {"count": len(keys), "from": self._covered, "to": self._at, "last": last, "state": state}
        pieces = iter([keys])
        if self._names is not None:
            content["names"] = len(self._names.new)
            pieces = itertools.chain(pieces, self._names.pieces())
            state["n"] = len(self._names) if last else None
        self._work.keep(content, pieces)
        self._covered, self._count = self._at, 0


def source(
    path: Path, format: str | None, hint: FirstLine | None, budget: MemoryShares, n: int | None, work: Path
) -> EdgeSource:  # fmt: skip
    """Read the beginning of a file, and return its source; `work` is a folder for temporary files."""
    name = kind(path, format)
    check_hint(path, name, hint)
    if path == STDIN and name in (*CONVERTED, "npz", "egr", "csr", "col.b"):
        raise OptionError(f"standard input is converted as text, and the format {name} is of files")
    try:
        if name == "parquet":
            return arrays.parquet(path, hint and hint.columns, budget)
        if name == "npy":
            return arrays.npy(path, budget)
        if name in ("npz", "egr", "csr"):
            return arrays.arrays(path, name, budget, work)
        return text.source(path, name, budget, n, with_format(hint, format), work)
    except FormatError:
        raise
    except GraphError as e:
        raise type(e)(f"{name_of(path)}: {e}") from e
