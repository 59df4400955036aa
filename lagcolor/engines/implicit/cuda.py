"""First-fit of Pauli strings on a GPU, and their degrees: launches of pauli.cu.

A pass tests all remaining strings against STAGES blocks of 128 classes. Strings that join none of these go to the next
pass, in new batches. A wave is one launch with one block per stage. During a pass the host only reads whether any
string is left, after all batches have begun.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from . import GENERAL, QUBITWISE, Strings, most_levels, rows_of

SOURCE = dev.Source(__file__, "pauli.cu")
BLOCK, WIDTH = 256, 128  # strings of a batch, and classes of a stage
STAGES = 528  # maximum per pass: blocks that are resident on an H200, four per multiprocessor
BYTES = 1 << 30  # memory for the classes of a pass, roughly
STAGED = 1024  # rows that a block reads at a time, into 16 KB of shared memory
PATIENCE = 8  # waves between two checks whether any string is left
SHARES = 8192  # minimum number of blocks that count conflicts, if there are as many shares


def first_fit(strings: Strings, sequence: Any) -> Any:
    """Color strings by first-fit in the order of `sequence`."""
    words, waiting, base = _words_of(strings), sequence, 0
    colors = dev.cupy().full(len(words), -1, np.int32)
    while len(waiting):
        stages = _stages(strings, words.shape[1], len(waiting))
        waiting = _pass(strings, words, waiting, base, stages, colors)
        base += stages * WIDTH
    return colors


def degrees(strings: Strings) -> Any:
    """Return the number of conflicts of each string, int32, shape (n,)."""
    cp, words, n = dev.cupy(), _words_of(strings), len(strings.x)
    found = cp.zeros(n, np.int32)
    if n:
        groups, half, run = -(-n // WIDTH), _half(strings.qubits), _kernels(strings, words)
        blocks = -(-n // BLOCK)
        rows = cp.zeros((-(-blocks * BLOCK // WIDTH), _rows(strings), 4), np.uint32)
        shares = min(groups, -(-SHARES // blocks))
        run.launch("slice_strings", n, np.int32(n), np.int32(half), words, rows)
        args = (np.int32(n), np.int32(groups), np.int32(half), words, rows, found)
        run.launch("count_conflicts", (blocks, shares), *args)
    return found


def _words_of(strings: Strings) -> Any:
    """Convert strings for the kernels: words of 32 bits, first of x, then of z."""
    words = max(-(-strings.qubits // 32), 1)
    return dev.cupy().concatenate([part.view(np.uint32)[:, :words] for part in (strings.x, strings.z)], axis=1)


def _pass(strings: Strings, words: Any, waiting: Any, base: int, stages: int, colors: Any) -> Any:
    """Color strings that join classes `base` … ``base + stages × WIDTH − 1``; return the others, in order."""
    cp, n, most = dev.cupy(), len(waiting), most_levels(strings.relation, strings.qubits)
    batches = -(-n // BLOCK)
    queue = cp.empty((batches, BLOCK), np.int32)
    queue.reshape(-1)[:n] = waiting
    left = cp.full(batches, BLOCK, np.int32)
    left[-1] = n - (batches - 1) * BLOCK
    bases = stages * WIDTH * most if strings.relation == GENERAL else 0
    classes = (
        cp.zeros((stages, most, _rows(strings), 4), np.uint32),
        cp.zeros(stages, np.int32),
        cp.zeros(stages * WIDTH, np.int32),
        cp.empty(bases, np.int32),
        cp.empty((bases, words.shape[1]), np.uint32),
    )
    numbers = (np.int32(batches), np.int32(_half(strings.qubits)), np.int32(most), np.int32(base))
    run = _kernels(strings, words)
    for wave in range(batches + stages - 1):
        first, last = max(0, wave - batches + 1), min(wave, stages - 1)
        args = (np.int32(wave), np.int32(first), *numbers, words, queue, left, *classes, colors)
        run.launch("pass_stages", (last - first + 1,), *args)
        if wave >= batches and (wave - batches) % PATIENCE == 0 and not extremes.largest(left):
            break
    ends = cp.cumsum(left, dtype=np.int32)
    out = cp.empty(int(ends[-1]), np.int32)
    run.launch("waiting", (batches,), queue, left, ends, out)
    return out


def _stages(strings: Strings, words: int, n: int) -> int:
    """Return the number of stages of a pass: limited by the number of strings and by memory."""
    most = most_levels(strings.relation, strings.qubits)
    rows = 16 * most * _rows(strings)
    basis = 4 * WIDTH * most * (words + 1) if strings.relation == GENERAL else 0
    return max(1, min(STAGES, -(-n // WIDTH), BYTES // max(rows + basis, 1)))


def _half(qubits: int) -> int:
    """Return the qubits, rounded up to the rows that a thread reads at once."""
    return -(-qubits // 4) * 4


def _rows(strings: Strings) -> int:
    return rows_of(strings.relation, _half(strings.qubits))


def _kernels(strings: Strings, words: Any) -> Any:
    assert strings.relation <= QUBITWISE
    return SOURCE.of(RELATION=strings.relation, QWORDS=words.shape[1] // 2, BLOCK=BLOCK, STAGED=STAGED)
