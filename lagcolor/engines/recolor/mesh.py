"""Whether a graph is a structured mesh: in the order of ids these take far fewer colors than with high degrees first.

In a grid, and in a matrix of finite elements on one, most vertices have the largest degree, and their rows, seen from
the vertex, are the same few patterns: one, or one for each unknown of a node. Of 64 rows from all over the graph at
most a quarter may differ. Meshes without structure have as many patterns as rows, and gain nothing from the order of
ids.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from semirings.runtime.compile_clock import importing

from ... import device as dev
from ...core.graph import Graph
from ...device.pinned import Pinned
from ..greedy.sequential import top_degree, unsigned

SOURCE = Path(__file__).with_suffix(".cu")
SAMPLES, STEPS = 64, 64  # rows; vertices that are looked at for one of the largest degree, as in mesh.cu
BLOCK = 1024  # as in mesh.cu
GOLDEN = 0x9E3779B1  # as in mesh.cu: the golden ratio as a fraction of 2³²
EACH = 4  # rows of a pattern, at least


def is_mesh(G: Graph, degrees: tuple[int, int] | None = None) -> bool:
    """Whether half of the vertices have the largest degree, and their rows are alike."""
    if degrees is None:
        degrees = _degrees(G)
    degree, count = degrees
    if degree == 0 or 2 * count < G.n:
        return False
    patterns, rows = (_patterns_on_gpu if G.on_gpu else _patterns)(G, degree)
    return 0 < EACH * patterns <= rows


def _degrees(G: Graph) -> tuple[int, int]:
    """The largest degree and how many have it."""
    if G.on_gpu:
        with importing():
            from ...device.extremes import degrees

        return degrees(G.indptr)[1:3]
    return top_degree(unsigned(G)[0])  # type: ignore[no-any-return]


def _patterns(G: Graph, degree: int) -> tuple[int, int]:
    """Different rows among the samples, and rows: near some there is no vertex of this degree."""
    # By the golden ratio: equal distances may all end where planes begin, as in a cube of 128 vertices a side.
    starts = ((np.arange(1, SAMPLES + 1, dtype=np.int64) * GOLDEN) % 2**32) * G.n >> 32
    near = np.minimum(starts[:, None] + np.arange(STEPS), G.n - 1)
    fits = G.indptr[near + 1] - G.indptr[near] == degree
    found = fits.any(axis=1)
    some = near[found, fits[found].argmax(axis=1)]
    rows = G.indices[G.indptr[some][:, None] + np.arange(degree)] - some[:, None]
    return len({row.tobytes() for row in rows}), len(rows)


def _patterns_on_gpu(G: Graph, degree: int) -> tuple[int, int]:
    with dev.using(G.indices), Pinned.take(dev.cupy().cuda.runtime.getDevice(), 2 * SAMPLES) as found:
        sample = dev.kernel(SOURCE, "sample", OFFSET_BITS=8 * G.indptr.itemsize)
        sample((1,), (BLOCK,), (np.int64(G.n), np.int32(degree), G.indptr, G.indices, found.ptr))
        found.launched()
        hashes = found.wait().view(np.uint64)
    hashes = hashes[hashes > 0]
    return len(np.unique(hashes)), len(hashes)
