"""Hard DIMACS instances, and graphs of their families with a seed: flat, Leighton, geometric, and of optical networks.

A name is, for example, ``flat:1000,76,seed=1`` or ``leighton:450,25,17343,seed=1``; every other name is a generator's
spec. The graphs differ from DIMACS' graphs of the same sizes (flat1000_76_0, le450_25c; r1000.5 and r1000.1c are like
``r:1000,5`` and ``rc:1000,1``; wap07a is like ``optical:1809,40``). latin_square_10 has no such graph, because its
publication does not define it.

References
----------
Culberson, Luo 1996, "Exploring the k-colorable landscape with iterated greedy" (flat graphs).
Leighton 1979, "A graph coloring algorithm for large scheduling problems".
Johnson, Aragon, McGeoch, Schevon 1991, "Optimization by simulated annealing: part II" (geometric graphs).
Koster 2005, "Wavelength assignment in multi-fiber WDM networks" (wap).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import lagcolor


def instance(name: str) -> lagcolor.Graph:
    """The graph of a name, on the CPU."""
    kind, _, arguments = name.partition(":")
    if kind not in MAKERS:
        return lagcolor.generate.from_spec(name)
    numbers, _, seed = arguments.partition(",seed=")
    return MAKERS[kind](*map(int, numbers.split(",")), seed=int(seed or 0))


def flat(n: int, k: int, seed: int = 0) -> lagcolor.Graph:
    """Equal classes with half of all edges between each two, an equal number from each vertex of the first class.

    Degrees then vary as in DIMACS' flat graphs. If both classes were regular, no search would find them.
    """
    r = np.random.default_rng(seed)
    classes = np.array_split(r.permutation(n), k)
    us, vs, pairs = [], [], 0
    for b in range(1, k):
        for a in range(b):
            rows, columns = len(classes[a]), len(classes[b])
            pairs += rows * columns % 2
            total = (rows * columns + pairs % 2) // 2  # half of the odd numbers round up
            degrees = r.permutation(total // rows + (np.arange(rows) < total % rows))
            i, j = np.nonzero(r.random((rows, columns)).argsort(axis=1).argsort(axis=1) < degrees[:, None])
            us.append(classes[a][i])
            vs.append(classes[b][j])
    return lagcolor.Graph.of((np.concatenate(us), np.concatenate(vs)), n=n)


def leighton(n: int, k: int, edges: int, seed: int = 0) -> lagcolor.Graph:
    """Add cliques of 2 to k vertices from different ones of k equal classes until there are enough edges."""
    r = np.random.default_rng(seed)
    classes = r.permutation(n)[: n // k * k].reshape(k, n // k)
    adjacent, size = np.zeros((n, n), bool), k
    while np.count_nonzero(adjacent) < 2 * edges:
        clique = classes[r.permutation(k)[:size], r.integers(0, n // k, size)]
        adjacent[np.ix_(clique, clique)] = True
        adjacent[clique, clique] = False
        size = int(r.integers(2, k + 1))
    return lagcolor.Graph.of(np.nonzero(np.triu(adjacent)), n=n)


def geometric(n: int, tenths: int, seed: int = 0) -> lagcolor.Graph:
    """Points in a square; neighbors are less than some tenths of its side apart."""
    return lagcolor.Graph.of(np.nonzero(np.triu(_near(n, tenths, seed), 1)), n=n)


def geometric_complement(n: int, tenths: int, seed: int = 0) -> lagcolor.Graph:
    """Points in a square; neighbors are at least some tenths of its side apart."""
    return lagcolor.Graph.of(np.nonzero(np.triu(~_near(n, tenths, seed), 1)), n=n)


def _near(n: int, tenths: int, seed: int) -> np.ndarray:
    at = np.random.default_rng(seed).random((n, 2))
    return ((at[:, None] - at) ** 2).sum(axis=2) < (tenths / 10) ** 2  # type: ignore[no-any-return]


def optical(n: int, wavelengths: int, seed: int = 0) -> lagcolor.Graph:
    """Paths of an optical network, neighbors if they share a link; `wavelengths` limits the paths of a link.

    The network is a grid, in which n paths take three links in the mean and leave about a tenth of the wavelengths
    free. A path joins nodes up to four rows and columns apart, by as few links as possible.
    """
    r = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(1.5 * n / wavelengths)))
    free = np.full((2, side, side), wavelengths)  # of the links to the right, and down
    paths = np.zeros((n, free.size), bool)
    for path in paths:
        while not path.any():
            i, j = r.integers(0, side, 2)
            down, right = np.clip(r.integers(-4, 5, 2), (-i, -j), (side - 1 - i, side - 1 - j))
            links = np.zeros_like(free, bool)
            for step in r.permutation(np.repeat([0, 1], (abs(right), abs(down)))):
                back = (down if step else right) < 0
                i, j = (i - back, j) if step else (i, j - back)
                links[step, i, j] = True
                i, j = (i + (not back), j) if step else (i, j + (not back))
            if (free[links] > 0).all():
                free[links] -= 1
                path[:] = links.ravel()
    share = paths.astype(np.float32) @ paths.T.astype(np.float32)
    return lagcolor.Graph.of(np.nonzero(np.triu(share, 1)), n=n)


MAKERS: dict[str, Callable[..., Any]] = {
    "flat": flat, "leighton": leighton, "r": geometric, "rc": geometric_complement, "optical": optical,
}  # fmt: skip
