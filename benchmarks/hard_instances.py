"""Graphs of the families of hard DIMACS instances, with a seed: flat graphs and Leighton graphs, of known colors.

A name such as ``flat:1000,76,seed=1`` or ``leighton:450,25,17343,seed=1`` says which; every other name is a generator's
spec. They are other graphs than DIMACS' of the same sizes (flat1000_76_0, le450_25c). latin_square_10 is not among
them: from what is published of it, it cannot be made.

References
----------
Culberson, Luo 1996, "Exploring the k-colorable landscape with iterated greedy" (flat graphs).
Leighton 1979, "A graph coloring algorithm for large scheduling problems".
"""

from __future__ import annotations

import numpy as np

import lagcolor

GOALS = {  # colors to reach within a minute on one H200, and the best known of the DIMACS graph of the same kind
    "erdos_renyi:1000,0.5,seed=1": (84, 82),
    "erdos_renyi:500,0.5,seed=1": (48, 47),
    "flat:1000,50,seed=1": (50, 50),
    "flat:1000,60,seed=1": (60, 60),
    "flat:1000,76,seed=1": (83, 81),
    "leighton:450,25,17343,seed=1": (26, 25),
    "leighton:450,25,17425,seed=2": (26, 25),
    "erdos_renyi:2000,0.5,seed=1": (155, 145),
}


def instance(name: str) -> lagcolor.Graph:
    """The graph of a name, on the CPU."""
    kind, _, given = name.partition(":")
    makers = {"flat": flat, "leighton": leighton}
    if kind not in makers:
        return lagcolor.generate.from_spec(name)
    numbers, _, seed = given.partition(",seed=")
    return makers[kind](*map(int, numbers.split(",")), seed=int(seed or 0))  # type: ignore[operator]


def flat(n: int, k: int, seed: int = 0) -> lagcolor.Graph:
    """Equal classes, half of all edges between each two, as many from each vertex of the first, to others at random.

    So degrees vary as those of DIMACS' flat graphs do. Where both classes were regular, no search would find them.
    """
    r = np.random.default_rng(seed)
    classes = np.array_split(r.permutation(n), k)
    us, vs, pairs = [], [], 0
    for b in range(1, k):
        for a in range(b):
            rows, columns = len(classes[a]), len(classes[b])
            pairs += rows * columns % 2
            total = (rows * columns + pairs % 2) // 2  # of an odd number half of them round up
            degrees = r.permutation(total // rows + (np.arange(rows) < total % rows))
            i, j = np.nonzero(r.random((rows, columns)).argsort(axis=1).argsort(axis=1) < degrees[:, None])
            us.append(classes[a][i])
            vs.append(classes[b][j])
    return lagcolor.Graph.of((np.concatenate(us), np.concatenate(vs)), n=n)


def leighton(n: int, k: int, edges: int, seed: int = 0) -> lagcolor.Graph:
    """Cliques of 2 to k vertices of different ones of k equal classes, the first of k, until these are the edges."""
    r = np.random.default_rng(seed)
    classes = r.permutation(n)[: n // k * k].reshape(k, n // k)
    beside, size = np.zeros((n, n), bool), k
    while np.count_nonzero(beside) < 2 * edges:
        clique = classes[r.permutation(k)[:size], r.integers(0, n // k, size)]
        beside[np.ix_(clique, clique)] = True
        beside[clique, clique] = False
        size = int(r.integers(2, k + 1))
    return lagcolor.Graph.of(np.nonzero(np.triu(beside)), n=n)
