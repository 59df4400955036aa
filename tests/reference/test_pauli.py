"""Groups of Pauli strings on a CPU: first-fit in plain Python and on the stored graph, group for group."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from pauli_cases import CASES, RELATIONS, conflicts, strings

import lagcolor
from lagcolor import cli, pauli
from lagcolor.engines.implicit import Strings, classes
from lagcolor.engines.implicit.conflicts import degrees
from lagcolor.engines.implicit.plain import first_fit
from lagcolor.pauli.check import findings
from lagcolor.pauli.grouping import RELATIONS as RELATION
from lagcolor.pauli.grouping import read_strings


def bits(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """x and z of text, letter by letter."""
    shape = (len(texts), len(texts[0]) if texts else 0)
    x = np.array([[c in "XY" for c in text] for text in texts], bool).reshape(shape)
    return x, np.array([[c in "ZY" for c in text] for text in texts], bool).reshape(shape)


@given(
    n=st.integers(0, 80), qubits=st.sampled_from([0, 1, 2, 4, 6, 9, 33, 64, 70]),
    letters=st.sampled_from(["IXYZ", "IZ", "IIIIX", "XY", "I" * 30 + "XYZ"]),
    seed=st.integers(0, 2**32), commute=st.sampled_from(RELATIONS),
)  # fmt: skip
@settings(max_examples=fewer(80), deadline=None)
def test_random(n: int, qubits: int, letters: str, seed: int, commute: str) -> None:
    texts = strings(n, qubits, seed, letters)
    priorities, degrees = np.random.default_rng(seed).permutation(n), conflicts(texts, commute).sum(axis=1)
    for order, by in (("natural", -np.arange(n)), ("largest_first", degrees), (priorities, priorities)):
        result = pauli.group(texts, commute, order)
        assert result.to_numpy().tolist() == first_fit(texts, np.argsort(-by, kind="stable").tolist(), commute)
        assert result.to_numpy().dtype == np.int32 and result.verified and result.n_groups == result.n_colors


@pytest.mark.parametrize("commute", RELATIONS)
def test_degrees(commute: str) -> None:
    for texts in filter(None, CASES.values()):
        P = pauli.PauliStrings.of(texts)
        expected = conflicts(texts, commute).sum(axis=1).tolist()
        assert degrees(Strings(P.x, P.z, P.qubits, RELATION[commute]), threads=2).tolist() == expected


@pytest.mark.parametrize("commute", RELATIONS)
def test_threads_do_not_matter(commute: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, from the first class on: most classes grow between a look and its use."""
    P = pauli.random(1500, 6, seed=1)
    alone = pauli.group(P, commute, threads=1)
    monkeypatch.setattr(classes, "MANY", 1)
    monkeypatch.setattr(classes, "BATCH", 100)
    assert np.array_equal(pauli.group(P, commute, threads=3).colors, alone.colors)


def test_more_than_512_groups() -> None:
    """Several blocks of groups; the graph of the relation is nearly complete."""
    texts = strings(1100, 12, 2, "XYZ")
    result = pauli.group(texts, "qubitwise", "natural")
    assert result.n_groups > 2 * 512
    letters = np.array([list(text.encode()) for text in texts])
    G = lagcolor.Graph.of(sp.csr_array((letters[:, None] != letters[None]).any(axis=2).astype(np.int8)))
    assert np.array_equal(result.colors, lagcolor.color(G, "greedy").colors)


# Inputs.


def test_forms_of_input() -> None:
    texts = strings(40, 70, 9, "IIIXYZ")
    expected = pauli.group(texts).to_numpy().tolist()
    x, z = bits(texts)
    packed = [
        np.packbits(np.pad(part, ((0, 0), (0, 58))), axis=1, bitorder="little").view(np.uint64) for part in (x, z)
    ]
    assert pauli.group(tuple(packed), qubits=70).to_numpy().tolist() == expected


class PauliList:
    """Like Qiskit's: column k of `x` and `z` is qubit k, and labels have the last qubit first."""

    def __init__(self, x: np.ndarray, z: np.ndarray) -> None:
        self.x, self.z = x, z

    def to_labels(self) -> list[str]:
        return ["".join(row[::-1]) for row in np.array(list("IXZY"))[self.x + 2 * self.z]]

    def __getitem__(self, rows: list[int]) -> PauliList:
        return PauliList(self.x[rows], self.z[rows])


class SparsePauliOp:
    """Like Qiskit's: a PauliList with coefficients."""

    def __init__(self, paulis: PauliList, coeffs: np.ndarray) -> None:
        self.paulis, self.coeffs = paulis, coeffs

    def __getitem__(self, rows: list[int]) -> SparsePauliOp:
        return SparsePauliOp(self.paulis[rows], self.coeffs[rows])


class QubitOperator:
    """Like OpenFermion's: tuples of (qubit, letter) → coefficients."""

    def __init__(self, terms: dict[Any, Any] | None = None) -> None:
        self.terms = terms or {}


class PauliWord(dict[Any, str]):
    """Like PennyLane's: wire → letter."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


class PauliSentence(dict[PauliWord, float]):
    """Like PennyLane's: words → coefficients."""

    @property
    def pauli_rep(self) -> PauliSentence:
        return self

    def operation(self, wire_order: Any) -> PennyLaneSum:
        return PennyLaneSum(self, wire_order)


class PennyLaneSum:
    """Like PennyLane's Sum: its `pauli_rep` is a PauliSentence, or None."""

    def __init__(self, pauli_rep: PauliSentence | None, wires: Any) -> None:
        self.pauli_rep, self.wires = pauli_rep, wires


def test_qiskit() -> None:
    x, z = bits(["XIZY", "IXII", "ZZII", "YIIZ"])
    paulis = PauliList(x, z)
    for source in (paulis, SparsePauliOp(paulis, np.array([1.0, 2.0, 3.0, 4.0]))):
        result = pauli.group(source, order="natural")
        assert result.labeled() == [["YZIX", "IIXI"], ["IIZZ"], ["ZIIY"]]
        assert list(result.labels) == paulis.to_labels()
        assert result.to_dict() == {"YZIX": 0, "IIXI": 0, "IIZZ": 1, "ZIIY": 2}
        parts = result.operators()
        assert [type(part) for part in parts] == [type(source)] * 3
        assert [getattr(part, "paulis", part).to_labels() for part in parts] == result.labeled()
    assert [part.coeffs.tolist() for part in parts] == [[1.0, 2.0], [3.0], [4.0]]
    result.colors = np.zeros(4, np.int32)
    with pytest.raises(lagcolor.ColoringError, match=r"strings 0 and 2, .* different letters at qubit 0"):
        result.verify()


def test_openfermion() -> None:
    operator = QubitOperator({((0, "X"), (2, "Z")): 1.0, ((1, "Y"),): 0.5, (): 2.0, ((0, "Z"),): -1.0})
    result = pauli.group(operator, order="natural")
    assert result.labeled() == [["XIZ", "IYI", "III"], ["ZII"]]
    assert [type(part) for part in result.operators()] == [QubitOperator] * 2
    assert [part.terms for part in result.operators()] == [dict(list(operator.terms.items())[:3]), {((0, "Z"),): -1.0}]
    with pytest.raises(lagcolor.GraphError, match="string 0 has 'Q' on qubit 5"):
        pauli.group(QubitOperator({((5, "Q"),): 1.0}))


def test_pennylane() -> None:
    words = [PauliWord({"b": "X", "a": "Z"}), PauliWord({"a": "Y"}), PauliWord({})]
    sentence = PauliSentence(zip(words, (1.0, 2.0, 3.0), strict=True))
    groups, parts = [["XZ", "II"], ["IY"]], [{words[0]: 1.0, words[2]: 3.0}, {words[1]: 2.0}]
    result = pauli.group(sentence, order="natural")
    assert result.labeled() == groups and result.operators() == parts
    assert all(isinstance(part, PauliSentence) for part in result.operators())
    result = pauli.group(PennyLaneSum(sentence, ["b", "a"]), order="natural")
    assert result.labeled() == groups
    assert [(part.pauli_rep, part.wires) for part in result.operators()] == [(part, ["b", "a"]) for part in parts]
    each = [PennyLaneSum(PauliSentence({word: 1.0}), list(word)) for word in words]
    result = pauli.group(each, order="natural")
    assert result.labeled() == groups and result.operators() == [[each[0], each[2]], [each[1]]]
    with pytest.raises(lagcolor.GraphError, match="operator 1 is no single Pauli word: it has 3"):
        pauli.group([each[0], sentence])


def test_operators_without_strings() -> None:
    terms = {((1, 1), (2, 0)): 1.0}
    fermions, bosons = (type(f"{kind}Operator", (QubitOperator,), {})(terms) for kind in ("Fermion", "Boson"))
    for source, message in (
        (fermions, r"FermionOperator has no Pauli strings: transform it first, as by openfermion\.jordan_wigner\("),
        (type("FermiSentence", (dict,), {})(), r"FermiSentence has no .* by pennylane\.jordan_wigner\(operator\)"),
        (bosons, r"BosonOperator has no Pauli strings: its term \(\(1, 1\), \(2, 0\)\) is not one"),
        (PennyLaneSum(None, [0]), "PennyLaneSum is no sum of Pauli words"),
    ):
        with pytest.raises(lagcolor.GraphError, match=message):
            pauli.group(source)
    with pytest.raises(lagcolor.GraphError, match=r"no operator of Qiskit, .*: use labeled\(\)"):
        pauli.group(["XX"]).operators()


def test_wrong_input() -> None:
    for source, qubits, message in (
        (["XY", "Ωx"], None, "Pauli string 1, 'Ωx', has 'Ω' at place 0"),
        (["x" * 50], None, "Pauli string 0, 'x{39}…', has 'x' at place 0"),
        (["X", 3], None, "Pauli string 1 is of type int, not str"),
        ({"X", "Z"}, None, "a set has no order"),
        ("XZ", None, "this is of type str"),
        ((np.ma.array([[1, 0]], mask=[[1, 0]]), np.array([[0, 1]])), None, r"x must not have .* x.filled\(value\)"),
        (([[0, 1]], [np.ma.array([1, 0], mask=[1, 0])]), None, r"z\[0\] must not have .* z\[0\].filled\(value\)"),
        ((np.zeros((2, 3)), np.zeros((2, 3))), None, "x must be of booleans"),
        ((np.zeros((2, 3), bool), np.zeros((3, 2), bool)), None, r"not \(2, 3\) and \(3, 2\)"),
        ((np.zeros(3, bool), np.zeros(3, bool)), None, "two-dimensional"),
        ((np.eye(2, dtype=int), np.array([[0, 1], [2, 0]])), None, "z is 2 at string 1, qubit 0"),
        ((np.zeros((2, 1), np.uint64),) * 2, 65, "with 2 word"),
        ({"X0 Y1": 1, "Z0": 2}, None, "string 0, 'X0 Y1', numbers its qubits: write a letter for each qubit, such"),
        (["XX", "[Z0]"], None, "string 1, .* or pass an openfermion.QubitOperator"),
        ((np.zeros((2, 1), np.int64),) * 2, 5, "not of int64"),
        ((np.full((2, 1), 32, np.uint64),) * 2, 5, "x of string 0 has bits beyond its 5 qubits"),
        ((np.full((2, 1), 1, np.uint64),) * 2, 0, "x of string 0 has bits beyond its 0 qubits"),
    ):
        with pytest.raises(lagcolor.GraphError, match=message):
            pauli.group(source, qubits=qubits)


def test_tables() -> None:
    table = pytest.importorskip("pandas").DataFrame({"X": [1, 0], "Z": [0, 1], "text": ["X", "Z"]})
    with pytest.raises(lagcolor.GraphError, match="a table may have strings in a column") as caught:
        pauli.group(table)
    for advice in re.findall("`(.*?)`", str(caught.value)):
        names = {"table": table, "name": "text", "names_of_x": ["X"], "names_of_z": ["Z"]}
        assert pauli.group(eval(advice, names)).labeled() == [["X"], ["Z"]]


# Results.


def test_results() -> None:
    texts = ["ZZI", "XXI", "ZIZ", "IIX", "IZZ"]
    result = pauli.group(texts, order="natural")
    assert result.labeled() == [["ZZI", "ZIZ", "IZZ"], ["XXI", "IIX"]]
    assert [part.tolist() for part in result.classes()] == [[0, 2, 4], [1, 3]]
    assert result.to_dict() == {"ZZI": 0, "XXI": 1, "ZIZ": 0, "IIX": 1, "IZZ": 0}
    assert "2 groups (qubitwise) of 5 Pauli strings on 3 qubits" in repr(result)
    assert pauli.group(bits(texts), order="natural").to_dict() == result.to_dict()
    P = pauli.two_body(4)
    assert P.labels == [P.text(v) for v in range(P.n)]
    assert sorted(itertools.chain(*pauli.group(bits(P.labels)).labeled())) == sorted(P.labels)
    assert pauli.group(["X", "X"]).to_dict() == {"X": 0}
    with pytest.raises(lagcolor.GraphError, match="string 1, 'X', occurs in two groups"):
        pauli.group(["X", "X"], "anti").to_dict()
    assert pauli.group([]).classes() == [] and pauli.group([]).to_dict() == {}


@pytest.mark.parametrize(
    ("commute", "texts", "message"),
    [
        ("qubitwise", ["XI", "IX", "IZ"], "strings 1 and 2, both in group 0, have different letters at qubit 1"),
        ("general", ["XX", "ZZ", "ZI"], "strings 0 and 2, both in group 0, anticommute: .* differ: 1"),
        ("anti", ["XI", "ZI", "XX"], "strings 0 and 2, both in group 0, commute: .* differ: 0"),
    ],
)
def test_the_check_finds_broken_groups(commute: str, texts: list[str], message: str) -> None:
    for source in (texts, bits(texts)):
        result = pauli.group(source, commute)
        for colors, why in (([0, 0, 0], message), ([0, 1, -1], "1 uncolored"), ([0, 1, 3], "1 below the largest"),
                            ([0, 1, -4], "2 has color -4")):  # fmt: skip
            result.colors = np.array(colors, np.int32)
            with pytest.raises(lagcolor.ColoringError, match=why):
                result.verify()


@pytest.mark.parametrize("commute", RELATIONS)
def test_the_check_counts_as_the_definition(commute: str) -> None:
    texts = strings(60, 4, 3)
    P, colors = pauli.PauliStrings.of(texts), np.random.default_rng(0).integers(0, 4, 60).astype(np.int32)
    matrix = conflicts(texts, commute)
    wrong = int((matrix & (colors[:, None] == colors[None, :])).sum()) // 2
    assert findings(P, colors, commute).n_violations == wrong > 0


# Files and the command.


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "strings.txt"
    source.write_text("# terms\nZZI 0.5\nXXI\t-1\n\nZIZ  # a comment\nIIX\nIZZ\n")
    result = pauli.group(read_strings(source), order="natural")
    arguments = ["pauli", str(source), "--order", "natural", "--out", str(tmp_path / "groups.json"), "--json"]
    assert cli.main(arguments) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["strings"], line["groups"], line["commute"], line["verified"]) == (5, 2, "qubitwise", True)
    assert json.loads((tmp_path / "groups.json").read_text())["groups"] == result.labeled()
    for name in ("groups.csv.gz", "groups.txt"):
        result.save(tmp_path / name)
    with gzip.open(tmp_path / "groups.csv.gz", "rt") as f:
        assert f.read().splitlines() == ["string,group", "ZZI,0", "XXI,1", "ZIZ,0", "IIX,1", "IZZ,0"]
    assert (tmp_path / "groups.txt").read_text().split() == ["0", "1", "0", "1", "0"]
    with pytest.raises(lagcolor.OptionError, match=r"written as \.json, \.csv, \.txt"):
        result.save(tmp_path / "groups.npy")
    for text, message in (
        (b"XX\n\nXQ\n", r"line 3: 'Q' is no letter"),
        (b"XX\nX 1\n", "line 2: 1 letters, and the first string has 2"),
        (b"\xff\xfe", "no text"),
    ):
        source.write_bytes(text)
        with pytest.raises(lagcolor.FormatError, match=message):
            read_strings(source)


# Strings of molecules.


def test_two_body() -> None:
    """The operators themselves, as matrices, for four orbitals: exactly these strings have coefficients."""
    m = 4
    letter = {"I": np.eye(2), "X": np.eye(2)[::-1], "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1.0, -1.0])}
    letter["a"] = np.array([[0.0, 1.0], [0.0, 0.0]])

    def product(letters: Any) -> np.ndarray:
        return functools.reduce(np.kron, (letter[c] for c in letters))

    a = [product("Z" * p + "a" + "I" * (m - 1 - p)) for p in range(m)]
    rng = np.random.default_rng(0)
    H = sum(rng.random() * a[p].T @ a[q] for p in range(m) for q in range(m))
    H = H + sum(
        rng.random() * a[p].T @ a[q].T @ a[r] @ a[s] for p, q, r, s in itertools.product(range(m), repeat=m)
    )  # fmt: skip
    texts = map("".join, itertools.product("IXYZ", repeat=m))
    nonzero = {text for text in texts if abs(np.trace(product(text) @ (H + H.T))) > 1e-9}
    P = pauli.two_body(m)
    assert {P.text(v) for v in range(P.n)} == nonzero and P.n == len(nonzero)
    assert [pauli.two_body(m).n for m in (0, 1, 2, 12)] == [1, 2, 6, 5491]


def test_a_basis_is_enough() -> None:
    """A group of all products of Z has 2⁹ members and 9 generators."""
    texts = [f"{i:09b}".replace("0", "I").replace("1", "Z") for i in range(512)]
    assert pauli.group([*texts, "X" + "I" * 8], "general", "natural").to_numpy().tolist() == [0] * 512 + [1]
