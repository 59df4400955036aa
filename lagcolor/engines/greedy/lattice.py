"""First-fit by id of grids and stencils: guess the colors from the position in the lattice, then check them.

In first-fit by id each vertex has the smallest color that no neighbor of smaller id has, and no other coloring has this
property. So one pass over the entries checks the guess. In a grid in its natural order vertex v is at
x = v mod s, y = v mod t div s, z = v div t. In 5-, 7-, 9- and 27-point stencils, and stencils between them, its color
depends only on whether x, y and z are odd. One row near the middle gives the steps s and t; first-fit of a small
lattice gives the colors. A cube of 128³ vertices has chains of 900 vertices, and the guess has none.
This file has the guess and its check on a GPU; natural.py has the check on a CPU.

=====  ========================================================
line   s, the number of vertices in a line; `plane`: t, the number of vertices in a plane, or n
table  color of each place, 8 bits each: bit 0 of the place is 1 if x is odd, bits 1 and 2 are for y and z
=====  ========================================================
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph

SOURCE = dev.Source(__file__)
GROUP = 4  # as in lattice.cu
SIDE = 4  # side of the small lattice: two periods
STEPS = (-1, 0, 1)
ONE_LINE = 1 << 31  # longer than any line


def by_lattice(G: Graph, row: tuple[int, ...]) -> Any | None:
    """Return the colors of first-fit by id, or None; `row`: differences of ids in a row (improve/survey.py)."""
    cp, n = dev.cupy(), G.n
    found = guess(row)
    if found is None:
        return None
    line, plane, table = found
    run, colors = SOURCE.of(G.indptr), cp.empty(n, np.int32)
    run.launch("set_colors", n, np.uint32(n), np.uint32(line), np.uint32(plane or n), np.uint64(table), colors)
    wrong = run.read("check_colors", n * GROUP, np.int64(n), G.indptr, G.indices, colors, count=1)
    return None if wrong[0] else colors


@functools.lru_cache(64)
def guess(row: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return line, plane (0 for none) and table of a stencil, from the differences of ids in a row; None if unknown."""
    ahead = [step for step in row if step > 1]
    lines = [(s, 0) for s in (ONE_LINE, *ahead)]
    for line, plane in itertools.chain(lines, itertools.combinations(ahead, 2)):
        if plane % line:
            continue
        at = {x + y * line + z * plane: (x, y, z) for z in (STEPS if plane else (0,)) for y in STEPS for x in STEPS}
        if all(step in at for step in row):
            table = _table(tuple(at[step] for step in row if step < 0))
            return None if table is None else (line, plane, table)
    return None


def _table(before: tuple[tuple[int, ...], ...]) -> int | None:
    """Return the table of a stencil, or None if its colors have another period; `before`: neighbors of smaller ids."""
    colors: dict[tuple[int, ...], int] = {}
    for at in itertools.product(range(SIDE), repeat=3):  # z, y, x
        taken = {colors.get((at[0] + z, at[1] + y, at[2] + x)) for x, y, z in before}
        colors[at] = next(c for c in itertools.count() if c not in taken)
    if any(c != colors[z % 2, y % 2, x % 2] for (z, y, x), c in colors.items()):
        return None
    return sum(colors[z, y, x] << 8 * (x + 2 * y + 4 * z) for z, y, x in itertools.product(range(2), repeat=3))
