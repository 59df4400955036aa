"""The order largest_first_spread on several GPUs, where degrees of 64 and over occur: these first, then the others.

Vertices of high degree are few: their keys go to every GPU, and each sorts all of them. Their states say their places
in the order of all, and bounds of their colors, which go to other GPUs as colors do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.several import Copies, Launch, each, marks, milliseconds, share, together, wait
from ...engines.greedy import cuda
from ...orders.ties import seed_word
from . import sorts, spread
from .parts import Distributed, Done

BLOCK = 256


def color(D: Distributed, seed: int) -> Done:
    """Colors of each part."""
    word, states, spans = np.uint32(seed_word(seed)), D.states(np.uint32), D.spans
    programs = spread.low_kernels(D, 32)
    begun = marks(D.devices)
    with sorts.launched(D, word) as all_sorts:
        made, high = all_sorts.of, all_sorts.high()
    ordered = order(D, word, made, high)
    bound_bits = np.int32(cuda.bits_of_bound(sum(high)))
    firsts = each(D.devices, lambda i, device: _high(D, i, made[i], ordered[i], states, word, bound_bits))
    seconds = [spread.low(D, i, programs[i], s, word, states, high[i]) for i, s in enumerate(made)]
    sent = states.send(spans)
    states.meet()
    wait(D.devices)
    around = together([firsts, seconds], states)
    own = [slice(part.first, part.last) for part in D.parts]
    out = each(D.devices, lambda i, device: states.arrays[i][own[i]].view(np.int32).copy())
    wait(D.devices)
    passed = [milliseconds((a, *b)) for a, b in zip(begun, around, strict=True)]
    return Done(out, sent, 4, [(first, second) for first, second in passed])


def _high(
    D: Distributed, i: int, s: cuda.Sorted, ordered: tuple[Any, Any], states: Copies, word: Any, bound_bits: Any
) -> Launch:
    """Set the states of the current GPU's vertices; the launch that colors the vertices of high degree."""
    part, (ids, places), state = D.parts[i], ordered, states.arrays[i]
    run = cuda.HIGH.of(part.indptr, SYSTEM=1)
    first, high = np.int32(part.first), len(ids)
    run.launch("set_low", part.n, np.int64(part.n), part.indptr, word, state, first, most=2**16, block=BLOCK)
    run.launch("set_turns", high, np.int32(high), ids, places, state, bound_bits, block=BLOCK)
    running = share(D.devices, i, cuda.HIGH_BLOCKS * run.processors)
    blocks = max(1, min(-(-high * 32 // run.block), running))
    args = (
        np.int32(high),
        ids,
        places,
        part.indptr,
        part.indices,
        s.tickets,
        state,
        bound_bits,
        first,
        states.tables[i],
    )
    return Launch(part.device, run.kernel("color_high"), blocks, run.block, args)


def order(D: Distributed, word: Any, made: Sequence[cuda.Sorted], high: Sequence[int]) -> list[tuple[Any, Any]]:
    """Per part its vertices of degree 64 and over in the order (global ids), and their places in it: int32."""
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
    wait(D.devices)  # what was copied from other GPUs is given back there
    return out


def _sorted(keys: Any) -> Any:
    """Which vertex of high degree is at each place: int64."""
    cp = dev.cupy()
    if len(keys) <= 2**cuda.INDEX_BITS:
        keys.sort()
        return (keys & np.uint64(2**cuda.INDEX_BITS - 1)).astype(np.int64)
    return cp.argsort(keys >> np.uint64(cuda.INDEX_BITS), kind="stable")
