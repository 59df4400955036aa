"""First-fit of elements, or of bodies in contact, on a GPU in one cooperative launch; the host need not wait for it."""

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
WORDS = 8 + 3 * MOST_COLORS  # int32, as in balance.cuh: Words
FULL, WRONG = 4, 6  # places in it
COLOR, BALANCE = 1, 2  # steps


class LaunchResult(NamedTuple):
    """What a launch leaves on the device: colors, and the words that say how it went; and its stream."""

    colors: Any
    words: Any
    stream: Any

    def wait(self) -> tuple[bool, bool]:
        """Whether a vertex found no color, and whether a node or body is not there, once the launch has ended."""
        self.stream.synchronize()
        full, _, wrong = dev.to_device(self.words[FULL : WRONG + 1], "cpu").tolist()
        return bool(full), bool(wrong)


def launch(source: dev.Source, nodes: Any, fixed: Any, n: int, steps: int, words: int, out: Any) -> LaunchResult:
    """Launch `ELEMENTS` or `BODIES` on the current stream, for up to 64 · `words` colors.

    `nodes` are integers of 32 or 64 bits, shape (m, width), C-contiguous. `steps` is `COLOR`, `BALANCE` or both; for
    bodies `COLOR` at least. `out`, int32, gets the colors, or has them without `COLOR`.
    """
    cp, m = dev.cupy(), len(nodes)
    run = source.of(INDEX_BITS=8 * nodes.dtype.itemsize)
    state, room = cp.zeros(WORDS, np.int32), cp.empty(n * (words + 2), np.uint64)
    sizes = (m, nodes.shape[1], words) if source == ELEMENTS else (m, words)
    args = (
        *(np.int32(x) for x in sizes), nodes, 0 if fixed is None else fixed, np.int64(n), np.uint32(seed_word(SEED)),
        np.int32(steps), room, room.data.ptr + 8 * n * words, state,
        out,
    )  # fmt: skip
    run.cooperative(f"color_{source.path.stem}", max(m, n), *args)
    return LaunchResult(out, state, cp.cuda.get_current_stream())


def until_complete(source: dev.Source, nodes: Any, fixed: Any, n: int, steps: int, out: Any) -> bool:
    """Color with as many words as are needed, and wait; whether all nodes and bodies are there."""
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
    """The same colors of elements with 8 bytes per node, where there are more than are balanced."""
    cp, nodes = dev.cupy(), nodes.astype(np.int32)
    if fixed is not None:
        nodes = cp.where((nodes >= 0) & ~fixed[nodes], nodes, np.int32(-1))
    P = Rows(nodes, n).pattern()
    return first_fit_in_nets(Nets(P, P.T), tie_order(cp, len(nodes), SEED))
