"""Tables of a search, and propagation: the implications of pairs, and their reasons.

If a pair (vertex, color) is true, these pairs become false: the same color at the neighbors, the other colors at the
vertex, and the color at vertices that no longer fit into the class. If a vertex has one color left, that pair becomes
true. If a color is possible at only one vertex of a tight clique, that pair becomes true. There are no clauses for
edges and cliques: the reason of a literal is a kind and an argument, and `explain` lists the pairs that imply it.

========  ========  ================================================================================================
kind      argument  implied by
========  ========  ================================================================================================
DECISION            nothing
PAIR      pair      that pair, which is true
COLORS              the other colors of the vertex, which are false
CLIQUE    clique    the same color at the other vertices of the clique, which is false
CLASS               the vertices that entered the class before; with this vertex they are too heavy
CLAUSE    clause    the other literals of the clause, which are false
========  ========  ================================================================================================

Functions read the arrays of the tables once, at their start, because each read updates a reference count atomically.

A conflict is a reason for the opposite of a literal: `propagate` returns the reason, and `state.clash` is the pair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....base.device.compiled import inner, njit

DECISION, PAIR, COLORS, CLIQUE, CLASS, CLAUSE = range(6)
NO_CONFLICT = -1
ONE32 = np.uint32(1)
# Of a pair: level of its decision, place in the trail, place in the heap (−1: absent), ``argument * 8 + kind``.
PAIR_RECORD = np.dtype([(name, np.int32) for name in ("level", "trail", "heap", "reason")])
# Of a clause: first literal, number of literals; LBD (0: never removed); next clauses that watch its two literals.
CLAUSE_RECORD = np.dtype([("start", np.int32), ("size", np.int32), ("lbd", np.int32), ("next", np.int32, (2,))])
STATE = np.dtype(
    # Literals on the trail, how many of them are propagated, and the level; clauses and their literals; conflicts, now
    # and at the latest restart; pairs in the heap; literals propagated in total; the pair of a conflict; number of
    # clauses at which some are removed.
    [(name, np.int64) for name in ("entries", "head", "depth", "clauses", "literals", "conflicts", "latest")]
    + [(name, np.int64) for name in ("open", "steps", "clash", "full")]
    # Increment of activities per conflict; averages of LBD; the largest weight.
    + [(name, np.float64) for name in ("increment", "fast", "slow", "heaviest")]
)


class SearchTables(NamedTuple):
    """Arrays of a search, without its clauses."""

    indptr: Any
    indices: Any
    k: Any
    value: Any  # of each pair: 1 true, −1 false, 0 open
    pairs: Any  # of PAIR_RECORD
    trail: Any  # literals in the order in which they became true: 2·pair, or 2·pair + 1 if the pair is false
    begins: Any  # place in the trail where each level begins
    left: Any  # number of colors of a vertex that are not false
    saved: Any  # the last color of a vertex
    weights: Any
    spare: Any  # spare capacity of each class
    before: Any  # spare capacity of its class before a vertex entered it
    newest: Any  # the vertex that entered a class last, −1: none
    older: Any  # the vertex that entered its class before this one
    bounds: Any  # vertices of tight clique q: members[bounds[q] : bounds[q + 1]]
    members: Any
    places: Any  # tight cliques of vertex v: cliques[places[v] : places[v + 1]]
    cliques: Any
    count: Any  # count[q·k + c]: number of vertices of clique q at which color c is not false
    activity: Any  # of pairs
    heap: Any  # of open pairs, by activity
    seen: Any  # marks of the analysis; `scratch` and `learned`: its lists
    scratch: Any
    learned: Any
    stamps: Any  # the latest conflict that counted a level
    state: Any  # a record of STATE


class Clauses(NamedTuple):
    """Learned and added clauses."""

    literals: Any  # of all clauses; the first two of a clause are watched
    clauses: Any  # of CLAUSE_RECORD
    # per literal: the first clause that watches it, as 2·clause or 2·clause + 1 (first or second literal)
    watches: Any


@njit(cache=True, nogil=True)
def assign(t: Any, x: Any, truth: Any, why: Any) -> None:
    """Make an open pair true (1) or false (−1)."""
    enter(t.value, t.pairs, t.trail, t.state, x, truth, why)


@inner(forceinline=True)
def enter(value: Any, pairs: Any, trail: Any, state: Any, x: Any, truth: Any, why: Any) -> None:
    """Do `assign`, with the arrays as arguments."""
    place = state.entries
    value[x] = truth
    pairs[x].level = state.depth
    pairs[x].trail = place
    pairs[x].reason = why
    trail[place] = 2 * x + (truth < 0)
    state.entries = place + 1


@njit(cache=True, nogil=True)
def propagate(t: Any, db: Any) -> Any:
    """Propagate all literals; return the reason of a conflict, or NO_CONFLICT."""
    state, trail, k = t.state, t.trail, t.k
    while state.head < state.entries:
        literal = np.int64(trail[state.head])
        state.head += 1
        state.steps += 1
        x = literal >> 1
        v = x // k
        c = x - v * k
        why = close(t, v, c, x) if literal & 1 else take(t, v, c, x)
        if why == NO_CONFLICT and db.watches[literal ^ 1] >= 0:
            why = visit(t, db, literal)
        if why != NO_CONFLICT:
            return why
    return np.int64(NO_CONFLICT)


@inner()
def take(t: Any, v: Any, c: Any, x: Any) -> Any:
    """Propagate that vertex v has color c."""
    value, pairs, trail, state, indptr, indices = t.value, t.pairs, t.trail, t.state, t.indptr, t.indices
    spare, weights, k, why = t.spare, t.weights, t.k, x * 8 + PAIR
    t.before[v] = spare[c]
    spare[c] -= weights[v]
    t.older[v] = t.newest[c]
    t.newest[c] = v
    for e in range(indptr[v], indptr[v + ONE32]):
        y = np.int64(indices[e]) * k + c
        if value[y] == 0:
            enter(value, pairs, trail, state, y, -1, why)
        elif value[y] > 0:
            state.clash = y
            return why
    for y in range(v * k, v * k + k):
        if value[y] == 0:
            enter(value, pairs, trail, state, y, -1, why)
        elif value[y] > 0 and y != x:
            state.clash = y
            return why
    why = np.int64(CLASS)
    if spare[c] < 0 and weights[v] > 0:
        state.clash = x
        return why
    if spare[c] < t.state.heaviest:
        for u in range(weights.size):
            if value[u * k + c] == 0 and weights[u] > spare[c]:
                enter(value, pairs, trail, state, u * k + c, -1, why)
    return np.int64(NO_CONFLICT)


@inner()
def close(t: Any, v: Any, c: Any, x: Any) -> Any:
    """Propagate that vertex v may not have color c."""
    value, pairs, trail, state, k = t.value, t.pairs, t.trail, t.state, t.k
    places, cliques, count, bounds = t.places, t.cliques, t.count, t.bounds
    t.left[v] -= 1
    for j in range(places[v], places[v + 1]):
        count[cliques[j] * k + c] -= 1
    if t.left[v] <= 1:
        y = v * k
        while y < v * k + k and value[y] < 0:
            y += 1
        if y == v * k + k:
            state.clash = x
            return np.int64(COLORS)
        if value[y] == 0:
            enter(value, pairs, trail, state, y, 1, np.int64(COLORS))
    for j in range(places[v], places[v + 1]):
        q = np.int64(cliques[j])
        if count[q * k + c] > 1:
            continue
        members, i = t.members, bounds[q]
        while i < bounds[q + 1] and value[np.int64(members[i]) * k + c] < 0:
            i += 1
        if i == bounds[q + 1]:
            state.clash = x
            return q * 8 + CLIQUE
        y = np.int64(members[i]) * k + c
        if value[y] == 0:
            enter(value, pairs, trail, state, y, 1, q * 8 + CLIQUE)
    return np.int64(NO_CONFLICT)


@inner(forceinline=True)
def is_false(value: Any, literal: Any) -> Any:
    """Return whether a literal is false."""
    return value[literal >> 1] == (1 if literal & 1 else -1)


@inner(forceinline=True)
def is_true(value: Any, literal: Any) -> Any:
    """Return whether a literal is true."""
    return value[literal >> 1] == (-1 if literal & 1 else 1)


@inner()
def visit(t: Any, db: Any, literal: Any) -> Any:
    """Propagate a literal that became true through the clauses that watch its opposite."""
    value, (literals, clauses, watches) = t.value, db
    false = literal ^ 1
    watch, before = np.int64(watches[false]), np.int64(-1)
    while watch >= 0:
        clause, side = watch >> 1, watch & 1
        after = np.int64(clauses[clause].next[side])
        start = np.int64(clauses[clause].start)
        other = np.int64(literals[start + 1 - side])
        if is_true(value, other):
            watch, before = after, watch
            continue
        i, end = start + 2, start + clauses[clause].size
        while i < end and is_false(value, np.int64(literals[i])):
            i += 1
        if i < end:  # watch another literal instead
            new = np.int64(literals[i])
            literals[i], literals[start + side] = false, new
            if before < 0:
                watches[false] = after
            else:
                clauses[before >> 1].next[before & 1] = after
            clauses[clause].next[side] = watches[new]
            watches[new] = watch
            watch = after
            continue
        if is_false(value, other):
            t.state.clash = other >> 1
            return clause * 8 + CLAUSE
        enter(value, t.pairs, t.trail, t.state, other >> 1, -1 if other & 1 else 1, clause * 8 + CLAUSE)
        watch, before = after, watch
    return np.int64(NO_CONFLICT)


@inner()
def explain(t: Any, db: Any, why: Any, x: Any) -> Any:
    """Write the pairs that imply the value of x, or its opposite, to `scratch` (without level 0); return how many."""
    kind, argument, k = why & 7, why >> 3, t.k
    count: Any = 0
    out, pairs, v = t.scratch, t.pairs, x // t.k
    c = x - v * k
    if kind == PAIR:
        out[0] = argument
        count = 1
    elif kind == COLORS:
        for y in range(v * k, v * k + k):
            if y != x:
                out[count] = y
                count += pairs[y].level > 0
    elif kind == CLIQUE:
        members = t.members
        for i in range(t.bounds[argument], t.bounds[argument + 1]):
            y = np.int64(members[i]) * k + c
            if y != x:
                out[count] = y
                count += pairs[y].level > 0
    elif kind == CLASS:
        older, weights = t.older, t.weights
        u: Any = np.int64(t.newest[c])
        while u >= 0:
            y = u * k + c
            if pairs[y].trail < pairs[x].trail and weights[u] > 0:
                out[count] = y
                count += pairs[y].level > 0
            u = np.int64(older[u])
    elif kind == CLAUSE:
        start, literals = np.int64(db.clauses[argument].start), db.literals
        for i in range(start, start + db.clauses[argument].size):
            other = np.int64(literals[i]) >> 1
            if other != x:
                out[count] = other
                count += pairs[other].level > 0
    return count


@njit(cache=True, nogil=True)
def backtrack(t: Any, depth: Any) -> None:
    """Undo all levels above `depth`."""
    if depth >= t.state.depth:
        return
    state, value, pairs, trail, left, saved, k = t.state, t.value, t.pairs, t.trail, t.left, t.saved, t.k
    places, cliques, count, begin, head = t.places, t.cliques, t.count, np.int64(t.begins[depth + 1]), state.head
    heap, activity = t.heap, t.activity
    for place in range(state.entries - 1, begin - 1, -1):
        literal = np.int64(trail[place])
        x = literal >> 1
        v = x // k
        c = x - v * k
        value[x] = 0
        if not literal & 1:
            saved[v] = c
        if pairs[x].heap < 0:
            state.open += 1
            rise(heap, pairs, activity, x, state.open - 1)
        if place >= head:
            continue
        if literal & 1:
            left[v] += 1
            for j in range(places[v], places[v + 1]):
                count[cliques[j] * k + c] += 1
        else:
            t.spare[c] = t.before[v]
            t.newest[c] = t.older[v]
    state.entries = begin
    state.head = min(head, begin)
    state.depth = depth


@inner(forceinline=True)
def rise(heap: Any, pairs: Any, activity: Any, x: Any, place: Any) -> None:
    """Move a pair up in the heap from a place, as far as its activity allows."""
    active = activity[x]
    while place > 0:
        above = (place - 1) >> 1
        y = heap[above]
        if activity[y] >= active:
            break
        heap[place] = y
        pairs[y].heap = place
        place = above
    heap[place] = x
    pairs[x].heap = place


@inner()
def pop(heap: Any, pairs: Any, activity: Any, state: Any) -> Any:
    """Remove the pair of largest activity from the heap and return it."""
    top = np.int64(heap[0])
    pairs[top].heap = -1
    state.open -= 1
    size, place = state.open, np.int64(0)
    if size == 0:
        return top
    x = np.int64(heap[size])
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and activity[heap[child + 1]] > activity[heap[child]]:
            child += 1
        y = heap[child]
        if activity[x] >= activity[y]:
            break
        heap[place] = y
        pairs[y].heap = place
        place = child
    heap[place] = x
    pairs[x].heap = place
    return top
