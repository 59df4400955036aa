"""First-fit of graphs whose edges are computed, not stored.

`plain.py` has the loop in a dozen lines; start there. The vertices are Pauli strings (classes.py on a CPU, cuda.py on a
GPU; conflicts.py counts edges), or any objects with a relation that a function computes (windows.py). A string is two
bit vectors x and z; the letter of qubit k is I, X, Z or Y if (x, z) has the bits 00, 10, 01 or 11 there. Two strings
conflict, and may not be in one class, according to the relation:

=========  ===========================================================================================
GENERAL    anticommute: x₁·z₂ + z₁·x₂ is odd
ANTI       commute
QUBITWISE  have, on some qubit, different letters that are both not I
=========  ===========================================================================================

Classes are tested in blocks, by rows of bits: bit c of row r is set if class c has property r. A string selects rows,
and their combination has the bits of the classes that it may not join:

=========  =======  ====================================================================  ========================
relation   rows     property                                                              combination
=========  =======  ====================================================================  ========================
GENERAL    2q       bit k of z, then of x, of the class's generator                       exclusive or of rows
ANTI       2q + 1   bit k of z, then of x, of a member; the last row: there is a member   exclusive or of rows
QUBITWISE  3q       at qubit k some member has a letter other than X, Z, Y, and not I     or of rows
=========  =======  ====================================================================  ========================

GENERAL has a level of rows per generator: a string commutes with all members if it commutes with a basis of them over
GF(2), and commuting strings have a basis of at most q. ANTI has a level per member: at most 2q + 1 strings anticommute
mutually. The conflicts of all levels are combined by or; a block is skipped as soon as all of its classes conflict.
"""

from typing import Any, ClassVar, NamedTuple

from ...base import device as dev
from ...base.device import extremes
from ...graph.graph import Graph

GENERAL, ANTI, QUBITWISE = 0, 1, 2


class Strings(NamedTuple):
    """Pauli strings, and the relation of conflicts."""

    x: Any  # array of uint64, shape (n, words), like z
    z: Any
    qubits: int
    relation: int


class ComputedGraph:
    """A graph whose edges a subclass computes; orders, searches and sessions accept it instead of a `Graph`."""

    hops: ClassVar[int] = 0  # as in `graph/nets.py`
    labels: ClassVar[None] = None

    def __init__(self, indices: Any, most: int = 0) -> None:
        """`indices` is an array of length n, on the device that computes the edges."""
        self.indices, self.n, self.most = indices, len(indices), most
        self.device, self.on_gpu, self.xp = dev.device_of(indices), dev.is_cupy(indices), dev.module_of(indices)

    @property
    def degrees(self) -> Any:
        """Number of conflicts of each vertex, int32, shape (n,); computed at first use."""
        raise NotImplementedError

    @property
    def graph(self) -> Graph | None:
        """Stored graph on the CPU; None if it takes more than `most` bytes."""
        raise NotImplementedError

    @property
    def max_degree(self) -> int:
        """Largest degree, 0 without vertices."""
        return max(extremes.largest(self.degrees), 0)

    def first_fit(self, sequence: Any) -> Any:
        """Color by first-fit: int32, shape (n,); `sequence`: all vertices, in the order of coloring."""
        raise NotImplementedError


def rows_of(relation: int, qubits: int) -> int:
    """Number of rows of a level."""
    return (2 * qubits, 2 * qubits + 1, 3 * qubits)[relation]


def most_levels(relation: int, qubits: int) -> int:
    """Maximum number of levels of a class."""
    return (qubits, 2 * qubits + 1, 1)[relation]
