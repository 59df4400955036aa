"""The arrays of the search, and the names of their columns.

===========  ==========================================================================================================
value        of each pair: 1 true, −1 false, 0 open
pairs        of each pair: level of its decision, place in the trail, place in the heap (−1: absent), reason
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
state        numbers that change, see STATE
literals     of all clauses; the first two of a clause are watched
clauses      of each clause: start, size, lbd (0: never removed), and the next clause that watches the same literal,
             for the first and the second
watches      watches[literal]: the first clause that watches it, 2·clause or 2·clause + 1 (first or second literal)
===========  ==========================================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

PAIR_RECORD = np.dtype([(name, np.int32) for name in ("level", "trail", "heap", "reason")])
CLAUSE_RECORD = np.dtype([("start", np.int32), ("size", np.int32), ("lbd", np.int32), ("next", np.int32, (2,))])
STATE = np.dtype(
    [
        ("entries", np.int64),  # literals on the trail
        ("head", np.int64),  # of them propagated
        ("depth", np.int64),  # the level
        ("clauses", np.int64),
        ("literals", np.int64),  # of clauses
        ("conflicts", np.int64),
        ("latest", np.int64),  # conflicts at the latest restart
        ("open", np.int64),  # pairs in the heap
        ("steps", np.int64),  # literals propagated in all
        ("clash", np.int64),  # the pair of a conflict
        ("full", np.int64),  # clauses at which some are removed
        ("increment", np.float64),  # of activities
        ("fast", np.float64),  # averages of LBD
        ("slow", np.float64),
        ("heaviest", np.float64),  # the largest weight
    ]
)


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
    state: Any


class Clauses(NamedTuple):
    """Clauses that were learned or added."""

    literals: Any
    clauses: Any
    watches: Any
