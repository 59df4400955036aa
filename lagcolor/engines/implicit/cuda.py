"""First-fit of Pauli strings on a GPU, and their degrees: launches of pauli.cu.

A pass takes all strings that are left through STAGES blocks of 128 classes; what no class of these takes goes on to the
next pass, in new batches. A wave is one launch, which one block per stage works on. Nothing is read back in a pass but
whether any string is left, once all batches have begun.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from . import GENERAL, QUBITWISE, most_levels, rows_of

SOURCE = dev.Source(__file__, "pauli.cu")
BLOCK, WIDTH = 256, 128  # strings of a batch, and classes of a stage
STAGES = 528  # of a pass, at most: blocks that are resident on an H200 at a time, four per multiprocessor
BYTES = 1 << 30  # of the classes of a pass, about
STAGED = 1024  # rows that a block reads at a time, into 16 KB of shared memory
PATIENCE = 8  # waves between looks at whether any string is left
SHARES = 8192  # blocks of threads that count conflicts, at least, if there are as many shares


def words_of(x: Any, z: Any, qubits: int) -> Any:
    """Strings as the kernels take them: words of 32 bits, first of x, then of z."""
    words = max(-(-qubits // 32), 1)
    return dev.cupy().concatenate([part.view(np.uint32)[:, :words] for part in (x, z)], axis=1)


def first_fit(strings: Any, qubits: int, sequence: Any, relation: int) -> Any:
    """Colors of first-fit."""
    cp = dev.cupy()
    colors, waiting, base = cp.full(len(strings), -1, np.int32), sequence, 0
    while len(waiting):
        stages = _stages(qubits, relation, strings.shape[1], len(waiting))
        waiting = _pass(cp, strings, qubits, waiting, relation, base, stages, colors)
        base += stages * WIDTH
    return colors


def degrees(strings: Any, qubits: int, relation: int) -> Any:
    """Conflicts of each string with others, int32, shape (n,); for the parameters see `first_fit`."""
    cp, n = dev.cupy(), len(strings)
    found = cp.zeros(n, np.int32)
    if n:
        groups, half, run = -(-n // WIDTH), _half(qubits), _kernels(strings, relation)
        blocks = -(-n // BLOCK)
        rows = cp.zeros((-(-blocks * BLOCK // WIDTH), _rows(qubits, relation), 4), np.uint32)
        shares = min(groups, -(-SHARES // blocks))
        run.launch("slice_strings", n, np.int32(n), np.int32(half), strings, rows)
        args = (np.int32(n), np.int32(groups), np.int32(half), strings, rows, found)
        run.launch("count_conflicts", (blocks, shares), *args)
    return found


def _pass(cp: Any, strings: Any, qubits: int, waiting: Any, relation: int, base: int, stages: int, colors: Any) -> Any:
    """Color what classes `base` … ``base + stages × WIDTH − 1`` take; the others, in order."""
    n, most = len(waiting), most_levels(relation, qubits)
    batches = -(-n // BLOCK)
    queue = cp.empty((batches, BLOCK), np.int32)
    queue.reshape(-1)[:n] = waiting
    left = cp.full(batches, BLOCK, np.int32)
    left[-1] = n - (batches - 1) * BLOCK
    bases = stages * WIDTH * most if relation == GENERAL else 0
    classes = (
        cp.zeros((stages, most, _rows(qubits, relation), 4), np.uint32),
        cp.zeros(stages, np.int32),
        cp.zeros(stages * WIDTH, np.int32),
        cp.empty(bases, np.int32),
        cp.empty((bases, strings.shape[1]), np.uint32),
    )
    numbers = (np.int32(batches), np.int32(_half(qubits)), np.int32(most), np.int32(base))
    run = _kernels(strings, relation)
    for wave in range(batches + stages - 1):
        first, last = max(0, wave - batches + 1), min(wave, stages - 1)
        args = (np.int32(wave), np.int32(first), *numbers, strings, queue, left, *classes, colors)
        run.launch("pass_stages", (last - first + 1,), *args)
        if wave >= batches and (wave - batches) % PATIENCE == 0 and not extremes.largest(left):
            break
    ends = cp.cumsum(left, dtype=np.int32)
    out = cp.empty(int(ends[-1]), np.int32)
    run.launch("waiting", (batches,), queue, left, ends, out)
    return out


def _stages(qubits: int, relation: int, words: int, n: int) -> int:
    """Stages of a pass: no more than strings may need, nor than fit."""
    most = most_levels(relation, qubits)
    rows = 16 * most * _rows(qubits, relation)
    basis = 4 * WIDTH * most * (words + 1) if relation == GENERAL else 0
    return max(1, min(STAGES, -(-n // WIDTH), BYTES // max(rows + basis, 1)))


def _half(qubits: int) -> int:
    """Qubits, rounded up to rows that a thread reads at once."""
    return -(-qubits // 4) * 4


def _rows(qubits: int, relation: int) -> int:
    return rows_of(relation, _half(qubits))


def _kernels(strings: Any, relation: int) -> Any:
    assert relation <= QUBITWISE
    return SOURCE.of(RELATION=relation, QWORDS=strings.shape[1] // 2, BLOCK=BLOCK, STAGED=STAGED)
