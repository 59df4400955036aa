"""The order largest_first_spread on several GPUs, degrees under 64: each sorts its own vertices, then all color."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.several import Copies, Launch, at, each, marks, milliseconds, share, together
from ...engines.greedy import cuda
from ...orders.ties import seed_word
from . import sorts
from .parts import Distributed, Done

LOW = cuda.LOW_DEGREE


def color(D: Distributed, seed: int) -> Done:
    """Colors of each part, where all degrees are under 64.

    1. Each GPU sorts its vertices and sets their states: degrees, for "no color yet".
    2. States of those that others have as neighbors go there, one copy for each pair of GPUs.
    3. All GPUs color their vertices in the order, and store each color where there is a neighbor.

    The host waits at the end only.
    """
    word, states, spans = np.uint32(seed_word(seed)), D.states(np.uint8), D.spans
    programs = low_kernels(D, 8)
    colors = each(D.devices, lambda i, device: dev.cupy().empty(D.parts[i].n, np.int32))
    own = [a.data.ptr + part.first for a, part in zip(states.arrays, D.parts, strict=True)]
    begun = marks(D.devices)
    with sorts.launched(D, word, own) as made:
        sent = states.send(spans)
        states.meet()
        launches = [low(D, i, programs[i], s, word, states, 0) for i, s in enumerate(made.of)]

        def write(i: int, device: int) -> None:
            n = D.parts[i].n
            programs[i].launch("write_colors", -(-n // 4), n, own[i], colors[i], most=2**16, block=256)

        around = together([launches], states, write)
        high = sum(made.high())
    assert high == 0, "the engine for low degrees"
    passed = [milliseconds((a, *b)) for a, b in zip(begun, around, strict=True)]
    return Done(colors, sent, 1, [(first, second) for first, second in passed])


def _sizes(D: Distributed) -> tuple[int, int]:
    """Threads per block, and vertices in flight per multiprocessor."""
    return cuda.block_and_window(max(p.n for p in D.parts))


def low_kernels(D: Distributed, bits: int) -> list[Any]:
    """For each GPU the kernels for vertices of degree under 64, with states of a number of bits, loaded."""
    variant = {"OFFSET_BITS": D.offset_bits, "STATE_BITS": bits, "BLOCK": _sizes(D)[0], "SYSTEM": 1, **cuda.MANY[bits]}

    def load(i: int, device: int) -> Any:
        run = cuda.LOW.of(**variant)
        for name in ("color_low", "write_colors"):
            run.kernel(name)
        return run

    return each(D.devices, load)


def low(D: Distributed, i: int, run: Any, s: cuda.Sorted, word: Any, states: Copies, high: int) -> Launch:
    """The launch on the i-th GPU that colors its vertices of degree under 64; `high` have others."""
    part, (block, window) = D.parts[i], _sizes(D)
    with at(D.devices, i):
        running = run.resident("color_low", window // block)
    blocks = min(-(-part.n // block), share(D.devices, i, running))
    graph = (part.indptr, part.indices, word, s.tickets + 4, states.arrays[i])
    more = (0, cuda.WHOLE, np.int32(part.first), states.tables[i])
    args = (part.n, part.m, np.int32(high), s.starts, s.sequence, *graph, *more)
    return Launch(part.device, run.kernel("color_low"), blocks, block, args)
