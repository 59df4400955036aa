"""`color` checks what an algorithm made: broken ones, put into the registry, are caught, and no flag says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import corpus
import numpy as np
import pytest

import lagcolor
from lagcolor import ColoringError
from lagcolor.base.log import Log

Spoil = Callable[[np.ndarray], Any]


def set_color(v: int, c: int) -> Spoil:
    def spoil(colors: np.ndarray) -> np.ndarray:
        colors[v] = c
        return colors

    return spoil


# The grid, in first-fit order, has colors 0 and 1, and an edge between its first two vertices as between its last two.
FAULTS: dict[str, tuple[Spoil, str]] = {
    "improper at the first edge": (set_color(0, 1), r"2 conflicting edges, the first \(0, 1\)"),
    "one color": (lambda colors: colors * 0, "conflicting"),
    "uncolored": (set_color(7, -1), r"1 uncolored vertex \(-1\), the first 7"),
    "below the range": (set_color(3, -2), "vertex 3 has color -2"),
    "beyond the range": (set_color(3, 221), "vertex 3 has color 221"),
    "a gap": (lambda colors: 2 * colors, "colors are not 0"),
    "floats": (lambda colors: colors.astype(float), "colors must be integers, not float64"),
    "too short": (lambda colors: colors[:-1], r"colors must have shape \(221,\)"),
}


def register(monkeypatch: pytest.MonkeyPatch, spoil: Spoil, **notes: Any) -> str:
    """An algorithm that is greedy but for the fault; small graphs it colors well."""
    greedy = lagcolor.ALGORITHMS["greedy"]

    def broken(G: lagcolor.Graph, p: Any, log: Log) -> Any:
        log.notes |= notes
        colors = greedy.run(G, p, log)
        return spoil(colors) if G.n == corpus.graph("grid").n else colors

    monkeypatch.setitem(lagcolor.ALGORITHMS._rows, "broken", replace(greedy, name="broken", run=broken))
    return "broken"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_algorithm_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil, message = FAULTS[fault]
    with pytest.raises(ColoringError, match=message):
        lagcolor.color(corpus.graph("grid"), register(monkeypatch, spoil))


def test_a_coloring_that_is_not_checked_does_not_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    G, name = corpus.graph("grid"), register(monkeypatch, set_color(0, 1))
    assert not lagcolor.color(G, name, verify=False).verified
    monkeypatch.setattr("lagcolor.api.session.VERIFY_UP_TO", G.n_edges - 1)
    assert not lagcolor.color(G, name).verified
    with pytest.raises(ColoringError):
        lagcolor.color(G, name, verify=True)
    monkeypatch.setattr("lagcolor.api.session.VERIFY_UP_TO", G.n_edges)
    with pytest.raises(ColoringError):
        lagcolor.color(G, name)


def test_vertices_left_uncolored_on_purpose_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """But conflicts among the others are."""
    G = corpus.graph("grid")
    result = lagcolor.color(G, register(monkeypatch, set_color(7, -1), uncolored=1), verify=True)
    assert result.verified and result.colors[7] == -1
    with pytest.raises(ColoringError, match="conflicting"):
        lagcolor.color(G, register(monkeypatch, set_color(0, 1), uncolored=1), verify=True)


@pytest.mark.parametrize("quality", ["balanced", "best"])
def test_what_a_quality_begins_with_is_checked(quality: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that starts from a wrong coloring, or makes one, does not return it."""
    monkeypatch.setattr("lagcolor.search.qualities.run", lambda G, *_: np.zeros(G.n, np.int32))
    with pytest.raises(ColoringError, match="conflicting"):
        lagcolor.color(corpus.graph("grid"), quality=quality)
