"""Pauli strings as two bit vectors each, read from text, arrays and operators.

Qubit k of a string has the letter I, X, Z or Y if bit k of (x, z) is 00, 10, 01 or 11. Operators of Qiskit,
OpenFermion and PennyLane are recognized by their attributes, so that none of these libraries is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import device as dev
from ..base import imported_from
from ..base.errors import GraphError
from ..base.messages import counted
from ..base.options import whole
from ..inputs.checks import unmasked

LETTERS = "IXZY"  # by x + 2 z
UNKNOWN = 255
NUMBERED = re.compile(r"\[?[IXYZ]\d+( [IXYZ]\d+)*\]?")  # the text of terms in OpenFermion
MOST = 2**31 - 1  # strings: colors and orders are int32
# Classes of fermionic operators, by the library whose `jordan_wigner` transforms them.
FERMIONIC = {
    "openfermion": ("FermionOperator", "MajoranaOperator", "InteractionOperator", "DiagonalCoulombHamiltonian"),
    "pennylane": ("FermiWord", "FermiSentence"),
}
CODES = np.full(256, UNKNOWN, np.uint8)
CODES[list(LETTERS.encode())] = range(4)


@imported_from("lagcolor.pauli")
class PauliStrings:
    """Strings of Pauli letters, packed; immutable.

    Parameters
    ----------
    x, z : array of uint64, shape (n, words)
        NumPy or CuPy arrays with at least one word. Bit k % 64 of word k // 64 belongs to qubit k. Bits from `qubits`
        on are 0.
    qubits : int
        Length of the strings.
    letters : list of str, optional
        The strings as text.
    operator : Operator, optional
        The operator of another library that has these strings.

    Examples
    --------
    >>> strings = lagcolor.pauli.PauliStrings.of(["XX", "ZZ", "XI"])
    >>> strings.n, strings.qubits, strings.text(2)
    (3, 2, 'XI')
    """

    __slots__ = ("_labels", "letters", "operator", "qubits", "x", "z")

    def __init__(
        self, x: Any, z: Any, qubits: int, letters: list[str] | None = None, operator: Operator | None = None
    ) -> None:
        self.x, self.z, self.qubits, self.letters, self.operator = x, z, qubits, letters, operator
        self._labels = letters

    @classmethod
    def of(cls, source: Any, qubits: int | None = None) -> PauliStrings:
        """Convert Pauli strings from another form.

        Parameters
        ----------
        source : see below
            - list of str such as ``["XIZ", "IYY"]``, first letter first; or any other iterable of str except a set
            - mapping of such strings to coefficients, which are not used
            - pair (x, z) of arrays of shape (n, qubits): booleans, or whole numbers 0 and 1; NumPy or CuPy
            - pair (x, z) of packed arrays, of shape (n, ⌈qubits / 64⌉) and type uint64, with `qubits`
            - Qiskit's SparsePauliOp or PauliList: qubit k is column k of its `x` and `z`
            - OpenFermion's QubitOperator
            - a PennyLane operator, or a list of operators with one Pauli word each: wires in order of appearance, or
              ascending if all are whole numbers
        qubits : int, optional
            Number of qubits. Packed arrays of uint64 need it; other strings must have that many.

        Raises
        ------
        GraphError
            The input is none of these, the strings have different lengths, a letter is invalid, or the number of qubits
            is not `qubits`. The message names the string.
        """
        P = cls._of(source, qubits)
        if qubits is not None and P.n and P.qubits != whole("qubits", qubits):
            raise GraphError(f"the Pauli strings have {P.qubits} qubits, and qubits={qubits}: leave qubits out")
        return P

    @classmethod
    def _of(cls, source: Any, qubits: int | None) -> PauliStrings:
        """Convert the strings; only packed arrays read `qubits`."""
        if isinstance(source, PauliStrings):
            return source
        if (operator := operator_of(source)) is not None:
            P = cls._of_arrays(*operator.bits, None) if operator.bits else cls._of_words(operator.words or [])
            return cls(P.x, P.z, P.qubits, operator=operator)
        if isinstance(source, tuple) and len(source) == 2 and not any(isinstance(part, str) for part in source):
            return cls._of_arrays(*source, qubits)
        if hasattr(source, "columns") and hasattr(source, "to_numpy"):
            raise GraphError(
                "a table may have strings in a column, `list(table[name])`, or bits in columns, "
                "`(table[names_of_x].to_numpy(), table[names_of_z].to_numpy())`: pass one of these"
            )
        if isinstance(source, (str, Set)) or not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
            why = "a set has no order" if isinstance(source, Set) else f"this is of type {type(source).__name__}"
            why += ": pass `x.reshape(1)`" * hasattr(source, "ndim")
            raise GraphError(f"Pauli strings are a list of str, a pair of arrays x and z, or an operator: {why}")
        return cls._of_text(list(source))

    @classmethod
    def _of_text(cls, strings: list[Any]) -> PauliStrings:
        n = _at_most(len(strings))
        for i, string in enumerate(strings):
            if not isinstance(string, str):
                raise GraphError(f"Pauli string {i} is of type {type(string).__name__}, not str: {string!r}")
        qubits = len(strings[0]) if n else 0
        if set(map(len, strings)) - {qubits}:
            _refuse_numbered(strings)
            i = next(i for i, string in enumerate(strings) if len(string) != qubits)
            raise GraphError(
                f"Pauli string {i}, {_shown(strings[i])}, has {len(strings[i])} letters, and string 0, "
                f"{_shown(strings[0])}, has {qubits}: all must have one letter per qubit"
            )
        text = "".join(strings).encode("ascii", "replace")
        codes = CODES[np.frombuffer(text, np.uint8)]
        if (bad := np.flatnonzero(codes == UNKNOWN)).size:
            _refuse_numbered(strings)
            i, k = divmod(int(bad[0]), qubits)
            raise GraphError(
                f"Pauli string {i}, {_shown(strings[i])}, has {strings[i][k]!r} at place {k}: letters are I, X, Y and Z"
            )
        codes = codes.reshape(n, qubits)
        return cls(_packed(codes & 1), _packed(codes >> 1), qubits, strings)

    @classmethod
    def _of_arrays(cls, x: Any, z: Any, qubits: int | None) -> PauliStrings:
        if dev.is_cupy(x) != dev.is_cupy(z) or dev.device_of(x) != dev.device_of(z):
            raise GraphError(f"x is on {dev.device_of(x)} and z on {dev.device_of(z)}: both must be on one device")
        with dev.using(x):
            xp = dev.module_of(x)
            for name, part in (("x", x), ("z", z)):
                unmasked(part, name)
                for i, row in enumerate(part if isinstance(part, (list, tuple)) else ()):
                    unmasked(row, f"{name}[{i}]")
            x, z = xp.asarray(x), xp.asarray(z)
            if x.ndim != 2 or x.shape != z.shape:
                raise GraphError(
                    f"x and z must be two-dimensional and of one shape, a row per string, not {x.shape} and {z.shape}"
                )
            _at_most(len(x))
            if qubits is None:
                return cls(_packed(_checked_bits("x", x)), _packed(_checked_bits("z", z)), x.shape[1])
            qubits = whole("qubits", qubits)
            return cls(_checked_words("x", x, qubits), _checked_words("z", z, qubits), qubits)

    @classmethod
    def _of_words(cls, words: list[dict[Any, str]]) -> PauliStrings:
        """Convert mappings from qubits, which may have any labels, to letters."""
        qubits = {wire: k for k, wire in enumerate(dict.fromkeys(wire for word in words for wire in word))}
        if all(isinstance(wire, int) for wire in qubits):
            qubits = {wire: k for k, wire in enumerate(sorted(qubits))}
        codes = np.zeros((_at_most(len(words)), len(qubits)), np.uint8)
        for i, word in enumerate(words):
            for wire, letter in word.items():
                if letter not in LETTERS:
                    raise GraphError(f"Pauli string {i} has {letter!r} on qubit {wire!r}: letters are I, X, Y and Z")
                codes[i, qubits[wire]] = LETTERS.index(letter)
        return cls(_packed(codes & 1), _packed(codes >> 1), len(qubits))

    @property
    def n(self) -> int:
        """Number of strings."""
        return len(self.x)

    @property
    def device(self) -> str:
        """The device: "cpu", "cuda:0" …."""
        return dev.device_of(self.x)

    @property
    def on_gpu(self) -> bool:
        """Whether the arrays are CuPy arrays."""
        return dev.is_cupy(self.x)

    def on(self, device: str) -> PauliStrings:
        """Return the strings on another device."""
        x, z = dev.to_device(self.x, device), dev.to_device(self.z, device)
        return PauliStrings(x, z, self.qubits, self.letters, self.operator)

    @property
    def labels(self) -> list[str]:
        """The strings as text: a list of str.

        The first letter belongs to the first qubit; for operators of Qiskit to the last, as in Qiskit, without phase.
        """
        if self._labels is None:
            texts = self._texts()
            self._labels = [text[::-1] for text in texts] if self.operator and self.operator.last_first else texts
        return self._labels

    def codes(self) -> np.ndarray:
        """Return the letters as numbers: uint8, shape (n, qubits), on the CPU; 0 I, 1 X, 2 Z, 3 Y."""
        low, high = (
            np.unpackbits(
                dev.to_device(words, "cpu").astype("<u8").view(np.uint8).reshape(self.n, 8 * words.shape[1]),
                axis=1,
                bitorder="little",
            )
            for words in (self.x, self.z)
        )
        return (low + 2 * high)[:, : self.qubits]

    def _texts(self) -> list[str]:
        """All strings as text, first qubit first."""
        letters = np.frombuffer(LETTERS.encode(), np.uint8)[self.codes()].tobytes().decode()
        return [letters[i * self.qubits : (i + 1) * self.qubits] for i in range(self.n)]

    def text(self, v: int) -> str:
        """Return string v as text, first qubit first."""
        return PauliStrings(self.x[v : v + 1], self.z[v : v + 1], self.qubits)._texts()[0]

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<PauliStrings: {self.n:,} on {counted(self.qubits, 'qubits')}, on {self.device}>"


def _refuse_numbered(strings: list[str]) -> None:
    """An error for the first string that numbers its qubits, if there is one."""
    for i, string in enumerate(strings):
        if NUMBERED.fullmatch(string):
            raise GraphError(
                f"Pauli string {i}, {_shown(string)}, numbers its qubits: write a letter for each qubit, such as 'XIZ' "
                "for 'X0 Z2', or pass an openfermion.QubitOperator"
            )


def _packed(bits: Any) -> Any:
    """Pack zeros and ones of shape (n, qubits) into uint64 of shape (n, words)."""
    xp, (n, qubits) = dev.module_of(bits), bits.shape
    words = max(-(-qubits // 64), 1)
    filled = xp.zeros((n, 64 * words), np.uint8)
    filled[:, :qubits] = bits
    packed = xp.packbits(filled.reshape(-1), bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False).reshape(n, words)


def _checked_bits(name: str, bits: Any) -> Any:
    if bits.dtype.kind not in "biu":
        raise GraphError(f"{name} must be of booleans, or of whole numbers 0 and 1, not of {bits.dtype}")
    if bits.dtype.kind != "b":
        xp = dev.module_of(bits)
        wrong = xp.flatnonzero(((bits != 0) & (bits != 1)).reshape(-1))
        if len(wrong):
            i, k = divmod(int(wrong[0]), bits.shape[1])
            raise GraphError(f"{name} is {int(bits[i, k])} at string {i}, qubit {k}, not 0 or 1 (packed: pass qubits=)")
    return bits.astype(np.uint8)


def _checked_words(name: str, words: Any, qubits: int) -> Any:
    count = max(-(-qubits // 64), 1)
    if words.dtype != np.uint64 or words.shape[1] != count:
        raise GraphError(
            f"{name}, packed, must be of uint64 with {count} word(s) per string for {qubits} qubits, "
            f"not of {words.dtype} with shape {words.shape}"
        )
    xp = dev.module_of(words)
    over = xp.flatnonzero(words[:, -1] & np.uint64(2**64 - 2 ** (qubits - 64 * (count - 1))))
    if len(over):
        raise GraphError(f"{name} of string {int(over[0])} has bits beyond its {qubits} qubits")
    return xp.ascontiguousarray(words)


def _at_most(n: int) -> int:
    if n > MOST:
        raise GraphError(f"{n:,} Pauli strings: colors and orders are int32, so at most {MOST:,}")
    return n


def _shown(string: str, most: int = 40) -> str:
    return repr(string if len(string) <= most else string[: most - 1] + "…")


@dataclass(frozen=True)
class Operator:
    """An operator of another library."""

    # ``part([0, 2])``: the operator of the strings 0 and 2 with their coefficients, in the same library
    part: Callable[[list[int]], Any]
    words: list[dict[Any, str]] | None = None
    bits: tuple[Any, Any] | None = None  # x and z, shape (n, qubits), in place of words
    last_first: bool = False  # whether the library writes the last qubit first


def operator_of(source: Any) -> Operator | None:
    """Recognize an operator of another library; None for anything else."""
    name = type(source).__name__
    for module, names in FERMIONIC.items():
        if any(kind.__name__ in names for kind in type(source).__mro__):
            raise GraphError(f"{name} has no Pauli strings: transform it first, as by {module}.jordan_wigner(operator)")
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
    """Read a QubitOperator: `terms` maps tuples of (qubit, letter) to coefficients."""
    terms = list(source.terms.items())
    for term, _ in terms:
        if not all(isinstance(factor, tuple) and isinstance(factor[1], str) for factor in term):
            raise GraphError(f"{type(source).__name__} has no Pauli strings: its term {term!r} is not one")

    def part(numbers: list[int]) -> Any:
        out = type(source)()
        out.terms = dict(terms[i] for i in numbers)
        return out

    return Operator(part, [dict(term) for term, _ in terms])


def _of_pennylane(source: Any) -> Operator:
    """Read a PauliSentence, a mapping from words to coefficients, or an operator with one as its `pauli_rep`."""
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
