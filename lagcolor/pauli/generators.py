"""Pauli strings for tests and measurements: random ones, and the strings of a Hamiltonian of two-body interactions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ..base.options import seed as checked_seed
from ..base.options import seed_of, whole
from .strings import MOST, PauliStrings

EVEN = [(0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 1, 0), (1, 1, 0, 0), (1, 1, 1, 1)]


def random(n: int, qubits: int, *, seed: int = 0, rng: Any = None) -> PauliStrings:
    """Generate strings of independent letters, each of the four with equal probability.

    Parameters
    ----------
    n : int
        Number of strings. Some may be equal.
    qubits : int
        Length of the strings.
    seed : int
        The same seed gives the same strings.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.

    Returns
    -------
    PauliStrings
        The strings.

    Raises
    ------
    OptionError
        A number is negative or not a whole number.

    Examples
    --------
    >>> strings = lagcolor.pauli.random(3, qubits=4, seed=1)
    >>> [strings.text(i) for i in range(3)]
    ['YYIZ', 'YXZX', 'ZYZX']
    """
    n, qubits = whole("n", n, 0, MOST, of="strings"), whole("qubits", qubits)
    bits = np.random.default_rng(checked_seed(seed_of(seed, rng, 0))).integers(0, 2, (2, n, qubits), np.uint8)
    return PauliStrings.of((bits[0], bits[1]))


def two_body(orbitals: int) -> PauliStrings:
    """Generate all strings of a Hamiltonian Σ h_pq a†_p a_q + Σ h_pqrs a†_p a†_q a_r a_s, one qubit per spin orbital.

    The coefficients are real and symmetric, and none is 0: the strings of all index sets, without symmetries of spin or
    of a molecule. Under the transformation of Jordan and Wigner 1928 (p < q < r < s, Z on the qubits between):

    ================  ===========================================  =====================
    indices           strings                                      how many, of m
    ================  ===========================================  =====================
    none, p, pq       I, Z_p, Z_p Z_q                              1 + m + m (m − 1) / 2
    pq                X_p Z…Z X_q, Y_p Z…Z Y_q                     m (m − 1)
    pq and another r  the same times Z_r                           m (m − 1) (m − 2)
    pqrs              letters X and Y, an even number of Y;        8 m! / (m − 4)! / 24
                      Z between p and q and between r and s
    ================  ===========================================  =====================

    12 orbitals have 5,491 strings, 24 have 98,005 and 44 have 1,168,355.

    Parameters
    ----------
    orbitals : int
        Number m of spin orbitals.

    Returns
    -------
    PauliStrings
        The strings.

    Raises
    ------
    OptionError
        `orbitals` is not a whole number, or exceeds 280. More orbitals have more strings than int32 counts.

    Examples
    --------
    >>> len(lagcolor.pauli.two_body(12))
    5491
    """
    m = whole("orbitals", orbitals, 0, 280)
    parts = [_diagonal(m), _hops(m), _quadruples(m)]
    x, z = (np.concatenate([part[i] for part in parts]) for i in range(2))
    return PauliStrings.of((x, z))


def _diagonal(m: int) -> tuple[np.ndarray, np.ndarray]:
    one = np.eye(m, dtype=bool)
    p, q = _sets(m, 2).T
    z = np.concatenate([np.zeros((1, m), bool), one, one[p] | one[q]])
    return np.zeros_like(z), z


def _hops(m: int) -> tuple[np.ndarray, np.ndarray]:
    one = np.eye(m, dtype=bool)
    p, q = _sets(m, 2).T
    ends = one[p] | one[q]
    letters = [(ends, _between(m, p, q)), (ends, _between(m, p, q) | ends)]
    found = list(letters)
    for r in range(m):
        other = (p != r) & (q != r)
        found += [(x[other], z[other] ^ one[r]) for x, z in letters]
    x, z = (np.concatenate(part) for part in zip(*found, strict=True))
    return x, z


def _quadruples(m: int) -> tuple[np.ndarray, np.ndarray]:
    one = np.eye(m, dtype=bool)
    sets = _sets(m, 4)
    p, q, r, s = sets.T
    x, between = one[sets].any(axis=1), _between(m, p, q) | _between(m, r, s)
    z = [between | (one[sets] & np.array(ys, bool)[None, :, None]).any(axis=1) for ys in EVEN]
    return np.concatenate([x] * len(EVEN)), np.concatenate(z)


def _sets(m: int, k: int) -> np.ndarray:
    """All ascending k-tuples of 0 … m − 1."""
    return np.array(list(combinations(range(m), k)), np.int64).reshape(-1, k)


def _between(m: int, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    k = np.arange(m)
    return (k > low[:, None]) & (k < high[:, None])
