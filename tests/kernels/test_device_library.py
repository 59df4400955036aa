"""The functions of the device library, each by itself, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_library import ENGINES, KERNELS, WARP, numbers, patterns, random, reduced, run

import lagcolor.base.device as dev

pytestmark = pytest.mark.inner
engines = pytest.mark.parametrize("engine", ENGINES)
lengths = pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("u64", np.uint64)])
BLOCK, GRID = 256, 2
N = BLOCK * GRID


def check_list(items: np.ndarray, length: int, start: int, expected: np.ndarray, each: int, name: str) -> None:
    """`expected` stands from `start` on, and nothing else; the items of `each` threads together, in their order."""
    assert length == start + len(expected), name
    assert (items[:start] == -1).all() and (items[length:] == -1).all(), name
    found = items[start:length]
    np.testing.assert_array_equal(np.sort(found, kind="stable"), expected, name)
    for part in np.unique(expected // each):
        own = np.flatnonzero(found // each == part)
        assert (np.diff(own) == 1).all() and (np.diff(found[own]) >= 0).all(), name


# ---- warp.cuh and atomics.cuh ------------------------------------------------------------------------------


@engines
def test_lists_of_a_warp(engine: str) -> None:
    for name, votes in patterns(128).items():
        blank = np.full(131, -1, np.int32)
        _, items, length = run("warp", "listed", votes, blank, np.full(1, 2, np.int32), grid=2, block=64)
        check_list(items, int(length[0]), 2, np.flatnonzero(votes), WARP, name)


@engines
def test_words_are_copied_whole(engine: str) -> None:
    for dtype in (np.int32, np.uint32, np.uint64, np.uint8):
        info, name = np.iinfo(dtype), f"copies_{np.dtype(dtype).str[1]}{8 * np.dtype(dtype).itemsize}"
        x = random(1).integers(info.min, info.max, 64, dtype, endpoint=True)
        x[:4] = info.min, info.max, 1, info.max // 2 + 1
        for copy in run("warp", name, x, np.zeros(66, dtype), np.zeros(66, dtype), block=64)[1:]:
            np.testing.assert_array_equal(copy, np.append(x, [0, 0]))


# ---- append.cuh -----------------------------------------------------------------------------


@engines
@lengths
@pytest.mark.parametrize(("grid", "block"), [(3, 64), (1, 1024)])
def test_lists_of_a_block(engine: str, kind: str, dtype: Any, grid: int, block: int) -> None:
    n, how = grid * block, {"grid": grid, "block": block}
    for name, votes in patterns(n).items():
        blank = np.full(n + 8, -1, np.int32)
        _, items, rest, length = run("lists", f"listed_{kind}", votes, blank, blank, np.array([3, 0], dtype), **how)
        check_list(items, int(length[0]), 3, np.flatnonzero(votes), block, name)
        check_list(rest, int(length[1]), 0, np.flatnonzero(votes == 0), block, name)
    wanted = random(2).integers(0, 5, n).astype(np.int32)
    expected = np.repeat(np.arange(n), wanted)
    blank = np.full(len(expected) + n + 8, -1, np.int32)
    _, items, odd, length = run("lists", f"several_{kind}", wanted, blank, blank, np.array([3, 0], dtype), **how)
    check_list(items, int(length[0]), 3, expected, block, "several")
    check_list(odd, int(length[1]), 0, np.flatnonzero(wanted % 2), block, "odd")


# ---- group.cuh ---------------------------------------------------------------------------------------------


def of_groups(name: str, size: int, *args: Any) -> list[np.ndarray]:
    return run("group", name, *args, grid=GRID, block=BLOCK, WIDTH=size)


@engines
@pytest.mark.parametrize("size", [1, 8, 32, 256])
def test_groups(engine: str, size: int) -> None:
    """Places, votes, reductions, and memory that is in order after a barrier."""
    blank, thread = np.full(N, -1, np.int32), np.arange(N) % BLOCK
    lane, index, lanes = of_groups("places", size, blank, blank, np.zeros(N, np.uint32))
    np.testing.assert_array_equal(lane, thread % size)
    np.testing.assert_array_equal(index, thread // size)
    within = min(size, WARP)
    np.testing.assert_array_equal(lanes, ((1 << within) - 1) << (thread % WARP // within * within))
    for name, votes in patterns(N).items():
        _, any_, all_ = of_groups("votes", size, votes, blank, blank)
        groups = votes.reshape(-1, size)
        np.testing.assert_array_equal(any_, np.repeat(groups.any(axis=1), size), name)
        np.testing.assert_array_equal(all_, np.repeat(groups.all(axis=1), size), name)
    for kind, dtype in (("int", np.int32), ("u64", np.uint64)):
        for name, x in numbers(N, dtype).items():
            _, out = of_groups(f"reductions_{kind}", size, x, np.zeros(5 * N, dtype))
            np.testing.assert_array_equal(out.reshape(-1, 5), reduced(x, size), name)
    x = random(3).integers(0, 1000, N // size).astype(np.int32)
    *_, out = of_groups("through_memory", size, x, np.full(N // size, -1, np.int32), np.full(3 * N, -1, np.int32))
    np.testing.assert_array_equal(out.reshape(N, 3), np.repeat(x, size)[:, None] + np.arange(3))


@engines
@pytest.mark.parametrize("size", [32, 256])
def test_ranks_and_sums_of_groups(engine: str, size: int) -> None:
    for name, votes in patterns(N).items():
        blank = np.full(N, -1, np.int32)
        _, rank, total, other, rest = of_groups("ranks", size, votes, blank, blank, blank, blank)
        for yes, r, t in ((votes, rank, total), (1 - votes, other, rest)):
            groups = yes.reshape(-1, size)
            np.testing.assert_array_equal(r, (np.cumsum(groups, axis=1) - groups).ravel(), name)
            np.testing.assert_array_equal(t, np.repeat(groups.sum(axis=1), size), name)
    x, zeros = random(4).integers(0, 2**40, N, np.uint64), np.zeros(N, np.uint64)
    *_, before, total, again = of_groups("sums", size, x, zeros, zeros, zeros)
    groups = x.reshape(-1, size)
    np.testing.assert_array_equal(before, (np.cumsum(groups, axis=1, dtype=np.uint64) - groups).ravel())
    np.testing.assert_array_equal(total, np.repeat(groups.sum(axis=1, dtype=np.uint64), size))
    np.testing.assert_array_equal(again, total * np.tile(np.arange(size, dtype=np.uint64), N // size))


@engines
@pytest.mark.parametrize(("thread_most", "warp_most"), [(31, 511), (0, 0)])
def test_degree_classes(engine: str, thread_most: int, warp_most: int) -> None:
    borders = [b + d for b in (0, thread_most, warp_most) for d in (-1, 0, 1) if b + d >= 0]
    degree = np.resize(np.array([*borders, 2**31 - 1], np.int32), N)
    wide = np.where(np.arange(N) % 3, degree.astype(np.int64), degree.astype(np.int64) << 31)
    blank = np.full(N, -1, np.int32)
    *_, out, out_wide = of_groups("classes", 1, degree, wide, thread_most, warp_most, blank, blank)
    for found, d in ((out, degree), (out_wide, wide)):
        np.testing.assert_array_equal(found, np.where(d <= thread_most, 0, np.where(d <= warp_most, 1, 2)))


# ---- grid.cuh ------------------------------------------------------------------------------

STARTS = [pytest.param("emulated", 0, marks=pytest.mark.emulated(seed=1, processors=8))]  # there wrapping is an error
STARTS += [pytest.param("cuda", start, marks=pytest.mark.gpu) for start in (0, 2**31 - 3, -2)]


@pytest.mark.parametrize(("engine", "start"), STARTS)
def test_blocks_meet(engine: str, start: int) -> None:
    rounds, blocks = 10, 8
    arrived, turns, wrong = run(
        "grid", "meetings", rounds, np.full(1, start, np.int32), start, np.full(blocks, -1, np.int32),
        np.zeros(1, np.int32), grid=blocks, block=64, together=True,
    )  # fmt: skip
    assert not wrong[0]
    assert turns.tolist() == [rounds - 1] * blocks
    assert int(arrived[0]) % 2**32 == (start + 2 * rounds * blocks) % 2**32


# ---- sequence.cuh and places.cuh -----------------------------------------------------------------


@engines
@pytest.mark.parametrize("flip", [0, 2**32 - 1])
def test_places_in_a_sequence(engine: str, flip: int) -> None:
    """Vertices of places; places of the first 70 vertices of a sequence of 100, the others keep what they have."""
    cp, sequence = dev.cupy(), random(1).permutation(64).astype(np.int32)
    blank = np.full(64, -1, np.int32)
    _, of_sequence, by_id = run("sequence", "vertices", sequence, blank, blank, block=64, BLOCK=64)
    np.testing.assert_array_equal([of_sequence, by_id], [sequence, np.arange(64)])
    sequence, place = random(2).permutation(100).astype(np.int32), cp.full(100, 7, np.uint32)
    places = dev.Source(KERNELS / "sequence.cu").of(BLOCK=32)
    places.launch("set_places", 70, np.int64(70), cp.asarray(sequence), np.uint32(flip), place)
    expected = np.full(100, 7, np.uint32)
    expected[sequence[:70]] = np.arange(70, dtype=np.uint32) ^ np.uint32(flip)
    np.testing.assert_array_equal(cp.asnumpy(place), expected)


# ---- search.cuh --------------------------------------------------------------------------------------------


@engines
@pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("wide", np.int64)])
def test_searches(engine: str, kind: str, dtype: Any) -> None:
    info = np.iinfo(dtype)
    arrays = [np.arange(0, 2 * n, 2) for n in (0, 1, 32, 33, 1023)]
    arrays += [np.full(40, 7), np.sort(random(4).integers(0, 20, 300)), np.array([info.min, -1, 0, 1, info.max])]
    for values in (x.astype(dtype) for x in arrays):
        around = [int(v) + d for v in values[:64] for d in (-1, 0, 1)] + [-1, 0, 1]
        keys = np.array([k for k in around if info.min <= k <= info.max], dtype)
        for low, high in {(0, len(values)), (len(values) // 3, len(values) - len(values) // 4)}:
            blank, stored = np.full(len(keys), -1, dtype), values if len(values) else np.zeros(1, dtype)
            *_, over, start = run(
                "search", f"places_{kind}", stored, low, high, keys, len(keys), blank, blank,
                grid=-(-len(keys) // 64), block=64,
            )  # fmt: skip
            np.testing.assert_array_equal(over, low + np.searchsorted(values[low:high], keys, "right"))
            np.testing.assert_array_equal(start, low + np.searchsorted(values[low:high], keys, "left"))


@engines
@pytest.mark.parametrize(("block", "width"), [(32, 1), (64, 64), (32, 200), (64, 65)])
def test_bounds_of_a_tile(engine: str, block: int, width: int) -> None:
    """Consecutive entries are looked up in offsets of rows, some of them empty; each bound is the tightest one."""
    sizes = np.where(random(5).integers(0, 3, 90) == 0, 0, random(6).integers(1, 9, 90))
    offsets = np.concatenate([[0], np.cumsum(sizes), [np.sum(sizes)] * 3]).astype(np.int64)
    for first in (0, 1, int(offsets[-1]) - width):
        last, tiles = first + width - 1, -(-width // block)
        _, over, bounds = run(
            "search", "tiles", offsets, len(offsets), first, last, np.full(width, -1, np.int32),
            np.full(2 * tiles, -1, np.int32), block=block,
        )  # fmt: skip
        np.testing.assert_array_equal(over, np.searchsorted(offsets, np.arange(first, last + 1), "right"))
        starts = np.arange(first, last + 1, block)
        ends = np.minimum(starts + block - 1, last)
        expected = [np.searchsorted(offsets, at, "right") for at in (starts, ends)]
        np.testing.assert_array_equal(bounds.reshape(-1, 2).T, expected)


# ---- palette.cuh -------------------------------------------------------------------------------------------


def mex(colors: Any) -> int:
    taken = set(np.asarray(colors).tolist())
    return next(c for c in range(len(taken) + 1) if c not in taken)


def least_in(word: int, width: int) -> int:
    """The first bit that is not set, or −1."""
    least = mex([c for c in range(width) if word >> c & 1])
    return least if least < width else -1


@engines
def test_words_of_a_palette(engine: str) -> None:
    """Least colors of words of 32 and 64 bits, and of the words of a warp; colors are taken where they belong."""
    narrow = np.resize(np.array([0, 1, 2**31 - 1, 2**32 - 1, 2**32 - 2, 0xBFFFFFFF], np.uint32), 128)
    narrow[32:96] = 0xFFFFFFFF  # nothing free in this warp, in the next one only the last, and then the first
    narrow[95], narrow[96] = 0x7FFFFFFF, 0xFFFFFFFE
    wide = np.resize(np.array([(1 << k) - 1 for k in (0, 1, 31, 32, 33, 63, 64)] + [2**64 - 2], np.uint64), 128)
    blank, how = np.full(128, -9, np.int32), {"WIDTH": 32, "N_WORDS": 1}
    *_, of_narrow, of_wide, of_lanes = run("palette", "of_words", narrow, wide, blank, blank, blank, block=128, **how)
    assert of_narrow.tolist() == [least_in(w, 32) for w in narrow.tolist()]
    assert of_wide.tolist() == [least_in(w, 64) for w in wide.tolist()]
    whole = [sum(w << 32 * i for i, w in enumerate(words)) for words in narrow.reshape(-1, WARP).tolist()]
    assert of_lanes.reshape(-1, WARP).tolist() == [[least_in(word, 1024)] * WARP for word in whole]
    colors = np.resize(np.array([0, 31, 32, 33, 500, 991, 992, 1023, 0, 0], np.int32), 64)
    _, words = run("palette", "taken", colors, np.zeros(32, np.uint32), block=64, **how)
    taken = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).tolist()
    assert taken == sorted(set(colors.tolist()))


@engines
@pytest.mark.parametrize(("size", "words"), [(32, 1), (32, 64), (256, 32), (256, 256)])
def test_least_color_that_nobody_took(engine: str, size: int, words: int) -> None:
    """At every border of a word and of a window; the colors of one list are forgotten in the next."""
    window = 32 * words
    borders = sorted({0, 1, 31, 32, 33, window - 1, window, window + 1, 2 * window - 1, 2 * window, 3 * window})
    lists = [np.arange(least) for least in borders]
    lists += [np.delete(np.arange(2 * window + 5), [h]) for h in borders if h < 2 * window + 5]
    lists += [np.array([window - 1, window, 2**31 - 2]), np.array([-1, 5, 0])]  # −1: no color
    lists = [x.astype(np.int32) for x in (*lists, random(7).permutation(np.repeat(np.arange(window + 3), 2)))]
    for first, second in zip(lists, reversed(lists), strict=True):
        own = [x if len(x) else np.zeros(1, np.int32) for x in (first, second)]
        *_, answers, windows = run(
            "palette", "of_lists", own[0], len(first), own[1], len(second), np.full(2 * size, -9, np.int32),
            np.zeros(2, np.int32), block=size, WIDTH=size, N_WORDS=words,
        )  # fmt: skip
        expected = [mex(first[first >= 0]), mex(second[second >= 0])]
        assert answers.reshape(size, 2).tolist() == [expected] * size
        assert windows.tolist() == [least // window + 1 for least in expected]
