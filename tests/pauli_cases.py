"""Pauli strings as text, and which of them conflict."""

from __future__ import annotations

import numpy as np

from lagcolor.engines.implicit.plain import conflict

RELATIONS = ("qubitwise", "general", "anti")


def strings(n: int, qubits: int, seed: int, letters: str = "IXYZ") -> list[str]:
    """Random strings."""
    rng = np.random.default_rng(seed)
    return ["".join(row) for row in rng.choice(list(letters), (n, qubits))]


def conflicts(texts: list[str], commute: str) -> np.ndarray:
    """The matrix of them, without a diagonal."""
    found = np.array([[conflict(a, b, commute) for b in texts] for a in texts], bool).reshape(len(texts), len(texts))
    np.fill_diagonal(found, False)
    return found


# Name → strings: few letters, many groups, groups of many, over 32 and over 64 qubits, and what is degenerate.
CASES = {
    "none": [],
    "one": ["XYZ"],
    "no qubits": ["", "", ""],
    "one qubit": list("IXYZZYXI"),
    "identities": ["II"] * 5 + ["XZ"],
    "equal": ["XZY"] * 9 + ["ZZZ"] * 3,
    "diagonal": strings(90, 7, 1, "IZ"),
    "3 qubits": strings(150, 3, 2),
    "6 qubits": strings(250, 6, 3),
    "33 qubits": strings(60, 33, 4, "IIIIIIIIIXYZ"),
    "70 qubits": strings(60, 70, 5, "I" * 30 + "XYZ"),
    "two ends": [a + "I" * 63 + b for a in "IXYZ" for b in "IXYZ"] * 3,
}
