"""The comparison of golden colors: what differs is said and fails, what is new or gone is said."""

from __future__ import annotations

import golden
import numpy as np


def test_what_differs_is_said() -> None:
    then = {"algorithm a": {"g": "1", "h": "2"}, "algorithm old": {"g": "3"}, "color": {"g": "4"}}
    now = {"algorithm a": {"g": "1", "h": "0"}, "algorithm new": {"g": "3"}, "order o": {"g": "5"}}
    assert golden.compare(then, now, {"new": "old"}) == ["differs: algorithm a: on h", "new: order o", "gone: color"]
    assert golden.compare(then, then, {}) == []


def test_names_of_orders_stay() -> None:
    then = {"algorithm old | natural": {"g": "1"}}
    assert golden.compare(then, {"algorithm new | natural": {"g": "2"}}, {"new": "old"}) == [
        "differs: algorithm new | natural: on g"
    ]


def test_digests_tell_colors_apart() -> None:
    colors = np.arange(5, dtype=np.int32)
    assert golden.digest([colors]) == golden.digest([colors.astype(np.int64)])
    assert golden.digest([colors]) != golden.digest([colors[::-1]])
