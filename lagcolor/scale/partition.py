"""Who owns which vertex.

Whatever the partition, the colors are the same; it decides how many colors are exchanged, and in how many rounds.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import OptionError
from ..core.nets import Structure

OwnerOf = Callable[[np.ndarray], np.ndarray]  # global ids (int64) → who owns each (int32)


def ranges(bounds: np.ndarray) -> OwnerOf:
    """Partition p owns the ids from ``bounds[p]`` to ``bounds[p + 1]`` − 1."""
    last = bounds[1:-1]
    return lambda ids: np.searchsorted(last, ids, side="right").astype(np.int32)


def balanced(indptr: np.ndarray, parts: int) -> np.ndarray:
    """Bounds of contiguous ranges with about equally many entries and vertices together: int64, shape (parts + 1,).

    Parameters
    ----------
    indptr : array, shape (n + 1,)
        Row offsets.
    parts : int
        There may be more of them than vertices: some are empty then.
    """
    work = indptr.astype(np.int64) + np.arange(len(indptr))
    ends = work[-1] * np.arange(1, parts + 1) // parts
    bounds = np.searchsorted(work, ends, side="left")
    bounds[-1] = len(indptr) - 1
    return np.concatenate([[0], bounds]).astype(np.int64)


def refuse_others(by: Any, where: str) -> None:
    """Nothing, where a transport that has ranges of ids alone is asked for these.

    Raises
    ------
    OptionError
        It is asked for METIS, or for the user's own partition.
    """
    if not (isinstance(by, str) and by == "contiguous"):
        raise OptionError(
            f"by must be 'contiguous' {where}, where partitions are ranges of ids, not {reprlib.repr(by)}: number the "
            "vertices by their partition first, and pass order=priorities, the larger first, to keep the colors; "
            "lagcolor.scale.simulate takes 'metis' and arrays"
        )


def given(owners: Any, n: int, parts: int) -> np.ndarray:
    """The user's array of owners: int32, shape (n,).

    Raises
    ------
    OptionError
        Another shape or type, or an owner that is not there.
    """
    array = np.asarray(owners)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise OptionError(
            f"by must be an array of whole numbers of shape ({n},), the partition of each vertex, not of "
            f"{array.dtype} and shape {array.shape}; or 'contiguous' or 'metis'"
        )
    outside = np.flatnonzero((array < 0) | (array >= parts))
    if len(outside):
        v = int(outside[0])
        raise OptionError(
            f"vertex {v} is in partition {int(array[v])}, and there are {parts}, from 0 on"
            + (": pass more parts" if array[v] > 0 else "")
        )
    return array.astype(np.int32)


def metis(H: Structure, parts: int) -> np.ndarray:
    """Owners by METIS (few edges between partitions, entries balanced): int32, shape (n,).

    Of vertices and nets the graph of both is partitioned, in which a vertex is joined to its nets.

    Raises
    ------
    OptionError
        pymetis is not installed.

    References
    ----------
    Karypis, Kumar 1998, "A fast and high quality multilevel scheme for partitioning irregular graphs".
    """
    n = H.n
    if parts == 1 or n == 0:
        return np.zeros(n, np.int32)
    try:
        import pymetis
    except ImportError as e:
        raise OptionError(
            "by='metis' takes pymetis: pip install 'lagcolor[metis]', or pass by='contiguous' or an array of owners"
        ) from e
    indptr, indices = H.patterns[0].indptr, H.patterns[0].indices
    if H.hops == 2:
        nets, members = H.patterns
        indptr = np.concatenate([nets.indptr, members.indptr[1:].astype(np.int64) + nets.m])
        indices = np.concatenate([nets.indices.astype(np.int64) + n, members.indices])
    weights = np.diff(indptr) + 1
    weights[n:] = 0  # nets are owned by nobody
    adjacency = pymetis.CSRAdjacency(indptr.astype(np.int64), indices.astype(np.int64))
    found = pymetis.part_graph(parts, adjacency, vweights=weights.astype(np.int64))
    return np.asarray(found.vertex_part[:n], np.int32)


def owners(H: Structure, parts: int, by: Any) -> tuple[OwnerOf, np.ndarray]:
    """Who owns a vertex, as a function of ids and as an array of all.

    Parameters
    ----------
    H : Structure
        On the CPU.
    parts : int
    by : {"contiguous", "metis"} or array of integers, shape (n,)

    Raises
    ------
    OptionError
        An unknown name, or as of `given` and `metis`.
    """
    if isinstance(by, str) and by == "contiguous":
        owner_of = ranges(balanced(H.patterns[0].indptr, parts))
        return owner_of, owner_of(np.arange(H.n, dtype=np.int64))
    if isinstance(by, str) and by != "metis":
        raise OptionError(f"by must be 'contiguous', 'metis' or an array of owners, not {reprlib.repr(by)}")
    array = metis(H, parts) if isinstance(by, str) else given(by, H.n, parts)
    return lambda ids: array[ids], array
