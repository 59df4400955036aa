"""The sequential spread stage on a CPU: first-fit of those left, in order, around everyone else.

The pipeline of color classes (section 4.2; classes.cu on a GPU) gives each vertex the first color it can have, which is
first-fit. On a CPU it took three to five times as long as `first_fit_task`, which gives the same colors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import ctz64
from ...engines.greedy.tasks import first_fit_task
from ...task import Task
from .dag import Dag

ZERO, ONE, LOW = np.uint64(0), np.uint64(1), np.uint64(63)


def in_order(D: Dag, colors: Any, left: Any, threads: int | None) -> None:
    """Color the left (int32, by id) in place."""
    first_fit_task(D.graph(), Task(left, colors), threads=threads, in_place=True)


def vertex_centric(D: Dag, colors: np.ndarray, left: np.ndarray, threads: int | None) -> list[int]:
    """Without color classes: each vertex left takes its first-fit color at once; the later end of a conflict again.

    The first that is left never conflicts with an earlier one, so there are ever fewer.

    Returns
    -------
    list of int
        How many were left before each round.
    """
    indptr, indices = D.indptr.view(f"u{D.indptr.itemsize}"), D.indices.view(np.uint32)
    colors[left] = -1
    rounds = []
    while len(left):
        rounds.append(len(left))
        new, lost = np.empty(len(left), np.int32), np.zeros(len(left), np.bool_)
        workers = cpu_threads.count(threads, 16 * len(left))
        ends = np.linspace(0, len(left), workers + 1).astype(np.int64).tolist()
        for loop, out in ((fit, new), (compare, lost)):
            _in_parts(loop, (indptr, indices, colors, left, out), ends)
            if out is new:
                colors[left] = new
        left = left[lost]
    return rounds


def _in_parts(loop: Any, args: tuple[Any, ...], ends: list[int]) -> None:
    cpu_threads.run(lambda t: loop(*args, ends[t], ends[t + 1]), len(ends) - 1)


@njit(cache=True, nogil=True)
def fit(indptr: Any, indices: Any, colors: Any, left: Any, new: Any, first: Any, stop: Any) -> None:
    """The least color that no neighbour has, in windows of 64."""
    for i in range(first, stop):
        v = left[i]
        base = np.int64(0)
        while True:
            seen = ZERO
            for e in range(indptr[v], indptr[v + np.uint32(1)]):
                above = np.uint64(np.int64(colors[indices[e]]) - base)
                if above <= LOW:
                    seen |= ONE << above
            if ~seen != ZERO:
                break
            base += 64
        new[i] = np.int32(base) + np.int32(ctz64(~seen))


@njit(cache=True, nogil=True)
def compare(indptr: Any, indices: Any, colors: Any, left: Any, lost: Any, first: Any, stop: Any) -> None:
    """Whether a parent has the same color."""
    for i in range(first, stop):
        v = left[i]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if u >= v:
                break
            if colors[u] == colors[v]:
                lost[i] = True
                break
