"""The largest color or degree on a GPU, and how many have it, by one launch and one wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ... import device as dev
from ...core.graph import Graph
from ...device.pinned import Pinned

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK, EACH, MOST = 256, 8, 512  # largest.cu: threads of a block; numbers per thread, at least; blocks


def largest_color(colors: Any) -> tuple[int, int]:
    """The largest of these colors (int32, on a GPU, at least one, none under 0), and how many vertices have it."""
    return _pair(len(colors), (colors, 0), OFFSET_BITS=32, STEPS=0)


def largest_degree(G: Graph) -> tuple[int, int]:
    """The largest degree of a graph on a GPU with at least one vertex, and how many vertices have it."""
    return _pair(G.n, (0, G.indptr), OFFSET_BITS=8 * G.indptr.itemsize, STEPS=1)


def _pair(n: int, arrays: tuple[Any, Any], **macros: int) -> tuple[int, int]:
    blocks = min(-(-n // (BLOCK * EACH)), MOST)
    with Pinned.take(dev.cupy().cuda.runtime.getDevice(), 2 * MOST) as found:
        dev.kernel(SOURCE, "largest", **macros)((blocks,), (BLOCK,), (*arrays, n, found.ptr))
        found.launched()
        pairs = found.wait()[: 2 * blocks].reshape(blocks, 2)
    number = pairs[:, 0].max()
    return int(number), int(pairs[pairs[:, 0] == number, 1].sum())
