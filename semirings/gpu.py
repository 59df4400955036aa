"""The GPU engine: CuPy arrays and the kernels in kernels/*.cu, specialised and compiled at first use.

The host never waits for the device but where it is asked for a number (reduce, nvals, any) or for another format,
and once for each matrix, to plan how its rows are spread over threads.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import codegen
from .algebra import BINARY, BOOL, UNARY, BinaryOp, Monoid, Semiring, UnaryOp, as_dtype, as_monoid, beside_ones, cast
from .codegen import BLOCK, TILE
from .contract import (
    FORMATS,
    Derived,
    accumulate_number,
    bind,
    check_direction,
    check_indices,
    check_size,
    scalar_dtype,
    unpack_csr,
)
from .launch import (
    HostNumber,
    Launcher,
    blocks_of,
    cupy,
    elementwise_macros,
    place_macros,
    product_key,
    reduce_macros,
    scatter_macros,
    work_macros,
)
from .storage import CHUNK, Matrix, Tuning, Vector

# Push where the edges of u's entries are fewer than this part of all. Atomics cost a few times what a pull costs an
# edge; and with a monoid that stops early pull rarely looks at all of them.
PUSH_PART, PUSH_PART_STOPPING = 4, 16

MASK_GIVEN, MASK_COMPLEMENT, MASK_BYTES = 32, 16, 15  # as in common.cuh
OUT_EMPTY, OUT_FULL, OUT_BITMAP = 0, 1, 2
NULL = 0


class Gpu(Derived):
    """CuPy behind the contract; see `semirings.contract.Engine` for the verbs.

    Parameters
    ----------
    cp : module, optional
        CuPy, or what behaves like it.
    tuning : Tuning, optional
        Of this engine's matrices.
    """

    name = "cuda"

    def __init__(self, cp: Any = None, tuning: Tuning | None = None) -> None:
        self.cp = cp or cupy()
        self.tuning = tuning
        self._launch = Launcher(self.cp)
        self._total = HostNumber(self.cp)

    # ---- making and reading --------------------------------------------------------------------------------

    def matrix(
        self, indptr: Any, indices: Any = None, values: Any = None, *, ncols: int | None = None, symmetric: bool = False
    ) -> Matrix:
        if isinstance(indptr, Matrix):
            return indptr
        if indices is None:
            indptr, indices, values, ncols = unpack_csr(indptr)
        if values is not None:
            as_dtype(np.result_type(values))
        ncols = len(indptr) - 1 if ncols is None else ncols
        return Matrix(self.cp, indptr, indices, values, ncols, symmetric, self.tuning)

    def vector(self, n: int, dtype: Any) -> Vector:
        cp = self.cp
        return Vector(n, cp.empty(0, as_dtype(dtype)), indices=cp.empty(0, np.int64))

    def full(self, n: int, value: Any, dtype: Any) -> Vector:
        dtype = as_dtype(dtype)
        return Vector(n, self.cp.full(n, cast(value, dtype)[()], dtype))

    def from_numpy(self, values: Any, present: Any = None) -> Vector:
        cp = self.cp
        values = cp.array(values, order="C")
        as_dtype(values.dtype)
        return Vector(len(values), values, None if present is None else cp.array(present, dtype=BOOL, order="C"))

    def from_coo(self, indices: Any, values: Any, n: int, dtype: Any = None) -> Vector:
        cp = self.cp
        at = cp.array(indices, dtype=np.int64, order="C")
        values = cp.asarray(values)
        w = Vector(len(at), cp.array(cp.broadcast_to(values, at.shape), order="C"))
        own = as_dtype(values.dtype)
        if dtype is not None and as_dtype(dtype) != own:
            w = self.apply(UNARY["identity"], w, out=self.vector(len(at), dtype))
        return Vector(n, w.values, indices=at)

    def to_numpy(self, u: Vector, fill: Any = 0) -> np.ndarray:
        return self.cp.asnumpy(self.to_array(u, fill))

    def to_array(self, u: Vector, fill: Any = 0) -> Any:
        values, present = self._dense(u)
        if present is None:
            return values.copy()
        return self.cp.where(present, values, self.cp.asarray(np.asarray(fill).astype(u.dtype)))

    def to_coo(self, u: Vector) -> tuple[np.ndarray, np.ndarray]:
        cp = self.cp
        if u.indices is None:
            values, present = cp.asnumpy(u.values), None if u.present is None else cp.asnumpy(u.present)
            at = np.arange(u.size) if present is None else np.flatnonzero(present)
            return at, values[at]
        at = cp.asnumpy(u.indices)
        order = np.argsort(at)
        return at[order], cp.asnumpy(u.values)[order]

    def dup(self, u: Vector) -> Vector:
        w = Vector(u.size, *(None if a is None else a.copy() for a in (u.values, u.present, u.indices)))
        w._nvals = u._nvals
        return w

    def dtype(self, u: Any) -> np.dtype:
        return u.dtype

    def format(self, u: Vector) -> str:
        return u.format

    def as_format(self, u: Vector, format: str) -> Vector:
        cp = self.cp
        if format not in FORMATS:
            raise ValueError(f"format {format!r}: use one of {', '.join(FORMATS)}")
        if format == "full" and u.nvals != u.size:
            raise ValueError("as_format: a vector with absent entries cannot be full")
        if format == u.format:
            return u
        values, present = self._dense(u)
        if format == "full":
            u.store(values)
        elif format == "bitmap":
            u.store(values, cp.ones(u.size, BOOL) if present is None else present)
        else:
            at = cp.arange(u.size) if present is None else cp.flatnonzero(present)
            u.store(values[at], indices=at)
        return u

    def nvals(self, u: Vector) -> int:
        return u.nvals

    # ---- products ------------------------------------------------------------------------------------------

    def vxm(self, u: Vector, A: Matrix, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Vector:
        check_direction(direction)
        check_size("vxm", "vector", u.size, A.nrows)
        return self._product("vxm", u, A, semiring, A.ncols, False, direction, **write)

    def mxv(self, A: Matrix, u: Vector, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Vector:
        check_direction(direction)
        check_size("mxv", "vector", u.size, A.ncols)
        return self._product("mxv", u, A, semiring, A.nrows, True, direction, **write)

    def _product(
        self,
        verb: str,
        u: Vector,
        A: Matrix,
        semiring: Semiring,
        n: int,
        swap: bool,
        direction: str | None,
        *,
        out: Vector | None = None,
        mask: Vector | None = None,
        complement: bool = False,
        structure: bool = False,
        accum: BinaryOp | None = None,
        replace: bool = False,
    ) -> Vector:
        domain = semiring.domain_of(*((A.dtype, u.dtype) if swap else (u.dtype, A.dtype)))
        if A.pattern:
            semiring = beside_ones(semiring, swap)
        mask_args, _keep = self._mask(verb, n, mask, complement, structure)
        t = self._sums(u, A, semiring, domain, n, swap, direction, mask_args)
        if out is None:
            return t
        check_size(verb, "out", out.size, n)
        if accum is None and (replace or mask_args[2] == 0) and out.dtype == t.dtype:
            out.store(t.values, t.present)
            return out
        return self._identity(verb, t, out, mask, complement, structure, accum, replace)

    def _sums(
        self, u: Vector, A: Matrix, semiring: Semiring, domain: np.dtype, n: int, swap: bool, direction: Any, mask: Any
    ) -> Vector:
        """t, which has no entry where the mask says no."""
        cp = self.cp
        u_values, u_present = self._dense(u)
        z = semiring.result(domain)
        limit = A.nvals // _push_part(semiring.add, z)
        direction = direction or _direction(u, A, limit)
        work: Any = NULL
        by_row = A if swap else A.transpose  # a row of it makes an entry of t
        by_entry = A.transpose if swap else A  # a row of it is what an entry of u leads to
        if direction is None:
            work = cp.zeros(1, np.uint64)
            key = ("work.cu", work_macros, (by_entry.indptr.dtype,))
            self._launch(key, "push_work", min(1024, blocks_of(u.size)), by_entry.indptr, u_present, u.size, work)
        t = Vector(n, cp.empty(n, z))
        decision = (work, limit)
        vector = (u_values, NULL if u_present is None else u_present)
        if direction != "pull":
            t.present = cp.zeros(n, BOOL)
            self._push(by_entry, product_key(semiring, u, by_entry, domain, swap), vector, t, semiring, decision, mask)
        if direction != "push":
            if t.present is None and (u_present is not None or mask[2] or not by_row.plan.all_rows):
                t.present = cp.empty(n, BOOL)
            if u_present is None and direction == "pull" and _ordering_pays(by_row, semiring, z, mask[2] != 0):
                self._pull_ordered(by_row, semiring, Vector(u.size, u_values), domain, swap, t, mask)
            else:
                self._pull(by_row, product_key(semiring, u, by_row, domain, swap), semiring, vector, t, decision, mask)
        return t

    def _pull(self, A: Matrix, key: Any, semiring: Semiring, vector: Any, t: Vector, decision: Any, mask: Any) -> None:
        cp = self.cp
        csr = (A.indptr, A.indices, A.values)
        present = NULL if t.present is None else t.present
        streams = A.tuning.stream and vector[1] is NULL and not mask[2] and not semiring.add.is_any
        streams = streams and _address(A.indices) % 16 == 0
        whole = A.plan.whole if streams else None
        c = A.plan.chunks
        if c is not None and whole is None:  # the heaviest first
            partial, has = cp.empty(len(c.row), t.dtype), cp.zeros(len(c.row), BOOL)
            chunks = (c.row, c.first, CHUNK, partial, has)
            self._launch(key, "pull_chunks", len(c.row), *csr, *vector, *chunks, *decision, *mask)
            long_rows = (c.long_rows, c.long_first, len(c.long_rows), partial, has)
            self._launch(
                key, "pull_combine", blocks_of(32 * len(c.long_rows)), *long_rows, t.values, present, *decision, *mask
            )
        for b in [whole] if whole else A.plan.bins:
            rows = NULL if b.rows is None else b.rows
            if streams and b.stream:
                span = (b.start, b.count, b.stream)
                blocks = -(-b.count // (BLOCK // b.stream))
                self._launch(key, "pull_stream", blocks, *csr, A.nvals, vector[0], *span, t.values, present, *decision)
                continue
            width = max(1, b.width // A.tuning.masked_narrower) if mask[2] else b.width
            args = (*csr, *vector, rows, b.start, b.count, width, t.values, present, *decision)
            if mask[2]:
                self._launch(key, "pull_masked", -(-b.count // (BLOCK * A.tuning.masked_rows)), *args, *mask)
            else:
                self._launch(key, "pull_all", blocks_of(b.count * width), *args)

    def _pull_ordered(
        self, A: Matrix, semiring: Semiring, u: Vector, domain: np.dtype, swap: bool, t: Vector, mask: Any
    ) -> None:
        """`_pull` on the copy of A by falling degree: the vector, the mask and the sums change places."""
        cp, o = self.cp, A.ordered
        B = o.matrix
        u = Vector(A.ncols, u.values[o.columns])
        if mask[2]:
            mask = (self._kept(A.nrows, mask)[o.rows], NULL, MASK_GIVEN | 1)
        sums = Vector(A.nrows, cp.empty(A.nrows, t.dtype), None if t.present is None else cp.empty(A.nrows, BOOL))
        self._pull(B, product_key(semiring, u, B, domain, swap), semiring, (u.values, NULL), sums, (NULL, 0), mask)
        cp.take(sums.values, o.place, out=t.values)
        if t.present is not None:
            cp.take(sums.present, o.place, out=t.present)

    def _kept(self, n: int, mask: Any) -> Any:
        """The mask as one array of bool."""
        values, present, flags = mask
        itemsize = flags & MASK_BYTES
        keep = self.cp.full(n, bool(flags & MASK_GIVEN), BOOL) if present is NULL else present
        if itemsize:
            keep = keep & (values.view(f"u{itemsize}") != 0)
        return ~keep if flags & MASK_COMPLEMENT else keep

    def _push(self, A: Matrix, key: Any, vector: Any, t: Vector, semiring: Semiring, decision: Any, mask: Any) -> None:
        csr = (A.indptr, A.indices, A.values)
        sums = self._identities(t, semiring.add)
        c = A.plan.chunks
        if c is not None:
            chunks = (c.row, c.first, CHUNK, sums, t.present)
            self._launch(key, "push_chunks", len(c.row), *csr, *vector, *chunks, *decision, *mask)
        for b in A.plan.bins:
            bin_ = (NULL if b.rows is None else b.rows, b.count, b.width, sums, t.present)
            self._launch(key, "push", -(-b.count // TILE), *csr, *vector, *bin_, *decision, *mask)
        if sums is not t.values:
            self._launch(key, "finish_push", blocks_of(t.size), sums, t.values, t.size, *decision)

    def _identities(self, t: Vector, monoid: Monoid) -> Any:
        """What atomics add to: t's own values, filled with the identity; words of 4 bytes for bool."""
        identity = cast(monoid.identity(t.dtype), t.dtype)[()]
        if t.dtype == BOOL:
            return self.cp.full(t.size, int(identity), np.uint32)
        t.values.fill(identity)
        return t.values

    # ---- elementwise verbs ---------------------------------------------------------------------------------

    def ewise_add(self, op: BinaryOp, u: Vector, v: Vector, **write: Any) -> Vector:
        check_size("ewise_add", "second vector", v.size, u.size)
        domain = op.domain_of(u.dtype, v.dtype)
        return self._elementwise("ewise_add", "EWISE_ADD", op, u, v=v, domain=domain, t=op.result(domain), **write)

    def ewise_mult(self, op: BinaryOp, u: Vector, v: Vector, **write: Any) -> Vector:
        check_size("ewise_mult", "second vector", v.size, u.size)
        domain = op.domain_of(u.dtype, v.dtype)
        return self._elementwise("ewise_mult", "EWISE_MULT", op, u, v=v, domain=domain, t=op.result(domain), **write)

    def apply(self, op: UnaryOp | BinaryOp, u: Vector, *, left: Any = None, right: Any = None, **write: Any) -> Vector:
        domain, number = bind(op, u.dtype, left, right)
        kind = "UNARY" if number is None else "BOUND_RIGHT" if left is None else "BOUND_LEFT"
        number = None if number is None else (number.dtype, codegen.bits(number, number.dtype))
        return self._elementwise("apply", kind, op, u, number=number, domain=domain, t=op.result(domain), **write)

    def select(self, op: UnaryOp | BinaryOp, u: Vector, thunk: Any = None, **write: Any) -> Vector:
        domain, number = bind(op, u.dtype, None, thunk)
        kind = "SELECT_UNARY" if number is None else "SELECT_RIGHT"
        number = None if number is None else (number.dtype, codegen.bits(number, number.dtype))
        return self._elementwise("select", kind, op, u, number=number, domain=domain, t=u.dtype, **write)

    def extract(self, u: Vector, indices: Any, *, out: Vector | None = None, **write: Any) -> Vector:
        at, checked = self._indices("extract", indices, u.size)
        if out is u:
            u = self.dup(u)  # its entries move
        return self._elementwise("extract", "GATHER", None, u, at=at, checked=checked, t=u.dtype, out=out, **write)

    def assign(self, out: Vector, x: Any, indices: Any = None, **write: Any) -> Vector:
        if isinstance(x, Vector):
            check_size("assign", "source", x.size, out.size if indices is None else len(indices))
        if indices is None and isinstance(x, Vector):
            return self._elementwise("assign", "UNARY", UNARY["identity"], x, t=x.dtype, out=out, **write)
        if indices is None:
            dtype = scalar_dtype(x, out.dtype)
            number = dtype, codegen.bits(x, dtype)
            return self._elementwise("assign", "CONSTANT", None, None, number=number, t=dtype, out=out, **write)
        t = self._placed(out, x, indices, write.get("accum") is not None)
        return self._elementwise("assign", "UNARY", UNARY["identity"], t, t=t.dtype, out=out, **write)

    def _placed(self, out: Vector, x: Any, indices: Any, alone: bool) -> Vector:
        """x at `indices`, among a copy of out's entries or (with an accumulator) alone."""
        cp = self.cp
        at, _ = self._indices("assign", indices, out.size)
        if not isinstance(x, Vector):
            dtype = scalar_dtype(x, out.dtype)
            x_values, x_present, number = NULL, None, codegen.bits(x, dtype)
        else:
            dtype, number = x.dtype, 0
            x_values, x_present = self._dense(x)
        if alone:
            t = Vector(out.size, cp.empty(out.size, dtype), cp.zeros(out.size, BOOL))
        else:
            values, present = self._dense(out)
            t = Vector(out.size, values.copy(), present if present is None else present.copy())
            if present is None and x_present is not None:
                t.present = cp.ones(out.size, BOOL)
        self._place(at, x_values, x_present, number, dtype, t)
        return t

    def _place(self, at: Any, x_values: Any, x_present: Any, number: int, dtype: np.dtype, t: Vector) -> None:
        key = ("place.cu", place_macros, (dtype, t.dtype))
        x = (x_values, NULL if x_present is None else x_present, number)
        present = NULL if t.present is None else t.present
        self._launch(key, "place", blocks_of(len(at)), len(at), at, *x, t.values, present, t.size)

    def scatter(
        self,
        out: Vector,
        u: Vector,
        x: Any,
        *,
        dup: Monoid | BinaryOp | None = None,
        accum: BinaryOp | None = None,
        **write: Any,
    ) -> Vector:
        if u.dtype.kind not in "iu":
            raise TypeError(f"scatter: the values of u are indices, so of an integer type, not {u.dtype}")
        cp = self.cp
        monoid = as_monoid(dup or BINARY["any"])
        u_values, u_present = self._dense(u)
        if isinstance(x, Vector):
            check_size("scatter", "source", x.size, u.size)
            dtype, number = x.dtype, 0
            x_values, x_present = self._dense(x)
        else:
            dtype = scalar_dtype(x, out.dtype)
            x_values, x_present, number = NULL, None, codegen.bits(x, dtype)
        z = monoid.domain_of(dtype)
        t = Vector(out.size, cp.empty(out.size, z), cp.zeros(out.size, BOOL))
        sums = self._identities(t, monoid)
        key = ("scatter.cu", scatter_macros, (monoid, z, u.dtype, dtype))
        pair = (u_values, NULL if u_present is None else u_present, x_values, NULL if x_present is None else x_present)
        self._launch(key, "scatter", blocks_of(u.size), u.size, *pair, number, sums, t.present, t.size)
        if sums is not t.values:
            self._launch(key, "finish_scatter", blocks_of(t.size), sums, t.values, t.size)
        identity = UNARY["identity"]
        accum = accum or BINARY["second"]
        return self._elementwise("scatter", "UNARY", identity, t, t=z, out=out, accum=accum, **write)

    def reduce(
        self, monoid: Monoid | BinaryOp, u: Any, *, accum: BinaryOp | None = None, initial: Any = None, **write: Any
    ) -> Any:
        if isinstance(u, Matrix):
            return self._reduce_rows(monoid, u, {"accum": accum, **write})
        cp = self.cp
        monoid = as_monoid(monoid)
        z = monoid.domain_of(u.dtype)
        values, present = (u.values, None) if u.indices is not None else (u.values, u.present)
        n = len(values)
        blocks = max(1, min(1024, -(-n // (4 * BLOCK))))
        partial, has = cp.empty(blocks, z), cp.empty(blocks, BOOL)
        key = ("reduce.cu", reduce_macros, (monoid, z, u.dtype))
        self._launch(key, "reduce", blocks, n, values, NULL if present is None else present, partial, has)
        self._launch(key, "reduce_partials", 1, blocks, partial, has, self._total.address)
        value = self._total.read(z)
        return value if accum is None else accumulate_number(accum, initial, value, z)

    # ---- what the verbs share ------------------------------------------------------------------------------

    def _identity(
        self, verb: str, t: Vector, out: Vector, mask: Any, complement: bool, structure: bool, accum: Any, replace: bool
    ) -> Vector:
        """Writes a computed t to `out`."""
        rest = {"mask": mask, "complement": complement, "structure": structure, "accum": accum, "replace": replace}
        return self._elementwise(verb, "UNARY", UNARY["identity"], t, t=t.dtype, out=out, **rest)

    def _elementwise(
        self,
        verb: str,
        kind: str,
        op: UnaryOp | BinaryOp | None,
        u: Vector | None,
        *,
        t: np.dtype,
        domain: np.dtype | None = None,
        v: Vector | None = None,
        number: tuple[np.dtype, int] | None = None,
        at: Any = None,
        checked: bool = True,
        out: Vector | None = None,
        mask: Vector | None = None,
        complement: bool = False,
        structure: bool = False,
        accum: BinaryOp | None = None,
        replace: bool = False,
    ) -> Vector:
        """One kernel of elementwise.cu: computes t and writes it to `out`."""
        cp = self.cp
        n = len(at) if at is not None else u.size if u is not None else out.size if out is not None else 0
        u_values, u_present = (NULL, None) if u is None else self._dense(u)
        v_values, v_present = (NULL, None) if v is None else self._dense(v)
        mask_args, _keep = self._mask(verb, n, mask, complement, structure)
        if out is None:
            out, state, accum = Vector(n, cp.empty(n, t)), OUT_EMPTY, None
        else:
            check_size(verb, "out", out.size, n)
            state = self._writable(out)
        covers = _covers(kind, u_present is None, v_present is None, checked) or (
            accum is not None and state == OUT_FULL
        )
        keeps = mask_args[2] == 0 or (state == OUT_FULL and not replace)
        old = NULL if out.present is None else out.present
        present = None if covers and keeps else cp.empty(n, BOOL) if out.present is None else out.present
        u_type = t if u is None else u.dtype
        types = (u_type, out.dtype, t, domain, BOOL if v is None else v.dtype, BOOL if number is None else number[0])
        key = ("elementwise.cu", elementwise_macros, (kind, op, accum, *types))
        self._launch(
            key,
            "elementwise",
            blocks_of(n),
            *(n, u_values, NULL if u_present is None else u_present),
            *(v_values, NULL if v_present is None else v_present),
            0 if number is None else number[1],
            *(NULL if at is None else at, n if u is None else u.size),
            *(out.values, old, NULL if present is None else present, state, int(replace)),
            *mask_args,
        )
        out.store(out.values, present)
        return out

    def _writable(self, out: Vector) -> int:
        """`out` with a value for every position, and what it holds."""
        if out.indices is not None:
            if not len(out.indices):
                out.store(self.cp.empty(out.size, out.dtype))
                return OUT_EMPTY
            out.store(*self._dense(out))
        return OUT_FULL if out.present is None else OUT_BITMAP

    def _dense(self, u: Vector) -> tuple[Any, Any]:
        """Values and presence (None: all) of every position, in arrays of `u` itself unless it is sparse."""
        if u.indices is None:
            return u.values, u.present
        t = Vector(u.size, self.cp.zeros(u.size, u.dtype), self.cp.zeros(u.size, BOOL))
        self._place(u.indices, u.values, None, 0, u.dtype, t)
        return t.values, t.present

    def _mask(
        self, verb: str, n: int, mask: Vector | None, complement: bool, structure: bool
    ) -> tuple[tuple[Any, Any, int], Any]:
        """MASK_PARAMETERS of the kernels; flags 0: no mask. And the arrays, to be kept until the launch."""
        flags = MASK_COMPLEMENT * bool(complement)
        if mask is None:
            return (NULL, NULL, flags), None
        check_size(verb, "mask", mask.size, n)
        values, present = self._dense(mask)
        flags |= MASK_GIVEN | (0 if structure else mask.dtype.itemsize)
        return (values, NULL if present is None else present, flags), (values, present)

    def _indices(self, verb: str, indices: Any, n: int) -> tuple[Any, bool]:
        """Indices on the device, and whether they are known to be in range; those of the device are not looked at.

        Raises
        ------
        IndexError
            Where one on the host is out of range. On the device such an index reads as absent and writes nothing.
        """
        if hasattr(indices, "__cuda_array_interface__"):
            return self.cp.asarray(indices, dtype=np.int64, order="C"), False
        return self.cp.asarray(check_indices(verb, indices, n)), True


@functools.cache
def _push_part(monoid: Monoid, z: np.dtype) -> int:
    return PUSH_PART_STOPPING if monoid.stops(z) else PUSH_PART


def _covers(kind: str, u_full: bool, v_full: bool, checked: bool) -> bool:
    """Whether a kernel of this kind computes a value for every position."""
    if kind == "EWISE_ADD":
        return u_full or v_full
    if kind == "EWISE_MULT":
        return u_full and v_full
    if kind == "GATHER":
        return u_full and checked
    return kind == "CONSTANT" or (u_full and not kind.startswith("SELECT"))


def _address(a: Any) -> int:
    return a.data.ptr if hasattr(a.data, "ptr") else a.ctypes.data


def _ordering_pays(A: Matrix, semiring: Semiring, z: np.dtype, masked: bool) -> bool:
    """Whether A has a hub, and has been read often enough that its copy by falling degree is worth making.

    Not where sums round, as they would change, nor with a monoid that stops at the first entry.
    """
    rounds = z.kind == "f" and semiring.add.name not in ("min", "max")
    if A.tuning.order <= masked or A.plan.chunks is None or A.plan.whole or rounds or semiring.add.is_any:
        return False
    A.pulls += 1
    return A.pulls > A.tuning.order_after


def _direction(u: Vector, A: Matrix, limit: int) -> str | None:
    """What the host can tell without asking the device; None where it cannot."""
    known = u.known_nvals
    if known is None:
        return None
    edges = known * (1 + A.nvals / max(A.nrows, 1))
    return "push" if known < u.size and edges <= limit else "pull"
