"""Values of matrices on CPU threads: gathered, scattered, compared and checked, each thread up to its first fault.

Where there is a fault, NumPy says what it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import read_only
from ..base.device.intrinsics import store_relaxed
from ..base.device.parallel import launch, parallel, share, slots
from ..base.device.threads import LEAST, count

FAULT, ONE = np.uint64(0), np.uint64(1)  # FAULT: a place of `shared`


def are(*arrays: Any) -> bool:
    """Whether these loops take arrays: many values on a CPU, in one piece, and in the machine's byte order."""
    return all(
        isinstance(x, np.ndarray) and x.size >= LEAST and x.flags.c_contiguous and x.dtype.isnative for x in arrays
    )


def take(values: Any, source: Any) -> Any:
    """``values[source]``: some of an array's numbers or blocks."""
    if not are(values, source):
        return values[source]
    out = np.empty((len(source), *values.shape[1:]), values.dtype)
    _run(_take, out.size, read_only(_flat(values)), read_only(source), _flat(out))
    return out


def adjoint_at(target: Any, values: Any) -> Any:
    """Conjugates of `values`; number e moves to ``target[e]``."""
    out = np.empty_like(values)
    _run(_put, values.size, read_only(target), read_only(values), out)
    return out


def equal(x: Any, y: Any) -> bool:
    """Whether two arrays of one size have the same numbers."""
    return _run(_compare, x.size, read_only(x), read_only(y))


def finite(values: Any) -> bool:
    """Whether all numbers are."""
    return _run(_find_infinite, values.size, read_only(values.ravel()))


def inverses(scale: Any, diagonal: Any, lost: float) -> bool:
    """Whether numbers are inverse pivots, as `pivots.check_scale` says."""
    most = lost / float(np.finfo(scale.dtype).eps)
    return _run(_find_no_inverse, scale.size, read_only(scale), read_only(diagonal), most)


def hermitian(T: Any, mirror: Any, lower: Any, upper: Any, diagonal: Any) -> bool:
    """Whether a matrix of numbers is Hermitian, as `ic0.check_hermitian` says; `T` is its lower triangle."""
    size = np.sqrt(abs(diagonal))
    arrays = map(read_only, (T.indptr, T.indices, mirror, lower, upper, diagonal, size))
    most = size.dtype.type(float(np.finfo(lower.dtype).eps) ** 0.5)
    return _run(_find_asymmetry, lower.size, *arrays, most)


def _run(loop: Any, work: int, *args: Any) -> bool:
    """Launch a loop; whether no thread has found a fault."""
    threads, shared = count(None, work), slots(1)
    launch(loop, threads, shared, np.int64(threads), *args)
    return not shared[FAULT]


def _flat(x: Any) -> Any:
    """Numbers, or a row of them for each block."""
    return x if x.ndim == 1 else x.reshape(len(x), -1)


@parallel
def _take(t: Any, shared: Any, threads: Any, values: Any, source: Any, out: Any) -> None:
    """Copy values."""
    for i in share(t, threads, len(source)):
        at = np.uint64(source[i])
        if values.ndim == 1:  # one branch is left when compiled
            out[i] = values[at]
        else:
            for k in range(np.uint64(values.shape[1])):
                out[i, k] = values[at, k]


@parallel
def _put(t: Any, shared: Any, threads: Any, target: Any, values: Any, out: Any) -> None:
    """Write conjugates to their places."""
    for i in share(t, threads, len(values)):
        out[np.uint64(target[i])] = np.conj(values[i])


@parallel
def _compare(t: Any, shared: Any, threads: Any, x: Any, y: Any) -> None:
    """Find two numbers that differ."""
    for i in share(t, threads, len(x)):
        if x[i] != y[i]:
            store_relaxed(shared, FAULT, 1)
            return


@parallel
def _find_infinite(t: Any, shared: Any, threads: Any, values: Any) -> None:
    """Find a number that is not finite."""
    for i in share(t, threads, len(values)):
        if not np.isfinite(values[i]):
            store_relaxed(shared, FAULT, 1)
            return


@parallel
def _find_no_inverse(t: Any, shared: Any, threads: Any, scale: Any, diagonal: Any, most: Any) -> None:
    """Find what is no inverse, or rounding."""
    for i in share(t, threads, len(scale)):
        s = scale[i]
        if not np.isfinite(s) or s == 0 or abs(s) * abs(diagonal[i]) > most:
            store_relaxed(shared, FAULT, 1)
            return


@parallel
def _find_asymmetry(
    t: Any, shared: Any, threads: Any, indptr: Any, indices: Any, mirror: Any, lower: Any, upper: Any,
    diagonal: Any, size: Any, most: Any,
) -> None:  # fmt: skip
    """Find an entry that is not the conjugate of its mirror image."""
    for i in share(t, threads, len(size)):
        if abs(diagonal[i] - np.conj(diagonal[i])) > most * size[i] * size[i]:
            store_relaxed(shared, FAULT, 1)
            return
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + ONE])):
            off = abs(lower[e] - np.conj(upper[np.uint64(mirror[e])]))
            if off > most * size[i] * size[np.uint64(indices[e])]:
                store_relaxed(shared, FAULT, 1)
                return
