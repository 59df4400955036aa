"""palette.cuh against sets of colors."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, WARP, random, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def mex(colors: object) -> int:
    taken = set(np.asarray(colors).tolist())
    return next(c for c in range(len(taken) + 1) if c not in taken)


def test_words(engine: str) -> None:
    full = [(1 << k) - 1 for k in (0, 1, 31, 32)]
    narrow = np.resize(np.array([*full, 0xFFFFFFFE, 0xFFFFFFFF, 0x7FFFFFFF, 0xBFFFFFFF], np.uint32), 128)
    narrow[32:64] = (
        0xFFFFFFFF  # nothing free in this warp, in the next one only the last, and in the one after the first
    )
    narrow[64:95] = 0xFFFFFFFF
    narrow[95] = 0x7FFFFFFF
    narrow[96] = 0xFFFFFFFE
    wide = np.resize(np.array([(1 << k) - 1 for k in (0, 1, 31, 32, 33, 63, 64)] + [2**64 - 2], np.uint64), 128)
    blank = np.full(128, -9, np.int32)
    *_, of_narrow, of_wide, of_lanes = run("palette", "of_words", narrow, wide, blank, blank, blank, block=128,
                                           WIDTH=32, N_WORDS=1)  # fmt: skip

    def bits(word: int, width: int) -> int:
        least = mex([c for c in range(width) if word >> c & 1])
        return least if least < width else -1

    assert of_narrow.tolist() == [bits(w, 32) for w in narrow.tolist()]
    assert of_wide.tolist() == [bits(w, 64) for w in wide.tolist()]
    whole = [sum(w << 32 * i for i, w in enumerate(words)) for words in narrow.reshape(-1, WARP).tolist()]
    assert of_lanes.reshape(-1, WARP).tolist() == [[bits(word, 1024)] * WARP for word in whole]


def test_colors_are_taken_once_and_where_they_belong(engine: str) -> None:
    colors = np.resize(np.array([0, 31, 32, 33, 500, 991, 992, 1023, 0, 0], np.int32), 64)
    _, words = run("palette", "taken", colors, np.zeros(32, np.uint32), block=64, WIDTH=32, N_WORDS=1)
    assert np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).tolist() == sorted(
        set(colors.tolist())
    )


@pytest.mark.parametrize(("size", "words"), [(32, 1), (32, 16), (32, 32), (32, 64), (256, 32), (256, 64), (256, 256)])
def test_least_color_that_nobody_took(engine: str, size: int, words: int) -> None:
    """At every border of a word and of a window; the colors of one list are forgotten in the next."""
    window = 32 * words
    borders = {0, 1, 31, 32, 33, window - 1, window, window + 1, 2 * window - 1, 2 * window, 3 * window}
    lists = [np.arange(least) for least in sorted(borders)]
    holes = [np.delete(np.arange(2 * window + 5), [h]) for h in sorted(borders) if h < 2 * window + 5]
    far = [np.array([window - 1, window, 2**31 - 2]), np.array([-1, 5, 0])]  # −1: no color
    shuffled = [random(7).permutation(np.repeat(np.arange(window + 3), 2))]
    all_ = [x.astype(np.int32) for x in lists + holes + far + shuffled]
    for first, second in zip(all_, reversed(all_), strict=True):
        own = [x if len(x) else np.zeros(1, np.int32) for x in (first, second)]
        *_, answers, windows = run(
            "palette", "of_lists", own[0], len(first), own[1], len(second), np.full(2 * size, -9, np.int32),
            np.zeros(2, np.int32), block=size, WIDTH=size, N_WORDS=words,
        )  # fmt: skip
        expected = [mex(first[first >= 0]), mex(second[second >= 0])]
        assert answers.reshape(size, 2).tolist() == [expected] * size
        assert windows.tolist() == [least // window + 1 for least in expected]
