"""What sets.py looks for, on a GPU: entries that are alone in their sums, and mirror images, as in sets.cu."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph

SOURCE = Path(__file__).with_name("sets.cu")
BLOCK, WARP = 128, 32
MOST_BLOCKS = 2**20  # more rows than warps of so many are taken in turn


def alone(G: Graph, colors: Any) -> Any:
    """As `sets.alone`, of a graph on the current device."""
    out = dev.cupy().zeros(G.m, bool)
    if G.m:
        colors = colors.astype(np.int32, copy=False)
        _launch("find_alone", G, np.uint32(dev.largest(colors) + 1), G.indptr, G.indices, colors, out)
    return out


def mirror(G: Graph) -> Any:
    """As `sets.mirror`, of a graph on the current device."""
    out = dev.cupy().empty(G.m, G.indptr.dtype)
    if G.m:
        _launch("find_mirror", G, G.indptr, G.indices, out)
    return out


def _launch(name: str, G: Graph, *args: Any) -> None:
    """A warp per row."""
    kernel = dev.kernel(SOURCE, name, OFFSET_BITS=8 * G.indptr.itemsize, BLOCK=BLOCK)
    kernel((min(-(-G.n * WARP // BLOCK), MOST_BLOCKS),), (BLOCK,), (np.int64(G.n), *args))
