"""Meshes that are generated in parts: each GPU writes its own rows, and no device has the whole graph."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ...base import device as dev
from ...base import options
from ...base.compile_clock import clock
from ...base.device.several import each, link, numbers, wait
from ...generate.common import vertices
from .parts import RUN, SOURCE, Distributed, Part

MOST_BLOCKS = 2**16
MESHES = ("grid2d", "grid3d", "stencil27")


def mesh(name: str, *sides: int, devices: Any = "cuda:*") -> Distributed:
    """Generate a mesh of `lagcolor.generate` in parts.

    Parameters
    ----------
    name : {"grid2d", "grid3d", "stencil27"}
        The generator.
    *sides : int
        Vertices per side: width, height, and depth (not for grid2d). Height and depth default to the width.
    devices : str or list of str
        See `distribute`.

    Returns
    -------
    Distributed
        The vertices and edges of the graph of the generator. Each GPU uses 4 bytes per stored entry of its rows and 4
        to 8 bytes per vertex.

    Raises
    ------
    OptionError
        There is no mesh with this name, a size is under 1, or int32 cannot number the vertices.
    DeviceError
        See `distribute`.
    MemoryError
        A GPU has too little memory for its rows.

    Examples
    --------
    >>> parts = lagcolor.scale.gpus.mesh("stencil27", 20)  # doctest: +SKIP
    >>> lagcolor.color(parts, verify=True).verified  # doctest: +SKIP
    True
    """
    name = options.choice("mesh", name, MESHES)
    most = 2 if name == "grid2d" else 3
    options.whole("sides", len(sides), 1, most, of=f"a {name}")
    lengths = [options.whole("side", side, 1) for side in sides]
    width, height, depth = lengths + [lengths[0]] * (most - len(lengths)) + [1] * (3 - most)
    n = vertices(width * height * depth, f"this {name}")
    steps = _steps(name)
    chosen = numbers(devices)
    link(chosen)
    begun = clock()
    bounds = [min(n, n * i // len(chosen) // RUN * RUN) for i in range(len(chosen))] + [n]
    ranges = [(d, a, b) for d, a, b in zip(chosen, bounds, bounds[1:], strict=False) if a < b]
    widest = offset_type(max(b - a for _, a, b in ranges) * len(steps))

    def rows(i: int, device: int) -> Part:
        _, first, last = ranges[i]
        return Part(device, first, last, *_rows(first, last, (width, height, depth), steps, widest))

    parts = each([d for d, _, _ in ranges], rows)
    wait([part.device for part in parts])
    m = sum(part.m for part in parts)
    return Distributed(n, m, tuple(parts), f"cuda:{parts[0].device}", seconds=clock() - begun)


def _steps(name: str) -> np.ndarray:
    """Return the steps (dx, dy, dz) to the neighbors, in the order of the neighbors' ids: int32."""
    box = [(x, y, z) for z, y, x in itertools.product((-1, 0, 1), repeat=3)]
    steps = [s for s in box if any(s) and (name == "stencil27" or sum(map(abs, s)) == 1)]
    return np.array(steps, np.int32)


def _rows(first: int, last: int, sides: tuple[int, int, int], steps: np.ndarray, offsets: Any) -> tuple[Any, Any]:
    """Return offsets and columns of a range of rows, on the current device."""
    cp, n = dev.cupy(), last - first
    run = SOURCE.of(np.dtype(offsets))
    box = (np.int64(n), np.int32(first), *map(np.int32, sides), cp.asarray(steps), np.int32(len(steps)))
    indptr, lengths = cp.zeros(n + 1, offsets), cp.empty(n, offsets)
    run.launch("mesh_rows", n, *box, lengths, 0, most=MOST_BLOCKS)
    cp.cumsum(lengths, out=indptr[1:])
    del lengths
    indices = cp.empty(int(indptr[-1]), np.int32)
    run.launch("mesh_rows", n, *box, indptr, indices, most=MOST_BLOCKS)
    return indptr, indices
