"""Checks of index arrays of NumPy and CuPy, before loops without bounds checks read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import MOST_ROWS
from semirings.sparse import offset_type as offset_type

from ..base import device as dev
from ..base.compile_clock import importing
from ..base.device import LEAST_WORK, extremes
from ..base.errors import GraphError, LagcolorError

MOST_VERTICES = MOST_ROWS
BLOCK = 1 << 20  # numbers that NumPy compares at a time
WIDE = (np.dtype(np.int64), np.dtype(np.uint64))


def offsets(indptr: Any, m: int) -> Any:
    """Return `indptr` in the type that m entries need; itself if it has this type."""
    return indptr.astype(offset_type(m), copy=False)


def vertices(n: int) -> None:
    """Reject a number of vertices that is negative or too large for int32 indices."""
    if n < 0:
        raise GraphError(f"n must not be negative, but is {n}")
    if n > MOST_VERTICES:
        raise GraphError(f"too many vertices: n = {n}, and vertex numbers are int32, hence at most {MOST_VERTICES}")


def integers(a: Any, name: str) -> None:
    """Reject an array that is not one-dimensional or not of integers; an empty array may be of floats."""
    unmasked(a, name)
    if a.ndim != 1:
        raise GraphError(f"{name} must have one dimension, not shape {tuple(a.shape)}")
    if a.dtype.kind in "iu" or (len(a) == 0 and a.dtype.kind == "f"):
        return
    message = f"{name} must be integers, not {a.dtype}"
    if a.dtype.kind == "f":
        xp = dev.module_of(a)
        at = xp.flatnonzero(~((a == xp.floor(a)) & xp.isfinite(a)))
        if len(at):
            raise GraphError(f"{message}: {name}[{int(at[0])}] = {float(a[at[0]])} is no vertex number")
    raise GraphError(f"{message}: convert with .astype(np.int64) if every entry is a vertex number")


def unmasked(a: Any, name: str, error: type[LagcolorError] = GraphError) -> None:
    """Reject an array with masked entries, because they would count."""
    if np.ma.is_masked(a):
        raise error(f"{name} must not have masked entries: remove them, or pass {name}.filled(value)")


def no_graph(a: Any, name: str, error: type[LagcolorError] = GraphError) -> None:
    """Reject a graph, because its nodes would be taken for the entries of an array."""
    if hasattr(a, "nodes") and hasattr(a, "edges"):
        raise error(f"{name} must not be a graph: the graph is the first argument")


def whole_floats(a: np.ndarray) -> np.ndarray:
    """Return floats as int64 if all are whole and exact (under 2**53 for float64); others unchanged."""
    if a.dtype.kind != "f" or not np.isfinite(a).all() or (a != np.floor(a)).any():
        return a
    return a.astype(np.int64) if (abs(a) < 2.0 ** (np.finfo(a.dtype).nmant + 1)).all() else a


def vertices_of(a: Any, name: str) -> int:
    """Return the largest index + 1, or 0 for an empty array."""
    if len(a) == 0:
        return 0
    top = extremes.largest(a)
    if top >= MOST_VERTICES:
        at = int(a.argmax())
        raise GraphError(f"{name}[{at}] = {top} is too large: vertex numbers go up to {MOST_VERTICES - 1}")
    return top + 1


def in_range(a: Any, n: int, name: str, what: str = "vertices", remedy: str = "") -> None:
    """Reject indices outside 0 … n − 1; `what` they number, and `remedy` for negative ones complete the error."""
    if len(a) == 0:
        return
    least, largest = extremes.span(a)
    if least >= 0 and largest < n:
        return
    at = int(dev.module_of(a).flatnonzero((a < 0) | (a >= n))[0])
    value = int(a[at])
    if value < 0:
        raise GraphError(f"{name}[{at}] = {value} is negative; {what} are numbered from 0{remedy}")
    raise GraphError(f"{name}[{at}] = {value} is out of range for n = {n}; {what} are numbered from 0 to n - 1")


def indices(a: Any, n: int, name: str, what: str = "vertices") -> Any:
    """Return indices as int32 after `in_range`; one pass does both for many 64-bit indices on a CPU."""
    if not _is_wide(a):
        in_range(a, n, name, what)
        return int32(a)
    out, top = _narrowed(a)
    if top >= n:
        in_range(a, n, name, what)
    return out


def _is_wide(a: Any) -> bool:
    """Whether threads convert an array to int32: many numbers of 64 bits on a CPU."""
    return len(a) >= LEAST_WORK and isinstance(a, np.ndarray) and a.dtype in WIDE and a.flags.c_contiguous


def _narrowed(a: Any) -> tuple[Any, int]:
    """Return an array of 64-bit integers as int32, and its largest number as unsigned."""
    with importing():
        from .passes_cpu import narrowed

    return narrowed(dev.in_bits(a))


def is_int32(a: Any) -> bool:
    """Whether `a` is contiguous int32 in native byte order."""
    return a.dtype == np.int32 and a.dtype.isnative and a.flags.c_contiguous


def int32(a: Any) -> Any:
    """Return `a` as contiguous int32, itself if it is that already; the caller has checked the range."""
    if is_int32(a):
        return a
    return _narrowed(a)[0] if _is_wide(a) else dev.module_of(a).ascontiguousarray(a, dtype=np.int32)


def csr(indptr: Any, indices: Any, n: int) -> tuple[Any, Any]:
    """Return checked offsets, and the indices that they refer to, which are checked for their type only."""
    vertices(n)
    for a, name in ((indptr, "indptr"), (indices, "indices")):
        integers(a, name)
    xp = dev.module_of(indptr)
    if len(indptr) != n + 1:
        raise GraphError(f"indptr must have n + 1 = {n + 1} entries, one per row and one more, not {len(indptr)}")
    first, m, at = _ends(indptr)
    if first != 0:
        raise GraphError(f"indptr[0] must be 0, but is {first}")
    if at >= 0:
        raise GraphError(f"indptr must not fall: indptr[{at}] = {int(indptr[at])}, then {int(indptr[at + 1])}")
    if m > len(indices):
        raise GraphError(f"indptr ends at {m}, but there are only {len(indices)} indices")
    return xp.ascontiguousarray(indptr, dtype=offset_type(m)), indices if m == len(indices) else indices[:m]


def _ends(indptr: Any) -> tuple[int, int, int]:
    """Return the first offset, the last offset, and the first place that is followed by a smaller offset, or −1."""
    if dev.is_cupy(indptr):
        found = extremes.extremes(indptr)
        if found.fall < 0:
            return found.least, found.largest, -1
        return int(indptr[0]), int(indptr[-1]), found.fall
    return int(indptr[0]), int(indptr[-1]), first_fall(indptr)


def first_fall(x: np.ndarray) -> int:
    """Return the first place of an array on a CPU with a number larger than the next, or −1."""
    for k in range(0, len(x) - 1, BLOCK):
        falls = x[k + 1 : k + 1 + BLOCK] < x[k : k + BLOCK][: len(x) - 1 - k]
        if falls.any():
            return k + int(falls.argmax())
    return -1
