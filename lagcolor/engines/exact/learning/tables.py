"""The arrays of the search, and their records."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Level of a pair's decision, place in the trail, place in the heap (−1: absent), ``argument * 8 + kind`` (see
# propagation.py).
PAIR_RECORD = np.dtype([(name, np.int32) for name in ("level", "trail", "heap", "reason")])
# The first literal and how many; LBD, 0: never removed; the next clause that watches its first and second literal.
CLAUSE_RECORD = np.dtype([("start", np.int32), ("size", np.int32), ("lbd", np.int32), ("next", np.int32, (2,))])
STATE = np.dtype(
    # Literals on the trail, of them propagated, and the level; clauses and their literals; conflicts, at the latest
    # restart, too; pairs in the heap; literals propagated in all; the pair of a conflict; clauses at which some are
    # removed.
    [(name, np.int64) for name in ("entries", "head", "depth", "clauses", "literals", "conflicts", "latest")]
    + [(name, np.int64) for name in ("open", "steps", "clash", "full")]
    # What a conflict adds to activities; averages of LBD; the largest weight.
    + [(name, np.float64) for name in ("increment", "fast", "slow", "heaviest")]
)


class SearchTables(NamedTuple):
    """All of a search but its clauses."""

    indptr: Any
    indices: Any
    k: Any
    value: Any  # of each pair: 1 true, −1 false, 0 open
    pairs: Any  # of PAIR_RECORD
    trail: Any  # literals in the order of becoming true: 2·pair, and one more where the pair is false
    begins: Any  # place in the trail where each level begins
    left: Any  # colors of a vertex that are not known as false
    saved: Any  # the last color of a vertex
    weights: Any
    room: Any  # what each class may still weigh
    before: Any  # the same before a vertex entered its class
    newest: Any  # the vertex that entered a class last, −1 for none
    older: Any  # the vertex that entered its class before this one
    bounds: Any  # the vertices of tight clique q are members[bounds[q] : bounds[q + 1]]
    members: Any
    places: Any  # the tight cliques of vertex v are cliques[places[v] : places[v + 1]]
    cliques: Any
    count: Any  # count[q·k + c]: vertices of clique q to which color c is open
    activity: Any  # of pairs
    heap: Any  # of open pairs, by activity
    seen: Any  # marks of the analysis; `scratch` and `learned`: its lists
    scratch: Any
    learned: Any
    stamps: Any  # the conflict at which a level was seen
    state: Any  # a record of STATE


class Clauses(NamedTuple):
    """Clauses that were learned or added."""

    literals: Any  # of all; the first two of a clause are watched
    clauses: Any  # of CLAUSE_RECORD
    # of each literal: the first clause that watches it, 2·clause or 2·clause + 1 (first or second literal)
    watches: Any
