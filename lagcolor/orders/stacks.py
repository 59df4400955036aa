"""Buckets of vertices by degree, as stacks in one array: what the bucket-queue orders share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit


def stack_starts(degree: np.ndarray, top: int) -> np.ndarray:
    """Where stack d begins, d = 0 … top + 1, if a vertex enters each of the stacks 0 … its degree at most once.

    Stack d then never holds more than the vertices of degree ≥ d; all of them together hold n + m,
    and memory is only used for touched pages.
    """
    starts = np.zeros(top + 2, np.uint64)
    fill(degree, starts)
    return starts


@njit(cache=True, nogil=True)
def fill(degree: Any, starts: Any) -> None:
    """Write them over zeros."""
    for d in degree:
        starts[np.uint64(d) + np.uint64(1)] += np.uint64(1)
    at_least = np.uint64(degree.size)
    for d in range(starts.size - 1):
        exactly = starts[d + 1]
        starts[d + 1] = starts[d] + at_least
        at_least -= exactly
