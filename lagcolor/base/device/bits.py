"""Operations on bits for loops of the CPU: a hash of a number, random numbers, and the least free color."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled import inner, njit
from .intrinsics import ctz64

ZERO, ONE, THREE = np.uint64(0), np.uint64(1), np.uint64(3)
BYTES = np.uint64(0x0101010101010101)
LOW = np.uint64(0xFFFFFFFF)
WORD = np.uint64(64)


@inner(forceinline=True)
def mix32(h: Any) -> Any:
    """Murmur3's finalizer, a bijection of 32 bits, as in orders/ties.py; numba multiplies in 64 bits."""
    h = np.uint64(h)
    h = ((h ^ (h >> np.uint64(16))) * np.uint64(0x85EBCA6B)) & LOW
    h = ((h ^ (h >> np.uint64(13))) * np.uint64(0xC2B2AE35)) & LOW
    return h ^ (h >> np.uint64(16))


@inner(forceinline=True)
def below(state: Any, bound: Any) -> Any:
    """Return a random whole number under `bound` < 2³² by a step of splitmix64; `state` is an array of one uint64.

    Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", as in generate/common.py.
    """
    z = state[0] + np.uint64(0x9E3779B97F4A7C15)
    state[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (((z ^ (z >> np.uint64(31))) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def in_window(color: Any, first: Any) -> Any:
    """Return a word with the bit of a color, if it is one of the 64 colors from `first` on, or 0."""
    k = np.uint64(np.int64(color) - first)
    return np.uint64(k < WORD) << (k & np.uint64(63))


@njit(cache=True, nogil=True, inline="always")
def least_free(words: Any, last: Any) -> Any:
    """Return the place of the first byte 0 among bytes of 0 and 1 in words 0 … `last`, or the place after the last."""
    w = ZERO
    while words[w] == BYTES and w < last:
        w += ONE
    return (w << THREE) + (ctz64(~words[w] & BYTES) >> THREE)


@njit(cache=True, nogil=True, inline="always")
def least_unmarked(marks: Any, mark: Any, first: Any) -> Any:
    """Return the first place from `first` on with a mark other than `mark`, or the size of `marks`."""
    k = np.uint64(first)
    while k < np.uint64(marks.size) and marks[k] == mark:
        k += ONE
    return k
