"""The arrays of the search, and the names of their columns.

===========  ==========================================================================================================
value        of each pair: 1 true, −1 false, 0 open
pairs        columns of a pair: LEVEL of its decision, place in the TRAIL, place in the HEAP (−1: absent), REASON
             (``argument * 8 + kind``, see propagation.py)
trail        literals in the order of becoming true: 2·pair, and one more where the pair is false
begins       place in the trail where each level begins
left         colors of a vertex that are not known as false; `saved`: the last color that it had
room         what each class may still weigh; `before`: the same before a vertex entered its class
newest       the vertex that entered a class last, −1 for none; `older`: the one before it
members      vertices of the tight cliques, clique q from ``bounds[q]`` on
cliques      tight cliques of the vertices, cliques of v from ``places[v]`` on
count        count[q·k + c]: vertices of clique q to which color c is open
activity     of pairs, and `heap`, a heap of the open ones by it
seen         marks of the analysis; `scratch` and `learned`: lists of it; `stamps`: conflict at which a level was seen
at, numbers  whole numbers and others: see ENTRIES and INCREMENT
literals     of all clauses; the first two of a clause are watched
clauses      columns of a clause: START, SIZE, LBD (0: never removed), and the next clause that watches the same
             literal, for the first and the second
watches      watches[literal]: the first clause that watches it, 2·clause or 2·clause + 1 (first or second literal)
===========  ==========================================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

LEVEL, TRAIL, HEAP, REASON = range(4)
START, SIZE, LBD, NEXT = range(4)
# Literals on the trail, propagated literals, the level, clauses, literals of clauses, conflicts, pairs in the
# heap, literals propagated in all, the pair of a conflict, clauses at which some are removed, conflicts at the
# latest restart.
ENTRIES, HEAD, DEPTH, CLAUSES, LITERALS, CONFLICTS, OPEN, STEPS, CLASH, FULL, LATEST = range(11)
INCREMENT, FAST, SLOW, HEAVIEST = range(4)  # of activities; averages of LBD; the largest weight


class SearchTables(NamedTuple):
    """All of a search but its clauses."""

    indptr: Any
    indices: Any
    k: Any
    value: Any
    pairs: Any
    trail: Any
    begins: Any
    left: Any
    saved: Any
    weights: Any
    room: Any
    before: Any
    newest: Any
    older: Any
    bounds: Any
    members: Any
    places: Any
    cliques: Any
    count: Any
    activity: Any
    heap: Any
    seen: Any
    scratch: Any
    learned: Any
    stamps: Any
    at: Any
    numbers: Any


class Clauses(NamedTuple):
    """Clauses that were learned or added."""

    literals: Any
    clauses: Any
    watches: Any
