"""Elements breadth first from a corner of the mesh: first-fit takes few colors so where numbers are shuffled.

The first element is one whose nodes have the fewest elements. The next ones are those at its nodes, and so on. Of the
nodes of an element, the one with the fewest elements outside of the queue comes first, and among these the one
whose last element came earliest. So hexahedra of a block follow each other row by row, whatever the order of elements,
of nodes, and of the nodes of an element, and first-fit takes 8 colors. With ties in the order of the element's nodes it
takes up to 13.

References
----------
Cuthill, McKee 1969, "Reducing the bandwidth of sparse symmetric matrices", number vertices of a graph breadth first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.pattern import Pattern


def breadth_first(nodes: np.ndarray, members: Pattern) -> np.ndarray:
    """The order of the elements, int32; `members`: the elements of each node."""
    left = members.degrees.copy()
    sums = np.where(nodes >= 0, left[nodes] if len(left) else 0, 0).sum(axis=1, dtype=np.int64)
    return search(nodes, members.indptr, members.indices, np.argsort(sums, kind="stable").astype(np.int32), left)


@njit(cache=True, nogil=True)
def search(nodes: Any, indptr: Any, indices: Any, starts: Any, left: Any) -> Any:
    """Elements breadth first; the first of a component is the first of its elements in `starts`.

    `left`: elements of each node that are not in the queue yet, which is used up.
    """
    (m, width), length = nodes.shape, 0
    queue, seen, last = np.empty(m, np.int32), np.zeros(m, np.bool_), np.zeros(left.size, np.int32)
    mine, keys = np.empty(width, np.int32), np.empty(width, np.int64)
    done = 0
    for start in starts:
        if not seen[start]:
            length = add(nodes[start], start, length, queue, seen, left, last)
        while done < length:
            count = in_turn(nodes[queue[done]], left, last, mine, keys)
            done += 1
            for v in mine[:count]:
                if left[v] == 0:
                    continue
                for i in range(indptr[v], indptr[v + 1]):
                    e = indices[i]
                    if not seen[e]:
                        length = add(nodes[e], e, length, queue, seen, left, last)
    return queue


@njit(cache=True, nogil=True)
def add(own: Any, e: Any, length: Any, queue: Any, seen: Any, left: Any, last: Any) -> Any:
    """Put an element at the end of the queue; `last`: place there of the last element of each node."""
    for v in own:
        if v >= 0:
            left[v] -= 1
            last[v] = length
    queue[length], seen[e] = e, True
    return length + 1


@njit(cache=True, nogil=True)
def in_turn(own: Any, left: Any, last: Any, mine: Any, keys: Any) -> Any:
    """How many nodes an element has; `mine` gets them in their order."""
    count = 0
    for v in own:
        if v < 0:
            continue
        i, key = count, (np.int64(left[v]) << 32) + last[v]
        while i > 0 and keys[i - 1] > key:
            mine[i], keys[i] = mine[i - 1], keys[i - 1]
            i -= 1
        mine[i], keys[i] = v, key
        count += 1
    return count
