"""Products of the GPU engine: pull or push, and which rows go to which kernel of product.cu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .algebra import BOOL, Monoid, Semiring, beside_ones, cast
from .bands import BAND, band_width, in_bands, share_in_bands
from .codegen import BLOCK, TILE
from .contract import check_direction, check_size
from .launch import NULL, Fork, Program, blocks_of, product_macros, work_macros
from .storage import CHUNK, Chunks, Matrix, Vector
from .vectors import Write

# Push where the edges of u's entries are fewer than this part of all. Atomics cost a few times what a pull costs an
# edge; and with a monoid that stops early pull rarely looks at all of them.
PUSH_PART, PUSH_PART_STOPPING = 4, 16

# A copy by falling degree is used if the BAND columns that are read most have this part of all entries. For
# kron_g500-logn21 it is two thirds; of social-4M a quarter, and a copy would lose that neighbors have ids close by.
HOT_SHARE = 0.4

MASK_GIVEN, MASK_COMPLEMENT = 32, 16  # as in common.cuh
NO_MASK = NULL, NULL, 0


@dataclass(eq=False)
class Product:
    """A semiring for the types of a vector and a matrix, found out once."""

    semiring: Semiring
    domain: np.dtype
    z: np.dtype
    limit: int
    may_order: bool


class Products:
    """The verbs vxm and mxv; what they take from the engine is declared here."""

    cp: Any
    _launch: Callable[..., Program]
    _fork: Fork

    def vxm(self, u: Vector, A: Matrix, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Vector:
        check_size("vxm", "vector", u.size, A.nrows)
        return self._product("vxm", u, A, semiring, False, direction, Write(**write))

    def mxv(self, A: Matrix, u: Vector, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Vector:
        check_size("mxv", "vector", u.size, A.ncols)
        return self._product("mxv", u, A, semiring, True, direction, Write(**write))

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
        """t, which has no entry where the mask says no."""
        cp = self.cp
        u_values, u_present = self._dense(u)
        direction = direction or _direction(u, A, product.limit)
        t = Vector(n, cp.empty(n, product.z))
        decision: tuple[Any, int] = NULL, product.limit
        vector = (u_values, NULL if u_present is None else u_present)
        by_row = A if swap else A.transpose if direction != "push" else A  # a row of it makes an entry of t
        if direction != "pull":
            by_entry = A.transpose if swap else A  # a row of it is what an entry of u leads to
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
            whole = u_present is None and direction == "pull" and not mask[2]
            pays = whole and _ordering_pays(cp, by_row, product)
            if pays and by_row.tuning.bands and u.dtype.itemsize <= 4:
                self._pull_banded(by_row, product, Vector(u.size, u_values), swap, t)
            elif pays:
                self._pull_ordered(by_row, product, Vector(u.size, u_values), swap, t)
            else:
                self._pull(by_row, self._program(product, u, by_row, swap), product, vector, t, decision, mask)
        return t

    def _program(self: Any, product: Product, u: Vector, A: Matrix, swap: bool, file: str = "product.cu") -> Program:
        """product.cu, or what is specialized like it, for products by the rows of A."""
        key = product, u.dtype, swap, file
        program = A.programs.get(key)
        if program is None:
            types = (u.dtype, A.dtype, A.indptr.dtype, product.domain)
            args = (product.semiring, types, A.iso, swap, A.tuning)
            program = A.programs[key] = self._launch(file, product_macros, *args)
        return program

    def _pull(
        self: Any, A: Matrix, run: Program, product: Product, vector: Any, t: Vector, decision: Any, mask: Any
    ) -> None:
        csr = (A.indptr, A.indices, A.values)
        present = NULL if t.present is None else t.present
        tuning, masked = A.tuning, mask[2] != 0
        streams = tuning.stream and vector[1] is NULL and not masked and not product.semiring.add.is_any
        streams = streams and _address(A.indices) % 16 == 0
        whole = A.plan.whole if streams else None
        if A.plan.chunks is not None and whole is None:  # the heaviest first
            self._pull_chunks(A.plan.chunks, run, (*csr, *vector), t, decision, mask)
        for b in [whole] if whole else A.plan.bins:
            rows = NULL if b.rows is None else b.rows
            if streams and b.stream:
                span = (b.start, b.count, b.stream)
                blocks = -(-b.count // (BLOCK // b.stream))
                run("pull_stream", blocks, *csr, A.nvals, vector[0], *span, t.values, present, *decision)
                continue
            operands = (*csr, *vector)
            if masked and b.rows is None:  # from row 0 on: only the copy by falling degree has others
                stages = int(b.count >= tuning.staged_rows)
                args = (b.count, b.width, stages, t.values, present, *decision, *mask)
                run("pull_tile", -(-b.count // TILE), *operands, *args)
            elif masked:
                args = (rows, b.count, b.width, t.values, present, *decision, *mask)
                run("pull_masked", -(-b.count // TILE), *operands, *args)
            else:
                args = (rows, b.start, b.count, b.width, t.values, present, *decision)
                run("pull_all", blocks_of(b.count * b.width), *operands, *args)

    def _pull_chunks(self: Any, c: Chunks, run: Program, operands: Any, t: Vector, decision: Any, mask: Any) -> None:
        """Rows of more entries than a warp takes."""
        cp, present = self.cp, NULL if t.present is None else t.present
        partial, has = cp.empty(len(c.row), t.dtype), cp.zeros(len(c.row), BOOL)
        run("pull_chunks", len(c.row), *operands, c.row, c.first, CHUNK, partial, has, *decision, *mask)
        long_rows = (c.long_rows, c.long_first, len(c.long_rows), partial, has)
        run("pull_combine", blocks_of(32 * len(c.long_rows)), *long_rows, t.values, present, *decision, *mask)

    def _pull_banded(self: Any, A: Matrix, product: Product, u: Vector, swap: bool, t: Vector) -> None:
        """`_pull` on the copy of A in bands."""
        cp, tuning = self.cp, A.tuning
        if A.banded is None:
            width = tuning.band or band_width(cp)
            A.banded = in_bands(cp, A, width, min(tuning.bands, -(-A.ncols // width)))
        o = A.banded
        u = Vector(A.ncols, u.values[o.order])
        s, n = o.segments, len(o.segments.starts) - 1
        parts, has = cp.empty(n, t.dtype), cp.empty(n, BOOL)
        run = self._program(product, u, A, swap, "bands.cu")
        operands = (s.starts, o.columns, o.values, u.values, A.ncols, o.width, s.shares, s.task_first, s.task_width)
        rest = Vector(A.nrows, cp.empty(A.nrows, t.dtype), cp.empty(A.nrows, BOOL)) if o.rest else None
        with self._fork() as beside:  # gathers from L2 run concurrently with gathers from shared memory
            shared = o.width * u.dtype.itemsize
            run.launch("pull_bands", s.blocks, tuning.band_threads, shared, *operands, parts, has)
            if rest is not None:
                of_rest = self._program(product, u, o.rest, swap)
                with beside:
                    self._pull(o.rest, of_rest, product, (u.values, NULL), rest, (NULL, 0), NO_MASK)
        rest_sums = (NULL, NULL) if rest is None else (rest.values, rest.present)
        present = NULL if t.present is None else t.present
        sums_of = (o.bands, s.table, parts, has)
        run("finish_bands", blocks_of(A.nrows), A.nrows, o.rows, *rest_sums, *sums_of, t.values, present)

    def _pull_ordered(self: Any, A: Matrix, product: Product, u: Vector, swap: bool, t: Vector) -> None:
        """`_pull` on the copy of A by falling degree: the vector and the sums change places."""
        cp, o = self.cp, A.ordered
        B = o.matrix
        u = Vector(A.ncols, u.values[o.columns])
        sums = Vector(A.nrows, cp.empty(A.nrows, t.dtype), None if t.present is None else cp.empty(A.nrows, BOOL))
        self._pull(B, self._program(product, u, B, swap), product, (u.values, NULL), sums, (NULL, 0), NO_MASK)
        cp.take(sums.values, o.place, out=t.values)
        if t.present is not None:
            cp.take(sums.present, o.place, out=t.present)

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
        """What atomics add to: t's own values, filled with the identity; words of 4 bytes for bool."""
        identity = cast(monoid.identity(t.dtype), t.dtype)[()]
        if t.dtype == BOOL:
            return self.cp.full(t.size, int(identity), np.uint32)
        t.values.fill(identity)
        return t.values


def _product_of(semiring: Semiring, u: Vector, A: Matrix, swap: bool) -> Product:
    domain = semiring.domain_of(*((A.dtype, u.dtype) if swap else (u.dtype, A.dtype)))
    z = semiring.result(domain)
    add = semiring.add
    # The copy by falling degree sums in another order; and a monoid that stops at the first entry reads little anyway.
    rounds = z.kind == "f" and add.name not in ("min", "max")
    limit = A.nvals // (PUSH_PART_STOPPING if add.stops(z) else PUSH_PART)
    beside = beside_ones(semiring, swap) if A.pattern else semiring
    product = Product(beside, domain, z, limit, may_order=not rounds and not add.is_any)
    A.products[semiring, u.dtype, swap] = product
    return product


def _address(a: Any) -> int:
    return a.data.ptr if hasattr(a.data, "ptr") else a.ctypes.data


def _ordering_pays(cp: Any, A: Matrix, product: Product) -> bool:
    """Whether A has hubs with much of all entries, and has been read so often that its copy is worth making."""
    if A.plan.chunks is None or A.plan.whole or not A.tuning.order or not product.may_order:
        return False
    A.pulls += 1
    if A.pulls <= A.tuning.order_after:
        return False
    if A.has_hot_columns is None:
        A.has_hot_columns = share_in_bands(cp, A, BAND) >= HOT_SHARE
    return A.has_hot_columns


def _direction(u: Vector, A: Matrix, limit: int) -> str | None:
    """What the host knows without asking the device; None where it cannot."""
    known = u.known_nvals
    if known is None:
        return None
    if known == u.size:
        return "pull"
    edges = known * (1 + A.nvals / max(A.nrows, 1))
    return "push" if edges <= limit else "pull"
