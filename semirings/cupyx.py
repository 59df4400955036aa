"""The engine on cupyx: a matrix is a csr_matrix of cupyx.scipy.sparse, and a verb is one ElementwiseKernel of CuPy.

This is the simple version of the algebra, for every GPU that CuPy supports; `gpu` is the tuned version. In a product
one thread per row loops over its entries; cupyx computes ordinary products of floats. The host waits when it returns a
number, and once per matrix, to find empty rows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import cupyx_kernels as texts
from . import storage
from .algebra import BINARY, BOOL, BinaryOp, Monoid, Semiring, as_monoid, cast, for_ones
from .contract import accumulate_number, check_direction, check_size, csr_arrays
from .devices import cupy
from .launch import PlainKernel
from .storage import Vector
from .vectors import Vectors, Write, on_operands_device

THREADS = 1 << 16  # number of partial sums of a reduction
PUSH_PART = 16  # push if the number of edges of u's entries, if known to the host, is under 1 / PUSH_PART of all


class CsrMatrix(storage.Matrix):
    """CSR matrix on one device: `csr` is the `cupyx.scipy.sparse.csr_matrix`, whose arrays the kernels read.

    cupyx supports bool, float32 and float64. `csr` of a pattern has bool entries. Integers are in `values`, and `csr`
    is their pattern. A matrix of 2³¹ − 2¹⁶ or more entries has 64-bit offsets and no `csr`.
    """

    def __init__(self, *arguments: Any, csr: Any = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.csr = self._of_cupyx() if csr is None else csr
        if self.csr is not None:
            self.indices, self.indptr = self.csr.indices, self.csr.indptr

    def _of_cupyx(self) -> Any:
        from cupyx.scipy.sparse import csr_matrix

        if self.indptr.dtype != np.int32:
            return None
        has_values = not self.iso and self.dtype.kind not in "iu"
        data = self.values if has_values else self._cp.ones(self.nvals, BOOL)
        return csr_matrix((data, self.indices, self.indptr), shape=(self.nrows, self.ncols))

    @functools.cached_property
    def multiplies(self) -> bool:
        """True if cupyx can multiply the matrix without sorting its rows in place."""
        has_floats = self.dtype.kind == "f" and not self.iso and self.nvals and self.csr is not None
        return bool(has_floats and self.csr.has_canonical_format)

    @functools.cached_property
    def occupied(self) -> Any:
        """Flags of nonempty rows, bytes in 64-bit words (which are copied faster); None if all rows have entries."""
        words = self._cp.zeros(-(-self.nrows // 8), np.uint64)
        words.view(BOOL)[: self.nrows] = flags = self._cp.diff(self.indptr) > 0
        return None if bool(flags.all()) else words

    @property
    def device(self) -> Any:
        """Device of the arrays."""
        return self.indices.device


@on_operands_device
class Cupyx(Vectors):
    """The contract on CuPy (`cp`) and cupyx; see `contract.Engine` for the verbs."""

    name = "cupyx"

    def __init__(self, cp: Any = None) -> None:
        self.cp = cp or cupy()
        self._elementwise_kernels: dict[Any, Any] = {}
        self._kernel = functools.cache(lambda text, *what: PlainKernel(self.cp, text(*what)))

    def _or_empty(self, a: Any, dtype: Any = BOOL) -> Any:
        """An array, or an empty array for None, because these kernels accept no null pointers."""
        return self.cp.empty(0, dtype) if a is None else a

    def matrix(
        self, indptr: Any, indices: Any = None, values: Any = None, *, ncols: int | None = None, symmetric: bool = False
    ) -> CsrMatrix:
        if isinstance(indptr, CsrMatrix):
            return indptr
        arrays = csr_arrays(indptr, indices, values, ncols)
        own = isinstance(arrays[2], self.cp.ndarray) and arrays[2] is getattr(indptr, "data", None)  # the user's matrix
        return CsrMatrix(self.cp, *arrays, symmetric, csr=indptr if own else None)

    # ---- kernels of one position ---------------------------------------------------------------------------

    def _mask(self, verb: str, n: int, mask: Vector | None, complement: bool, structure: bool) -> Any:
        """Mask of the positions to write, as bools; None: all."""
        if mask is None:
            return self.cp.zeros(n, BOOL) if complement else None
        check_size(verb, "mask", mask.size, n)
        values, holds = self._dense(mask)
        if not structure:
            set_bits = values if mask.dtype == BOOL else values.view(f"u{mask.dtype.itemsize}") != 0
            holds = set_bits if holds is None else self.cp.logical_and(set_bits, holds)
        if complement:
            return self.cp.zeros(n, BOOL) if holds is None else self.cp.logical_not(holds)
        return holds

    def _make_elementwise(self, *what: Any) -> Any:
        return self._kernel(texts.elementwise, *what)

    def _run_elementwise(
        self,
        kernel: Any,
        n: int,
        inputs: tuple[Any, ...],
        positions: tuple[Any, int],
        target: tuple[Any, ...],
        mask: Any,
    ) -> None:
        (u, v, number, scalar), (at, u_size), (out, present, state, replace) = inputs, positions, target
        number = False if scalar is None else cast(number, scalar)[()]
        values, v_values = self._or_empty(u[0], scalar), self._or_empty(v[0])
        vectors = values, self._or_empty(u[1]), v_values, self._or_empty(v[1])
        masks = self._or_empty(mask), self._or_empty(out.present)
        into = out.values, self._or_empty(present)
        kernel(*vectors, number, self._or_empty(at, np.int64), u_size, *masks, state, replace, *into, size=n)

    def _place(self, at: Any, x_values: Any, x_present: Any, t: Vector) -> None:
        kernel = self._kernel(texts.place, x_values.dtype, t.dtype, isinstance(x_values, np.generic))
        kernel(at, x_values, self._or_empty(x_present), t.values, self._or_empty(t.present), size=len(at))

    def _scattered(self, monoid: Monoid, count: int, u: Any, x_values: Any, x_present: Any, t: Vector) -> None:
        number = isinstance(x_values, np.generic)
        kernel = self._kernel(texts.scatter, monoid, t.dtype, u[0].dtype, x_values.dtype, number)
        inputs = u[0], self._or_empty(u[1]), x_values, self._or_empty(x_present)
        self._add_up(monoid, t, lambda sums: kernel(*inputs, sums, t.present, size=count))

    def _add_up(self, monoid: Monoid, t: Vector, push: Callable[[Any], None]) -> None:
        """Call ``push(words)``, which adds to the values of t by atomics; a bool temporarily uses a whole word."""
        identity = cast(monoid.identity(t.dtype), t.dtype)[()]
        if t.dtype == BOOL:
            words = self.cp.full(t.size, int(identity), np.uint32)
            push(words)
            t.values[...] = words != 0
        else:
            t.values.fill(identity)
            push(t.values.view(texts.word(t.dtype)))

    # ---- products and sums ---------------------------------------------------------------------------------

    def _product(
        self, verb: str, u: Vector, A: CsrMatrix, semiring: Semiring, swap: bool, direction: str | None, write: Write
    ) -> Vector:
        check_direction(direction)
        n = A.nrows if swap else A.ncols
        domain = semiring.domain_of(*((A.dtype, u.dtype) if swap else (u.dtype, A.dtype)))
        mask = self._mask(verb, n, write.mask, write.complement, write.structure)
        known = u.known_nvals
        few = known is not None and known * (1 + A.nvals / max(A.nrows, 1)) * PUSH_PART < A.nvals
        push = direction == "push" if direction else few
        by_row: Any = A if swap != push else A.transpose  # rows belong to entries of t (pull) or of u (push)
        if mask is None and not push and _is_arithmetic(semiring, u, by_row, domain):
            flags = by_row.occupied
            t = Vector(n, by_row.csr @ u.values, None if flags is None else flags.copy().view(BOOL)[:n])
        else:
            t = self._summed(u, by_row, semiring, domain, swap, push, mask)
        if write.out is None:
            return t
        check_size(verb, "out", write.out.size, n)
        return self._identity(verb, t, write)

    def _summed(
        self, u: Vector, A: CsrMatrix, semiring: Semiring, domain: np.dtype, swap: bool, push: bool, mask: Any
    ) -> Vector:
        """Sum along the rows of A (pull), or add to the columns of its rows (push), inside the mask."""
        cp, z, n = self.cp, semiring.result(domain), A.ncols if push else A.nrows
        values, present = self._dense(u)
        factors = for_ones(semiring, swap) if A.pattern else semiring
        kernel = self._kernel(texts.product, factors, u.dtype, A.dtype, domain, swap, push)
        inputs = A.indptr, A.indices, A.values, values, self._or_empty(present), self._or_empty(mask)
        t = Vector(n, cp.empty(n, z))
        if push:
            t.present = cp.zeros(n, BOOL)
            self._add_up(semiring.add, t, lambda sums: kernel(*inputs, sums, t.present, size=A.nrows))
            return t
        if present is not None or mask is not None or A.occupied is not None:
            t.present = cp.empty(n, BOOL)
        kernel(*inputs, t.values, self._or_empty(t.present), size=n)
        return t

    def reduce(
        self, monoid: Monoid | BinaryOp, u: Any, *, accum: BinaryOp | None = None, initial: Any = None, **write: Any
    ) -> Any:
        if isinstance(u, CsrMatrix):
            return self._reduce_rows(monoid, u, {"accum": accum, **write})
        cp, monoid = self.cp, as_monoid(monoid)
        z = monoid.domain_of(u.dtype)
        values, present = u.values, None if u.indices is not None else u.present
        n = min(THREADS, max(len(values), 1))  # partial sums, because CuPy reduces to a number with one block
        sums, has = cp.empty(n, z), cp.empty(n, BOOL)
        self._kernel(texts.partial_sums, monoid, z, u.dtype)(values, self._or_empty(present), sums, has, size=n)
        value = self._kernel(texts.total, monoid, z)(sums, has).item()
        return value if accum is None else accumulate_number(accum, initial, value, z)


def _is_arithmetic(semiring: Semiring, u: Vector, A: CsrMatrix, domain: np.dtype) -> bool:
    """True if the product of cupyx computes this product."""
    full = u.indices is None and u.present is None
    ordinary = semiring.add.op is BINARY["plus"] and semiring.multiply is BINARY["times"]
    return full and ordinary and domain.kind == "f" and u.dtype == A.dtype == domain and A.multiplies
