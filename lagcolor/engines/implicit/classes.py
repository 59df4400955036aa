"""First-fit of Pauli strings on a CPU, in a given order.

A string joins the first class that it may join. Classes are in blocks of 512; each of their rows (see __init__.py)
costs a load and an exclusive or. Threads search classes for a batch of strings in the state before the batch. Then one
thread processes the batch in order, and continues each search from the class found: a class that grew meanwhile may not
fit any more, and a class that did not fit never will. So the colors do not depend on the threads.

==========  =====================================================================
pool        rows of all levels of all blocks, 8 words each
table       number of a level of a block in the pool; −1: none
levels      number of levels of a block
sizes       number of generators (ANTI: members) of a class
heads, …    GENERAL: the generators of a class, reduced, as a linked list
used        number of classes, levels and generators in use
==========  =====================================================================

A row has 512 bits. If a loop works on eight words, numba stores them in memory, which took 3 ns per row; a vector of
LLVM takes 0.4. LLVM splits it if the processor's registers are smaller.

Memory: the rows, at most 2 × 64 bytes per generator and qubit, usually 2 bits; and the generators.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device import threads_for
from ...base.device.compiled import cgutils, inner, intrinsic, ir, njit, types
from ...base.device.intrinsics import ctz64, element_pointer
from ...base.device.parallel import launch, parallel, share, slots
from . import ANTI, GENERAL, QUBITWISE, Strings, most_levels, rows_of

ONE, SIX, MASK = np.uint64(1), np.uint64(6), np.uint64(63)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
LANES = 8  # words of a row
WIDTH = 64 * LANES
ROW = np.uint64(LANES)
CLASSES, LEVELS, GENERATORS = 0, 1, 2  # indices of `used`
BATCH = 1024  # number of strings whose classes threads search at once
MANY = 32 * WIDTH  # with fewer classes, starting threads costs more than it saves


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return the address of the row of eight words that starts with ``array[index]``."""
    word = element_pointer(context, builder, kind, array, index, LANES)
    return builder.bitcast(word, ir.PointerType(ir.VectorType(ir.IntType(64), LANES)))


def _combined(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Combine the rows at ``base + at[0]`` … ``base + at[count − 1]`` of `pool` by xor or or: a loop for each."""
    (pool_kind, _, at_kind, *_), (pool, base, at, count, xor) = kinds, values
    row = ir.VectorType(ir.IntType(64), LANES)
    sum_at = cgutils.alloca_once(builder, row)
    builder.store(ir.Constant(row, None), sum_at)
    with builder.if_else(xor) as branches:
        for branch, combine in zip(branches, (builder.xor, builder.or_), strict=True):
            with branch, cgutils.for_range(builder, count) as loop:
                where = element_pointer(context, builder, at_kind, at, loop.index)
                index = builder.add(base, builder.load(where))
                words = builder.load(_address(context, builder, pool_kind, pool, index), align=8)
                builder.store(combine(builder.load(sum_at), words), sum_at)
    return builder.load(sum_at)


def _is_full(builder: Any, words: Any) -> Any:
    """Test whether all bits of a row are 1."""
    byte = ir.IntType(LANES)
    ones = ir.Constant(words.type, [ir.Constant(ir.IntType(64), -1)] * LANES)
    return builder.icmp_unsigned("==", builder.bitcast(builder.icmp_unsigned("==", words, ones), byte), byte(-1))


def _ones(builder: Any, words: Any) -> Any:
    """Count the bits of a row that are 1."""
    i64 = ir.IntType(64)
    count = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(words.type, [words.type]), f"llvm.ctpop.v{LANES}i64"
    )
    add = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(i64, [words.type]), f"llvm.vector.reduce.add.v{LANES}i64"
    )
    return builder.call(add, [builder.call(count, [words])])


@intrinsic
def combine_into(typingctx: Any, pool: Any, base: Any, at: Any, count: Any, xor: Any, seen: Any) -> Any:
    """Or the combination of rows ``pool[base + at[i]:][:8]``, i < `count`, into ``seen[:8]``; return whether full.

    The combination is their exclusive or if `xor`, else their or. `pool`, `at` and `seen` are arrays of uint64, `base`
    and `count` are uint64.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _address(context, builder, signature.args[5], args[5], ir.Constant(ir.IntType(64), 0))
        words = builder.or_(builder.load(place, align=8), _combined(context, builder, signature.args[:5], args[:5]))
        builder.store(words, place, align=8)
        return _is_full(builder, words)

    return types.boolean(pool, types.uint64, at, types.uint64, types.boolean, seen), codegen


@intrinsic
def count_combined(typingctx: Any, pool: Any, base: Any, at: Any, count: Any, xor: Any) -> Any:
    """Return the number of bits that are 1 in the combination of rows, as in `combine_into`; uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _ones(builder, _combined(context, builder, signature.args, args))

    return types.uint64(pool, types.uint64, at, types.uint64, types.boolean), codegen


class ClassState(NamedTuple):
    """Classes so far; see the table of this module."""

    pool: np.ndarray
    table: np.ndarray
    levels: np.ndarray
    sizes: np.ndarray
    heads: np.ndarray
    following: np.ndarray
    pivots: np.ndarray
    basis: np.ndarray
    used: np.ndarray


def first_fit(strings: Strings, sequence: np.ndarray, threads: int | None = None) -> np.ndarray:
    """Color strings by first-fit in the order of `sequence`."""
    n, colors = len(sequence), np.full(len(strings.x), -1, np.int32)
    state, start = _begin(strings), np.zeros(n, np.int64)
    workers, done = threads_for(threads, n * n), 0
    while done < n:
        state = _grown(state, rows_of(strings.relation, strings.qubits) * LANES)
        queue = sequence, done, min(n, done + BATCH)  # with one thread, too, so that Ctrl-C is handled
        if workers > 1 and state.used[CLASSES] >= MANY and start[done] == 0:
            launch(scan, workers, slots(0), np.int64(workers), strings, queue, start, state)
        done = place(strings, queue, start, colors, state)
    return colors


def _begin(strings: Strings) -> ClassState:
    """Create the state without classes and capacity. Unused pages of the generators take no memory."""
    n, words = strings.x.shape if strings.relation == GENERAL else (0, 0)
    levels = most_levels(strings.relation, strings.qubits)
    return ClassState(
        np.zeros(0, np.uint64), np.full((0, levels), -1, np.int64), np.zeros(0, np.int64),
        np.zeros(0, np.int32), np.full(0, -1, np.int64), np.empty(n, np.int64), np.empty(n, np.int64),
        np.empty((n, 2 * words), np.uint64), np.zeros(3, np.int64),
    )  # fmt: skip


def _grown(state: ClassState, stride: int) -> ClassState:
    """Return the state with capacity for one more class and level of `stride` words, doubled if necessary."""
    classes, levels, _ = state.used.tolist()
    if classes >= len(state.sizes):
        more = max(len(state.levels), 1)
        state = state._replace(
            table=np.vstack([state.table, np.full((more, state.table.shape[1]), -1, np.int64)]),
            levels=np.concatenate([state.levels, np.zeros(more, np.int64)]),
            sizes=np.concatenate([state.sizes, np.zeros(more * WIDTH, np.int32)]),
            heads=np.concatenate([state.heads, np.full(more * WIDTH, -1, np.int64)]),
        )
    if (levels + 1) * stride > len(state.pool):
        state = state._replace(pool=np.concatenate([state.pool, np.zeros(max(levels, 4) * stride, np.uint64)]))
    return state


@njit(cache=True, nogil=True)
def place(strings: Any, queue: Any, start: Any, colors: Any, state: Any) -> Any:
    """Color the strings of a queue (sequence, begin, stop); return the place at which the capacity ended, or stop."""
    (x, z, qubits, relation), (sequence, begin, stop) = strings, queue
    at, seen, stride = np.empty(2 * qubits + 1, np.uint64), np.empty(LANES, np.uint64), width_of(relation, qubits)
    for i in range(begin, stop):
        if state.used[CLASSES] >= state.sizes.size or (state.used[LEVELS] + 1) * stride > state.pool.size:
            return i
        v = np.int64(sequence[i])
        count = selected_rows(x, z, v, qubits, relation, at)
        c = first_class(state, at, count, relation, stride, start[i], seen)
        colors[v] = c
        join(x, z, v, qubits, relation, c, state, stride)
    return stop


@parallel
def scan(t: Any, shared: Any, threads: Any, strings: Any, queue: Any, start: Any, state: Any) -> None:
    """Write the first class that string i of a queue may join now to ``start[i]``."""
    (x, z, qubits, relation), (sequence, begin, stop) = strings, queue
    at, seen, stride = np.empty(2 * qubits + 1, np.uint64), np.empty(LANES, np.uint64), width_of(relation, qubits)
    for j in share(t, threads, stop - begin):
        i = begin + np.int64(j)
        count = selected_rows(x, z, np.int64(sequence[i]), qubits, relation, at)
        start[i] = first_class(state, at, count, relation, stride, 0, seen)


@inner()
def width_of(relation: Any, qubits: Any) -> Any:
    """Return the words of a level: its rows, as in `rows_of`, times `LANES`."""
    return (3 * qubits if relation == QUBITWISE else 2 * qubits + (relation == ANTI)) * LANES


@inner()
def selected_rows(x: Any, z: Any, v: Any, qubits: Any, relation: Any, at: Any) -> Any:
    """Write the offsets of the rows that string v selects to `at`, in words; return their number."""
    count = np.uint64(0)
    for w in range(x.shape[1]):
        xs, zs = x[v, w], z[v, w]
        left = xs | zs
        while left:
            b = ctz64(left)
            left &= left - ONE
            k = np.uint64(w) * np.uint64(64) + b
            on_x, on_z = (xs >> b) & ONE, (zs >> b) & ONE
            if relation == QUBITWISE:
                at[count] = (np.uint64(3) * k + on_x + (on_z << ONE) - ONE) * ROW
                count += ONE
                continue
            at[count] = k * ROW
            count += on_x
            if on_z:
                at[count] = (np.uint64(qubits) + k) * ROW
                count += ONE
    if relation == ANTI:
        at[count] = np.uint64(2 * qubits) * ROW
        count += ONE
    return count


@inner()
def first_class(state: Any, at: Any, count: Any, relation: Any, stride: Any, first: Any, seen: Any) -> Any:
    """Return the first class from `first` on that the string may join, perhaps an empty class."""
    for block in range(first // WIDTH, state.levels.size):
        for j in range(LANES):
            seen[j] = np.uint64(0)
        full = False
        for level in range(state.levels[block]):
            base = np.uint64(state.table[block, level] * stride)
            full = combine_into(state.pool, base, at, count, relation != QUBITWISE, seen)
            if full:
                break
        if not full:
            for j in range(LANES):
                if seen[j] != FULL:
                    return block * WIDTH + 64 * j + np.int64(ctz64(~seen[j]))
    return state.levels.size * WIDTH


@inner()
def join(x: Any, z: Any, v: Any, qubits: Any, relation: Any, c: Any, state: Any, stride: Any) -> None:
    """Add string v to class c."""
    if c >= state.used[CLASSES]:
        state.used[CLASSES] = c + 1
    if relation == GENERAL and not extends_basis(x, z, v, c, state):
        return
    block, level = c // WIDTH, 0 if relation == QUBITWISE else state.sizes[c]
    state.sizes[c] += 1
    if state.table[block, level] < 0:
        state.table[block, level] = state.used[LEVELS]
        state.used[LEVELS] += 1
        state.levels[block] = level + 1
    set_rows(state.pool, state.table[block, level] * stride, c % WIDTH, x, z, v, qubits, relation)


@inner()
def set_rows(pool: Any, base: Any, c: Any, x: Any, z: Any, v: Any, qubits: Any, relation: Any) -> None:
    """Set bit c of the rows whose property string v has, or gives to its class."""
    place, bit = np.uint64(base) + (np.uint64(c) >> SIX), ONE << (np.uint64(c) & MASK)
    for w in range(x.shape[1]):
        xs, zs = x[v, w], z[v, w]
        left = xs | zs
        while left:
            b = ctz64(left)
            left &= left - ONE
            k = np.uint64(w) * np.uint64(64) + b
            on_x, on_z = (xs >> b) & ONE, (zs >> b) & ONE
            if relation == QUBITWISE:
                own = on_x + (on_z << ONE) - ONE
                for letter in range(3):
                    if np.uint64(letter) != own:
                        pool[place + (np.uint64(3) * k + np.uint64(letter)) * ROW] |= bit
                continue
            if on_z:
                pool[place + k * ROW] |= bit
            if on_x:
                pool[place + (np.uint64(qubits) + k) * ROW] |= bit
    if relation == ANTI:
        pool[place + np.uint64(2 * qubits) * ROW] |= bit


@inner()
def extends_basis(x: Any, z: Any, v: Any, c: Any, state: Any) -> Any:
    """Reduce string v by the generators of class c; if it is not 0, add it as a generator and return True."""
    words, g = x.shape[1], state.used[GENERATORS]
    for w in range(words):
        state.basis[g, w], state.basis[g, words + w] = x[v, w], z[v, w]
    last, r = -1, state.heads[c]
    while r >= 0:
        pivot = np.uint64(state.pivots[r])
        if (state.basis[g, pivot >> SIX] >> (pivot & MASK)) & ONE:
            for w in range(2 * words):
                state.basis[g, w] ^= state.basis[r, w]
        last, r = r, state.following[r]
    for w in range(2 * words):
        if state.basis[g, w]:
            state.pivots[g], state.following[g] = 64 * w + np.int64(ctz64(state.basis[g, w])), -1
            if last < 0:
                state.heads[c] = g
            else:
                state.following[last] = g
            state.used[GENERATORS] = g + 1
            return True
    return False
