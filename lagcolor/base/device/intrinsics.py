"""Operations that numba lacks: count trailing zeros and set bits, prefetch, vectors, and atomics on arrays."""

from __future__ import annotations

import sys
from typing import Any

from .compiled import cgutils, intrinsic, ir, types


def _bits(count: Any) -> Any:
    """Return a function of one uint64 whose code `count` builds."""

    @intrinsic
    def call(typingctx: Any, x: Any) -> Any:
        return types.uint64(types.uint64), lambda context, builder, signature, args: count(builder, args[0])

    return call


# The number of trailing zero bits, 64 for 0; and the number of bits that are 1.
ctz64: Any = _bits(lambda builder, x: builder.cttz(x, ir.Constant(ir.IntType(1), 0)))
popcount64: Any = _bits(lambda builder, x: builder.ctpop(x))


def element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, count: Any = 1) -> Any:
    """Return the address of ``array[index]``.

    With NUMBA_BOUNDSCHECK=1, an element of ``array[index : index + count]`` outside of the array raises an IndexError.
    `count` is an int or a value of LLVM, 1 or more.
    """
    at = _address(context, builder, array_type, array, index, context.enable_boundscheck)
    if context.enable_boundscheck and not (isinstance(count, int) and count == 1):
        more = builder.sub(ir.Constant(index.type, count) if isinstance(count, int) else count, index.type(1))
        _address(context, builder, array_type, array, builder.add(index, more), True)
    return at


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, check: bool) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, view, [index], wraparound=False, boundscheck=check)


@intrinsic
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Prefetch the cache line of ``array[index]``; any index is safe, because it is not dereferenced."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _address(context, builder, signature.args[0], args[0], args[1], False)
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [ir.PointerType(), i32, i32, i32])
        fn = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fn, [at, ir.Constant(i32, 0), ir.Constant(i32, 3), ir.Constant(i32, 1)])
        return context.get_dummy_value()

    return types.void(array, types.uintp), codegen


LANES, WORD = 16, 64  # lanes of a vector of uint16, and of a vector with a lane for each bit of a word


@intrinsic
def least16(typingctx: Any, array: Any, index: Any, count: Any) -> Any:
    """Return the least of ``array[index : index + 16 · count]`` of uint16, as uint64; ``count`` is 1 or more."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, values = ir.VectorType(ir.IntType(16), LANES), builder.mul(args[2], args[2].type(LANES))
        first = element_pointer(context, builder, signature.args[0], args[0], args[1], values)
        found = cgutils.alloca_once_value(builder, builder.load(first, align=2, typ=kind))
        with cgutils.for_range(builder, args[2], start=ir.Constant(args[2].type, 1)) as loop:
            at = builder.gep(first, [loop.index], source_etype=kind)
            here, before = builder.load(at, align=2, typ=kind), builder.load(found)
            builder.store(builder.select(builder.icmp_unsigned("<", here, before), here, before), found)
        vector = builder.load(found)
        of = ir.FunctionType(ir.IntType(16), [kind])
        reduce = cgutils.get_or_insert_function(builder.module, of, f"llvm.vector.reduce.umin.v{LANES}i16")
        return builder.zext(builder.call(reduce, [vector]), ir.IntType(64))

    return types.uint64(array, types.uintp, types.uint64), codegen


@intrinsic
def equal16(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Return which of ``array[index : index + 16]`` of uint16 equal a value, as bits of a uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = element_pointer(context, builder, signature.args[0], args[0], args[1], LANES)
        here = builder.load(at, align=2, typ=ir.VectorType(ir.IntType(16), LANES))
        one = builder.insert_element(
            ir.Constant(here.type, ir.Undefined), builder.trunc(args[2], ir.IntType(16)), ir.Constant(ir.IntType(32), 0)
        )
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        same = builder.icmp_unsigned("==", here, builder.shuffle_vector(one, one, zeros))
        return builder.zext(builder.bitcast(same, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(array, types.uintp, types.uint64), codegen


@intrinsic
def add16(typingctx: Any, array: Any, index: Any, word: Any, value: Any) -> Any:
    """Add a value to the entries of ``array[index : index + 64]`` (uint16) whose bit of a uint64 is 1."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, narrow = ir.VectorType(ir.IntType(16), WORD), ir.Constant(ir.IntType(32), 0)
        at = element_pointer(context, builder, signature.args[0], args[0], args[1], WORD)
        at = builder.bitcast(at, ir.PointerType(kind))
        ones = builder.sext(builder.bitcast(args[2], ir.VectorType(ir.IntType(1), WORD)), kind)
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), builder.trunc(args[3], ir.IntType(16)), narrow)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WORD), [0] * WORD)
        added = builder.and_(ones, builder.shuffle_vector(one, one, zeros))
        builder.store(builder.add(builder.load(at, align=2), added), at, align=2)
        return context.get_dummy_value()

    return types.void(array, types.uintp, types.uint64, types.uint64), codegen


# ---- atomics on elements of arrays ----------------------------------------------------------------------------------


def _load(order: str) -> Any:
    """Return a function that loads ``array[index]`` atomically, which the compiler cannot move out of a spin loop."""

    @intrinsic
    def load(typingctx: Any, array: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            at = element_pointer(context, builder, signature.args[0], args[0], args[1])
            return builder.load_atomic(at, order, array.dtype.bitwidth // 8)

        return array.dtype(array, types.uintp), codegen

    return load


def _store(order: str) -> Any:
    """Return a function that stores ``array[index] = value`` atomically."""

    @intrinsic
    def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            at = element_pointer(context, builder, signature.args[0], args[0], args[1])
            builder.store_atomic(args[2], at, order, array.dtype.bitwidth // 8)
            return context.get_dummy_value()

        return types.void(array, types.uintp, array.dtype), codegen

    return store


def _update(operation: str) -> Any:
    """Return a function that changes ``array[index]`` by a value atomically (relaxed), and returns the old value."""

    @intrinsic
    def update(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            at = element_pointer(context, builder, signature.args[0], args[0], args[1])
            return builder.atomic_rmw(operation, at, args[2], "monotonic")

        return array.dtype(array, types.uintp, array.dtype), codegen

    return update


load_relaxed: Any = _load("monotonic")
store_relaxed: Any = _store("monotonic")
load_acquire: Any = _load("acquire")  # later reads see all writes before the release of the value
store_release: Any = _store("release")
fetch_add: Any = _update("add")
fetch_or: Any = _update("or")
fetch_max: Any = _update("umax")  # of an unsigned type


@intrinsic
def compare_and_swap(typingctx: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
    """Set ``array[index]`` to a value if it equals `expected`, atomically (relaxed); return whether it did."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = element_pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.extract_value(builder.cmpxchg(at, args[2], args[3], "monotonic", "monotonic"), 1)

    return types.boolean(array, types.uintp, array.dtype, array.dtype), codegen


@intrinsic
def fence(typingctx: Any) -> Any:
    """Order all earlier reads and writes before all later ones, for all threads (sequentially consistent)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def yield_core(typingctx: Any) -> Any:
    """Let another thread run on this core (POSIX sched_yield), in a spin loop that may take long."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if sys.platform == "win32":  # Windows has no such symbol: the loop only spins
            return ir.IntType(32)(0)
        kind = ir.FunctionType(ir.IntType(32), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])

    return types.int32(), codegen
