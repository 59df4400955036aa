"""Sources of edges, which are read in chunks; the files of an input, and their formats."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....base.errors import OptionError
from ....inputs.checks import whole_floats
from ....io.files import STDIN, malformed
from ....io.folder import is_folder
from ....io.formats import CONVERTED, format_of
from ....io.pieces import Place


class MemoryShares(NamedTuple):
    """The division of memory: half for keys, less than a quarter for text and the edges parsed from it."""

    keys: int  # keys of a run, and of a range of a merge
    # `block` and `line`: bytes of text that are read at a time, and of the longest line
    block: int
    edges: int  # edges of a chunk
    line: int
    table: int  # bytes for names or labels

    @classmethod
    def of(cls, memory: int) -> MemoryShares:
        """Return the shares of a number of bytes."""
        return cls(memory // 16, min(memory // 32, 8 << 20), min(memory // 256, 1 << 20), memory // 8, memory // 4)


class Chunk(NamedTuple):
    """Some edges of a source."""

    # `u` and `v`: arrays of integers, or lists of str
    u: Any
    v: Any
    after: Place
    done: int  # bytes of the source read so far


Both = tuple[Any, Any]


@dataclass
class EdgeSource:
    """The edges of a file, and what is known of them before they are read."""

    path: Path  # for messages
    size: int  # bytes of the file
    edges: float  # number of edges; an estimate for a text
    chunks: Callable[[Place, bool], Iterator[Chunk]]  # ``chunks(place, alone)``; alone: no other file is converted
    n: int | None = None  # number of vertices, if the format declares it
    at_least: int = 0  # number of vertices in a comment, which may be wrong
    named: bool = False  # whether ends of edges are names
    both: bool = False  # whether the input should have both directions: a matrix, or lists of neighbors
    declared: Callable[[int, int, Callable[[], int]], None] | None = None  # a check, as in `Lines`


def counted(
    path: Path, m: int, ends: Callable[[int], Iterator[Both]], n: int | None = None, **known: Any
) -> EdgeSource:
    """Return the source of m edges; ``ends(k)`` yields the edges from the k-th on."""
    size = os.stat(path).st_size if path.is_file() else 4 * m

    def chunks(begin: Place, alone: bool) -> Iterator[Chunk]:
        done = begin.edges
        for u, v in ends(done):
            if not known.get("named"):
                u, v = checked(path, u, v, done, n)
            done += len(u)
            yield Chunk(u, v, Place(done), size * done // max(m, 1))
        if done != m:
            raise malformed(path, f"the file declares {m} edges, but has {done}")

    return EdgeSource(path, size, m, chunks, n, **known)


def checked(path: Path, u: np.ndarray, v: np.ndarray, first: int, n: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return ends of edges of any integer type as int64, checked; `first` is the number of the first edge."""
    out = []
    for ends in (u, v):
        ends = whole_floats(ends)
        if ends.dtype.kind not in "iu":
            raise malformed(path, f"ends of edges must be whole numbers, not {ends.dtype}")
        if len(ends) and int(ends.min()) < 0:
            at = int((ends < 0).argmax())
            raise malformed(path, f"edge {first + at} has vertex {int(ends[at])}; vertices are numbered from 0 on")
        top = 2**63 if n is None else n
        if len(ends) and int(ends.max()) >= top:
            at = int(ends.argmax())
            why = f"there are {n} vertices, numbered from 0 on" if n is not None else "numbers go up to 2⁶³ − 1"
            raise malformed(path, f"edge {first + at} has vertex {int(ends[at])}, and {why}")
        out.append(ends.astype(np.int64, copy=False))
    return out[0], out[1]


def files(inputs: Any) -> list[Path]:
    """Return the files of an input: a path or several; for a folder, its files in the order of their names."""
    found: list[Path] = []
    for one in [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs):
        path = Path(one)
        if path != STDIN and not path.exists():
            raise FileNotFoundError(2, "no such file", str(path))
        found += _of_folder(path) if path.is_dir() and not is_folder(path) else [path]
    if not found:
        raise OptionError("there are no files of edges to convert")
    if STDIN in found and len(found) > 1:
        raise OptionError("standard input (-) is converted alone, not together with files")
    return found


def _of_folder(path: Path) -> list[Path]:
    """Return the files in a folder and its subfolders, by name, without names that begin with `.` or `_`."""
    inside = sorted(file for file in path.rglob("*") if file.is_file())
    found = [file for file in inside if not any(part[0] in "._" for part in file.relative_to(path).parts)]
    if not found:
        raise OptionError(f"{path}: there is no file in this folder")
    return found


def kind(path: Path, format: str | None) -> str:
    """Return the name of a file's format."""
    if format is None and path == STDIN:
        return "edges"
    name = path.name if format is None else f".{format.removeprefix('.')}"
    return "npy" if name.lower().endswith(CONVERTED["npy"]) else format_of(path, format, True, ("npy",)).name
