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

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...graph.pattern import Pattern

SLICE = 1 << 15  # elements between two chances for Ctrl-C
DONE, LENGTH, NEXT = range(3)  # of `place`


class Queue(NamedTuple):
    """Elements in their order, and what the loop knows of elements and nodes."""

    elements: Any  # array of int32: in their order
    seen: Any  # array of bool: whether an element is in the queue
    left: Any  # array of int32: elements of each node that are not in the queue yet
    last: Any  # array of int32: place in the queue of the last element of each node
    # array of int64, shape (3,): how many elements of the queue have been looked at, its length, and where the next
    # component is looked for
    place: Any


def breadth_first(nodes: np.ndarray, members: Pattern) -> np.ndarray:
    """The order of the elements, int32; `members`: the elements of each node."""
    m, left = len(nodes), members.degrees.copy()
    queue = Queue(
        np.empty(m, np.int32), np.zeros(m, np.bool_), left, np.zeros(members.rows, np.int32), np.zeros(3, np.int64)
    )
    sums = np.where(nodes >= 0, left[nodes] if len(left) else 0, 0).sum(axis=1, dtype=np.int64)
    starts = np.argsort(sums, kind="stable").astype(np.int32)
    width = max(nodes.shape[1], 1)
    scratch = np.empty(width, np.int32), np.empty(width, np.int64)
    while queue.place[DONE] < m:
        search(nodes, members.indptr, members.indices, starts, queue, scratch, SLICE)
    return queue.elements


@njit(cache=True, nogil=True)
def search(nodes: Any, indptr: Any, indices: Any, starts: Any, queue: Queue, scratch: Any, most: Any) -> None:
    """Look at up to `most` elements of the queue, and add their neighbors."""
    seen, left, place = queue.seen, queue.left, queue.place
    end = min(place[DONE] + most, np.int64(seen.size))
    while place[DONE] < end:
        if place[DONE] == place[LENGTH]:  # the next component
            while seen[starts[place[NEXT]]]:
                place[NEXT] += 1
            add(nodes, starts[place[NEXT]], queue)
        e = queue.elements[place[DONE]]
        place[DONE] += 1
        mine, count = scratch[0], in_turn(nodes[e], left, queue.last, scratch)
        for j in range(count):
            v = mine[j]
            if left[v] == 0:
                continue
            for i in range(indptr[v], indptr[v + 1]):
                if not seen[indices[i]]:
                    add(nodes, indices[i], queue)


@njit(cache=True, nogil=True)
def add(nodes: Any, e: Any, queue: Queue) -> None:
    """Put an element at the end of the queue."""
    place = queue.place
    for v in nodes[e]:
        if v >= 0:
            queue.left[v] -= 1
            queue.last[v] = place[LENGTH]
    queue.elements[place[LENGTH]] = e
    place[LENGTH] += 1
    queue.seen[e] = True


@njit(cache=True, nogil=True)
def in_turn(own: Any, left: Any, last: Any, scratch: Any) -> Any:
    """How many nodes an element has; ``scratch[0]`` gets them in their order."""
    mine, keys = scratch
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
