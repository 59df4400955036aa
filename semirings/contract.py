"""The contract: verbs that every engine has, and code that all engines use.

A verb computes T, then writes it into `out` as GraphBLAS does, out⟨mask, replace⟩ accum= T:

1. Z = T, or with an accumulator Z = out accum T on the union of their entries.
2. Inside the mask `out` becomes Z, including absent entries. Outside the mask entries of `out` are unchanged, or
   deleted with ``replace=True``.

Without `out` the result is a new vector of T's type, in which entries outside the mask are absent.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from .algebra import BINARY, BOOL, MONOIDS, BinaryOp, Monoid, Semiring, UnaryOp, as_dtype, as_monoid, cast
from .sparse import fault, is_sparse

FORMATS = ("full", "bitmap", "sparse")
DIRECTIONS = (None, "pull", "push")


class Engine(Protocol):
    """Vectors, matrices and verbs on one device.

    Every verb has these keywords:

    mask : vector, optional
        Positions to write: nonzero entries of the mask (for floats: not all bits are zero, so −0.0 counts). With
        ``structure=True``, all its entries. With ``complement=True``, all other positions.
    accum : BinaryOp, optional
        Combines an entry of `out` with the new value, in `out`'s type unless the operator names a type.
    replace : bool
        If True, entries of `out` outside the mask are deleted. Default: they are unchanged.
    out : vector, optional
        Vector to write in place and return; it may be one of the inputs.

    Every verb raises ValueError if sizes do not match, and TypeError if an operator does not support the types.
    """

    name: str

    def matrix(
        self, indptr: Any, indices: Any = None, values: Any = None, *, ncols: int | None = None, symmetric: bool = False
    ) -> Any:
        """Create a matrix from CSR arrays, or from a sparse matrix of SciPy (on a GPU also CuPy) as the first argument.

        Parameters
        ----------
        indptr : array, shape (nrows + 1,)
            Row offsets, or a sparse matrix.
        indices : array, shape (m,)
            Columns, without duplicates within a row. int32 arrays on the engine's device are not copied if the engine
            can use them; do not change them afterwards.
        values : array of shape (m,), or a number for all entries, optional
            By default the matrix is a pattern: every entry is 1, in the type of the other operand.
        ncols : int, optional
            Number of columns. Default: the number of rows.
        symmetric : bool
            Whether the matrix equals its transpose. This is not checked, and saves storing the transpose.
        """

    def vector(self, n: int, dtype: Any) -> Any:
        """Create a vector of size `n` without entries."""

    def full(self, n: int, value: Any, dtype: Any) -> Any:
        """Create a vector with all entries equal to `value`."""

    def zeros(self, n: int, dtype: Any = np.int32) -> Any:
        """Create a vector with all entries equal to 0."""

    def from_numpy(self, values: Any, present: Any = None) -> Any:
        """Create a vector from an array.

        Parameters
        ----------
        values : array
            The values, which are copied. The array may be on the engine's device.
        present : array of bool, optional
            Mask of the entries that exist. Default: all.
        """

    def from_coo(self, indices: Any, values: Any, n: int, dtype: Any = None) -> Any:
        """Create a vector of size `n` from distinct indices and their values (or one number for all)."""

    def to_numpy(self, u: Any, fill: Any = 0) -> np.ndarray:
        """Copy the values to the host, with `fill` for absent entries."""

    def to_array(self, u: Any, fill: Any = 0) -> Any:
        """Copy the values on the engine's device, with `fill` for absent entries."""

    def to_coo(self, u: Any) -> tuple[np.ndarray, np.ndarray]:
        """Copy the sorted indices (int64) and the values of the entries to the host."""

    def dup(self, u: Any) -> Any:
        """Copy a vector."""

    def dtype(self, u: Any) -> np.dtype:
        """Type of the entries of a vector or matrix."""

    def format(self, u: Any) -> str:
        """Storage format of a vector: "full", "bitmap" or "sparse"."""

    def as_format(self, u: Any, format: str) -> Any:
        """Store `u` in a format until its next write, and return it; ValueError for "full" if entries are absent."""

    def nvals(self, u: Any) -> int:
        """Number of entries of a vector."""

    def vxm(self, u: Any, A: Any, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Any:
        """w(j) = ⊕ᵢ u(i) ⊗ A(i, j); `direction` "pull" or "push" selects the method and does not change the result."""

    def mxv(self, A: Any, u: Any, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Any:
        """w(i) = ⊕ⱼ A(i, j) ⊗ u(j); see `vxm` for `direction`."""

    def ewise_add(self, op: BinaryOp, u: Any, v: Any, **write: Any) -> Any:
        """w = op(u, v) if both have an entry, else the only entry, cast to the result type of op."""

    def ewise_mult(self, op: BinaryOp, u: Any, v: Any, **write: Any) -> Any:
        """w = op(u, v) if both have an entry."""

    def apply(self, op: UnaryOp | BinaryOp, u: Any, *, left: Any = None, right: Any = None, **write: Any) -> Any:
        """w = op(u); for a binary operator with a number on one side, op(left, u) or op(u, right)."""

    def select(self, op: UnaryOp | BinaryOp, u: Any, thunk: Any = None, **write: Any) -> Any:
        """Entries of u such that op(u(i)), or op(u(i), thunk), is true."""

    def assign(self, out: Any, x: Any, indices: Any = None, **write: Any) -> Any:
        """Assign ``out(indices) = x``, where x is a number or a vector.

        Other entries of `out` are unchanged, except those that the mask and `replace` delete. If vector `x` has no
        entry, the entry of `out` is deleted, or unchanged with an accumulator.

        Parameters
        ----------
        out : vector
            The vector to write to.
        x : number or vector
            The values; a vector has an entry per index.
        indices : array of integers, optional
            Distinct indices. Repeated indices raise a ValueError; indices in GPU memory are not checked. Default: all.
        **write
            `mask`, `accum` and `replace`; see the class.
        """

    def extract(self, u: Any, indices: Any, **write: Any) -> Any:
        """w(k) = u(indices[k])."""

    def reduce(
        self, monoid: Monoid | BinaryOp, u: Any, *, accum: BinaryOp | None = None, initial: Any = None, **write: Any
    ) -> Any:
        """⊕ᵢ u(i), a number (the identity without entries), or ``accum(initial, ⊕ᵢ u(i))``; a vector for a matrix."""

    def scatter(self, out: Any, u: Any, x: Any, *, dup: Monoid | BinaryOp | None = None, **write: Any) -> Any:
        """Assign ``out(u(i)) = x``, or x(i) for a vector x, for all entries i of u (and x): GxB_scatter of the paper.

        Other entries of `out` are unchanged, except those that the mask and `replace` delete.

        Parameters
        ----------
        out : vector
            The vector to write to.
        u : vector of integers
            Indices. Values outside 0 … size of `out` − 1 are ignored.
        x : number or vector
            The values.
        dup : Monoid, optional
            Combines values with the same index. Default: any of them.
        **write
            `mask`, `accum` and `replace`; see the class.
        """

    def any(self, u: Any) -> bool:
        """True if some entry is not zero."""

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """Copy vector `y`, with number or vector `x` where `condition` is not zero."""


# Where users import it. The setter also forgets the line of the class; the metaclass has an attribute of its name.
type.__dict__["__module__"].__set__(Engine, "semirings")


class Derived:
    """Methods that all engines derive from the verbs."""

    def to_array(self: Any, u: Any, fill: Any = 0) -> Any:
        return self.to_numpy(u, fill)

    def zeros(self: Any, n: int, dtype: Any = np.int32) -> Any:
        return self.full(n, 0, dtype)

    def any(self: Any, u: Any) -> bool:
        return self.reduce(MONOIDS["lor"], u)

    def where(self: Any, condition: Any, x: Any, y: Any) -> Any:
        return self.assign(self.dup(y), x, mask=condition)

    def _reduce_rows(self: Any, monoid: Monoid | BinaryOp, A: Any, write: dict[str, Any]) -> Any:
        monoid = as_monoid(monoid)
        domain = monoid.domain_of(self.dtype(A))
        ones = self.full(A.ncols, 1, domain)
        return self.mxv(A, ones, Semiring(monoid, BINARY["first"])[domain], **write)


def accumulate_number(accum: BinaryOp, initial: Any, total: Any, domain: np.dtype) -> Any:
    """``accum(initial, total)`` of two numbers of type `domain`, as a Python number."""
    d = accum.domain_of(domain, domain)
    pair = (np.atleast_1d(cast(cast(x, domain), d)) for x in (initial, total))
    with np.errstate(all="ignore"):
        return cast(accum.numpy(*pair), accum.result(d))[0].item()


def check_size(verb: str, what: str, got: int, want: int) -> None:
    """Raise ValueError if sizes differ."""
    if got != want:
        raise ValueError(f"{verb}: {what} has size {got}, expected {want}")


def check_indices(verb: str, indices: Any, n: int) -> np.ndarray:
    """Indices as contiguous int64; IndexError for one outside 0 … n − 1, ValueError if indices of assign repeat."""
    at = np.ascontiguousarray(indices, np.int64)
    if len(at) and (at.min() < 0 or at.max() >= n):
        raise IndexError(f"{verb}: index {at.min() if at.min() < 0 else at.max()} is outside 0 … {n - 1}")
    if verb == "assign" and len(at) > 1:
        seen = np.zeros(n, bool)
        seen[at] = True
        if np.count_nonzero(seen) < len(at):  # the result would depend on the order of writes
            twice = at[np.flatnonzero(np.bincount(at)[at] > 1)[0]]
            raise ValueError(
                f"{verb}: index {twice} occurs twice: indices must be distinct (scatter combines repeated indices)"
            )
    return at


def check_direction(direction: str | None) -> None:
    """Raise ValueError for an unknown direction."""
    if direction not in DIRECTIONS:
        raise ValueError(f"direction {direction!r}: use 'pull', 'push' or None for the engine's choice")


def scalar_dtype(x: Any, dtype: np.dtype) -> np.dtype:
    """Type of a number with entries of type `dtype`: its own for NumPy scalars, the weakest for Python's."""
    if isinstance(x, np.generic):
        return as_dtype(x.dtype)
    if isinstance(x, bool):
        return BOOL
    kinds = dtype.kind
    if isinstance(x, int):
        return dtype if kinds in "iuf" else np.dtype(np.int64)
    if isinstance(x, float):
        return dtype if kinds == "f" else np.dtype(np.float64)
    raise TypeError(f"expected a number, got {type(x).__name__}")


def bind(op: UnaryOp | BinaryOp, dtype: np.dtype, left: Any, right: Any) -> tuple[np.dtype, Any]:
    """Domain of op(u), op(left, u) or op(u, right), and the number, in its own type."""
    if isinstance(op, UnaryOp):
        return op.domain_of(dtype), None
    if (left is None) == (right is None):
        raise TypeError(f"{op.name} is binary: pass one number, left= or right= (select: thunk)")
    number = right if left is None else left
    own = scalar_dtype(number, dtype)
    return op.domain_of(dtype, own), cast(number, own)[()]


def csr_arrays(indptr: Any, indices: Any, values: Any, ncols: int | None) -> tuple[Any, Any, Any, int]:
    """Arguments of `matrix` as CSR arrays; TypeError for other inputs and types, ValueError for damaged host arrays."""
    if indices is None:
        indptr, indices, values, ncols = _of_sparse(indptr)
    elif not hasattr(indices, "__cuda_array_interface__"):  # an index out of range would end the process
        indptr, indices = np.asarray(indptr), np.asarray(indices, None if len(indices) else np.int32)
        shape = len(indptr) - 1, len(indptr) - 1 if ncols is None else ncols
        values = np.asarray(values) if isinstance(values, list) else values
        data = values if isinstance(values, np.ndarray) and values.ndim else indices
        if wrong := fault(SimpleNamespace(format="csr", shape=shape, indptr=indptr, indices=indices, data=data)):
            raise ValueError(f"the arrays of the matrix are damaged: {wrong}")
    if values is not None:
        as_dtype(values.dtype if hasattr(values, "dtype") else np.asarray(values).dtype)
    return indptr, indices, values, len(indptr) - 1 if ncols is None else ncols


def _of_sparse(x: Any) -> tuple[Any, Any, Any, int]:
    """indptr, indices, values and ncols of a sparse matrix; TypeError for other inputs, ValueError for damaged ones."""
    if is_sparse(x) and (wrong := fault(x)):
        raise ValueError(f"the sparse matrix is damaged: {wrong}")
    if not hasattr(x, "tocsr"):
        raise TypeError(f"cannot make a matrix of {type(x).__name__}: pass a sparse matrix, or indptr and indices")
    csr = x.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr.indptr, csr.indices, csr.data, csr.shape[1]
