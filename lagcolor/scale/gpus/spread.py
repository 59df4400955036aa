"""The order largest_first_spread on several GPUs: each GPU sorts its own vertices, then all GPUs color.

1. Each GPU sorts its vertices and sets their states to degrees, which means "no color yet".
2. States of vertices that are neighbors on other GPUs are sent to these, by one copy for each pair of GPUs.
3. All GPUs color their vertices in the order, and store each color on all GPUs that have a neighbor.

Vertices of degree 64 and over, if there are any, are first in the order. They are few: their keys are sent to every
GPU, and each GPU sorts all of them. Their states have their places in the order of all, and bounds of their colors,
which are sent to other GPUs as colors are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device.pinned import Pinned
from ...base.device.several import Copies, Launch, at, each, marks, milliseconds, share, together, wait
from ...engines.greedy import cuda
from ...orders.ties import seed_word
from .parts import Distributed, Done, colored

LOW = cuda.LOW_DEGREE
BLOCK = 256


def color_low(D: Distributed, seed: int) -> Done:
    """Return the colors of each part if all degrees are under 64. The host waits only at the end."""
    word, states, spans = np.uint32(seed_word(seed)), D.states(np.uint8), D.spans
    programs = _low_kernels(D, 8)
    colors = each(D.devices, lambda i, device: dev.cupy().empty(D.parts[i].n, np.int32))
    own = [a.data.ptr + part.first for a, part in zip(states.arrays, D.parts, strict=True)]
    begun = marks(D.devices)
    with _sorting(D, word, own) as made:
        sent = states.send(spans)
        states.meet()
        launches = [_low(D, i, programs[i], s, word, states, 0) for i, s in enumerate(made.of)]

        def write(i: int, device: int) -> None:
            n = D.parts[i].n
            programs[i].launch("write_colors", -(-n // 4), n, own[i], colors[i], most=2**16, block=256)

        around = together([launches], states, write)
        high = sum(made.high())
    assert high == 0, "the engine for low degrees"
    return Done(colors, sent, 1, [milliseconds((a, *b)) for a, b in zip(begun, around, strict=True)])


def color(D: Distributed, seed: int) -> Done:
    """Return the colors of each part if some degree is 64 or over."""
    word, states = np.uint32(seed_word(seed)), D.states(np.uint32)
    programs = _low_kernels(D, 32)
    begun = marks(D.devices)
    with _sorting(D, word) as all_sorts:
        made, high = all_sorts.of, all_sorts.high()
    ordered = _order(D, word, made, high)
    bound_bits = np.int32(cuda.bits_of_bound(sum(high)))
    firsts = each(D.devices, lambda i, device: _high(D, i, made[i], ordered[i], states, word, bound_bits))
    seconds = [_low(D, i, programs[i], s, word, states, high[i]) for i, s in enumerate(made)]
    return colored(D, begun, states, firsts, seconds)


class Sorts(NamedTuple):
    """The launched sort of each GPU, and a word in pinned memory that counts its vertices of degree 64 and over."""

    of: list[cuda.Sorted]
    found: list[Pinned]

    def high(self) -> list[int]:
        """Return the number of vertices of degree 64 and over on each GPU; waits for the sorts."""
        return [int(f.wait()[0]) for f in self.found]


@contextmanager
def _sorting(D: Distributed, word: Any, states: Sequence[int] | None = None) -> Iterator[Sorts]:
    """Yield the sorts of all GPUs, and release their pinned memory at the end."""
    with ExitStack() as stack:
        found = each(D.devices, lambda i, device: stack.enter_context(Pinned.take(1)))

        def sort(i: int, device: int) -> cuda.Sorted:
            part, state = D.parts[i], 0 if states is None else states[i]
            out = cuda.sort(part.indptr, part.n, word, found[i], part.first, state)
            found[i].launched()
            return out

        yield Sorts(each(D.devices, sort), found)


def _sizes(D: Distributed) -> tuple[int, int]:
    """Return the threads per block, and the vertices in flight per multiprocessor."""
    return cuda.block_and_window(max(p.n for p in D.parts))


def _low_kernels(D: Distributed, bits: int) -> list[Any]:
    """Load the kernels for vertices of degree under 64 on each GPU; `bits` is the size of a state."""
    variant = {"OFFSET_BITS": D.offset_bits, "STATE_BITS": bits, "BLOCK": _sizes(D)[0], "SYSTEM": 1, **cuda.MANY[bits]}

    def load(i: int, device: int) -> Any:
        run = cuda.LOW.of(**variant)
        for name in ("color_low", "write_colors"):
            run.kernel(name)
        return run

    return each(D.devices, load)


def _low(D: Distributed, i: int, run: Any, s: cuda.Sorted, word: Any, states: Copies, high: int) -> Launch:
    """Return the launch that colors the i-th GPU's vertices of degree under 64; its other vertices are `high`."""
    part, (block, window) = D.parts[i], _sizes(D)
    with at(D.devices, i):
        running = run.resident("color_low", window // block)
    blocks = min(-(-part.n // block), share(D.devices, i, running))
    graph = (part.indptr, part.indices, word, s.tickets + 4, states.arrays[i])
    more = (0, cuda.WHOLE, np.int32(part.first), states.tables[i])
    args = (part.n, part.m, np.int32(high), s.starts, s.sequence, *graph, *more)
    return Launch(part.device, run.kernel("color_low"), blocks, block, args)


def _high(
    D: Distributed, i: int, s: cuda.Sorted, ordered: tuple[Any, Any], states: Copies, word: Any, bound_bits: Any
) -> Launch:
    """Set the states of the current GPU's vertices; return the launch that colors its vertices of high degree."""
    part, (ids, places), state = D.parts[i], ordered, states.arrays[i]
    run = cuda.HIGH.of(part.indptr, SYSTEM=1)
    first, high = np.int32(part.first), len(ids)
    run.launch("set_low", part.n, np.int64(part.n), part.indptr, word, state, first, most=2**16, block=BLOCK)
    run.launch("set_turns", high, np.int32(high), ids, places, state, bound_bits, block=BLOCK)
    running = share(D.devices, i, cuda.HIGH_BLOCKS * run.processors)
    blocks = max(1, min(-(-high * 32 // run.block), running))
    graph = (part.indptr, part.indices, s.tickets, state)
    args = (np.int32(high), ids, places, *graph, bound_bits, first, states.tables[i])
    return Launch(part.device, run.kernel("color_high"), blocks, run.block, args)


def _order(D: Distributed, word: Any, made: Sequence[cuda.Sorted], high: Sequence[int]) -> list[tuple[Any, Any]]:
    """Return for each part its vertices of degree 64 and over in the order (global ids), and their places: int32."""
    cp, before = dev.cupy(), [0, *np.cumsum(high).tolist()]

    def keys(i: int, device: int) -> Any:
        out = cp.empty(high[i], np.uint64)
        part = D.parts[i]
        args = (np.int64(high[i]), made[i].sequence, part.indptr, word, out, np.int32(part.first), np.int64(before[i]))
        cuda.SORT.of(part.indptr).launch("high_keys", high[i], *args)
        return out

    every = each(D.devices, keys)
    wait(D.devices)

    def places(i: int, device: int) -> tuple[Any, Any]:
        if not before[-1]:
            return cp.empty(0, np.int32), cp.empty(0, np.int32)
        index = _sorted(cp.concatenate([dev.to_device(k, f"cuda:{device}") for k in every]))
        at = cp.flatnonzero((index >= before[i]) & (index < before[i + 1]))
        start = made[i].sequence - made[i].space.data.ptr
        mine = made[i].space[start : start + 8 * high[i]].view(np.int32).reshape(high[i], 2)
        return mine[index[at] - before[i], 0], at.astype(np.int32)

    out = each(D.devices, places)
    wait(D.devices)  # memory on other GPUs can be freed after it is copied
    return out


def _sorted(keys: Any) -> Any:
    """Return the index of the vertex of high degree at each place: int64."""
    cp = dev.cupy()
    if len(keys) <= 2**cuda.INDEX_BITS:
        keys.sort()
        return (keys & np.uint64(2**cuda.INDEX_BITS - 1)).astype(np.int64)
    return cp.argsort(keys >> np.uint64(cuda.INDEX_BITS), kind="stable")
