"""Conflicts become clauses (first unique implication point); decisions, restarts, and the loop of the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import njit
from .propagation import CLAUSE, DECISION, NO_CONFLICT, PAIR, assign, backtrack, explain, pop, propagate, rise
from .tables import (
    CLASH,
    CLAUSES,
    CONFLICTS,
    DEPTH,
    ENTRIES,
    FAST,
    FULL,
    HEAP,
    INCREMENT,
    LATEST,
    LBD,
    LEVEL,
    LITERALS,
    NEXT,
    OPEN,
    REASON,
    SIZE,
    SLOW,
    START,
    STEPS,
)

DECAY, LIMIT = 0.95, 1e100  # of activities; where they are scaled
MANY = 6  # levels of a clause, on average
QUICK, SLOWLY, MARGIN, LEAST = 1 / 32, 1 / 4096, 1.1, 10  # averages of LBD; restart where the first is so much larger
CONTINUE, RESTARTED, COMPLETE, CONTRADICTION = range(4)  # what `search` returns


@njit(cache=True, nogil=True)
def bump(pairs: Any, activity: Any, heap: Any, numbers: Any, x: Any) -> None:
    """A pair took part in a conflict."""
    activity[x] += numbers[INCREMENT]
    if activity[x] > LIMIT:
        for y in range(activity.size):
            activity[y] /= LIMIT
        numbers[INCREMENT] /= LIMIT
    if pairs[x, HEAP] >= 0:
        rise(heap, pairs, activity, x, np.int64(pairs[x, HEAP]))


@njit(cache=True, nogil=True)
def analyze(t: Any, db: Any, why: Any) -> Any:
    """The pairs of the clause that a conflict teaches, to `learned`, the one of the present level first; their number.

    Each step replaces the latest pair of the present level by those that imply it, until there is one. Where clauses
    have many levels, a pair that another one implies alone is replaced by that: the clauses are weaker, but shorter.
    """
    pairs, scratch, seen, learned, trail = t.pairs, t.scratch, t.seen, t.learned, t.trail
    activity, heap, numbers, replaces = t.activity, t.heap, t.numbers, t.numbers[SLOW] > MANY
    depth, x, size, here = t.at[DEPTH], t.at[CLASH], np.int64(1), np.int64(0)
    count, place = explain(t, db, why, x), t.at[ENTRIES]
    scratch[count] = x
    count += pairs[x, LEVEL] > 0
    while True:
        for i in range(count):
            y = np.int64(scratch[i])
            if replaces and pairs[y, REASON] & 7 == PAIR:
                y = np.int64(pairs[y, REASON]) >> 3
            if seen[y]:
                continue
            seen[y] = 1
            bump(pairs, activity, heap, numbers, y)
            if pairs[y, LEVEL] == depth:
                here += 1
            else:
                learned[size] = y
                size += 1
        place -= 1
        while not seen[trail[place] >> 1]:
            place -= 1
        x = np.int64(trail[place]) >> 1
        seen[x] = 0
        here -= 1
        if here == 0:
            break
        count = explain(t, db, np.int64(pairs[x, REASON]), x)
    learned[0] = x
    return shorten(t, db, size)


@njit(cache=True, nogil=True)
def shorten(t: Any, db: Any, size: Any) -> Any:
    """Leave out pairs that others of the clause imply; clears the marks."""
    pairs, scratch, seen, learned = t.pairs, t.scratch, t.seen, t.learned
    seen[learned[0]] = 1
    kept = np.int64(1)
    for i in range(1, size):
        x = np.int64(learned[i])
        implied = pairs[x, REASON] != DECISION
        if implied:
            for j in range(explain(t, db, np.int64(pairs[x, REASON]), x)):
                if seen[scratch[j]] == 0:
                    implied = False
                    break
        seen[x] = 2 if implied else 1
    for i in range(1, size):
        x = np.int64(learned[i])
        if seen[x] == 1:
            learned[kept] = x
            kept += 1
        seen[x] = 0
    seen[learned[0]] = 0
    return kept


@njit(cache=True, nogil=True)
def learn(t: Any, db: Any, size: Any) -> None:
    """Store the clause, go back to where it implies a pair, and imply that."""
    depth, lbd = np.int64(0), np.int64(1)
    for i in range(1, size):
        x = np.int64(t.learned[i])
        level = np.int64(t.pairs[x, LEVEL])
        if level > depth:
            depth = level
            t.learned[1], t.learned[i] = x, t.learned[1]
        if t.stamps[level] != t.at[CONFLICTS]:
            t.stamps[level] = t.at[CONFLICTS]
            lbd += 1
    t.numbers[FAST] += (lbd - t.numbers[FAST]) * QUICK
    t.numbers[SLOW] += (lbd - t.numbers[SLOW]) * max(SLOWLY, 1 / t.at[CONFLICTS])
    t.numbers[INCREMENT] /= DECAY
    for i in range(size):
        x = np.int64(t.learned[i])
        t.learned[i] = 2 * x + (t.value[x] > 0)
    literal = np.int64(t.learned[0])
    backtrack(t, depth)
    why = np.int64(DECISION)
    if size > 1:
        why = store(t, db, size, lbd) * 8 + CLAUSE
    assign(t, literal >> 1, -1 if literal & 1 else 1, why)


@njit(cache=True, nogil=True)
def store(t: Any, db: Any, size: Any, lbd: Any) -> Any:
    """The literals of `learned` become a clause; its number."""
    clause, start = t.at[CLAUSES], t.at[LITERALS]
    db.clauses[clause, START], db.clauses[clause, SIZE], db.clauses[clause, LBD] = start, size, lbd
    for i in range(size):
        db.literals[start + i] = t.learned[i]
    attach(db, clause)
    t.at[CLAUSES] += 1
    t.at[LITERALS] += size
    return clause


@njit(cache=True, nogil=True)
def attach(db: Any, clause: Any) -> None:
    """Watch the first two literals of a clause."""
    start = np.int64(db.clauses[clause, START])
    for side in range(2):
        literal = db.literals[start + side]
        db.clauses[clause, NEXT + side] = db.watches[literal]
        db.watches[literal] = 2 * clause + side


@njit(cache=True, nogil=True)
def search(t: Any, db: Any, conflicts: Any, steps: Any) -> Any:
    """Decide, propagate and learn, until a limit of conflicts, steps or clauses, or a restart with many clauses."""
    while True:
        why = propagate(t, db)
        if why != NO_CONFLICT:
            t.at[CONFLICTS] += 1
            if t.at[DEPTH] == 0:
                return CONTRADICTION
            learn(t, db, analyze(t, db, why))
            full = t.at[CLAUSES] == db.clauses.shape[0] or t.at[LITERALS] + t.learned.size > db.literals.size
            if full or t.at[CONFLICTS] >= conflicts:
                return CONTINUE
            continue
        if t.at[STEPS] >= steps:
            return CONTINUE
        if t.at[CONFLICTS] - t.at[LATEST] > LEAST and t.numbers[FAST] > MARGIN * t.numbers[SLOW]:
            t.numbers[FAST], t.at[LATEST] = t.numbers[SLOW], t.at[CONFLICTS]
            backtrack(t, np.int64(0))
            if t.at[CLAUSES] >= t.at[FULL]:
                return RESTARTED
            continue
        if not decide(t):
            return COMPLETE


@njit(cache=True, nogil=True)
def decide(t: Any) -> Any:
    """Make true an open pair, of a vertex with a pair of the largest activity; whether there is one."""
    while t.at[OPEN] > 0:
        x = pop(t.heap, t.pairs, t.activity, t.at)
        if t.value[x] != 0:
            continue
        v = x // t.k
        y = v * t.k + t.saved[v]
        if t.saved[v] >= 0 and t.value[y] == 0 and y != x:
            # x stays open
            x = y
        t.at[DEPTH] += 1
        t.begins[t.at[DEPTH]] = t.at[ENTRIES]
        assign(t, x, 1, np.int64(DECISION))
        return True
    return False
