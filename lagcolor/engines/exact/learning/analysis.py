"""Conflict analysis (first unique implication point), the table of clauses, decisions, and the loop of the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import inner, njit
from .propagation import (
    CLAUSE,
    CLAUSE_RECORD,
    DECISION,
    NO_CONFLICT,
    PAIR,
    Clauses,
    SearchTables,
    assign,
    backtrack,
    explain,
    is_false,
    is_true,
    pop,
    propagate,
    rise,
)  # fmt: skip

DECAY, LIMIT = 0.95, 1e100  # of activities: decay per conflict; value at which all are scaled
MANY = 6  # average LBD from which a pair is replaced by the pair that implies it
PERMANENT = 2  # clauses up to this LBD are never removed
QUICK, SLOWLY, MARGIN, LEAST = 1 / 32, 1 / 4096, 1.1, 10  # averages of LBD; restart: ratio, conflicts at least
CONTINUE, RESTARTED, COMPLETE, CONTRADICTION = range(4)  # results of `search`


@inner()
def bump(pairs: Any, activity: Any, heap: Any, state: Any, x: Any) -> None:
    """Increase the activity of a pair that took part in a conflict."""
    activity[x] += state.increment
    if activity[x] > LIMIT:
        for y in range(activity.size):
            activity[y] /= LIMIT
        state.increment /= LIMIT
    if pairs[x].heap >= 0:
        rise(heap, pairs, activity, x, np.int64(pairs[x].heap))


@inner()
def analyze(t: Any, db: Any, why: Any) -> Any:
    """Write the clause that follows from a conflict (first unique implication point) to `learned`; return its size."""
    pairs, scratch, seen, learned, trail = t.pairs, t.scratch, t.seen, t.learned, t.trail
    activity, heap, state, size, here = t.activity, t.heap, t.state, np.int64(1), np.int64(0)
    depth, x, replaces = state.depth, state.clash, state.slow > MANY
    count, place = explain(t, db, why, x), state.entries
    scratch[count] = x
    count += pairs[x].level > 0
    while True:
        for i in range(count):
            y = np.int64(scratch[i])
            if replaces and pairs[y].reason & 7 == PAIR:
                y = np.int64(pairs[y].reason) >> 3
            if seen[y]:
                continue
            seen[y] = 1
            bump(pairs, activity, heap, state, y)
            if pairs[y].level == depth:
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
        count = explain(t, db, np.int64(pairs[x].reason), x)
    learned[0] = x
    return shorten(t, db, size)


@inner()
def shorten(t: Any, db: Any, size: Any) -> Any:
    """Remove pairs that other pairs of the clause imply, and clear the marks; return the size."""
    pairs, scratch, seen, learned = t.pairs, t.scratch, t.seen, t.learned
    seen[learned[0]] = 1
    n_needed = np.int64(1)
    for i in range(1, size):
        x = np.int64(learned[i])
        implied = pairs[x].reason != DECISION
        if implied:
            for j in range(explain(t, db, np.int64(pairs[x].reason), x)):
                if seen[scratch[j]] == 0:
                    implied = False
                    break
        seen[x] = 2 if implied else 1
    for i in range(1, size):
        x = np.int64(learned[i])
        if seen[x] == 1:
            learned[n_needed] = x
            n_needed += 1
        seen[x] = 0
    seen[learned[0]] = 0
    return n_needed


@inner()
def learn(t: Any, db: Any, size: Any) -> None:
    """Store the clause, backtrack to the level at which it implies a pair, and assign that pair."""
    depth, lbd = np.int64(0), np.int64(1)
    for i in range(1, size):
        x = np.int64(t.learned[i])
        level = np.int64(t.pairs[x].level)
        if level > depth:
            depth = level
            t.learned[1], t.learned[i] = x, t.learned[1]
        if t.stamps[level] != t.state.conflicts:
            t.stamps[level] = t.state.conflicts
            lbd += 1
    t.state.fast += (lbd - t.state.fast) * QUICK
    t.state.slow += (lbd - t.state.slow) * max(SLOWLY, 1 / t.state.conflicts)
    t.state.increment /= DECAY
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
    """Store the literals of `learned` as a clause; return its number."""
    clause, start = t.state.clauses, t.state.literals
    db.clauses[clause].start, db.clauses[clause].size, db.clauses[clause].lbd = start, size, lbd
    for i in range(size):
        db.literals[start + i] = t.learned[i]
    attach(db, clause)
    t.state.clauses += 1
    t.state.literals += size
    return clause


@inner()
def attach(db: Any, clause: Any) -> None:
    """Watch the first two literals of a clause."""
    start = np.int64(db.clauses[clause].start)
    for side in range(2):
        literal = db.literals[start + side]
        db.clauses[clause].next[side] = db.watches[literal]
        db.watches[literal] = 2 * clause + side


@njit(cache=True, nogil=True)
def search(t: Any, db: Any, conflicts: Any, steps: Any) -> Any:
    """Decide, propagate and learn, until a limit of conflicts, steps or clauses, or a restart with many clauses."""
    while True:
        why = propagate(t, db)
        if why != NO_CONFLICT:
            t.state.conflicts += 1
            if t.state.depth == 0:
                return CONTRADICTION
            learn(t, db, analyze(t, db, why))
            full = t.state.clauses == db.clauses.shape[0] or t.state.literals + t.learned.size > db.literals.size
            if full or t.state.conflicts >= conflicts:
                return CONTINUE
            continue
        if t.state.steps >= steps:
            return CONTINUE
        if t.state.conflicts - t.state.latest > LEAST and t.state.fast > MARGIN * t.state.slow:
            t.state.fast, t.state.latest = t.state.slow, t.state.conflicts
            backtrack(t, np.int64(0))
            if t.state.clauses >= t.state.full:
                return RESTARTED
            continue
        if not decide(t):
            return COMPLETE


@inner()
def decide(t: Any) -> Any:
    """Make a pair true: of the vertex whose pair has the largest activity. Return False if no pair is open."""
    while t.state.open > 0:
        x = pop(t.heap, t.pairs, t.activity, t.state)
        if t.value[x] != 0:
            continue
        v = x // t.k
        y = v * t.k + t.saved[v]
        if t.saved[v] >= 0 and t.value[y] == 0 and y != x:
            # x stays open
            x = y
        t.state.depth += 1
        t.begins[t.state.depth] = t.state.entries
        assign(t, x, 1, np.int64(DECISION))
        return True
    return False


# ---- the table of clauses --------------------------------------------------------------------------------------------


def empty(pairs: int, most: int) -> Clauses:
    """Create an empty table with capacity for some clauses."""
    return Clauses(np.empty(2 * most + 4096, np.int32), np.empty(1024, CLAUSE_RECORD), np.full(2 * pairs, -1, np.int32))


def grown(t: SearchTables, db: Clauses) -> Clauses:
    """Return the table with capacity for at least one more clause of any size."""
    literals, clauses = db.literals, db.clauses
    if t.state.literals + 2 * len(t.learned) > len(literals):
        literals = np.append(literals, np.empty_like(literals))
    if t.state.clauses + 1 >= len(clauses):
        clauses = np.concatenate([clauses, np.empty_like(clauses)])
    return Clauses(literals, clauses, db.watches)


def reduce(t: SearchTables, db: Clauses) -> None:
    """Remove the worse half of the clauses, by LBD and size, and satisfied clauses; at level 0."""
    table = db.clauses[: t.state.clauses]
    order = np.lexsort((-np.arange(len(table)), table["size"], table["lbd"]))
    keep = table["lbd"] <= PERMANENT
    keep[order[: len(order) // 2]] = True
    compact(t, db, keep)


@njit(cache=True, nogil=True)
def compact(t: Any, db: Any, keep: Any) -> None:
    """Move the remaining clauses to the front, without false literals, and watch two literals of each again."""
    value, (literals, clauses, watches) = t.value, db
    watches[:] = -1
    number, end = 0, np.int64(0)
    for clause in range(keep.size):
        start, begin, satisfied = np.int64(clauses[clause].start), end, False
        for i in range(start, start + clauses[clause].size):
            literal = np.int64(literals[i])
            satisfied = satisfied or is_true(value, literal)
            if not is_false(value, literal):
                literals[end] = literal
                end += 1
        if satisfied or not keep[clause]:
            end = begin
            continue
        clauses[number].start, clauses[number].size, clauses[number].lbd = begin, end - begin, clauses[clause].lbd
        attach(db, number)
        number += 1
    t.state.clauses, t.state.literals = number, end
