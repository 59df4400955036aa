"""First-fit of graphs whose edges are computed, and stored nowhere.

`plain.py` has the loop in a dozen lines; start there. The graphs are of Pauli strings (classes.py on a CPU, cuda.py on
a GPU; conflicts.py counts edges) and of any relation that a function computes (windows.py). A string is two bit vectors
x and z; qubit k has the letter I, X, Z or Y where (x, z) has 00, 10, 01 or 11 there. What two strings of one class must
not do is the relation:

=========  ===========================================================================================
GENERAL    anticommute: x₁·z₂ + z₁·x₂ is odd
ANTI       commute
QUBITWISE  have, on some qubit, different letters that are both not I
=========  ===========================================================================================

A class is tested by rows of bits, one bit per class: row r of a block of classes has bit c set if class c has it.
The classes of a block that a string may not join come from the rows that the string names:

=========  =======  ====================================================================  ========================
relation   rows     property                                                              conflict
=========  =======  ====================================================================  ========================
GENERAL    2q       bit k of z, then of x, of the class's generator                       exclusive or of rows
ANTI       2q + 1   the same of a member; the last row: there is one                      the same
QUBITWISE  3q       at qubit k some member has a letter other than X, Z, Y, and not I     or of rows
=========  =======  ====================================================================  ========================

GENERAL has such rows per generator: a string commutes with all members if it does with a basis of them over GF(2), and
commuting strings have a basis of q at most. ANTI has them per member: at most 2q + 1 strings anticommute mutually.
Conflicts of these levels are combined by or, and a block is left as soon as all of its classes conflict.
"""

from typing import Any, ClassVar, NamedTuple

from ...base import device as dev
from ...base.device import extremes
from ...graph.graph import Graph

GENERAL, ANTI, QUBITWISE = 0, 1, 2


class Strings(NamedTuple):
    """Pauli strings, and what two of one class must not do."""

    x: Any  # array of uint64, shape (n, words); so is z
    z: Any
    qubits: int
    relation: int


class ComputedGraph:
    """A graph whose subclass computes the edges, as orders, searches and sessions read it in place of a `Graph`."""

    hops: ClassVar[int] = 0  # as in `graph/nets.py`
    labels: ClassVar[None] = None

    def __init__(self, indices: Any, most: int = 0) -> None:
        """`indices` is an array of length n, on the device that computes the edges."""
        self.indices, self.n, self.most = indices, len(indices), most
        self.device, self.on_gpu, self.xp = dev.device_of(indices), dev.is_cupy(indices), dev.module_of(indices)

    @property
    def degrees(self) -> Any:
        """Conflicts of each vertex, int32, shape (n,); computed at first use."""
        raise NotImplementedError

    @property
    def graph(self) -> Graph | None:
        """The stored graph, on the CPU; None if it takes more than `most` bytes."""
        raise NotImplementedError

    @property
    def max_degree(self) -> int:
        """The largest degree, 0 without vertices."""
        return max(extremes.largest(self.degrees), 0)

    def first_fit(self, sequence: Any) -> Any:
        """Colors of first-fit, int32, shape (n,); `sequence`: all vertices, in the order of coloring."""
        raise NotImplementedError


def rows_of(relation: int, qubits: int) -> int:
    """Rows of a level."""
    return (2 * qubits, 2 * qubits + 1, 3 * qubits)[relation]


def most_levels(relation: int, qubits: int) -> int:
    """Levels that a class can have."""
    return (qubits, 2 * qubits + 1, 1)[relation]
