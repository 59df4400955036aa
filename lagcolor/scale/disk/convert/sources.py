"""What a source of edges is: a file that gives them in chunks, and says where to go on after each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....inputs.checks import whole_floats
from ....io.files import STDIN, malformed


class Room(NamedTuple):
    """How much a source may hold at once.

    Attributes
    ----------
    block : int
        Bytes of text.
    edges : int
        Edges per chunk.
    line : int
        Bytes of the longest line.
    """

    block: int
    edges: int
    line: int


class Chunk(NamedTuple):
    """Some edges of a source.

    Attributes
    ----------
    u, v : arrays of int64, or lists of str
    at : dict of int
        Where the source goes on after them.
    done : int
        Bytes of the source read so far.
    """

    u: Any
    v: Any
    at: dict[str, int]
    done: int


class Source:
    """Edges of one file; what is known of them before they are read.

    Attributes
    ----------
    path : Path
    n : int or None
        Number of vertices, where the format says it.
    at_least : int
        Number of vertices that a comment declares, which may be wrong.
    named : bool
        Ends of edges are names.
    both : bool
        Both directions of an edge are to be there: a matrix, or lists of neighbors.
    edges : float
        How many there are, about.
    size : int
        Bytes of the file; 0 where that is unknown.
    """

    n: int | None = None
    at_least: int = 0
    named: bool = False
    both: bool = False
    edges: float = 0.0

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0 if path == STDIN else os.stat(path).st_size

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """The edges from a place on, where a chunk ended before (None: the beginning)."""
        raise NotImplementedError


def checked(path: Path, u: np.ndarray, v: np.ndarray, first: int, n: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Ends of edges of any integer type as int64, `first` being the number of the first one."""
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
