"""Step-by-step versions of the main methods, in plain Python, for the pictures of seven vertices.

As in steps_papers.py, each function yields the steps of one method, whose last step has the library's colors.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from step_pictures import NAMES, Near, Step, edge_order, least_free, spoken, story

LAST = ("ef", "eg", "ad", "be", "ag", "fg", "dg", "bc", "ce", "de")  # edges in an order that ends with a Kempe chain


def places(p: Sequence[int]) -> dict[int, str]:
    """Return the position of each vertex in the order, from 1 on."""
    return {v: str(1 + i) for i, v in enumerate(sequence(p))}


def sequence(p: Sequence[int]) -> list[int]:
    """Return the vertices in the order of coloring."""
    return sorted(range(len(p)), key=lambda v: -p[v])


def waves(near: Near, p: Sequence[int], c: list[int]) -> Iterator[Step]:
    """First-fit in parallel: a vertex has its color one step after the last of its earlier neighbors."""
    while min(c) < 0:
        ready = {v for v in range(len(p)) if c[v] < 0 and all(c[u] >= 0 for u in near[v] if p[u] > p[v])}
        for v in sorted(ready):
            c[v] = least_free(near, c, v)
        yield Step(c, ready, f"{spoken(ready)}: all earlier neighbors have colors")


@story("First-fit, largest degree first", order="largest_first", seed=None)
def first_fit(near: Near, p: list[int]) -> Iterator[Step]:
    """The order of falling degree."""
    c = [-1] * len(p)
    yield Step(c, set(), "The order: largest degree first", places(p))
    yield from waves(near, p, c)


@story("First-fit in the order of ids", order="natural", seed=None)
def greedy(near: Near, p: list[int]) -> Iterator[Step]:
    """First-fit in the order of ids."""
    c = [-1] * len(p)
    yield Step(c, set(), "The order: by name", places(p))
    yield from waves(near, p, c)


@story("DSATUR", order="largest_first", seed=None)
def dsatur(near: Near, p: list[int]) -> Iterator[Step]:
    """The vertex with the most colors among its neighbors; ties by the order."""
    n = len(p)
    c = [-1] * n
    yield Step(c, set(), "The degrees", {v: str(len(row)) for v, row in enumerate(near)})
    while min(c) < 0:
        seen = {v: {c[u] for u in near[v]} - {-1} for v in range(n) if c[v] < 0}
        v = max(seen, key=lambda v: (len(seen[v]), p[v]))
        c[v] = least_free(near, c, v)
        after = {u: str(len({c[w] for w in near[u]} - {-1})) for u in seen if u != v}
        yield Step(c, {v}, f"{NAMES[v]}: saturation {len(seen[v])}, takes {c[v]}", after)


@story("Recursive largest first", order="natural", seed=None)
def rlf(near: Near, p: list[int]) -> Iterator[Step]:
    """One class after the other; next is the vertex with the most neighbors that can no longer join."""
    c, k = [-1] * len(p), 0
    while min(c) < 0:
        may, out = {v for v in range(len(p)) if c[v] < 0}, set[int]()
        begins = True
        while may:
            of_may, of_out = ({v: sum(u in s for u in near[v]) for v in may} for s in (may, out))
            v = max(may, key=lambda v: (of_may[v], p[v]) if begins else (of_out[v], -of_may[v], p[v]))
            c[v], begins = k, False
            out |= may & set(near[v])
            may -= {v, *near[v]}
            labels = {**dict.fromkeys(may, "U1"), **dict.fromkeys(out, "U2")}
            what = "begins" if of_out[v] == 0 and not any(c[u] == k for u in range(len(p)) if u != v) else "joins"
            yield Step(c, {v}, f"Color {k}: {NAMES[v]} {what}" + ("" if may else "; U1 is empty"), labels)
        k += 1


@story("Smallest last", order="smallest_last", seed=None, algorithm="greedy")
def smallest_last(near: Near, p: list[int]) -> Iterator[Step]:
    """Remove a vertex of the smallest degree, again and again; color in the reverse order."""
    left, none = set(range(len(p))), [-1] * len(p)
    removed: list[int] = []
    yield Step(none, set(), "The degrees", degrees(near, left))
    while left:
        least = min(sum(u in left for u in near[v]) for v in left)
        v = min((v for v in left if sum(u in left for u in near[v]) == least), key=lambda v: p[v])
        left.remove(v)
        removed.append(v)
        if len(left) > 2:
            yield Step(none, {v}, f"Remove {NAMES[v]}, which has degree {least}", degrees(near, left))
    c = list(none)
    for v in reversed(removed):
        c[v] = least_free(near, c, v)
    rest, back = ", ".join(NAMES[v] for v in removed[-3:]), " ".join(NAMES[v] for v in reversed(removed))
    yield Step(none, set(removed[-3:]), f"Remove the rest: {rest}")
    yield Step(c, set(), f"First-fit in the reverse order: {back}")


def degrees(near: Near, left: set[int]) -> dict[int, str]:
    """Return the degrees among the remaining vertices."""
    return {v: str(sum(u in left for u in near[v])) for v in left}


@story("JP-ADG", order="approximate_degeneracy")
def jp_adg(near: Near, p: list[int]) -> Iterator[Step]:
    """Remove all vertices of at most 1.01 times the average degree, again and again; then first-fit."""
    left, none = set(range(len(p))), [-1] * len(p)
    yield Step(none, set(), "The degrees; the average is 2.9", degrees(near, left))
    while left:
        of = {v: sum(u in left for u in near[v]) for v in left}
        most = int(Fraction(101, 100) * Fraction(sum(of.values()), len(of)))
        gone = {v for v in left if of[v] <= most}
        left -= gone
        yield Step(none, gone, f"A round removes {spoken(gone)}: degree at most {most}", degrees(near, left))
    yield from waves(near, p, list(none))


@story("Distance 2", order="natural", seed=None, algorithm="first_fit", problem="distance2")
def distance2(near: Near, p: list[int]) -> Iterator[Step]:
    """First-fit by the colors of nets; each vertex and its neighbors are a net."""
    nets: list[set[int]] = [set() for _ in p]
    c = [-1] * len(p)
    for v in sequence(p):
        mine = [v, *near[v]]
        taken = set[int]().union(*(nets[e] for e in mine))
        labels = {e: ",".join(map(str, sorted(nets[e]))) or "–" for e in mine}
        c[v] = min(set(range(len(p))) - taken)
        for e in mine:
            nets[e].add(c[v])
        known = ", ".join(map(str, sorted(taken))) or "no color"
        yield Step(c, {v}, f"{NAMES[v]}: its nets have {known}", labels)


@story("Star coloring", order="largest_first", seed=0, algorithm="first_fit", problem="star")
def star(near: Near, p: list[int]) -> Iterator[Step]:
    """First-fit without a path on four vertices that has two colors."""
    c, plain = [-1] * len(p), set[int]()
    yield Step(c, set(), "The order", places(p))
    for v in sequence(p):
        c[v], tried = least_free(near, c, v), 0
        while path := two_colored_path(near, c, v):
            if plain:
                yield Step(c, plain, f"{spoken(plain)}: no path on four vertices has two colors")
                plain = set()
            names, bad = "–".join(NAMES[u] for u in path), set(itertools.pairwise(path))
            yield Step(c, {v}, f"{NAMES[v]} may not take {c[v]}: {names} would have two colors", edges=bad)
            tried = max(tried, c[v] + 1)
            c[v] = next(x for x in range(tried, len(p)) if x not in {c[u] for u in near[v]})
        plain.add(v)
    yield Step(c, plain, f"{spoken(plain)}: the least color that is left")


def two_colored_path(near: Near, c: list[int], v: int) -> list[int] | None:
    """Return a path on four colored vertices through v that has two colors, or None."""
    middles = [(a, b) for a, row in enumerate(near) for b in row if c[a] >= 0 and c[b] >= 0]
    for a, b in middles:
        for x, y in itertools.product(set(near[a]) - {b}, set(near[b]) - {a}):
            if x != y and c[x] == c[b] and c[y] == c[a] and v in (x, a, b, y):
                return [x, a, b, y] if v in (x, a) else [y, b, a, x]
    return None


@story("Edge coloring", order=None, algorithm=None, problem="edges", quality="balanced", edges=LAST)
def edges(near: Near, p: list[int]) -> Iterator[Step]:
    """The last edge of an order, by a fan and a Kempe chain."""
    k, none, at = max(map(len, near)), [-1] * len(p), [dict[int, int]() for _ in p]  # at[v]: color → other end
    for u, v in edge_order(LAST[:-1]):
        give(at, u, v, next(x for x in range(k) if x not in at[u] and x not in at[v]))
    (u, v), paint = edge_order(LAST[-1:])[0], painted(at)
    free = [[x for x in range(k) if x not in at[w]] for w in (u, v)]
    mine, theirs = (",".join(map(str, f)) for f in free)
    caption = "One edge has no color; free colors are next to its ends"
    yield Step(none, {u, v}, caption, {u: mine, v: theirs}, paint=paint)
    a, d = free[0][0], free[1][0]
    w = at[u][d]
    fan = {(u, v), (u, w)}
    yield Step(none, {u}, f"Fan at {NAMES[u]}: {NAMES[u]}–{NAMES[w]} has color {d}", paint=paint, edges=fan)
    e = next(x for x in range(k) if x not in at[w])
    chain, x = [w], a
    while x in at[chain[-1]]:
        chain.append(at[chain[-1]][x])
        x = a + e - x
    links = list(itertools.pairwise(chain))
    names = "–".join(NAMES[y] for y in chain)
    labels = {u: mine, w: str(e)}
    yield Step(none, {w}, f"{names} is a Kempe chain of {a} and {e}", labels, set(links), paint)
    for i, (y, z) in enumerate(links):
        paint[y, z] = paint[z, y] = e if i % 2 == 0 else a
    labels = {u: mine, w: str(a)}
    yield Step(none, {w}, f"Exchange {a} and {e} on it: {a} is free at {NAMES[w]}", labels, set(links), paint)
    paint[u, v], paint[v, u], paint[u, w], paint[w, u] = d, d, a, a
    caption = f"{NAMES[u]}–{NAMES[v]} takes {d}, {NAMES[u]}–{NAMES[w]} takes {a}"
    yield Step(none, {u}, caption, paint=paint, edges=fan)


def give(at: list[dict[int, int]], u: int, v: int, x: int) -> None:
    """Set the color of edge (u, v) to x."""
    at[u][x], at[v][x] = v, u


def painted(at: list[dict[int, int]]) -> dict[tuple[int, int], int]:
    """The colors of edges by their ends."""
    return {(u, v): x for u, row in enumerate(at) for x, v in row.items()}
