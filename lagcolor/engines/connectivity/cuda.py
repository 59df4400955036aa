"""First-fit of elements, or of bodies in contact, on a GPU in one cooperative launch, which the host need not wait for."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...core.errors import ColoringError
from ...device.cooperative import cooperative_blocks, launches, with_fewer
from ...orders.ties import seed_word
from .sequential import MOST_COLORS

ELEMENTS, BODIES = (Path(__file__).with_name(f"{name}.cu") for name in ("elements", "bodies"))
BLOCK = 256
WORDS = 4 * (6 + 3 * MOST_COLORS)  # bytes, as in balance.cuh: Words
FULL, N_COLORS = 4, 5  # places in it, of int32
STREAMS = 16  # whose memory is kept
_kept: dict[tuple[int, int, int], Any] = {}


class Launch(NamedTuple):
    """What a launch leaves on the device: colors, and the words that say how it went."""

    colors: Any
    words: Any

    def is_full(self) -> bool:
        """Whether a vertex found no color; waits for the launch."""
        return bool(self.words[FULL])


def launch(source: Path, nodes: Any, fixed: Any, n: int, seed: int, even: bool, words: int, out: Any) -> Launch:
    """Launch a kernel on the current stream; `nodes` is C-contiguous, and the result has as many colors as it has words."""
    cp, m = dev.cupy(), len(nodes)
    device = cp.cuda.runtime.getDevice()
    kernel = dev.kernel(source, f"color_{source.stem}", INDEX_BITS=8 * nodes.dtype.itemsize, BLOCK=BLOCK)
    state = cp.zeros(WORDS // 4, np.int32)
    room = memory(cp, 8 * n * (words + 2))
    size = (m, nodes.shape[1]) if source == ELEMENTS else (m,)
    args = (
        *(np.int32(x) for x in (*size, words)), nodes, 0 if fixed is None else fixed, np.int64(n),
        np.uint32(seed_word(seed)), np.int32(even and 64 * words <= MOST_COLORS), room, room.data.ptr + 8 * n * words,
        state, out,
    )  # fmt: skip
    fit = cooperative_blocks(cp, device, kernel, BLOCK)
    blocks = max(1, min(fit, -(-max(m, n) // BLOCK)))
    with_fewer(blocks, lambda blocks: launches(kernel, blocks, BLOCK, args))
    return Launch(out, state)


def memory(cp: Any, size: int) -> Any:
    """Device memory of the current stream and thread, kept for their next launch."""
    key = cp.cuda.runtime.getDevice(), cp.cuda.get_current_stream().ptr, threading.get_ident()
    room = _kept.get(key)
    if room is None or room.nbytes < size:
        if len(_kept) >= STREAMS:
            _kept.clear()
        room = _kept[key] = cp.empty(size, np.uint8)
    return room


def until_complete(source: Path, nodes: Any, fixed: Any, n: int, seed: int, even: bool, words: int, out: Any) -> Launch:
    """The same, waited for, with more words where these are not enough."""
    while True:
        done = launch(source, nodes, fixed, n, seed, even, words, out)
        if not done.is_full():
            return done
        if 64 * words > 2 * len(nodes):
            raise ColoringError("first-fit of elements found no color among as many as there are elements")
        words *= 2
