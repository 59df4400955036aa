"""Rows of 512 bits, and what a string's rows are together: one load and one exclusive or (or or) per row.

numba keeps eight words that a loop works on in memory, which took 3 ns per row where a vector of LLVM takes 0.4; LLVM
splits it where the processor's registers are smaller.
"""

from __future__ import annotations

from typing import Any

from ...base.device.compiled import cgutils, intrinsic, ir, types
from ...base.device.intrinsics import element_pointer

LANES = 8  # words of a row
WIDTH = 64 * LANES


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Where the row of eight words begins that starts with ``array[index]``."""
    word = element_pointer(context, builder, kind, array, index, LANES)
    return builder.bitcast(word, ir.PointerType(ir.VectorType(ir.IntType(64), LANES)))


def _combined(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Exclusive or, or or, of the rows at ``base + at[0]`` … ``base + at[count − 1]`` of `pool`: a loop for each."""
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
    """Whether all bits of a row are 1."""
    byte = ir.IntType(LANES)
    ones = ir.Constant(words.type, [ir.Constant(ir.IntType(64), -1)] * LANES)
    return builder.icmp_unsigned("==", builder.bitcast(builder.icmp_unsigned("==", words, ones), byte), byte(-1))


def _ones(builder: Any, words: Any) -> Any:
    """Number of bits of a row that are 1."""
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
    """Or the combination of rows ``pool[base + at[i]:][:8]``, i < `count`, into ``seen[:8]``; whether that is full.

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
    """How many bits of the same combination are 1; an uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _ones(builder, _combined(context, builder, signature.args, args))

    return types.uint64(pool, types.uint64, at, types.uint64, types.boolean), codegen
