"""Operators of Qiskit, OpenFermion and PennyLane: their Pauli strings, and parts of them.

Objects of other libraries are recognized by their attributes, so that none of the libraries is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.errors import GraphError

# Classes of fermionic operators, and the function that transforms them.
FERMIONIC = {
    "FermionOperator": "openfermion.jordan_wigner",
    "MajoranaOperator": "openfermion.jordan_wigner",
    "InteractionOperator": "openfermion.jordan_wigner",
    "DiagonalCoulombHamiltonian": "openfermion.jordan_wigner",
    "FermiWord": "pennylane.jordan_wigner",
    "FermiSentence": "pennylane.jordan_wigner",
}


@dataclass(frozen=True)
class Operator:
    """An operator of another library."""

    # ``part([0, 2])``: an operator of the same library with the strings of these numbers, and their coefficients
    part: Callable[[list[int]], Any]
    words: list[dict[Any, str]] | None = None
    bits: tuple[Any, Any] | None = None  # shape (n, qubits): x and z, where there are no words
    last_first: bool = False  # Whether the library writes the last qubit first


def operator_of(source: Any) -> Operator | None:
    """The operator of another library that this is; None where it is none."""
    name = type(source).__name__
    for kind in type(source).__mro__:
        if (transform := FERMIONIC.get(kind.__name__)) is not None:
            raise GraphError(f"{name} has no Pauli strings: transform it first, as by {transform}(operator)")
    paulis = getattr(source, "paulis", source)  # SparsePauliOp has a PauliList
    if all(hasattr(paulis, part) for part in ("x", "z", "to_labels")):
        return Operator(source.__getitem__, bits=(paulis.x, paulis.z), last_first=True)
    if isinstance(getattr(source, "terms", None), Mapping):
        return _of_openfermion(source)
    if hasattr(source, "pauli_rep"):
        if source.pauli_rep is None:
            raise GraphError(f"{name} is no sum of Pauli words")
        return _of_pennylane(source)
    if isinstance(source, Sequence) and len(source) and hasattr(source[0], "pauli_rep"):
        words = [_one_word(i, operator) for i, operator in enumerate(source)]
        return Operator(lambda numbers: [source[i] for i in numbers], words)
    return None


def _of_openfermion(source: Any) -> Operator:
    """A QubitOperator: `terms` maps tuples of (qubit, letter) to coefficients."""
    terms = list(source.terms.items())
    for term, _ in terms:
        if not all(isinstance(factor, tuple) and isinstance(factor[1], str) for factor in term):
            raise GraphError(f"{type(source).__name__} has no Pauli strings: its term {term!r} is none")

    def part(numbers: list[int]) -> Any:
        out = type(source)()
        out.terms = dict(terms[i] for i in numbers)
        return out

    return Operator(part, [dict(term) for term, _ in terms])


def _of_pennylane(source: Any) -> Operator:
    """An operator, whose `pauli_rep` is a PauliSentence: a mapping of words to coefficients; or such a sentence."""
    sentence = source.pauli_rep
    terms = list(sentence.items())

    def part(numbers: list[int]) -> Any:
        some = type(sentence)(dict(terms[i] for i in numbers))
        return some if isinstance(source, Mapping) else some.operation(wire_order=source.wires)

    return Operator(part, [dict(word) for word, _ in terms])


def _one_word(i: int, operator: Any) -> dict[Any, str]:
    words = [dict(word) for word in getattr(operator, "pauli_rep", None) or ()]
    if len(words) != 1:
        raise GraphError(f"operator {i} is no single Pauli word: it has {len(words)}")
    return words[0]
