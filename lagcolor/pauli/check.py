"""The verifier of groups: it compares all pairs of a group letter by letter, and shares no code with the engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..problems.report import SHOWN, Report
from .strings import PauliStrings

WRONG = {
    "qubitwise": "have different letters at qubit",
    "general": "anticommute: qubits where their letters differ:",
    "anti": "commute: qubits where their letters differ:",
}


def findings(strings: PauliStrings, colors: np.ndarray, commute: str) -> Report:
    """Return the pairs of strings that must not share a group; `colors` is int32, shape (n,), on the CPU."""
    letters = _letters(strings)
    by_color = np.argsort(colors, kind="stable")
    pairs, named = np.empty((SHOWN, 3), np.int64), []
    count = wrong_pairs(letters, colors, by_color, list(WRONG).index(commute), pairs)
    for u, v, k in pairs[: min(count, SHOWN)].tolist():
        named.append(f"strings {u} and {v}, both in group {int(colors[u])}, {WRONG[commute]} {k}")
    return Report.of(colors, count, named)


def _letters(strings: PauliStrings) -> np.ndarray:
    """Letters as uint8, shape (n, qubits): 0 I, 1 X, 2 Z, 3 Y; from the text of the strings, if there is one."""
    if strings.letters:
        text = np.frombuffer("".join(strings.letters).encode(), np.uint8).reshape(strings.n, strings.qubits)
        return (text == ord("X")) + np.uint8(2) * (text == ord("Z")) + np.uint8(3) * (text == ord("Y"))
    return strings.codes()


@njit(cache=True, nogil=True)
def wrong_pairs(letters: Any, colors: Any, by_color: Any, kind: Any, pairs: Any) -> Any:
    """Number of pairs of one color that conflict. `pairs` receives the first: both strings, and a qubit or a count."""
    count = 0
    for i in range(by_color.size):
        u = by_color[i]
        j = i + 1
        while colors[u] >= 0 and j < by_color.size and colors[by_color[j]] == colors[u]:
            v = by_color[j]
            differing, first = 0, -1
            for k in range(letters.shape[1]):
                if letters[u, k] and letters[v, k] and letters[u, k] != letters[v, k]:
                    differing += 1
                    if first < 0:
                        first = k
            odd = differing % 2 == 1
            wrong = differing > 0 if kind == 0 else odd if kind == 1 else not odd
            if wrong:
                if count < pairs.shape[0]:
                    pairs[count, 0], pairs[count, 1], pairs[count, 2] = u, v, first if kind == 0 else differing
                count += 1
            j += 1
    return count
