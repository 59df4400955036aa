"""Step-by-step versions of the published algorithms, in plain Python, for the pictures of seven vertices.

Each function yields the steps of one algorithm; its last step has the colors of `lagcolor.color`.
`near[v]` are the neighbors of v, rising; a vertex with a larger p[v] comes earlier.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from step_pictures import Near, Step, least_free, spoken, story

from lagcolor.orders.ties import mix


def maxima(near: Near, values: list[int], left: set[int]) -> set[int]:
    """Return the vertices of `left` whose value exceeds the value of each neighbor in `left`."""
    return {v for v in left if all(values[v] > values[u] for u in near[v] if u in left)}


def weights(p: list[int], letter: str = "p") -> dict[int, str]:
    """The label of each vertex in the first panel."""
    return {v: f"{letter} = {x}" for v, x in enumerate(p)}


@story("Jones–Plassmann")
def jones_plassmann(near: Near, p: list[int]) -> Iterator[Step]:
    """Each local maximum takes its own least free color."""
    c, left = [-1] * len(p), set(range(len(p)))
    yield Step(c, set(), "The priorities p: larger comes earlier", weights(p))
    while left:
        front = maxima(near, p, left)
        for v in front:
            c[v] = least_free(near, c, v)
        left -= front
        yield Step(c, front, f"{spoken(front)}: no uncolored neighbor comes earlier")


@story("Luby's independent sets")
def luby_is(near: Near, p: list[int]) -> Iterator[Step]:
    """All local maxima of a round take the color of the round."""
    c, left = [-1] * len(p), set(range(len(p)))
    yield Step(c, set(), "The weights w", weights(p, "w"))
    for k in itertools.count():
        front = maxima(near, p, left)
        for v in front:
            c[v] = k
        left -= front
        yield Step(c, front, f"Round {k + 1}: {spoken(front)}: local maxima, color {k}")
        if not left:
            return


@story("Luby's maximal independent sets")
def luby_mis(near: Near, p: list[int]) -> Iterator[Step]:
    """A color takes local maxima until no vertex can join it."""
    c, left = [-1] * len(p), set(range(len(p)))
    yield Step(c, set(), "The weights w", weights(p, "w"))
    for k in itertools.count():
        candidates = set(left)
        while candidates:
            joins = maxima(near, p, candidates)
            for v in joins:
                c[v] = k
            left -= joins
            out = {u for v in joins for u in near[v]} & (candidates - joins)
            candidates -= joins | out
            caption = f"Color {k}: add {spoken(joins)}" + (f"; rule out {spoken(out)}" if out else "")
            yield Step(c, joins, caption)
        if not left:
            return


@story("Jones–Plassmann in GraphBLAS")
def jones_plassmann_gb(near: Near, p: list[int]) -> Iterator[Step]:
    """All local maxima of a round take one color: the least that is free for all of them."""
    c, left = [-1] * len(p), set(range(len(p)))
    yield Step(c, set(), "The weights w", weights(p, "w"))
    while left:
        front = maxima(near, p, left)
        taken = {c[u] for v in front for u in near[v]}
        k = next(x for x in itertools.count() if x not in taken)
        for v in front:
            c[v] = k
        left -= front
        used = "{" + ", ".join(map(str, sorted(taken - {-1}))) + "}" if taken - {-1} else "none"
        yield Step(c, front, f"{spoken(front)}: neighbors have {used}; all take {k}")


@story("Gunrock: independent sets, two per round")
def gunrock_is(near: Near, p: list[int]) -> Iterator[Step]:
    """Local maxima of a round take one color, local minima another."""
    c, left = [-1] * len(p), set(range(len(p)))
    yield Step(c, set(), "The random numbers R", weights(p, "R"))
    for k in itertools.count():
        low = maxima(near, [-x for x in p], left)
        high = maxima(near, p, left) - low
        for v in left:
            c[v] = 2 * k + 1 if v in low else 2 * k if v in high else -1
        left -= low | high
        parts = [f"Maxima {spoken(high)}: {2 * k}"] if high else []
        yield Step(c, low | high, "; ".join([*parts, f"Minima {spoken(low)}: {2 * k + 1}"]))
        if not left:
            break
    if without_gaps(c) != c:
        yield Step(without_gaps(c), set(), "Close the gaps between the colors")


@story("Gunrock: advance and neighbor-reduce")
def gunrock_ar(near: Near, p: list[int]) -> Iterator[Step]:
    """The sets of `luby_is`, by a segmented reduction over the neighbors."""
    c, left = [-1] * len(p), set(range(len(p)))
    yield Step(c, set(), "The random numbers R", weights(p, "R"))
    for k in itertools.count():
        most = {v: max((p[u] for u in near[v] if u in left), default=-1) for v in left}
        labels = {v: f"{p[v]} | {x if x >= 0 else '–'}" for v, x in most.items()}
        front = {v for v in left if p[v] > most[v]}
        for v in front:
            c[v] = k
        left -= front
        yield Step(c, front, f"{spoken(front)}: own number | largest of the neighbors; {len(left)} left", labels)
        if not left:
            return


@story("Gunrock: hash coloring")
def gunrock_hash(near: Near, p: list[int]) -> Iterator[Step]:
    """Vertices propose neighbors, which reuse a color that their table does not forbid."""
    n = len(p)
    c, tables, again, used = [-1] * n, [set() for _ in p], set(), set()
    yield Step(c, set(), "The random numbers R", weights(p, "R"))
    for k in itertools.count():
        trial: dict[int, int] = {}
        for v in (v for v in range(n) if c[v] < 0):
            closed = [v, *(u for u in near[v] if c[u] < 0)]
            for end, x in enumerate((max(closed, key=lambda u: p[u]), min(closed, key=lambda u: p[u]))):
                free = [y for y in sorted(used) if y not in tables[x]] if x not in again else []
                trial[x] = min(trial.get(x, 2 * n), free[0] if free else 2 * k + end)
        shown = [trial.get(v, c[v]) for v in range(n)]
        older = {v for v in trial if any(c[u] == trial[v] for u in near[v])}
        lost = older | {v for v in trial if any(trial.get(u) == trial[v] and p[u] > p[v] for u in near[v])}
        again |= older
        clash = {(u, v) for v in lost for u in near[v] if shown[u] == shown[v]}
        yield Step(shown, set(trial), f"Propose {spoken(set(trial))}; each tries a color", edges=clash)
        for v in trial.keys() - lost:
            c[v] = trial[v]
        used |= {x for x in c if x >= 0}
        for v in (v for v in range(n) if c[v] < 0):
            tables[v] |= {trial[u] for u in near[v] if u in trial and u not in lost}
        won = trial.keys() - lost
        yield Step(c, set(won), f"Conflict: uncolor {spoken(lost)}" if lost else "No conflict: keep all")
        if min(c) >= 0:
            break
    if without_gaps(c) != c:
        yield Step(without_gaps(c), set(), "Close the gaps between the colors")


@story("Che et al.: hybrid")
def che_hybrid(near: Near, p: list[int]) -> Iterator[Step]:
    """Local maxima of the degrees while there are any, then of random values."""
    c, left, k = [-1] * len(p), set(range(len(p))), 0
    degrees, flag = [len(row) for row in near], set()
    yield Step(c, set(), "The degrees d", weights(degrees, "d"))
    while left:
        flag |= {v for v in left for u in near[v] if u in left and degrees[u] == degrees[v]}
        front = maxima(near, degrees, left) - flag
        if not front:
            break
        for v in front:
            c[v] = k
        left, k = left - front, k + 1
        yield Step(c, front, f"Degrees: {spoken(front)}: color {k - 1}")
    if left:
        yield Step(c, set(), "No degree is a local maximum: random values p", {v: f"p = {p[v]}" for v in left})
    while left:
        front = maxima(near, p, left)
        for v in front:
            c[v] = k
        left, k = left - front, k + 1
        yield Step(c, front, f"Random values: {spoken(front)}: color {k - 1}")


def possible(sets: list[set[int]], c: list[int]) -> dict[int, str]:
    """The possible colors of the vertices without a color."""
    return {v: ",".join(map(str, sorted(s))) for v, s in enumerate(sets) if c[v] < 0}


@story("ECL-GC", order="largest_first")
def ecl_gc(near: Near, p: list[int]) -> Iterator[Step]:
    """First-fit in which a vertex takes a color early, as soon as the color is certain."""
    n = len(p)
    dag = [[u for u in row if p[u] > p[v]] for v, row in enumerate(near)]
    sets = [set(range(len(row) + 1)) for row in dag]
    c = [0 if not row else -1 for row in dag]
    roots = {v for v in range(n) if c[v] == 0}
    yield Step([-1] * n, set(), "The priorities p: larger comes earlier", weights(p))
    yield Step(c, roots, f"{spoken(roots)}: no earlier neighbor. Above or below: possible colors", possible(sets, c))
    while min(c) < 0:
        new, news, early = list(c), [set(s) for s in sets], set()
        for v in (v for v in range(n) if c[v] < 0):
            mine, union, remaining = set(sets[v]), set[int](), []
            for u in dag[v]:
                theirs = sets[u] if c[u] < 0 else {c[u]}
                if not mine & theirs:  # Shortcut 2, or a neighbor whose color is no candidate
                    mine.remove(max(mine))
                    early |= {v} if c[u] < 0 else set()
                elif c[u] >= 0:
                    mine -= theirs
                else:
                    union |= theirs
                    remaining.append(u)
            dag[v], news[v] = remaining, mine
            if not remaining or min(mine) not in union:
                new[v] = min(mine)
                early |= {v} if remaining else set()
        found = {v for v in range(n) if new[v] >= 0 > c[v]}
        early &= found
        c, sets = new, news
        kinds = (("by a shortcut", early), ("all earlier neighbors known", found - early))
        caption = "; ".join(f"{spoken(who)}: {how}" for how, who in kinds if who)
        yield Step(c, found, caption or "Colors of neighbors drop out", possible(sets, c))


@story("Feluca", order="natural", fraction=0.6)
def feluca(near: Near, p: list[int]) -> Iterator[Step]:
    """Recursion until more than 60 % have no conflict, then first-fit for the rest."""
    n = len(p)
    parents = [[u for u in row if p[u] > p[v]] for v, row in enumerate(near)]
    initial = min(sum(map(len, near)) // n + 1, max(map(len, near)) + 1)
    hashes = mix(np, np.arange(n, dtype=np.uint32), 0).astype(np.uint64)
    c = [int(x) for x in hashes * np.uint64(initial) >> np.uint64(32)]
    caption = f"Random colors 0 to {initial - 1}"
    while True:
        clash = {(u, v) for v in range(n) for u in parents[v] if c[u] == c[v]}
        lost = {v for _, v in clash}
        yield Step(
            c, lost, f"{caption}; {spoken(lost)} in conflict" if lost else f"{caption}; no conflict", edges=clash
        )
        if not lost or n - len(lost) > 0.6 * n:
            break
        before = list(c)
        for v in lost:
            low, high = min(before[u] for u in parents[v]), max(before[u] for u in parents[v])
            c[v] = low + 1 if low + 1 < high and low + 1 != before[v] else high + 1
        caption = f"{spoken(lost)}: new colors"
    for v in lost:
        c[v] = -1
    yield from spread(near, p, c, lost)


def spread(near: Near, p: list[int], c: list[int], left: set[int]) -> Iterator[Step]:
    """The pipeline: in step s the block of color x is at level s − x."""
    if left:
        yield Step(c, left, f"Second stage: uncolor {spoken(left)}")
    level: dict[int, int] = {}
    for v in sorted(left, key=lambda v: -p[v]):
        level[v] = 1 + max((level[u] for u in near[v] if u in level), default=-1)
    for s in itertools.count():
        if min(c) >= 0:
            break
        found = set()
        for v in sorted(level, key=lambda v: -level[v]):
            x = s - level[v]
            if c[v] < 0 <= x and all(c[u] != x for u in near[v]):
                c[v] = x
                found.add(v)
        if found:
            blocks = ", ".join(f"{spoken({v})} takes {c[v]}" for v in sorted(found))
            yield Step(c, found, f"Spread, step {s}: {blocks}")
    if without_gaps(c) != c:
        yield Step(without_gaps(c), set(), "Close the gaps between the colors")


def without_gaps(c: list[int]) -> list[int]:
    """Colors 0 … k − 1 in the same order."""
    return [sorted(set(c)).index(x) for x in c]


def speculative(near: Near, width: int) -> Iterator[Step]:
    """IPGC: `width` vertices choose at once; of two neighbors of one color, the larger id loses it."""
    c, active, H, n = [-1] * len(near), list(range(len(near))), 0.6, len(near)
    while active:
        mode = "all vertices" if len(active) > H * n else "the worklist"
        for first in range(0, len(active), width):
            found = {v: least_free(near, c, v) for v in active[first : first + width]}
            for v, x in found.items():
                c[v] = x
        clash = {(u, v) for v in active for u in near[v] if u < v and c[u] == c[v]}
        lost = {v for _, v in clash}
        yield Step(c, set(active), f"Assign, over {mode}, {width} at once", edges=clash)
        for v in lost:
            c[v] = -1
        active = sorted(lost)
        if lost:
            yield Step(c, lost, f"Conflict: uncolor {spoken(lost)}")


@story("IPGC", order=None, same={"width": 1}, threads=1)
def ipgc(near: Near, p: list[int], width: int = 3) -> Iterator[Step]:
    """Three vertices choose at once."""
    return speculative(near, width)
