"""The table of clauses: it grows, and loses clauses of many levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import njit
from .analysis import attach
from .propagation import is_false, is_true
from .tables import CLAUSE_RECORD, Clauses, SearchTables

KEPT = 2  # LBD of clauses that stay


def empty(pairs: int, most: int) -> Clauses:
    """No clause, with capacity for some."""
    return Clauses(np.empty(2 * most + 4096, np.int32), np.empty(1024, CLAUSE_RECORD), np.full(2 * pairs, -1, np.int32))


def grown(t: SearchTables, db: Clauses) -> Clauses:
    """The same with capacity for at least one more clause of any size."""
    literals, clauses = db.literals, db.clauses
    if t.state.literals + 2 * len(t.learned) > len(literals):
        literals = np.append(literals, np.empty_like(literals))
    if t.state.clauses + 1 >= len(clauses):
        clauses = np.concatenate([clauses, np.empty_like(clauses)])
    return Clauses(literals, clauses, db.watches)


def reduce(t: SearchTables, db: Clauses) -> None:
    """At level 0: remove the worse half of the clauses, by LBD and size, and those that are satisfied."""
    table = db.clauses[: t.state.clauses]
    order = np.lexsort((-np.arange(len(table)), table["size"], table["lbd"]))
    keep = table["lbd"] <= KEPT
    keep[order[: len(order) // 2]] = True
    compact(t, db, keep)


@njit(cache=True, nogil=True)
def compact(t: Any, db: Any, keep: Any) -> None:
    """Move the clauses that stay to the front, without literals that are false, and watch two of each anew."""
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
