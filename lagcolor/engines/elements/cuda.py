"""First-fit of elements, or of bodies in contact, on a GPU in one asynchronous cooperative launch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...graph.nets import Nets
from ...orders.ties import seed_word, tie_order
from ..two_hop.cuda import first_fit_in_nets
from . import Rows
from .sequential import MOST_COLORS, MOST_WORDS, SEED

ELEMENTS, BODIES = (dev.Source(__file__, f"{name}.cu", BLOCK=256) for name in ("elements", "bodies"))
WORDS = 8 + 3 * MOST_COLORS  # int32 words of `Words` in balance.cuh
FULL, WRONG = 4, 6  # indices in `Words`
COLOR, BALANCE = 1, 2  # steps


class LaunchResult(NamedTuple):
    """Result of a launch on the device: colors and `Words`; and its stream."""

    colors: Any
    words: Any
    stream: Any

    def wait(self) -> tuple[bool, bool]:
        """Wait for the launch; return whether a vertex found no color, and whether a node or body is out of range."""
        self.stream.synchronize()
        full, _, wrong = dev.to_device(self.words[FULL : WRONG + 1], "cpu").tolist()
        return bool(full), bool(wrong)


def launch(source: dev.Source, nodes: Any, fixed: Any, n: int, steps: int, words: int, out: Any) -> LaunchResult:
    """Launch `ELEMENTS` or `BODIES` on the current stream, for up to 64 · `words` colors.

    `nodes` are integers of 32 or 64 bits, shape (m, width), C-contiguous. `steps` is `COLOR`, `BALANCE` or both; bodies
    require `COLOR`. `out`, int32, receives the colors; without `COLOR` it contains the colors to balance.
    """
    cp, m = dev.cupy(), len(nodes)
    run = source.of(INDEX_BITS=8 * nodes.dtype.itemsize)
    state, memory = cp.zeros(WORDS, np.int32), cp.empty(n * (words + 2), np.uint64)
    sizes = (m, nodes.shape[1], words) if source == ELEMENTS else (m, words)
    args = (
        *(np.int32(x) for x in sizes), nodes, 0 if fixed is None else fixed, np.int64(n), np.uint32(seed_word(SEED)),
        np.int32(steps), memory, memory.data.ptr + 8 * n * words, state,
        out,
    )  # fmt: skip
    run.cooperative(f"color_{source.path.stem}", max(m, n), *args)
    return LaunchResult(out, state, cp.cuda.get_current_stream())


def until_complete(source: dev.Source, nodes: Any, fixed: Any, n: int, steps: int, out: Any) -> bool:
    """Color with as many words as necessary, and wait; return whether all nodes or bodies are in range."""
    words = 1
    while True:
        full, wrong = launch(source, nodes, fixed, n, steps, words, out).wait()
        if wrong or not full:
            return not wrong
        words *= 2  # ends: k colors of bodies need k² / 2 pairs
        if words > MOST_WORDS and source == ELEMENTS:
            out[...] = _in_nets(nodes, fixed, n)
            return True


def _in_nets(nodes: Any, fixed: Any, n: int) -> Any:
    """Color elements with 8 bytes per node, if there are too many colors for `ELEMENTS`; same colors."""
    cp, nodes = dev.cupy(), nodes.astype(np.int32)
    if fixed is not None:
        nodes = cp.where((nodes >= 0) & ~fixed[nodes], nodes, np.int32(-1))
    P = Rows(nodes, n).pattern()
    return first_fit_in_nets(Nets(P, P.T), tie_order(cp, len(nodes), SEED))
