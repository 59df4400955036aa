"""What pairs imply, and why.

A pair that is true makes false the same color of the vertex's neighbors, its other colors, and the color of vertices
that no longer fit into the class. A vertex with one color left takes it; a color that one vertex of a tight clique may
have is taken by it. Edges and cliques have no clauses: the reason of a literal is a kind and an argument, from which
`explain` lists the pairs that imply it.

========  ========  ================================================================================================
kind      argument  implied by
========  ========  ================================================================================================
DECISION            nothing
PAIR      pair      that pair, which is true
COLORS              the other colors of the vertex, which are false
CLIQUE    clique    the color of the other vertices of the clique, which are false
CLASS               the vertices in the class before it, which are too heavy with this one
CLAUSE    clause    the other literals of the clause, which are false
========  ========  ================================================================================================

A conflict is a reason for the opposite of a literal: `propagate` returns the reason, and `at[CLASH]` has the pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from .tables import CLASH, DEPTH, ENTRIES, HEAD, HEAP, HEAVIEST, LEVEL, NEXT, OPEN, REASON, SIZE, START, STEPS, TRAIL

DECISION, PAIR, COLORS, CLIQUE, CLASS, CLAUSE = range(6)
NO_CONFLICT = -1
ONE32 = np.uint32(1)


@njit(cache=True, nogil=True)
def assign(t: Any, x: Any, truth: Any, why: Any) -> None:
    """An open pair becomes true (1) or false (−1)."""
    place = t.at[ENTRIES]
    t.value[x] = truth
    t.pairs[x, LEVEL] = t.at[DEPTH]
    t.pairs[x, TRAIL] = place
    t.pairs[x, REASON] = why
    t.trail[place] = 2 * x + (truth < 0)
    t.at[ENTRIES] = place + 1


@njit(cache=True, nogil=True)
def imply(t: Any, x: Any, truth: Any, why: Any) -> Any:
    """A pair must be true or false; whether it is the opposite, which is a conflict."""
    if t.value[x] == 0:
        assign(t, x, truth, why)
    elif t.value[x] != truth:
        t.at[CLASH] = x
        return True
    return False


@njit(cache=True, nogil=True)
def propagate(t: Any, db: Any) -> Any:
    """Derive all that follows; the reason of a conflict, or NO_CONFLICT."""
    while t.at[HEAD] < t.at[ENTRIES]:
        literal = np.int64(t.trail[t.at[HEAD]])
        t.at[HEAD] += 1
        t.at[STEPS] += 1
        x = literal >> 1
        v = x // t.k
        c = x - v * t.k
        why = close(t, v, c, x) if literal & 1 else take(t, v, c, x)
        if why == NO_CONFLICT:
            why = visit(t, db, literal)
        if why != NO_CONFLICT:
            return why
    return np.int64(NO_CONFLICT)


@njit(cache=True, nogil=True)
def take(t: Any, v: Any, c: Any, x: Any) -> Any:
    """What follows where vertex v has color c."""
    k, why = t.k, x * 8 + PAIR
    t.before[v] = t.room[c]
    t.room[c] -= t.weights[v]
    t.older[v] = t.newest[c]
    t.newest[c] = v
    for e in range(t.indptr[v], t.indptr[v + ONE32]):
        if imply(t, np.int64(t.indices[e]) * k + c, -1, why):
            return why
    for y in range(v * k, v * k + k):
        if y != x and imply(t, y, -1, why):
            return why
    why = np.int64(CLASS)
    if t.room[c] < 0 and t.weights[v] > 0:
        t.at[CLASH] = x
        return why
    if t.room[c] < t.numbers[HEAVIEST]:
        for u in range(t.left.size):
            if t.value[u * k + c] == 0 and t.weights[u] > t.room[c]:
                assign(t, u * k + c, -1, why)
    return np.int64(NO_CONFLICT)


@njit(cache=True, nogil=True)
def close(t: Any, v: Any, c: Any, x: Any) -> Any:
    """What follows where vertex v may not have color c."""
    k = t.k
    t.left[v] -= 1
    for j in range(t.places[v], t.places[v + 1]):
        t.count[t.cliques[j] * k + c] -= 1
    if t.left[v] <= 1:
        y = v * k
        while y < v * k + k and t.value[y] < 0:
            y += 1
        if y == v * k + k:
            t.at[CLASH] = x
            return np.int64(COLORS)
        if t.value[y] == 0:
            assign(t, y, 1, np.int64(COLORS))
    for j in range(t.places[v], t.places[v + 1]):
        q = np.int64(t.cliques[j])
        if t.count[q * k + c] > 1:
            continue
        i = t.bounds[q]
        while i < t.bounds[q + 1] and t.value[np.int64(t.members[i]) * k + c] < 0:
            i += 1
        if i == t.bounds[q + 1]:
            t.at[CLASH] = x
            return q * 8 + CLIQUE
        y = np.int64(t.members[i]) * k + c
        if t.value[y] == 0:
            assign(t, y, 1, q * 8 + CLIQUE)
    return np.int64(NO_CONFLICT)


@njit(cache=True, nogil=True)
def is_false(t: Any, literal: Any) -> Any:
    """Whether a literal is false."""
    return t.value[literal >> 1] == (1 if literal & 1 else -1)


@njit(cache=True, nogil=True)
def is_true(t: Any, literal: Any) -> Any:
    """Whether a literal is true."""
    return t.value[literal >> 1] == (-1 if literal & 1 else 1)


@njit(cache=True, nogil=True)
def visit(t: Any, db: Any, literal: Any) -> Any:
    """The clauses that watch the opposite of a literal that became true."""
    literals, clauses, watches = db
    false = literal ^ 1
    watch, before = np.int64(watches[false]), np.int64(-1)
    while watch >= 0:
        clause, side = watch >> 1, watch & 1
        after = np.int64(clauses[clause, NEXT + side])
        start = np.int64(clauses[clause, START])
        other = np.int64(literals[start + 1 - side])
        if is_true(t, other):
            watch, before = after, watch
            continue
        i, end = start + 2, start + clauses[clause, SIZE]
        while i < end and is_false(t, np.int64(literals[i])):
            i += 1
        if i < end:  # watch another literal in its place
            new = np.int64(literals[i])
            literals[i], literals[start + side] = false, new
            if before < 0:
                watches[false] = after
            else:
                clauses[before >> 1, NEXT + (before & 1)] = after
            clauses[clause, NEXT + side] = watches[new]
            watches[new] = watch
            watch = after
            continue
        if imply(t, other >> 1, -1 if other & 1 else 1, clause * 8 + CLAUSE):
            return clause * 8 + CLAUSE
        watch, before = after, watch
    return np.int64(NO_CONFLICT)


@njit(cache=True, nogil=True)
def explain(t: Any, db: Any, why: Any, x: Any) -> Any:
    """The pairs that imply what pair x is or may not be, less those of level 0, to `scratch`; how many there are."""
    kind, argument, k, count = why & 7, why >> 3, t.k, 0
    out, v, c = t.scratch, x // t.k, x % t.k
    if kind == PAIR:
        out[0] = argument
        count = 1
    elif kind == COLORS:
        for y in range(v * k, v * k + k):
            if y != x:
                out[count] = y
                count += t.pairs[y, LEVEL] > 0
    elif kind == CLIQUE:
        for i in range(t.bounds[argument], t.bounds[argument + 1]):
            y = np.int64(t.members[i]) * k + c
            if y != x:
                out[count] = y
                count += t.pairs[y, LEVEL] > 0
    elif kind == CLASS:
        u = np.int64(t.newest[c])
        while u >= 0:
            y = u * k + c
            if t.pairs[y, TRAIL] < t.pairs[x, TRAIL] and t.weights[u] > 0:
                out[count] = y
                count += t.pairs[y, LEVEL] > 0
            u = np.int64(t.older[u])
    elif kind == CLAUSE:
        start = np.int64(db.clauses[argument, START])
        for i in range(start, start + db.clauses[argument, SIZE]):
            y = np.int64(db.literals[i]) >> 1
            if y != x:
                out[count] = y
                count += t.pairs[y, LEVEL] > 0
    return count


@njit(cache=True, nogil=True)
def backtrack(t: Any, depth: Any) -> None:
    """Undo all levels above one."""
    if depth >= t.at[DEPTH]:
        return
    k, begin = t.k, np.int64(t.begins[depth + 1])
    for place in range(t.at[ENTRIES] - 1, begin - 1, -1):
        literal = np.int64(t.trail[place])
        x = literal >> 1
        v = x // k
        c = x - v * k
        t.value[x] = 0
        if not literal & 1:
            t.saved[v] = c
        if t.pairs[x, HEAP] < 0:
            push(t, x)
        if place >= t.at[HEAD]:
            continue
        if literal & 1:
            t.left[v] += 1
            for j in range(t.places[v], t.places[v + 1]):
                t.count[t.cliques[j] * k + c] += 1
        else:
            t.room[c] = t.before[v]
            t.newest[c] = t.older[v]
    t.at[ENTRIES] = begin
    t.at[HEAD] = min(t.at[HEAD], begin)
    t.at[DEPTH] = depth


@njit(cache=True, nogil=True)
def push(t: Any, x: Any) -> None:
    """Put a pair into the heap."""
    place = t.at[OPEN]
    t.at[OPEN] += 1
    t.heap[place] = x
    rise(t, x, place)


@njit(cache=True, nogil=True)
def rise(t: Any, x: Any, place: Any) -> None:
    """A pair goes up in the heap from a place as far as its activity takes it."""
    while place > 0:
        above = (place - 1) >> 1
        y = t.heap[above]
        if t.activity[y] >= t.activity[x]:
            break
        t.heap[place] = y
        t.pairs[y, HEAP] = place
        place = above
    t.heap[place] = x
    t.pairs[x, HEAP] = place


@njit(cache=True, nogil=True)
def pop(t: Any) -> Any:
    """Take the pair of largest activity out of the heap."""
    top = np.int64(t.heap[0])
    t.pairs[top, HEAP] = -1
    t.at[OPEN] -= 1
    size, place = t.at[OPEN], np.int64(0)
    if size == 0:
        return top
    x = np.int64(t.heap[size])
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and t.activity[t.heap[child + 1]] > t.activity[t.heap[child]]:
            child += 1
        y = t.heap[child]
        if t.activity[x] >= t.activity[y]:
            break
        t.heap[place] = y
        t.pairs[y, HEAP] = place
        place = child
    t.heap[place] = x
    t.pairs[x, HEAP] = place
    return top
