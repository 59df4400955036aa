"""The copy of a matrix in bands: its segments hold every entry once, blocks share them out, and only hubs get one."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from emulated import EMULATED, ENGINES
from hypothesis import given
from semirings_cases import engine_of

import semirings
from semirings import bands, products
from semirings.storage import Tuning

degrees = st.lists(st.integers(0, 3 * bands.PIECE), min_size=1, max_size=40).map(lambda d: np.array(sorted(d)[::-1]))


@given(st.lists(degrees, min_size=1, max_size=3), st.integers(1, 9), st.randoms())
def test_segments_hold_every_entry_once(rows: list[np.ndarray], blocks: int, random: Any) -> None:
    n = min(map(len, rows))
    rows = [d[:n] for d in rows]
    random.shuffle(rows[-1])  # a band's rows need not fall
    s = bands.cut(np, rows, blocks, np.dtype(np.int32))
    lengths = np.diff(s.starts)
    assert lengths.max(initial=0) <= bands.PIECE
    seen = []
    for b, degree in enumerate(rows):
        n_long, t, base, _ = s.table[4 * b : 4 * b + 4]
        for i in range(n):
            own = range(s.table[t + i], s.table[t + i + 1]) if i < n_long else range(base + i, base + i + 1)
            assert lengths[list(own)].sum() == degree[i]
            seen += own
    assert seen == list(range(len(lengths)))
    assert s.starts[-1] == sum(d.sum() for d in rows)
    assert s.task_first[0] == 0 and s.task_first[-1] == len(lengths)
    assert (np.diff(s.task_first) >= 0).all()
    ends = [base + n for base in s.table[2 : 4 * len(rows) : 4]]
    own_blocks, own_tasks = np.diff(s.shares[::2]), np.diff(s.shares[1::2])
    assert s.shares[:2].tolist() == [0, 0] and s.blocks == own_blocks.sum()
    assert (own_tasks == bands.TASKS * own_blocks).all() and (own_blocks > 0).all()
    assert s.task_first[s.shares[3::2]].tolist() == ends  # a task's segments are of one band
    assert set(s.task_width.tolist()) <= {1, 2, 4, 8, 16, 32}


def test_tasks_are_even() -> None:
    d = np.sort((2000 / np.arange(1, 50001) ** 0.5).astype(int))[::-1]
    s = bands.cut(np, [d], 3, np.dtype(np.int32))
    cost = np.diff((s.starts + bands.SEGMENT_COST * np.arange(len(s.starts)))[s.task_first])
    assert len(cost) == 3 * bands.TASKS
    assert cost.max() < cost.mean() + bands.PIECE + bands.SEGMENT_COST


def test_places_of_columns_differ_and_spread_over_banks() -> None:
    c = np.arange(2048)
    place = c ^ (c >> 5 & 7)
    assert sorted(place) == c.tolist()
    for q in range(8):  # lanes that read columns 8 apart are in banks of their own
        assert len(set((place[q:256:8] % 32).tolist())) == 32


@pytest.mark.parametrize("engine", ENGINES[1:])
@pytest.mark.parametrize("shape", ["hot", "even"])
def test_only_hot_columns_are_worth_a_copy(engine: str, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from semirings.gpu import Gpu

    monkeypatch.setattr(products, "BAND", 2)
    n, r = 3000, np.random.default_rng(5)
    spokes = np.arange(2, 2002) if shape == "hot" else np.arange(2, 1200)
    u, v = np.repeat([0, 1], len(spokes)), np.tile(spokes, 2)
    if shape == "even":
        extra = r.integers(2, n, (2, 20000))
        u, v = np.concatenate([u, extra[0]]), np.concatenate([v, extra[1]])
    pairs = np.unique(np.stack([np.concatenate([u, v]), np.concatenate([v, u])]), axis=1)
    pairs = pairs[:, pairs[0] != pairs[1]]
    indptr = np.searchsorted(pairs[0], np.arange(n + 1))
    E = Gpu(engine_of(engine).cp, Tuning(stream=0, order_after=1))
    A = E.matrix(indptr, pairs[1], symmetric=True)
    w = r.permutation(n).astype(np.int32)
    C = semirings.engine("cpu")
    want = C.to_coo(C.vxm(C.from_numpy(w), C.matrix(indptr, pairs[1], symmetric=True), semirings.max_times))
    for k in range(3):
        got = E.to_coo(E.vxm(E.from_numpy(w), A, semirings.max_times))
        assert (A.banded is not None) == (shape == "hot" and k >= 1)
        np.testing.assert_array_equal(got, want)


@EMULATED
def test_wide_values_take_the_plain_copy() -> None:
    """8 bytes a column would halve the bands, which one copy for all types cannot have."""
    from semirings.gpu import Gpu

    indptr = np.array([0, 2000, *range(2001, 4001)])
    indices = np.concatenate([np.arange(1, 2001), np.zeros(2000, int)])
    E = Gpu(engine_of("emulated").cp, Tuning(stream=0, order_after=0))
    A = E.matrix(indptr, indices, symmetric=True)
    w = np.random.default_rng(6).permutation(2001)
    t = E.to_numpy(E.vxm(E.from_numpy(w), A, semirings.min_second))
    assert A.banded is None
    t = E.to_numpy(E.vxm(E.from_numpy(w), A, semirings.max_times))
    np.testing.assert_array_equal(t, [w[1:].max(), *[w[0]] * 2000])
    assert A.banded is None and A._ordered is not None
    E.vxm(E.from_numpy(w.astype(np.int32)), A, semirings.max_times)
    assert A.banded is not None
