"""bits.py: the hash of orders/ties.py for one number, and least free colors."""

from __future__ import annotations

import numpy as np

from lagcolor.base.device.bits import least_free, least_unmarked, mix32
from lagcolor.base.device.compiled import njit
from lagcolor.orders.ties import mix, seed_word


@njit
def first_zero(words, last):
    return least_free(words, last)


@njit
def first_other(marks, mark, first):
    return least_unmarked(marks, mark, first)


def test_the_hash_is_that_of_ties() -> None:
    ids = np.array([0, 1, 2, 31, 2**16, 2**31 - 1, 2**31, 2**32 - 1], np.uint32)
    for seed in (0, 12345):
        word = np.uint32(seed_word(seed))
        expected = mix(np, ids, seed)
        assert [int(mix32(x)) for x in ids ^ word] == expected.tolist()
        assert [int(mix32(x)) for x in (ids ^ word).astype(np.uint64)] == expected.tolist()


def test_least_free_byte() -> None:
    for taken in range(25):
        words = np.zeros(4, np.uint64)
        flags = words.view(np.uint8)
        flags[:taken] = 1
        flags[taken + 1 : 24] = 1
        assert first_zero(words, np.uint64(3)) == taken
        assert first_zero(words, np.uint64(1)) == min(taken, 16)


def test_least_unmarked() -> None:
    marks = np.array([7, 7, 3, 7, 7], np.int32)
    assert [first_other(marks, np.int32(7), np.uint64(k)) for k in range(6)] == [2, 2, 2, 5, 5, 5]
