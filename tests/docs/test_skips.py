"""Tests that skip are counted by reason."""

from __future__ import annotations

import tomllib
from collections import Counter

from skips import ALLOWED, by_pattern


def test_reasons_are_counted_by_pattern() -> None:
    allowed = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))
    reasons = Counter(
        {"torch is not installed: pip install torch": 3, "Chromium is not installed": 2, "no C++ compiler": 9}
    )
    assert by_pattern(reasons, allowed) == {
        "torch": 3,
        "Node.js|needs node|playwright|npm install|Chromium": 2,
        "no C++ compiler": 9,
    }
