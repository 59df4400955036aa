"""The GPU's TabuCol and GPX in plain Python, one move after the other: what the kernels must do, color for color."""

from __future__ import annotations

from typing import Any

import numpy as np
from acyclic_rounds import WORD, mix

STEP = 0x9E3779B9


def counts(G: Any, colors: np.ndarray, k: int) -> np.ndarray:
    """Neighbors of each vertex by color."""
    near = np.zeros((G.n, k), np.int64)
    np.add.at(near, (np.repeat(np.arange(G.n), G.degrees), colors[G.indices]), 1)
    return near


def improve(G: Any, start: np.ndarray, k: int, seed: int, turn: int, most: int, longest: int) -> tuple[Any, int, int]:
    """Best colors, their edges in conflict, and iterations made; tenures up to `longest`."""
    color_bits = max(k - 1, 1).bit_length()
    entry_bits = max(color_bits + max(G.n - 1, 1).bit_length(), 17)
    mask = (1 << entry_bits) - 1
    salt = mix((seed + STEP * turn) & WORD)
    colors = start.astype(np.int64)
    near, everyone = counts(G, colors, k), np.arange(G.n)
    value = int(near[everyone, colors].sum()) // 2
    best, best_value, t = colors.copy(), value, 0
    ends = np.zeros((G.n, k), np.int64)  # first iteration at which a color is not tabu
    while best_value and t < most:
        t += 1
        shift = mix(t ^ salt)
        multiplier = mix((shift + STEP) & WORD) | 1
        own = near[everyone, colors]
        vs, cs = np.nonzero((own > 0)[:, None] & (np.arange(k) != colors[:, None]))
        change = near[vs, cs] - own[vs]
        allowed = (ends[vs, cs] <= t) | (value + change < best_value)
        if not allowed.any():
            continue
        vs, cs, change = vs[allowed], cs[allowed], change[allowed]
        hashes = (((vs << color_bits | cs) * multiplier) + shift) & mask
        at = np.lexsort((hashes, change))[0]
        v, c, old = int(vs[at]), int(cs[at]), int(colors[vs[at]])
        value += int(change[at])
        tenure = (mix((multiplier + STEP) & WORD) * 10 >> 32) + 3 * value // 5
        ends[v, c] = 0
        ends[v, old] = t + 1 + min(tenure, longest)
        neighbors = G.indices[G.indptr[v] : G.indptr[v + 1]]
        near[neighbors, old] -= 1
        near[neighbors, c] += 1
        colors[v] = c
        if value < best_value:
            best, best_value = colors.copy(), value
    return best, best_value, t


def cross(first: np.ndarray, second: np.ndarray, k: int, seed: int, turn: int) -> np.ndarray:
    """GPX; −1 stands for no color."""
    salt = mix((seed - STEP * turn) & WORD)
    child = np.full(len(first), -1)
    for c in range(k):
        parent = second if c % 2 else first
        sizes = np.bincount(parent[(child < 0) & (parent >= 0)], minlength=k)
        d = max(range(k), key=lambda d: (sizes[d], mix((c << 16 | d) ^ salt) >> 16, d))
        child[(child < 0) & (parent == d)] = c
    for v in np.flatnonzero(child < 0):
        child[v] = mix(((int(v) + STEP) & WORD) ^ salt) * k >> 32
    return child


class Pair:
    """HEAD's two parents between generations; `seeds` of their searches."""

    def __init__(self, parents: tuple[np.ndarray, np.ndarray], k: int, seeds: tuple[int, int], cycle: int) -> None:
        self.parents, self.k, self.seeds, self.cycle = list(parents), k, seeds, cycle
        self.age, self.elite, self.best, self.alike = 0, None, (2**31 - 1, parents[0]), 0
        self.moved = 0

    def children(self, turn: int) -> list[np.ndarray]:
        """Of the parents as they are."""
        return [cross(self.parents[i], self.parents[1 - i], self.k, self.seeds[i], turn) for i in (0, 1)]

    def replace(self, found: list[np.ndarray], values: list[int], other: np.ndarray) -> None:
        """What the searches found are the next parents; `other` is the second one that the next pair's found."""
        self.parents, self.age = [x.astype(np.int64) for x in found], self.age + 1
        for colors, value in zip(self.parents, values, strict=True):
            if value < self.best[0]:
                self.best = value, colors
        if self.age % self.cycle == 0:
            if self.elite is not None:
                self.parents[0] = self.elite
            self.elite, self.best = self.best[1], (2**31 - 1, self.best[1])
        if same(*self.parents):
            none = np.full(len(found[0]), -1)
            self.age, self.elite, self.best = 0, None, (2**31 - 1, none)
            self.parents[1] = other
            self.moved += 1
            if other is found[1] or same(*self.parents):
                self.parents = [none, none]
                self.alike += 1


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two colorings have the same classes."""
    classes = [{frozenset(np.flatnonzero(x == c).tolist()) for c in x} for x in (a, b)]
    return classes[0] == classes[1]
