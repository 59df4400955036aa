"""The GPU engine: CuPy arrays and the kernels in kernels/*.cu, specialized and compiled at first use.

The host waits for the device only to return a number (reduce, nvals, any), to convert to another format, and once for
each matrix, to plan the distribution of its rows over threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import codegen
from .algebra import BOOL, BinaryOp, Monoid, as_monoid
from .codegen import BLOCK
from .contract import accumulate_number, check_size, csr_arrays
from .devices import cupy, refuse_rocm
from .launch import (
    NULL,
    HostNumber,
    Program,
    blocks_of,
    launcher,
    place_macros,
    reduce_macros,
    scatter_macros,
)
from .products import MASK_COMPLEMENT, MASK_PASSED, Products
from .storage import Matrix, Tuning, Vector
from .vectors import Vectors, on_operands_device


@on_operands_device
class Gpu(Products, Vectors):
    """The contract on CuPy; see `contract.Engine` for the verbs, which run on the device of their operands."""

    name = "cuda"

    def __init__(self, cp: Any = None, tuning: Tuning | None = None) -> None:
        self.cp = cp or cupy()
        refuse_rocm(self.cp)
        self.tuning = tuning  # for matrices of this engine
        self._launch = launcher(self.cp)
        self._elementwise_kernels: dict[Any, tuple[Program, np.dtype]] = {}
        self._total = HostNumber(self.cp)

    # ---- making and reading --------------------------------------------------------------------------------

    def matrix(
        self, indptr: Any, indices: Any = None, values: Any = None, *, ncols: int | None = None, symmetric: bool = False
    ) -> Matrix:
        if isinstance(indptr, Matrix):
            return indptr
        return Matrix(self.cp, *csr_arrays(indptr, indices, values, ncols), symmetric, self.tuning)

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
        run = self._launch("reduce.cu", reduce_macros, monoid, z, u.dtype)
        run("reduce", blocks, n, values, NULL if present is None else present, partial, has)
        value = self._total.after(lambda total: run("reduce_partials", 1, blocks, partial, has, total), z)
        return value if accum is None else accumulate_number(accum, initial, value, z)

    # ---- kernels of one position ---------------------------------------------------------------------------

    def _place(self, at: Any, x_values: Any, x_present: Any, t: Vector) -> None:
        x, dtype = _array_or_bits(x_values, x_present)
        present = NULL if t.present is None else t.present
        run = self._launch("place.cu", place_macros, dtype, t.dtype)
        run("place", blocks_of(len(at)), len(at), at, *x, t.values, present, t.size)

    def _scattered(self, monoid: Monoid, count: int, u: Any, x_values: Any, x_present: Any, t: Vector) -> None:
        x, dtype = _array_or_bits(x_values, x_present)
        sums = self._identities(t, monoid)
        run = self._launch("scatter.cu", scatter_macros, monoid, t.dtype, u[0].dtype, dtype)
        run("scatter", blocks_of(count), count, *map(_pointer, u), *x, sums, t.present, t.size)
        if sums is not t.values:
            run("finish_scatter", blocks_of(t.size), sums, t.values, t.size)

    def _make_elementwise(self, *what: Any) -> Program:
        return self._launch("elementwise.cu", codegen.elementwise, *what)

    def _run_elementwise(
        self, run: Program, n: int, inputs: tuple[Any, ...], positions: tuple[Any, int], target: tuple[Any, ...],
        mask: Any,
    ) -> None:  # fmt: skip
        (u, v, number, scalar), (at, u_size), (out, present, state, replace) = inputs, positions, target
        bits = 0 if scalar is None else codegen.bits(number, scalar)
        vectors = *map(_pointer, (*u, *v)), bits, _pointer(at), u_size
        written = out.values, _pointer(out.present), _pointer(present), state, int(replace)
        run("elementwise", blocks_of(n), n, *vectors, *written, *mask[0])

    def _mask(
        self, verb: str, n: int, mask: Vector | None, complement: bool, structure: bool
    ) -> tuple[tuple[Any, Any, int], Any]:
        """MASK_PARAMETERS of the kernels (flags 0: no mask), and the arrays, which must exist until the launch."""
        flags = MASK_COMPLEMENT * bool(complement)
        if mask is None:
            return (NULL, NULL, flags), None
        check_size(verb, "mask", mask.size, n)
        values, present = self._dense(mask)
        flags |= MASK_PASSED | (0 if structure else mask.dtype.itemsize)
        return (values, NULL if present is None else present, flags), (values, present)


def _pointer(a: Any) -> Any:
    return NULL if a is None else a


def _array_or_bits(values: Any, present: Any) -> tuple[tuple[Any, Any, int], np.dtype]:
    """Kernel arguments for an array or a NumPy number: values, presence and the number's bits; and the type."""
    dtype = np.dtype(values.dtype)
    if isinstance(values, np.generic):
        return (NULL, NULL, codegen.bits(values, dtype)), dtype
    return (values, _pointer(present), 0), dtype
