"""Pauli strings for tests and measurements: random ones, and the strings of a Hamiltonian of two-body interactions."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from ..base.options import seed as checked_seed
from ..base.options import seed_of, whole
from .strings import MOST, PauliStrings


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
    indices           strings                                      number, for m orbitals
    ================  ===========================================  =====================
    none, p, pq       I, Z_p, Z_p Z_q                              1 + m + m (m − 1) / 2
    pq                X_p Z…Z X_q, Y_p Z…Z Y_q                     m (m − 1)
    pq and another r  strings of pq times Z_r                         m (m − 1) (m − 2)
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
    one, k = np.eye(m, dtype=bool), np.arange(m)

    def between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return (k > low[:, None]) & (k < high[:, None])

    pairs, fours = (np.array(list(combinations(range(m), size)), np.int64).reshape(-1, size) for size in (2, 4))
    (p, q), ends = pairs.T, one[pairs].any(axis=1)
    hops = [(ends, between(p, q)), (ends, between(p, q) | ends)]
    diagonal = np.concatenate([np.zeros((1, m), bool), one, ends])
    found = [(np.zeros_like(diagonal), diagonal), *hops]
    for i in range(m):
        found += [(x[~ends[:, i]], z[~ends[:, i]] ^ one[i]) for x, z in hops]
    p, q, r, s = fours.T
    each, inside = one[fours], between(p, q) | between(r, s)
    for ys in (ys for ys in product((False, True), repeat=4) if sum(ys) % 2 == 0):
        found.append((each.any(axis=1), inside | (each & np.array(ys)[None, :, None]).any(axis=1)))
    x, z = (np.concatenate(part) for part in zip(*found, strict=True))
    return PauliStrings.of((x, z))
