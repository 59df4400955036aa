"""The order largest_first_spread on several GPUs, degrees under 64: each sorts its own vertices, then all color."""

from __future__ import annotations

import numpy as np

from ... import device as dev
from ...device.several import Launch, each, marks, milliseconds, share, together
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

    Raises
    ------
    DeviceError
        A GPU cannot run all blocks of the sort together.
    MemoryError
        A device has none left.
    """
    word, states, spans = np.uint32(seed_word(seed)), D.states(np.uint8), D.spans
    plans = sorts.plans(D)
    block, window = next((block, window) for most, block, window in cuda.BLOCKS if max(p.n for p in D.parts) <= most)
    variant = {"OFFSET_BITS": D.offset_bits, "STATE_BITS": 8, "BLOCK": block, "SYSTEM": 1, **cuda.MANY[8]}
    names = ("color_low", "write_colors")
    kernels = each(D.devices, lambda i, device: [dev.kernel(cuda.LOW, name, **variant) for name in names])
    colors = each(D.devices, lambda i, device: dev.cupy().empty(D.parts[i].n, np.int32))
    own = [a.data.ptr + part.first for a, part in zip(states.arrays, D.parts, strict=True)]
    begun = marks(D.devices)
    with sorts.launched(D, plans, word, own) as made:
        sent = states.send(spans)
        states.meet()
        launches = []
        for i, (part, s) in enumerate(zip(D.parts, made.of, strict=True)):
            running = min(window // block, max(1, kernels[i][0].resident(block))) * plans[i].processors
            blocks = min(-(-part.n // block), share(D.devices, i, running))
            graph = (part.indptr, part.indices, word, s.tickets + 4, states.arrays[i])
            more = (0, cuda.WHOLE, np.int32(part.first), states.tables[i])
            args = (part.n, part.m, np.int32(0), s.starts, s.sequence, *graph, *more)
            launches.append(Launch(part.device, kernels[i][0], blocks, block, args))

        def write(i: int, device: int) -> None:
            n = D.parts[i].n
            kernels[i][1]((min(-(-n // 1024), 2**16),), (256,), (n, own[i], colors[i]))

        around = together(launches, states, write)
        high = sum(made.high())
    assert high == 0, "the engine for low degrees"
    passed = [milliseconds((a, *b)) for a, b in zip(begun, around, strict=True)]
    return Done(colors, sent, 1, [(first, second) for first, second in passed])
