"""The CPU engine: each verb is one call of python-graphblas, which calls SuiteSparse:GraphBLAS.

Vectors are instances of `graphblas.Vector`, so all of python-graphblas works with them.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import graphblas as gb
import numpy as np

from . import compiling, interrupts, waiting
from .algebra import BINARY, BOOL, BinaryOp, Monoid, Semiring, UnaryOp, as_dtype, as_monoid, cast, for_ones
from .contract import (
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

# Names of plus, times, … in bool; SuiteSparse has no semirings under the original names.
_IN_BOOL = {"plus": "lor", "max": "lor", "times": "land", "min": "land", "minus": "lxor"}
_MIRRORED = {"first": "second", "second": "first"} | {op: op for op in ("times", "plus", "min", "max", "pair", "land")}
_SELECT = {name: f"value{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")}


class GbMatrix:
    """A `graphblas.Matrix` (attribute `gb`) and its properties."""

    __slots__ = ("dtype", "gb", "ncols", "nrows", "nvals", "pattern", "symmetric")

    def __init__(self, matrix: Any, symmetric: bool = False, pattern: bool = False) -> None:
        self.gb = matrix
        self.symmetric = symmetric
        self.pattern = pattern
        self.dtype = matrix.dtype.np_type
        self.nrows, self.ncols, self.nvals = matrix.nrows, matrix.ncols, matrix.nvals


@interrupts.verbs(
    checks=("vxm", "mxv", "ewise_add", "ewise_mult", "apply", "select", "assign", "extract", "reduce", "any"),
    gives=("matrix", "from_numpy", "from_coo", "to_numpy", "to_coo", "scatter"),
)
class Cpu(Derived):
    """The contract on python-graphblas; see `contract.Engine` for the verbs.

    SuiteSparse multiplies a full vector by all columns of a matrix that is stored by rows. For a symmetric matrix the
    engine requests the product by rows instead. SuiteSparse then skips rows outside the mask, and a sum may stop early.

    Values are only read by `to_coo`. `export`, which `to_dense` uses, returns memory of SuiteSparse as a NumPy array.
    If Python 3.13 checks allocations (`-X dev`), freeing this array ends the process.
    """

    name = "cpu"

    def __init__(self) -> None:
        for part in ("Matrix", "Vector", "unary", "binary", "monoid", "semiring", "op", "agg"):
            getattr(gb, part)  # python-graphblas loads each part at first use, in total 0.1 s

    def matrix(
        self, indptr: Any, indices: Any = None, values: Any = None, *, ncols: int | None = None, symmetric: bool = False
    ) -> GbMatrix:
        if isinstance(indptr, gb.Matrix):
            return GbMatrix(indptr, symmetric)
        indptr, indices, values, ncols = csr_arrays(indptr, indices, values, ncols)
        pattern = values is None
        values = np.atleast_1d(np.asarray(True if pattern else values))
        matrix = gb.Matrix.ss.import_csr(
            nrows=len(indptr) - 1,
            ncols=ncols,
            indptr=indptr.astype(np.uint64),
            col_indices=indices.astype(np.uint64),
            values=values,
            is_iso=len(values) == 1 != len(indices),
            sorted_cols=_rows_sorted(indptr, indices),
        )
        return GbMatrix(matrix, symmetric, pattern)

    def vector(self, n: int, dtype: Any) -> gb.Vector:
        return gb.Vector(as_dtype(dtype), n)

    def full(self, n: int, value: Any, dtype: Any) -> gb.Vector:
        return gb.Vector.from_scalar(cast(value, as_dtype(dtype))[()], n, dtype=as_dtype(dtype))

    def from_numpy(self, values: Any, present: Any = None) -> gb.Vector:
        values = np.asarray(values)
        as_dtype(values.dtype)
        if present is None:
            return gb.Vector.from_dense(values)
        return gb.Vector.ss.import_bitmap(values=values, bitmap=np.asarray(present, bool))

    def from_coo(self, indices: Any, values: Any, n: int, dtype: Any = None) -> gb.Vector:
        values = np.asarray(values)
        dtype = as_dtype(values.dtype if dtype is None else dtype)
        return gb.Vector.from_coo(np.asarray(indices), cast(values, dtype), dtype, size=n)

    def to_numpy(self, u: gb.Vector, fill: Any = 0) -> np.ndarray:
        if u.nvals != _size(u):
            sparse, u = u, gb.Vector(u.dtype, _size(u))
            u << np.asarray(fill).astype(self.dtype(u))[()]
            u(sparse.S) << sparse
        return u.to_coo(indices=False)[1]

    def to_coo(self, u: gb.Vector) -> tuple[np.ndarray, np.ndarray]:
        indices, values = u.to_coo()
        return indices.astype(np.int64), values

    def dup(self, u: gb.Vector) -> gb.Vector:
        return u.dup()

    def dtype(self, u: Any) -> np.dtype:
        return u.dtype if isinstance(u, GbMatrix) else u.dtype.np_type

    def format(self, u: gb.Vector) -> str:
        return u.ss.format

    def as_format(self, u: gb.Vector, format: str) -> gb.Vector:
        if format not in FORMATS:
            raise ValueError(f"format {format!r}: use one of {', '.join(FORMATS)}")
        if format == "full" and u.nvals != _size(u):
            raise ValueError("as_format: a vector with absent entries cannot be full")
        u.ss.config["sparsity_control"] = format
        return u

    def nvals(self, u: gb.Vector) -> int:
        return u.nvals

    def vxm(
        self, u: gb.Vector, A: GbMatrix, semiring: Semiring, *, out: Any = None, direction: Any = None, **w: Any
    ) -> gb.Vector:
        check_direction(direction)
        check_size("vxm", "vector", _size(u), A.nrows)
        mirrored = _mirrored(semiring) if A.symmetric and direction != "push" else None
        if mirrored and (direction or u.nvals == A.nrows):
            op = _semiring(mirrored, A.dtype, u.dtype.np_type, A.pattern, swap=True)
            return _by_rows("vxm", A, u, op, out, w)
        return _write("vxm", u.vxm(A.gb, _semiring(semiring, u.dtype.np_type, A.dtype, A.pattern)), A.ncols, out, **w)

    def mxv(
        self, A: GbMatrix, u: gb.Vector, semiring: Semiring, *, out: Any = None, direction: Any = None, **w: Any
    ) -> gb.Vector:
        check_direction(direction)
        check_size("mxv", "vector", _size(u), A.ncols)
        op = _semiring(semiring, A.dtype, u.dtype.np_type, A.pattern, swap=True)
        return _by_rows("mxv", A, u, op, out, w)

    def ewise_add(self, op: BinaryOp, u: gb.Vector, v: gb.Vector, *, out: Any = None, **w: Any) -> gb.Vector:
        check_size("ewise_add", "second vector", _size(v), _size(u))
        typed = _binary(op, op.domain_of(u.dtype.np_type, v.dtype.np_type))
        return _write("ewise_add", u.ewise_add(v, typed), _size(u), out, **w)

    def ewise_mult(self, op: BinaryOp, u: gb.Vector, v: gb.Vector, *, out: Any = None, **w: Any) -> gb.Vector:
        check_size("ewise_mult", "second vector", _size(v), _size(u))
        typed = _binary(op, op.domain_of(u.dtype.np_type, v.dtype.np_type))
        return _write("ewise_mult", u.ewise_mult(v, typed), _size(u), out, **w)

    def apply(
        self, op: UnaryOp | BinaryOp, u: gb.Vector, *, left: Any = None, right: Any = None, out: Any = None, **w: Any
    ) -> gb.Vector:
        return _write("apply", _map(op, u, left, right), _size(u), out, **w)

    def select(
        self, op: UnaryOp | BinaryOp, u: gb.Vector, thunk: Any = None, *, out: Any = None, **w: Any
    ) -> gb.Vector:
        if isinstance(op, BinaryOp) and op.name in _SELECT and op.python is None and thunk is not None:
            dtype = scalar_dtype(thunk, u.dtype.np_type)
            domain = op.domain_of(u.dtype.np_type, dtype)
            number = gb.Scalar.from_value(cast(cast(thunk, dtype), domain)[()], domain, is_cscalar=False)
            if domain == u.dtype.np_type:
                selected = u.select(getattr(gb.select, _SELECT[op.name])[domain], number)
                return _write("select", selected, _size(u), out, **w)
        keep = _map(op, u, None, thunk).new(bool)
        selected = gb.Vector(u.dtype, _size(u))
        selected(mask=keep.V) << u
        return _write("select", gb.unary.identity[u.dtype](selected), _size(u), out, **w)

    def assign(self, out: gb.Vector, x: Any, indices: Any = None, *, accum: Any = None, **w: Any) -> gb.Vector:
        updater = _updater("assign", out, accum=accum, **w)
        at: Any = ... if indices is None else check_indices("assign", indices, _size(out))
        if isinstance(x, gb.Vector):
            check_size("assign", "source", _size(x), _size(out) if indices is None else len(at))
        elif accum is None:
            x = _number(x, out.dtype.np_type)
        updater[at] = x  # `updater << x` does this too, with more overhead
        return out

    def extract(self, u: gb.Vector, indices: Any, *, out: Any = None, **w: Any) -> gb.Vector:
        at = check_indices("extract", indices, _size(u))
        return _write("extract", u[at], len(at), out, **w)

    def reduce(
        self, monoid: Monoid | BinaryOp, u: Any, *, accum: BinaryOp | None = None, initial: Any = None, **w: Any
    ) -> Any:
        if isinstance(u, GbMatrix):
            return self._reduce_rows(monoid, u, {"accum": accum, **w})
        monoid = as_monoid(monoid)
        domain = monoid.domain_of(u.dtype.np_type)
        total = u.reduce(_monoid(monoid, domain), allow_empty=False).new().value
        return total if accum is None else accumulate_number(accum, initial, total, domain)

    def any(self, u: gb.Vector) -> bool:
        dtype = u.dtype.np_type
        if dtype.kind not in "iu":
            return super().any(u)
        # lor converts every entry to bool, at 10 ns each; max and min read at the speed of memory.
        largest = u.reduce(gb.monoid.max[u.dtype]).new().value
        if largest is None or largest > 0 or dtype.kind == "u":
            return bool(largest)
        return u.reduce(gb.monoid.min[u.dtype]).new().value < 0

    def scatter(
        self, out: gb.Vector, u: gb.Vector, x: Any, *, dup: Monoid | BinaryOp | None = None, accum: Any = None, **w: Any
    ) -> gb.Vector:
        if self.dtype(u).kind not in "iu":
            raise TypeError(f"scatter: the values of u are indices, so of an integer type, not {self.dtype(u)}")
        monoid = as_monoid(dup or BINARY["any"])
        if isinstance(x, gb.Vector):
            check_size("scatter", "source", _size(x), _size(u))
            domain = monoid.domain_of(x.dtype.np_type)
            u = u.ewise_mult(x, gb.binary.first[u.dtype]).new()
            values = x.ewise_mult(u, gb.binary.first[x.dtype]).new().to_coo(indices=False)[1]
        else:
            dtype = scalar_dtype(x, out.dtype.np_type)
            domain, values = monoid.domain_of(dtype), np.asarray(_number(x, dtype))
        to = u.to_coo(indices=False)[1]
        if len(to) and to.view(f"u{to.itemsize}").max() >= _size(out):  # as unsigned, negative indices exceed all sizes
            fits = (to >= 0) & (to < _size(out))
            to, values = to[fits], values[fits] if values.ndim else values
        if values.dtype != domain:
            values = cast(values, domain)
        if monoid.is_any:  # faster than from_coo, which sorts; the last write of NumPy wins
            present = np.zeros(_size(out), BOOL)
            present[to] = True
            sums = np.full(_size(out), 0 if values.ndim else values, domain)
            if values.ndim:
                sums[to] = values
            t = gb.Vector.ss.import_bitmap(values=sums, bitmap=present, take_ownership=True)
        else:
            values = np.broadcast_to(values, to.shape)
            t = gb.Vector.from_coo(to, values, domain, size=_size(out), dup_op=_monoid(monoid, domain).binaryop)
        return _write("scatter", gb.unary.identity[domain](t), _size(out), out, accum=accum or BINARY["second"], **w)


def _number(x: Any, dtype: np.dtype) -> Any:
    """`x` as a NumPy scalar of a type."""
    if type(x) is int and dtype.kind == "i" and -(2**31) <= x < 2**31:  # frequent in loops
        return dtype.type(x)
    return cast(np.asarray(x), dtype)[()]


def _size(u: gb.Vector) -> int:
    """Size of u; `u.size` calls SuiteSparse, which takes as long as a small verb."""
    return u.shape[0]


def _write(verb: str, expression: Any, n: int, out: gb.Vector | None, **w: Any) -> gb.Vector:
    """Write `expression` to `out`, or to a new vector."""
    if out is None:
        w.pop("accum", None), w.pop("replace", None)
        mask = _mask(verb, n, **w)
        return expression.new() if mask is None else expression.new(mask=mask)
    check_size(verb, "out", _size(out), n)
    _updater(verb, out, **w) << expression
    return out


def _by_rows(verb: str, A: GbMatrix, u: gb.Vector, op: Any, out: gb.Vector | None, w: dict[str, Any]) -> gb.Vector:
    """Multiply A by u, row by row."""
    with waiting.threads_for(A.nvals):
        product = A.gb.mxv(u, op)
        casts = not A.dtype == u.dtype.np_type == op.type.np_type
        if casts and w.get("accum") is not None and w.get("mask") is None:
            # SuiteSparse 9.4 returns wrong values if it casts and adds to a full vector in place.
            product = gb.unary.identity(product.new())
        return _write(verb, product, A.nrows, out, **w)


def _updater(
    verb: str,
    out: gb.Vector,
    mask: gb.Vector | None = None,
    complement: bool = False,
    structure: bool = False,
    accum: BinaryOp | None = None,
    replace: bool = False,
) -> Any:
    m = None if mask is None and not complement else _mask(verb, _size(out), mask, complement, structure)
    d = out.dtype.np_type
    typed = None if accum is None else _binary(accum, accum.domain_of(d, d))
    return out(mask=m, accum=typed, replace=replace and m is not None)


def _mask(verb: str, n: int, mask: gb.Vector | None = None, complement: bool = False, structure: bool = False) -> Any:
    if mask is None:
        return gb.Vector(bool, n).S if complement else None  # the complement of no mask: write nowhere
    check_size(verb, "mask", _size(mask), n)
    m = mask.S if structure else mask.V
    return ~m if complement else m


def _map(op: UnaryOp | BinaryOp, u: gb.Vector, left: Any, right: Any) -> Any:
    """op(u), op(left, u) or op(u, right), as an expression."""
    domain, number = bind(op, u.dtype.np_type, left, right)
    if isinstance(op, UnaryOp):
        return u.apply(_unary(op, domain))
    scalar = gb.Scalar.from_value(cast(number, domain)[()], domain, is_cscalar=False)
    typed = _binary(op, domain)
    return u.apply(typed, right=scalar) if left is None else u.apply(typed, left=scalar)


def _rows_sorted(indptr: np.ndarray, indices: np.ndarray) -> bool:
    """True if columns increase within every row."""
    falls = np.flatnonzero(indices[1:] <= indices[:-1]) + 1
    return not len(falls) or bool(np.isin(falls, indptr).all())


@functools.cache
def _binary(op: BinaryOp, domain: np.dtype) -> Any:
    """Typed operator of python-graphblas."""
    if op.python is not None:
        return _compiled(gb.core.operator.BinaryOp, op, domain)
    return getattr(gb.binary, op.name)[domain]


@functools.cache
def _unary(op: UnaryOp, domain: np.dtype) -> Any:
    if op.python is not None:
        return _compiled(gb.core.operator.UnaryOp, op, domain)
    return gb.unary.identity[BOOL] if op.name == "ainv" and domain == BOOL else getattr(gb.unary, op.name)[domain]


@functools.cache
def _monoid(monoid: Monoid, domain: np.dtype) -> Any:
    return _monoid_of_any_type(monoid, domain)[domain]


@functools.cache
def _monoid_of_any_type(monoid: Monoid, domain: np.dtype) -> Any:
    op = monoid.op
    if op.python is not None:
        compiled = _compiled(gb.core.operator.BinaryOp, op, domain, lazily=False).parent
        return gb.core.operator.Monoid.register_anonymous(compiled, monoid.identity(domain), name=op.name)
    return getattr(gb.monoid, _IN_BOOL.get(op.name, op.name) if domain == BOOL else op.name)


@functools.cache
def _mirrored(semiring: Semiring) -> Semiring | None:
    """Semiring with exchanged factors; None if it has no known operator."""
    name = semiring.multiply.name
    if semiring.multiply.python is not None or name not in _MIRRORED:
        return None
    return replace(semiring, multiply=BINARY[_MIRRORED[name]], _typed={})


@functools.cache
def _semiring(semiring: Semiring, x: np.dtype, y: np.dtype, pattern: bool = False, swap: bool = False) -> Any:
    """Typed semiring of python-graphblas for entries of types x and y.

    For a pattern, whose entries are all 1, first (or second) replaces times, which saves a conversion. In bool times
    stays, because SuiteSparse has no kernel for first.
    """
    domain = semiring.domain_of(x, y)
    z = semiring.result(domain)
    if pattern and domain != BOOL:
        semiring = for_ones(semiring, swap)
    add, multiply = semiring.add, semiring.multiply
    names = [op.name if d != BOOL else _IN_BOOL.get(op.name, op.name) for op, d in ((add.op, z), (multiply, domain))]
    if add.op.python is None and multiply.python is None and hasattr(gb.semiring, "_".join(names)):
        known = getattr(gb.semiring, "_".join(names))
        if domain in known.types:
            return known[domain]
    product = (
        _compiled(gb.core.operator.BinaryOp, multiply, domain).parent
        if multiply.python
        else getattr(gb.binary, names[1])
    )
    return gb.core.operator.Semiring.register_anonymous(_monoid_of_any_type(add, z), product)[domain]


def _compiled(kind: Any, op: UnaryOp | BinaryOp, domain: np.dtype, lazily: bool = True) -> Any:
    """Compile a user's Python function with Numba, with a cast to the operator's result type.

    With `lazily`, python-graphblas compiles only for the requested type, but the operator cannot have a monoid.
    """

    def compile_it() -> Any:
        import numba

        function: Any = numba.njit(op.python)
        number = op.result(domain).type
        typed = (lambda x: number(function(x))) if isinstance(op, UnaryOp) else (lambda x, y: number(function(x, y)))
        return kind.register_anonymous(typed, name=op.name, is_udt=lazily)[domain]

    return compiling.run(compile_it, op.name)
