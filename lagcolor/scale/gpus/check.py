"""Check the colors of a divided graph on the GPUs that have its parts, by a kernel that is independent of the engines.

Whether colors equal first-fit can be checked for each vertex and its neighbors, because the equations
c(v) = mex {c(u) : u an earlier neighbor of v} have one solution. So this is checked, too, although no device has the
whole graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.several import each, wait
from ...base.errors import ColoringError
from ...base.messages import counted
from ...orders.ties import seed_word
from ...problems.report import Report
from .parts import Distributed

SOURCE = dev.Source(__file__)
MOST = 63  # largest degree whose equations are checked


def verify(D: Distributed, colors: Any, *, spread: int | None = None) -> Report:
    """Check that no two neighbors have equal colors; with the seed `spread`, that the colors equal first-fit."""
    degrees = None if spread is None else _degrees(D)
    word = np.uint32(seed_word(spread or 0))

    def check(i: int, device: int) -> tuple[list[int], int, int]:
        cp, part = dev.cupy(), D.parts[i]
        every = dev.to_device(colors, f"cuda:{device}")
        found, worst = cp.zeros(3, np.uint64), cp.full(1, 2**31 - 1, np.int32)
        rows = (np.int64(part.n), np.int32(part.first), part.indptr, part.indices)
        args = (*rows, every, 0 if degrees is None else degrees[i], word, found, worst)
        SOURCE.of(part.indptr).launch("check_rows", part.n, *args, most=2**16)
        return found.tolist(), int(worst[0]), extremes.largest(every)

    results = each(D.devices, check)
    bare, conflicts, other = (sum(found[k] for found, _, _ in results) for k in range(3))
    if bare or conflicts or other:
        faults = [
            *([f"{counted(bare, 'uncolored vertices')} (-1)"] if bare else []),
            *([counted(conflicts // 2, "conflicting edges")] if conflicts else []),
            *([f"{other} vertices with another color than first-fit gives"] if other else []),
        ]
        v = min(worst for _, worst, _ in results)
        raise ColoringError(f"not a valid coloring: {'; '.join(faults)}; the first at vertex {v}")
    return Report(n_colors=max((top for _, _, top in results), default=-1) + 1, conflicts=[])


def _degrees(D: Distributed) -> list[Any]:
    """Return the degrees of all vertices on each GPU: uint8."""
    cp = dev.cupy()
    mine = each(D.devices, lambda i, device: cp.diff(D.parts[i].indptr))
    if any(each(D.devices, lambda i, device: extremes.largest(mine[i]) > MOST)):
        raise ColoringError(f"first-fit is checked for degrees up to {MOST}: leave spread out")
    mine = each(D.devices, lambda i, device: mine[i].astype(np.uint8))
    wait(D.devices)
    out = each(D.devices, lambda i, device: cp.concatenate([dev.to_device(d, f"cuda:{device}") for d in mine]))
    wait(D.devices)  # memory on other GPUs can be freed after it is copied
    return out
