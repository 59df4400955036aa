"""The rounds of speculative acyclic coloring, in plain Python: an oracle for every schedule."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable

Rows = list[list[int]]
Element = tuple[int, int]  # a vertex and a neighboring color
WORD = 2**32 - 1


def mix(x: int) -> int:
    """Murmur3's finalizer."""
    x = ((x ^ x >> 16) * 0x85EBCA6B) & WORD
    x = ((x ^ x >> 13) * 0xC2B2AE35) & WORD
    return x ^ x >> 16


class Trees:
    """Disjoint sets of elements; the least element represents its set."""

    def __init__(self) -> None:
        self.up: dict[Element, Element] = {}

    def root(self, e: Element) -> Element:
        while (above := self.up.get(e, e)) != e:
            self.up[e] = e = self.up.get(above, above)
        return e

    def unite(self, e: Element, f: Element) -> None:
        a, b = sorted((self.root(e), self.root(f)))
        if a != b:
            self.up[b] = a


def rounds(
    near: Rows, sequence: Iterable[int], places: int, rows: int = 0, neutral: Collection[int] = (),
    start: Iterable[int] | None = None,
) -> tuple[list[int], list[tuple[int, int]]]:  # fmt: skip
    """Colors, and for each round how many vertices were ready and how many of them lost.

    `places`: of the hash table of claims. With `rows`, vertices below have even colors, the others odd ones. `start`:
    colors of vertices that are not in the sequence.
    """
    place = {v: i for i, v in enumerate(sequence)}
    color, trees, history = [-1] * len(near) if start is None else list(start), Trees(), []
    for v in place:
        color[v] = -1
    for v in range(len(near)):
        for w in near[v]:
            if v < w and min(color[v], color[w]) >= 0:
                trees.unite((v, color[w]), (w, color[v]))
    pending = {v: sum(u in place and place[u] < place[v] for u in near[v]) for v in place}
    ready = [v for v in place if not pending[v]]
    while ready:
        choices = {v: choice(near, color, trees, v, rows, neutral) for v in ready}
        holder: dict[int, int] = {}
        claims = {v: {key % places for key in keys} for v, (_, keys) in choices.items()}
        for v in ready:
            for key in claims[v]:
                holder[key] = min(holder.get(key, v), v, key=place.__getitem__)
        chosen = {v for v in ready if all(holder[key] == v for key in claims[v])}
        history.append((len(ready), len(ready) - len(chosen)))
        ready = [v for v in ready if v not in chosen]
        for v in chosen:
            color[v] = choices[v][0]
            for w in near[v]:
                if color[w] >= 0:
                    trees.unite((w, color[v]), (v, color[w]))
                elif w in place:
                    pending[w] -= 1
                    ready += [w] * (pending[w] == 0)
    return color, history


def choice(
    near: Rows, color: list[int], trees: Trees, v: int, rows: int, neutral: Collection[int]
) -> tuple[int, list[int]]:  # fmt: skip
    """The least color that v may have, and the keys of its claims."""
    around: dict[int, list[int]] = {}
    for w in near[v]:
        around.setdefault(color[w], []).append(w)
    alone = [w for w in around.pop(-1, []) if w in neutral]
    for c in itertools.count(int(v >= rows), 2) if rows else itertools.count():
        of = {d: [trees.root((w, c))[0] for w in vertices] for d, vertices in around.items()}
        adjacent = {color[x] for w in alone for x in near[w]}
        if c not in around and c not in adjacent and all(len(set(t)) == len(t) for t in of.values()):
            keys = [mix(t ^ mix(c + d)) for d, found in of.items() for t in found if t != min(found)]
            return c, keys + [mix(w ^ mix(c)) for w in alone]
    raise AssertionError
