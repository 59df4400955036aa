"""Products of the GPU engine: the choice of pull or push, and of the kernels of product.cu for the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .algebra import BOOL, Monoid, Semiring, cast, for_ones
from .codegen import BLOCK, TILE
from .contract import check_direction, check_size
from .launch import NULL, Program, blocks_of, product_macros, work_macros
from .storage import CHUNK, Chunks, Matrix, Vector
from .vectors import Write

# Push if the edges of u's entries are under 1 / PUSH_PART of all edges. An atomic costs a few times as much as an edge
# of pull; and with a monoid that stops early, pull rarely reads all edges.
PUSH_PART, PUSH_PART_STOPPING = 4, 16

MASK_PASSED, MASK_COMPLEMENT = 32, 16  # as in common.cuh


@dataclass(eq=False)
class Product:
    """Semiring for the types of a vector and a matrix, determined once."""

    semiring: Semiring
    domain: np.dtype
    z: np.dtype
    limit: int


class Products:
    """Implementation of vxm and mxv; it declares the attributes of the engine that it uses."""

    cp: Any
    _launch: Callable[..., Program]

    def _product(
        self: Any, verb: str, u: Vector, A: Matrix, semiring: Semiring, swap: bool, direction: str | None, write: Write
    ) -> Vector:
        if direction is not None:
            check_direction(direction)
        n, out = A.nrows if swap else A.ncols, write.out
        found = A.products.get((semiring, u.dtype, swap)) or _product_of(semiring, u, A, swap)
        mask_args, _keep = self._mask(verb, n, write.mask, write.complement, write.structure)
        t = self._sums(u, A, found, n, swap, direction, mask_args)
        if out is None:
            return t
        check_size(verb, "out", out.size, n)
        if write.accum is None and (write.replace or mask_args[2] == 0) and out.dtype == t.dtype:
            out.store(t.values, t.present)
            return out
        return self._identity(verb, t, write)

    def _sums(
        self: Any, u: Vector, A: Matrix, product: Product, n: int, swap: bool, direction: Any, mask: Any
    ) -> Vector:
        """Product t, without entries outside the mask."""
        cp = self.cp
        u_values, u_present = self._dense(u)
        direction = direction or _direction(u, A, product.limit)
        t = Vector(n, cp.empty(n, product.z))
        decision: tuple[Any, int] = NULL, product.limit
        vector = (u_values, NULL if u_present is None else u_present)
        by_row = A if swap else A.transpose if direction != "push" else A  # its rows belong to entries of t
        if direction != "pull":
            by_entry = A.transpose if swap else A  # its rows belong to entries of u
            if direction is None:
                work = cp.zeros(1, np.uint64)
                program = self._launch("work.cu", work_macros, by_entry.indptr.dtype)
                program("push_work", min(1024, blocks_of(u.size)), by_entry.indptr, u_present, u.size, work)
                decision = work, product.limit
            t.present = cp.zeros(n, BOOL)
            self._push(by_entry, self._program(product, u, by_entry, swap), vector, t, product, decision, mask)
        if direction != "push":
            if t.present is None and (u_present is not None or mask[2] or not by_row.plan.all_rows):
                t.present = cp.empty(n, BOOL)
            self._pull(by_row, self._program(product, u, by_row, swap), product, vector, t, decision, mask)
        return t

    def _program(self: Any, product: Product, u: Vector, A: Matrix, swap: bool) -> Program:
        """Program of product.cu for products by the rows of A."""
        key = product, u.dtype, swap
        program = A.programs.get(key)
        if program is None:
            types = (u.dtype, A.dtype, A.indptr.dtype, product.domain)
            args = (product.semiring, types, A.iso, swap, A.tuning)
            program = A.programs[key] = self._launch("product.cu", product_macros, *args)
        return program

    def _pull(
        self: Any, A: Matrix, run: Program, product: Product, vector: Any, t: Vector, decision: Any, mask: Any
    ) -> None:
        csr = (A.indptr, A.indices, A.values)
        present = NULL if t.present is None else t.present
        n, masked = A.nrows, mask[2] != 0
        streams = A.plan.stream and vector[1] is NULL and not masked and not product.semiring.add.is_any
        if streams and _address(A.indices) % 16 == 0:
            blocks, how = -(-n // (BLOCK // A.plan.stream)), (n, A.plan.stream)
            run("pull_stream", blocks, *csr, A.nvals, vector[0], *how, t.values, present, *decision)
            return
        operands = (*csr, *vector)
        if A.plan.chunks is not None:  # the longest rows first
            self._pull_chunks(A.plan.chunks, run, operands, t, decision, mask)
        for b in A.plan.bins:
            rows = NULL if b.rows is None else b.rows
            if masked and b.rows is None:
                stages = int(n >= A.tuning.staged_rows)
                args = (n, b.width, stages, t.values, present, *decision, *mask)
                run("pull_tile", -(-n // TILE), *operands, *args)
            elif masked:
                args = (rows, b.count, b.width, t.values, present, *decision, *mask)
                run("pull_masked", -(-b.count // TILE), *operands, *args)
            else:
                args = (rows, b.count, b.width, t.values, present, *decision)
                run("pull_all", blocks_of(b.count * b.width), *operands, *args)

    def _pull_chunks(self: Any, c: Chunks, run: Program, operands: Any, t: Vector, decision: Any, mask: Any) -> None:
        """Pull rows with more entries than a warp processes."""
        cp, present = self.cp, NULL if t.present is None else t.present
        partial, has = cp.empty(len(c.row), t.dtype), cp.zeros(len(c.row), BOOL)
        run("pull_chunks", len(c.row), *operands, c.row, c.first, CHUNK, partial, has, *decision, *mask)
        long_rows = (c.long_rows, c.long_first, len(c.long_rows), partial, has)
        run("pull_combine", blocks_of(32 * len(c.long_rows)), *long_rows, t.values, present, *decision, *mask)

    def _push(
        self: Any, A: Matrix, run: Program, vector: Any, t: Vector, product: Product, decision: Any, mask: Any
    ) -> None:
        csr = (A.indptr, A.indices, A.values)
        sums = self._identities(t, product.semiring.add)
        c = A.plan.chunks
        if c is not None:
            chunks = (c.row, c.first, CHUNK, sums, t.present)
            run("push_chunks", len(c.row), *csr, *vector, *chunks, *decision, *mask)
        for b in A.plan.bins:
            bin_ = (NULL if b.rows is None else b.rows, b.count, b.width, sums, t.present)
            run("push", -(-b.count // TILE), *csr, *vector, *bin_, *decision, *mask)
        if sums is not t.values:
            run("finish_push", blocks_of(t.size), sums, t.values, t.size, *decision)

    def _identities(self, t: Vector, monoid: Monoid) -> Any:
        """Memory for atomic sums, filled with the identity: the values of t, or words of 4 bytes for bool."""
        identity = cast(monoid.identity(t.dtype), t.dtype)[()]
        if t.dtype == BOOL:
            return self.cp.full(t.size, int(identity), np.uint32)
        t.values.fill(identity)
        return t.values


def _product_of(semiring: Semiring, u: Vector, A: Matrix, swap: bool) -> Product:
    domain = semiring.domain_of(*((A.dtype, u.dtype) if swap else (u.dtype, A.dtype)))
    z = semiring.result(domain)
    limit = A.nvals // (PUSH_PART_STOPPING if semiring.add.stops(z) else PUSH_PART)
    factors = for_ones(semiring, swap) if A.pattern else semiring
    product = Product(factors, domain, z, limit)
    A.products[semiring, u.dtype, swap] = product
    return product


def _address(a: Any) -> int:
    return a.data.ptr if hasattr(a.data, "ptr") else a.ctypes.data


def _direction(u: Vector, A: Matrix, limit: int) -> str | None:
    """Direction that the host can choose without waiting for the device, or None."""
    known = u.known_nvals
    if known is None:
        return None
    if known == u.size:
        return "pull"
    edges = known * (1 + A.nvals / max(A.nrows, 1))
    return "push" if edges <= limit else "pull"
