"""Products and entries as arrays: seeds, sparse matrices of a pattern, and checks of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import is_sparse

from ..base import device as dev
from ..base.device import extremes
from ..base.errors import DeviceError, GraphError
from ..graph.pattern import Pattern
from ..inputs.canonical import check_sound
from ..inputs.checks import unmasked


def count(colors: Any) -> int:
    """Number of colors of one kind; 0 for None."""
    if colors is None or not len(colors):
        return 0
    with dev.using(colors):
        return extremes.largest(colors) + 1


def seeds(colors: Any, dtype: Any) -> Any:
    """Return the matrix with a one in column ``colors[v]`` of each row v that has a color; None for None."""
    if colors is None:
        return None
    with dev.using(colors):
        xp = dev.module_of(colors)
        return (colors[:, None] == xp.arange(count(colors), dtype=np.int32)).astype(dtype)


def plain(A: Any, name: str) -> Any:
    """Convert a `numpy.matrix`, whose rows are matrices, to an array; refuse masked entries."""
    unmasked(A, name)
    return np.asarray(A) if isinstance(A, np.matrix) else A


def sums(P: Pattern, A: np.ndarray, row_colors: Any, column_colors: Any) -> tuple[Any, Any]:
    """Compute ``A @ S`` and ``W.T @ A`` of a dense array, from the pattern's entries; None for colors that are None.

    A product with seeds would multiply entries by the zeros of other colors, and infinity times zero is NaN.
    """
    rows, columns = P.rows_of_entries(), P.indices
    values = A[rows, columns]
    right = None if column_colors is None else _summed(values, rows, column_colors[columns], P.rows, column_colors)
    left = None if row_colors is None else _summed(values, columns, row_colors[rows], P.columns, row_colors).T
    return right, left


def _summed(values: Any, places: Any, of_entries: Any, n: int, colors: Any) -> Any:
    """Sum the entries of each row (or column) and color."""
    out = np.zeros((n, count(colors)), values.dtype)
    colored = of_entries >= 0
    np.add.at(out, (places[colored], of_entries[colored]), values[colored])
    return out


def times_seeds(A: Any, colors: Any) -> Any:
    """Compute ``A @ seeds(colors)``, dense, for a sparse A on a CPU, with sparse seeds, or any A on a GPU."""
    if not count(colors):
        return dev.module_of(colors).zeros((A.shape[0], 0), A.dtype)
    if dev.is_cupy(colors):
        return A @ seeds(colors, A.dtype)
    from scipy.sparse import csr_array

    colored = colors >= 0
    offsets = np.concatenate([[0], np.cumsum(colored)])
    S = csr_array((np.ones(int(offsets[-1]), A.dtype), colors[colored], offsets), shape=(len(colors), count(colors)))
    return (A.tocsr() @ S).toarray()


def concatenated(parts: list[Any]) -> Any:
    """Concatenate arrays of one library."""
    library = type(parts[0]).__module__.partition(".")[0]
    if library in ("jaxlib", "jax"):
        import jax.numpy as jnp

        return jnp.concatenate(parts)
    if library == "torch":
        import torch

        return torch.cat(parts)
    return dev.module_of(parts[0]).concatenate(parts)


def csr(P: Pattern, values: Any) -> Any:
    """Return the sparse matrix with these stored entries."""
    if P.on_gpu:
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix((values, P.indices, P.indptr), shape=P.shape)
    from scipy.sparse import csr_array

    return csr_array((values, P.indices.copy(), P.indptr.copy()), shape=P.shape)


def triangle(A: Any, uplo: str) -> Any:
    """Return the lower or upper triangle of a CSR matrix, with the diagonal, as CSR."""
    if dev.is_cupy(A.data):
        from cupyx.scipy.sparse import tril, triu
    else:
        from scipy.sparse import tril, triu
    return (tril if uplo == "L" else triu)(A, format="csr")


def check_dense(B: Any, what: str) -> None:
    """Raise an error if products are not a dense array of a library."""
    if not hasattr(B, "reshape") or hasattr(B, "tocsr"):
        raise GraphError(f"{what}, not {type(B).__name__}")


def check_device(P: Pattern, A: Any, what: str) -> None:
    """Raise an error if an array or sparse matrix is not on the pattern's device."""
    array = getattr(A, "data", A) if hasattr(A, "tocsr") else A
    of_cuda = dev.is_cupy(array)
    here = dev.device_of(array) if of_cuda else "cpu"
    if P.device != here and (of_cuda or isinstance(array, np.ndarray)):
        raise DeviceError(
            f"{what} on {here}, and the pattern on {P.device}: move them there, or compute the compression from "
            f"pattern.on({here!r})"
        )


def check_entries(P: Pattern, A: Any) -> None:
    """Raise an error if A is no matrix, is damaged, or has another shape than P or an entry outside P."""
    if not (isinstance(A, np.ndarray) or dev.is_cupy(A) or hasattr(A, "tocoo")):
        raise GraphError(
            f"products need sparse matrices and arrays of SciPy, NumPy and CuPy, not {type(A).__name__}: "
            "convert it, for example by numpy.asarray(A), or multiply it by seeds()"
        )
    if tuple(A.shape) != P.shape:
        raise GraphError(f"the matrix has shape {tuple(A.shape)}, and the pattern {P.shape}")
    if is_sparse(A):
        check_sound(A)
        if _has_entries_of(P, A):
            return
    xp, columns = P.xp, max(P.columns, 1)
    rows, cols = _nonzeros(A)
    keys = P.rows_of_entries().astype(np.int64) * columns + P.indices  # rising, as rows are sorted
    entries = rows * columns + cols
    at = xp.searchsorted(keys, entries)
    absent = xp.flatnonzero(xp.append(keys, -1)[at] != entries)
    if len(absent):
        i, j = divmod(int(entries[absent[0]]), columns)
        raise GraphError(
            f"entry ({i}, {j}) of the matrix is not in the pattern, and would be added to others: "
            "compute the compression from a pattern that has it"
        )


def _has_entries_of(P: Pattern, A: Any) -> bool:
    """Whether a matrix is CSR and its index arrays equal those in the pattern."""
    if getattr(A, "format", "") != "csr":
        return False
    pairs = ((A.indptr, P.indptr), (A.indices, P.indices))
    return all(len(theirs) == len(mine) and not extremes.count_true(theirs != mine) for theirs, mine in pairs)


def _nonzeros(A: Any) -> tuple[Any, Any]:
    """Return the rows and columns of the nonzero entries, int64, on the matrix's device."""
    if isinstance(A, np.ndarray) or dev.is_cupy(A):
        rows, cols = A.nonzero()
    else:
        if A.format in ("csr", "csc"):  # SciPy's tocoo accepts few index types, its constructor all
            A = type(A)((A.data, A.indices, A.indptr), shape=A.shape)
        A = A.tocoo()
        nonzero = A.data != 0
        rows, cols = A.row[nonzero], A.col[nonzero]
    return rows.astype(np.int64), cols.astype(np.int64)


def by_product(gather: Any, partition: str, shapes: Any) -> tuple[Any, list[int]]:
    """Return the stored entries sorted by product, and the offset of each product; int32 if that is enough."""
    with dev.using(gather):
        xp = dev.module_of(gather)
        number, _ = in_product(gather, partition, shapes)
        number = number.astype(np.int32)
        entries = xp.argsort(number, kind="stable").astype(np.int32 if len(gather) < 2**31 else np.int64)
        k = shapes[0][0] if partition == "rows" else shapes[0][1] + (shapes[-1][0] if len(shapes) > 1 else 0)
        offsets = xp.searchsorted(number[entries], xp.arange(k + 1))
        return entries, dev.to_device(offsets, "cpu").tolist()


def in_product(place: Any, partition: str, shapes: Any) -> tuple[Any, Any]:
    """Return the product of each place, and the position in it.

    Products ``A @ s`` are columns of an array of the first shape, products ``w @ A`` rows of the last.
    """
    (rows, right), (_, columns) = shapes[0], shapes[-1]
    by_rows = columns or 1
    if partition == "rows":
        return place // by_rows, place % by_rows
    if len(shapes) == 1:
        return place % (right or 1), place // (right or 1)
    xp, rest = dev.module_of(place), place - rows * right
    number = xp.where(rest < 0, place % (right or 1), right + rest // by_rows)
    return number, xp.where(rest < 0, place // (right or 1), rest % by_rows)


def write(P: Pattern, A: Any, values: Any, entries: Any = slice(None)) -> None:
    """Write entries of a pattern into its CSR matrix, a dense array, or the array of its stored entries."""
    if is_sparse(A):
        check_sound(A)
    xp = P.xp
    dense = isinstance(A, xp.ndarray)
    if not dense and getattr(A, "format", "") != "csr":
        more = ": use A.tocsr()" if hasattr(A, "tocsr") else ""
        raise GraphError(f"only CSR matrices and dense arrays are written to, not {type(A).__name__}{more}")
    stored = dense and A.ndim == 1
    if tuple(A.shape) != ((P.m,) if stored else P.shape):
        also = f", which has {P.m} entries" if stored else ""
        raise GraphError(f"the matrix has shape {tuple(A.shape)}, and the pattern {P.shape}{also}")
    if not np.can_cast(values.dtype, A.dtype, "same_kind"):
        raise GraphError(f"entries of type {values.dtype} do not fit into a matrix of {A.dtype}: use A.astype")
    target = A if dense else A.data
    if not getattr(getattr(target, "flags", None), "writeable", True):  # arrays of CuPy have no such flag
        raise GraphError("the matrix is read-only: use A.copy()")
    if dense:
        A[entries if stored else (P.rows_of_entries()[entries], P.indices[entries])] = values
        return
    if not _has_entries_of(P, A):
        raise GraphError(
            "the matrix has other entries than the pattern, or unsorted rows: pass the matrix that decompress returns"
        )
    target[entries] = values
