"""The specification in code: dense NumPy, slow and obvious.

A vector is a pair of arrays: `values`, and `present` that says which of them are entries.
Reductions run in order of index, so `any` is the entry with the smallest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from semirings.algebra import BINARY, BOOL, BinaryOp, Monoid, Semiring, UnaryOp, as_dtype, as_monoid, cast
from semirings.contract import (
    FORMATS,
    Derived,
    accumulate_number,
    bind,
    check_direction,
    check_indices,
    check_size,
    csr_arrays,
    scalar_dtype,
)


@dataclass
class Vector:
    """Values and presence, both of shape (size,); values of absent entries mean nothing."""

    values: np.ndarray
    present: np.ndarray

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype


@dataclass
class Matrix(Vector):
    """A matrix of shape (nrows, ncols) with the attributes of a vector."""

    @property
    def nrows(self) -> int:
        return self.values.shape[0]

    @property
    def ncols(self) -> int:
        return self.values.shape[1]

    @property
    def nvals(self) -> int:
        return int(self.present.sum())


def call(op: UnaryOp | BinaryOp, domain: np.dtype, *arrays: np.ndarray) -> np.ndarray:
    """op on arrays cast to its domain, as its result type."""
    with np.errstate(all="ignore"):
        return cast(op.numpy(*(cast(a, domain) for a in arrays)), op.result(domain))


def fold(monoid: Monoid, values: np.ndarray) -> Any:
    """The sum of `values`, already of the monoid's domain, from the first to the last."""
    if not len(values):
        return cast(monoid.identity(values.dtype), values.dtype)[()]
    total = values[:1]
    for i in range(1, len(values)):
        total = call(monoid.op, values.dtype, total, values[i : i + 1])
    return total[0]


def union(op: BinaryOp, domain: np.dtype, dtype: np.dtype, u: Vector, v: Vector) -> Vector:
    """op where both have an entry, the one entry where one has; as `dtype`."""
    both, only_u = u.present & v.present, u.present & ~v.present
    values = np.where(only_u, cast(u.values, dtype), cast(v.values, dtype))
    values[both] = cast(call(op, domain, u.values[both], v.values[both]), dtype)
    return Vector(values, u.present | v.present)


def not_zero(values: np.ndarray) -> np.ndarray:
    """Whether a mask by value holds: if some bit is set, so also at the float −0.0."""
    return values.view(f"u{values.itemsize}") != 0


def write(
    verb: str,
    t: Vector,
    out: Vector | None,
    mask: Vector | None = None,
    complement: bool = False,
    structure: bool = False,
    accum: BinaryOp | None = None,
    replace: bool = False,
) -> Vector:
    """out⟨mask, replace⟩ accum= t."""
    if out is None:
        out = Vector(np.zeros_like(t.values), np.zeros(t.size, bool))
    check_size(verb, "out", out.size, t.size)
    if accum is None:
        z = Vector(cast(t.values, out.dtype), t.present)
    else:
        z = union(accum, accum.domain_of(out.dtype, out.dtype), out.dtype, out, t)
    m = np.ones(t.size, bool)
    if mask is not None:
        check_size(verb, "mask", mask.size, t.size)
        m = mask.present & (structure | not_zero(mask.values))
        m = m ^ complement
    elif complement:
        m = ~m
    out.values = np.where(m, z.values, out.values)
    out.present = np.where(m, z.present, out.present & (not replace))
    return out


class Reference(Derived):
    """The specification as an engine; see `semirings.contract.Engine` for the verbs."""

    name = "reference"

    def matrix(
        self, indptr: Any, indices: Any = None, values: Any = None, *, ncols: int | None = None, symmetric: bool = False
    ) -> Matrix:
        indptr, indices, values, ncols = csr_arrays(indptr, indices, values, ncols)
        values = np.asarray(np.bool_(True) if values is None else values)
        nrows = len(indptr) - 1
        shape = (nrows, ncols)
        A = Matrix(np.zeros(shape, as_dtype(values.dtype)), np.zeros(shape, bool))
        rows = np.repeat(np.arange(nrows), np.diff(indptr))
        A.values[rows, indices] = values
        A.present[rows, indices] = True
        return A

    def vector(self, n: int, dtype: Any) -> Vector:
        return Vector(np.zeros(n, as_dtype(dtype)), np.zeros(n, bool))

    def full(self, n: int, value: Any, dtype: Any) -> Vector:
        return Vector(np.full(n, cast(value, as_dtype(dtype))), np.ones(n, bool))

    def from_numpy(self, values: Any, present: Any = None) -> Vector:
        values = np.array(values)
        as_dtype(values.dtype)
        return Vector(values, np.ones(len(values), bool) if present is None else np.array(present, bool))

    def from_coo(self, indices: Any, values: Any, n: int, dtype: Any = None) -> Vector:
        values = np.asarray(values)
        w = self.vector(n, values.dtype if dtype is None else dtype)
        w.values[indices] = cast(values, w.dtype)
        w.present[indices] = True
        return w

    def to_numpy(self, u: Vector, fill: Any = 0) -> np.ndarray:
        return np.where(u.present, u.values, np.asarray(fill).astype(u.dtype))

    def to_coo(self, u: Vector) -> tuple[np.ndarray, np.ndarray]:
        indices = np.flatnonzero(u.present)
        return indices, u.values[indices]

    def dup(self, u: Vector) -> Vector:
        return Vector(u.values.copy(), u.present.copy())

    def dtype(self, u: Vector) -> np.dtype:
        return u.dtype

    def format(self, u: Vector) -> str:
        return "full" if u.present.all() else "bitmap"

    def as_format(self, u: Vector, format: str) -> Vector:
        if format not in FORMATS:
            raise ValueError(f"format {format!r}: use one of {', '.join(FORMATS)}")
        if format == "full" and not u.present.all():
            raise ValueError("as_format: a vector with absent entries cannot be full")
        return u

    def nvals(self, u: Vector) -> int:
        return int(u.present.sum())

    def vxm(self, u: Vector, A: Matrix, semiring: Semiring, *, out: Any = None, direction: Any = None, **w: Any) -> Any:
        check_direction(direction)
        check_size("vxm", "vector", u.size, A.nrows)
        return write("vxm", _product(semiring, u, A.values.T, A.present.T, A.dtype, swap=False), out, **w)

    def mxv(self, A: Matrix, u: Vector, semiring: Semiring, *, out: Any = None, direction: Any = None, **w: Any) -> Any:
        check_direction(direction)
        check_size("mxv", "vector", u.size, A.ncols)
        return write("mxv", _product(semiring, u, A.values, A.present, A.dtype, swap=True), out, **w)

    def ewise_add(self, op: BinaryOp, u: Vector, v: Vector, *, out: Any = None, **w: Any) -> Vector:
        check_size("ewise_add", "second vector", v.size, u.size)
        domain = op.domain_of(u.dtype, v.dtype)
        return write("ewise_add", union(op, domain, op.result(domain), u, v), out, **w)

    def ewise_mult(self, op: BinaryOp, u: Vector, v: Vector, *, out: Any = None, **w: Any) -> Vector:
        check_size("ewise_mult", "second vector", v.size, u.size)
        domain = op.domain_of(u.dtype, v.dtype)
        return write("ewise_mult", Vector(call(op, domain, u.values, v.values), u.present & v.present), out, **w)

    def apply(
        self, op: UnaryOp | BinaryOp, u: Vector, *, left: Any = None, right: Any = None, out: Any = None, **w: Any
    ) -> Vector:
        return write("apply", Vector(_map(op, u, left, right), u.present.copy()), out, **w)

    def select(self, op: UnaryOp | BinaryOp, u: Vector, thunk: Any = None, *, out: Any = None, **w: Any) -> Vector:
        keep = cast(_map(op, u, None, thunk), BOOL)
        return write("select", Vector(u.values, u.present & keep), out, **w)

    def assign(self, out: Vector, x: Any, indices: Any = None, *, accum: Any = None, **w: Any) -> Vector:
        at = np.arange(out.size) if indices is None else check_indices("assign", indices, out.size)
        if not isinstance(x, Vector):
            x = self.full(len(at), x, scalar_dtype(x, out.dtype))
        check_size("assign", "source", x.size, len(at))
        t = self.dup(out)  # with an accumulator only what is assigned counts; without one the rest is unchanged
        t.values, t.present = cast(t.values, x.dtype if accum else out.dtype), t.present & (accum is None)
        t.values[at] = cast(x.values, t.dtype)
        t.present[at] = x.present
        return write("assign", t, out, accum=accum, **w)

    def extract(self, u: Vector, indices: Any, *, out: Any = None, **w: Any) -> Vector:
        at = check_indices("extract", indices, u.size)
        return write("extract", Vector(u.values[at], u.present[at]), out, **w)

    def reduce(
        self, monoid: Monoid | BinaryOp, u: Any, *, accum: BinaryOp | None = None, initial: Any = None, **w: Any
    ) -> Any:
        if isinstance(u, Matrix):
            return self._reduce_rows(monoid, u, {"accum": accum, **w})
        monoid = as_monoid(monoid)
        domain = monoid.domain_of(u.dtype)
        total = fold(monoid, cast(u.values[u.present], domain))
        return total.item() if accum is None else accumulate_number(accum, initial, total, domain)

    def scatter(
        self,
        out: Vector,
        u: Vector,
        x: Any,
        *,
        dup: Monoid | BinaryOp | None = None,
        accum: BinaryOp | None = None,
        **w: Any,
    ) -> Vector:
        if u.dtype.kind not in "iu":
            raise TypeError(f"scatter: the values of u are indices, so of an integer type, not {u.dtype}")
        if not isinstance(x, Vector):
            x = self.full(u.size, x, scalar_dtype(x, out.dtype))
        check_size("scatter", "source", x.size, u.size)
        monoid = as_monoid(dup or BINARY["any"])
        t = self.vector(out.size, monoid.domain_of(x.dtype))
        for i in np.flatnonzero(u.present & x.present):
            k, value = int(u.values[i]), cast(x.values[i : i + 1], t.dtype)
            if 0 <= k < out.size:
                t.values[k] = call(monoid.op, t.dtype, t.values[k : k + 1], value)[0] if t.present[k] else value[0]
                t.present[k] = True
        return write("scatter", t, out, accum=accum or BINARY["second"], **w)


def _map(op: UnaryOp | BinaryOp, u: Vector, left: Any, right: Any) -> np.ndarray:
    """op(u), op(left, u) or op(u, right) at every position."""
    domain, number = bind(op, u.dtype, left, right)
    if number is None:
        return call(op, domain, u.values)
    other = np.full(u.size, number)
    return call(op, domain, *((u.values, other) if left is None else (other, u.values)))


def _product(semiring: Semiring, u: Vector, values: Any, present: Any, dtype: np.dtype, swap: bool) -> Vector:
    """w(i) = ⊕ⱼ u(j) ⊗ values(i, j), or values(i, j) ⊗ u(j)."""
    domain = semiring.domain_of(*((dtype, u.dtype) if swap else (u.dtype, dtype)))
    w = Vector(np.zeros(len(values), semiring.result(domain)), np.zeros(len(values), bool))
    for i in range(len(values)):
        j = np.flatnonzero(present[i] & u.present)
        pair = (values[i, j], u.values[j]) if swap else (u.values[j], values[i, j])
        if len(j):
            w.values[i] = fold(semiring.add, call(semiring.multiply, domain, *pair))
            w.present[i] = True
    return w
