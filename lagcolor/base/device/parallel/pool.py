"""Threads that wait in compiled code for a loop to run: they wake up in microseconds, without the interpreter.

Each thread waits for a semaphore, and then calls machine code. The caller writes the address of a share and of its
arguments to the words of each thread, runs the first share itself, and then the shares that no thread has begun. Python
takes 1.4 to 2.3 ms to start 16 threads, one after another.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
from _thread import start_new_thread
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import OptionError
from ..compiled import cgutils, intrinsic, ir, njit, types
from ..intrinsics import compare_and_swap, element_pointer, fence, fetch_add, load_acquire, store_release, yield_core
from .python import run

SPINS = 1000  # looks before the core is offered to other threads
LINE = 8  # int64 words in a cache line
MOST = 4096  # threads of all calls at the same time
MOST_PARTS = 62  # most parts of a step, which are bits of a word
# Places in the int64 words of a thread. TO_DO is 1 until its share begins.
SEMAPHORE, ADDRESS, ARGUMENTS, SHARE, COUNTER, TO_DO, DONE, WORDS = 0, 8, 9, 10, 11, 12, 16, 24
# The low BITS of a counter count the shares that have ended, and its high bits the shares that have failed.
BITS, MANY = np.int64(32), np.int64(2**32 - 1)
LINGER = 100  # looks for another share before a thread sleeps: about 50 µs
HAS_SEMAPHORES = sys.platform == "linux"  # in memory of the caller; other systems start threads for each call
NOBODY = np.empty(0, np.int64)
LAUNCHER = "def {name}(team, *args):\n    return on_all(loop, team, args)\n"


def parallel(function: Any = None, **options: Any) -> Callable[..., Any]:
    """Compile a loop ``f(t, shared, …)`` that `launch` runs on several threads; `options` go to `njit`.

    numba's cache stores no code that passes a function as an argument. So each loop has its own launcher, `on_all`. It
    is generated with the file and the line of the loop: numba finds code in the cache by file and line.
    """
    if function is None:
        return lambda f: parallel(f, **options)
    loop: Any = njit(function, cache=True, nogil=True, **options)
    name, code = f"{function.__name__}_on_all", function.__code__
    made: dict[str, Any] = {"__name__": function.__module__, "loop": loop, "on_all": on_all}
    text = "\n" * (code.co_firstlineno - 1) + LAUNCHER.format(name=name)
    exec(compile(text, code.co_filename, "exec"), made)
    loop.on_all = njit(made[name], cache=True, nogil=True)
    return loop


def slots(count: int) -> np.ndarray:
    """Return zeros (int64) for threads to share, and in the last word, a cache line further, whether one has failed."""
    return np.zeros(count + LINE, np.int64)


def launch(loop: Any, threads: int, shared: np.ndarray, *args: Any) -> None:
    """Call ``loop(t, shared, *args)`` for each t below `threads`, on this thread and others.

    `shared` comes from `slots`. If one of several threads fails, its last word becomes 1.
    """
    if threads <= 1:  # without the launcher, which would take as long to compile as the loop
        loop(0, shared, *args)
        return
    pool, places, on_all = _pool, list[int](), loop.on_all
    if not HAS_SEMAPHORES:
        ends: list[int] = []
        run(lambda t: ends.append(on_all((pool.words, NOBODY, np.int64(t)), shared, *args)), threads, shared)
        failed = sum(ends)
    else:
        try:
            _take(pool, places, threads - 1)
            failed = on_all((pool.words, np.array(places, np.int64), np.int64(0)), shared, *args)
        finally:
            pool.free.extend(places)
    if failed:
        raise MemoryError("a thread of this call failed: it found no memory for its arrays")


# ---- how work is divided: ranges and steps -------------------------------------------------------------------------


def row_ranges(indptr: Any, parts: int) -> np.ndarray:
    """Return the first rows of ranges with about equally many entries, and the number of rows: int64, (parts + 1,)."""
    m, rows = int(indptr[-1]), len(indptr) - 1
    if parts == 1:
        return np.array((0, rows))
    inner = np.searchsorted(indptr, (m * np.arange(1, parts) // parts).astype(indptr.dtype))
    return np.concatenate([[0], inner, [rows]]).astype(np.int64)


def even_ranges(size: int, parts: int) -> np.ndarray:
    """Return the bounds of ranges of about equal size, as `row_ranges`."""
    if parts == 1:
        return np.array((0, size))
    return np.arange(parts + 1) * size // parts


def run_ranges(loop: Any, threads: int, *args: Any) -> bool:
    """`launch` a loop whose threads call `take_range`; return False if a thread has called `stop_all`."""
    shared = slots(2 * LINE)
    launch(loop, threads, shared, *args)
    return not shared[LINE]  # STOPPED


def most_parts(threads: int) -> int:
    """Number of parts of a step."""
    return min(threads, MOST_PARTS)


def stage_table(whole: np.ndarray, parts: int) -> np.ndarray:
    """Return the first step of each stage, and the parts before it: int64, shape (stages + 1, 2), with the end last.

    ``whole[i]`` is whether step i is one part; the other steps have `parts` parts.
    """
    first = np.flatnonzero(np.concatenate([[True], ~(whole[1:] & whole[:-1])])[: len(whole)])
    sizes = np.where(whole[first], 1, parts)
    return np.column_stack([np.append(first, len(whole)), np.concatenate([[0], np.cumsum(sizes)])]).astype(np.int64)


def stage_slots(stages: np.ndarray) -> np.ndarray:
    """Return the counter and the words of a run over a table of stages."""
    return slots(LINE + len(stages))


# ---- the threads ---------------------------------------------------------------------------------------------------


class _Pool:
    """The threads of a process: their words, which threads are free, and the cores that each may use.

    It changes only by atomic operations of lists and counters, because a handler of a signal could not take a lock.
    """

    def __init__(self) -> None:
        memory = np.zeros(MOST * WORDS + 8, np.int64)
        skipped = -memory.ctypes.data % 64 // 8  # to the start of a cache line
        self.words = memory[skipped : skipped + MOST * WORDS]
        self.free: list[int] = []  # places of the words of waiting threads
        self.count = itertools.count()
        self.cores: dict[int, tuple[int, set[int]]] = {}  # by place: the system's number of the thread, and its cores


_pool = _Pool()


def _forget() -> None:
    """Begin with an empty pool in a forked process, which has none of the threads."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _take(pool: _Pool, places: list[int], count: int) -> None:
    """Add waiting threads to `places`, and let them use the cores that this thread may use."""
    cores = os.sched_getaffinity(0)
    while len(places) < count:
        try:
            places.append(pool.free.pop())
        except IndexError:
            places.append(_start(pool, cores))
    for at in places:
        thread, may = pool.cores.get(at, (0, cores))
        if may != cores:
            with contextlib.suppress(OSError):  # cores that have been taken away meanwhile
                os.sched_setaffinity(thread, cores)
            pool.cores[at] = thread, cores


def _start(pool: _Pool, cores: set[int]) -> int:
    """Start a thread, and return the place of its words."""
    at = next(pool.count) * WORDS
    if at == 0:
        serve(pool.words, -1)  # compile it here, so that no thread waits for the compiler
    if at >= len(pool.words):
        raise OptionError(f"{MOST} threads already run for colorings: request fewer")
    make_semaphore(pool.words, at)
    try:
        start_new_thread(_begin, (pool, at, cores))
    except RuntimeError:
        raise OptionError("the system cannot start another thread for a coloring: request fewer") from None
    return at


def _begin(pool: _Pool, at: int, cores: set[int]) -> None:
    """Begin to serve, on a different core for each thread if there are enough.

    Linux may start all threads on one core that is idle at the moment, and later wakes them there.
    """
    pool.cores[at] = threading.get_native_id(), cores
    order = sorted(cores)
    order = order[::2] + order[1::2]  # two consecutive numbers may be one physical core
    with contextlib.suppress(OSError):  # cores that have been taken away meanwhile
        os.sched_setaffinity(0, [order[(at // WORDS + 1) % len(order)]])
        os.sched_setaffinity(0, cores)
    serve(pool.words, at)


def _semaphore(name: str, *constants: int) -> Any:
    """Return a function of POSIX that is applied to the semaphore at a place of an array."""

    @intrinsic
    def call(typingctx: Any, array: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, i32 = ir.PointerType(), ir.IntType(32)
            if sys.platform != "linux":  # never called there, and Windows has no such symbol to link
                return i32(0)
            at = element_pointer(context, builder, signature.args[0], args[0], args[1])
            kind = ir.FunctionType(i32, [pointer, *(i32 for _ in constants)])
            fn = cgutils.get_or_insert_function(builder.module, kind, name)
            return builder.call(fn, [at, *(ir.Constant(i32, c) for c in constants)])

        return types.int32(array, types.uintp), codegen

    return call


sem_init: Any = _semaphore("sem_init", 0, 0)
sem_post: Any = _semaphore("sem_post")
sem_wait: Any = _semaphore("sem_wait")
sem_trywait: Any = _semaphore("sem_trywait")


def _borrowed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an argument without reference counting: threads that change one counter took three times as long."""
    if isinstance(kind, types.BaseTuple):
        each = cgutils.unpack_tuple(builder, value, len(kind))
        each = [_borrowed(context, builder, *pair) for pair in zip(kind, each, strict=True)]  # type: ignore[call-overload]
        return context.make_tuple(builder, kind, each)
    if not isinstance(kind, types.Array):
        return value
    view = context.make_array(kind)(context, builder, value)
    view.meminfo = cgutils.get_null_value(view.meminfo.type)
    return view._getvalue()


@intrinsic
def share_of(typingctx: Any, function: Any, args: Any) -> Any:
    """Return the addresses of code that calls ``function(t, *args)`` and returns whether it failed, and of `args`.

    The arguments stay in place until the calling function returns.
    """
    call = function.get_call_type(typingctx, (types.int64, *args.types), {})

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        i64, pointer = ir.IntType(64), ir.PointerType()
        compiled = function.dispatcher.get_compile_result(call)
        context.active_code_library.add_linking_library(compiled.library)
        name = builder.module.get_unique_name("share")
        code = ir.Function(builder.module, ir.FunctionType(i64, [pointer, i64]), name=name)
        code.linkage = "internal"
        inner = ir.IRBuilder(code.append_basic_block())
        packed = inner.load(code.args[0], typ=context.get_value_type(args))
        each = cgutils.unpack_tuple(inner, _borrowed(context, inner, args, packed), len(args.types))
        status, _ = context.call_internal_no_propagate(inner, compiled.fndesc, call, [code.args[1], *each])
        with inner.if_then(status.is_error):
            shared = args.types[0]
            view = context.make_array(shared)(context, inner, each[0])
            at = inner.sub(view.nitems, view.nitems.type(1))
            # No check of bounds: it would return an error in the way of numba's functions, which this code is not.
            last = cgutils.get_item_pointer(context, inner, shared, view, [at], wraparound=False, boundscheck=False)
            inner.store_atomic(i64(1), last, "release", 8)
        inner.ret(inner.zext(status.is_error, i64))
        data = cgutils.alloca_once_value(builder, values[1])
        both = [builder.ptrtoint(code, i64), builder.ptrtoint(data, i64)]
        return context.make_tuple(builder, signature.return_type, both)

    return types.UniTuple(types.int64, 2)(function, args), codegen


@intrinsic
def call_share(typingctx: Any, code: Any, data: Any, t: Any) -> Any:
    """Run share `t` of the code and arguments at these addresses: 1 where it failed."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64, pointer = ir.IntType(64), ir.PointerType()
        # A call needs the type of the function.
        function = builder.inttoptr(args[0], ir.PointerType(ir.FunctionType(i64, [pointer, i64])))
        return builder.call(function, [builder.inttoptr(args[1], pointer), args[2]])

    return types.int64(types.int64, types.int64, types.int64), codegen


@njit(cache=True, nogil=True)
def make_semaphore(words: Any, at: Any) -> None:
    """Initialize the semaphore of a thread."""
    sem_init(words, np.uint64(at + SEMAPHORE))


@njit(cache=True, nogil=True)
def begin(words: Any, at: Any) -> bool:
    """Take the share of a thread; return False if it has been taken."""
    taken = compare_and_swap(words, np.uint64(at + TO_DO), np.int64(1), np.int64(0))
    fence()  # later reads of the thread's words see what the caller wrote
    return taken


@njit(cache=True, nogil=True)
def serve(words: Any, at: Any) -> None:
    """Run a share each time that the semaphore of this thread is posted, until the process ends."""
    semaphore = np.uint64(at + SEMAPHORE)
    while at >= 0:
        looks = 0
        while looks < LINGER and sem_trywait(words, semaphore) != 0:
            yield_core()
            looks += 1
        if looks == LINGER:
            while sem_wait(words, semaphore) != 0:  # interrupted by a signal
                pass
        if not begin(words, at):  # the caller has run the share
            continue
        counter = np.uint64(words[at + COUNTER])
        failed = call_share(words[at + ADDRESS], words[at + ARGUMENTS], words[at + SHARE])
        fence()  # writes of the share are visible before it is counted
        fetch_add(words, counter, np.int64(1) + (failed << BITS))


@njit(nogil=True, inline="always")
def on_all(function: Any, team: Any, args: Any) -> Any:
    """Call ``function(t, *args)`` on each thread of a team and on this one; return how many failed.

    A share waits only for other shares of its team. Each of these has a thread that will run it, so that all end.
    """
    words, places, first = team
    code, data = share_of(function, args)
    counter = np.int64(0)
    if places.size:
        counter = places[0] + DONE
        words[counter] = 0
    for i in range(places.size):
        at = places[i]
        words[at + ADDRESS], words[at + ARGUMENTS], words[at + SHARE] = code, data, i + 1
        words[at + COUNTER] = counter
        store_release(words, np.uint64(at + TO_DO), np.int64(1))
        sem_post(words, np.uint64(at + SEMAPHORE))
    failed = call_share(code, data, first)
    left = places.size
    for i in range(places.size):
        if begin(words, places[i]):
            failed += call_share(code, data, i + 1)
            left -= 1
    looks, done = 0, np.int64(0)
    while left and done & MANY < left:
        looks += 1
        if looks > SPINS:
            yield_core()
        done = load_acquire(words, np.uint64(counter))
    return failed + (done >> BITS)
