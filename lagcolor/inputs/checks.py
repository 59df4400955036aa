"""What index arrays must be before a loop without bounds checks runs over them; NumPy and CuPy alike."""

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
BLOCK = 1 << 20  # numbers that one comparison of NumPy has in memory
WIDE = (np.dtype(np.int64), np.dtype(np.uint64))


def offsets(indptr: Any, m: int) -> Any:
    """`indptr` in the type that m entries need; itself where it has that type already."""
    return indptr.astype(offset_type(m), copy=False)


def vertices(n: int) -> None:
    """Reject a number of vertices that int32 indices cannot count."""
    if n < 0:
        raise GraphError(f"n must not be negative, but is {n}")
    if n > MOST_VERTICES:
        raise GraphError(f"too many vertices: n = {n}, and vertex numbers are int32, hence at most {MOST_VERTICES}")


def integers(a: Any, name: str) -> None:
    """Reject what is not one-dimensional or not of integers; empty arrays may be of any number type."""
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
    """Reject a masked array, whose masked entries would count."""
    if np.ma.is_masked(a):
        raise error(f"{name} must not have masked entries: remove them, or pass {name}.filled(value)")


def no_graph(a: Any, name: str, error: type[LagcolorError] = GraphError) -> None:
    """Reject a graph, whose nodes would count as the entries of an array."""
    if hasattr(a, "nodes") and hasattr(a, "edges"):
        raise error(f"{name} must not be a graph: the graph is the first argument")


def whole_floats(a: np.ndarray) -> np.ndarray:
    """Floats as int64 where all are whole numbers that are not rounded, under 2**53 for float64; others as they are."""
    if a.dtype.kind != "f" or not np.isfinite(a).all() or (a != np.floor(a)).any():
        return a
    return a.astype(np.int64) if (abs(a) < 2.0 ** (np.finfo(a.dtype).nmant + 1)).all() else a


def vertices_of(a: Any, name: str) -> int:
    """Largest index + 1, at least 0."""
    if len(a) == 0:
        return 0
    top = extremes.largest(a)
    if top >= MOST_VERTICES:
        at = int(a.argmax())
        raise GraphError(f"{name}[{at}] = {top} is too large: vertex numbers go up to {MOST_VERTICES - 1}")
    return top + 1


def in_range(a: Any, n: int, name: str, what: str = "vertices", remedy: str = "") -> None:
    """Reject indices outside 0 … n − 1; `what` they number, and what to do about negative ones."""
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
    """Indices that are `in_range`, as `int32`; many of 64 bits on a CPU by one pass."""
    if not _is_wide(a):
        in_range(a, n, name, what)
        return int32(a)
    out, top = _narrowed(a)
    if top >= n:
        in_range(a, n, name, what)
    return out


def _is_wide(a: Any) -> bool:
    """Whether threads make int32 of an array."""
    return len(a) >= LEAST_WORK and isinstance(a, np.ndarray) and a.dtype in WIDE and a.flags.c_contiguous


def _narrowed(a: Any) -> tuple[Any, int]:
    """An array of 64 bits as int32, and its largest number without a sign."""
    with importing():
        from .passes_cpu import narrowed

    return narrowed(dev.in_bits(a))


def is_int32(a: Any) -> bool:
    """Whether a loop over contiguous int32 can take `a` as it is."""
    return a.dtype == np.int32 and a.dtype.isnative and a.flags.c_contiguous


def int32(a: Any) -> Any:
    """`a` as contiguous int32, itself where it is that; the range was checked."""
    if is_int32(a):
        return a
    return _narrowed(a)[0] if _is_wide(a) else dev.module_of(a).ascontiguousarray(a, dtype=np.int32)


def csr(indptr: Any, indices: Any, n: int) -> tuple[Any, Any]:
    """Offsets that a loop may trust, and the indices that they point to; indices themselves are unchecked."""
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
    """The first offset, the last, and the first after which one is smaller, or −1."""
    if dev.is_cupy(indptr):
        found = extremes.extremes(indptr)
        if found.fall < 0:
            return found.least, found.largest, -1
        return int(indptr[0]), int(indptr[-1]), found.fall
    return int(indptr[0]), int(indptr[-1]), first_fall(indptr)


def first_fall(x: np.ndarray) -> int:
    """The first place on a CPU whose number is larger than the next, or −1."""
    for k in range(0, len(x) - 1, BLOCK):
        falls = x[k + 1 : k + 1 + BLOCK] < x[k : k + BLOCK][: len(x) - 1 - k]
        if falls.any():
            return k + int(falls.argmax())
    return -1
