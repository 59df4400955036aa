"""Sparse matrices with damaged arrays raise an error. They are never passed to SciPy.

SciPy's compiled code trusts the arrays, so that the process would end, or other entries would be read in silence.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from emulated import ENGINES
from solver_cases import on

import lagcolor
from lagcolor import derivatives, semirings, solvers

DENSE = sp.block_diag([4 * np.eye(2) + 1, np.eye(2) * 4 + 2]).toarray()
FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")
COLORS = np.array([0, 1, 0, 1], np.int32)
compression = functools.cache(lambda: derivatives.jacobian(DENSE))
operator = functools.cache(lambda: solvers.multicolor_ilu0(sp.csr_array(DENSE)))
PATH = [(0, 1), (1, 2), (2, 3)]
# Every public function that takes a sparse matrix.
CALLS: dict[str, Callable[[Any], Any]] = {
    "Graph": lagcolor.Graph.of,
    "Pattern": lagcolor.Pattern.of,
    "color": lagcolor.color,
    "forbidden": lambda A: lagcolor.color(PATH, forbidden=A),
    "verify": lambda A: lagcolor.verify(A, COLORS),
    "verify, forbidden": lambda A: lagcolor.verify(PATH, [2, 3, 0, 1], forbidden=A),
    "recolor": lambda A: lagcolor.recolor(A, COLORS),
    "jacobian": derivatives.jacobian,
    "hessian": derivatives.hessian,
    "compress": lambda A: compression().compress(A),
    "sor": solvers.multicolor_sor,
    "ilu0": solvers.multicolor_ilu0,
    "blocks": lambda A: solvers.multicolor_ilu0(A, block_size=2),
    "update": lambda A: operator().update(A),
    "write": lambda A: lagcolor.io.write(os.devnull, A, format="mtx"),
    "semirings": lambda A: semirings.engine("cpu").matrix(A),
}


def put(name: str, at: int, value: int) -> Callable[[Any], None]:
    """Write a number to an array of the matrix."""

    def damage(A: Any) -> None:
        getattr(A, name)[at] = value

    return damage


def change(name: str, to: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Put another array in the place of one."""
    return lambda A: setattr(A, name, to(getattr(A, name)))


def short(name: str) -> Callable[[Any], None]:
    return change(name, lambda a: a[:-1])


def lists(name: str, value: Any) -> Callable[[Any], None]:
    """Replace the first row of one of two arrays of lists."""

    def damage(A: Any) -> None:
        getattr(A, name)[0] = value

    return damage


def one_more(A: Any) -> None:
    """One entry more than there is."""
    A.indptr[-1] += 1


COMPRESSED = {
    "index too large": put("indices", 1, 1 << 30),
    "index of the size": put("indices", -1, 4),
    "index negative": put("indices", 1, -1),
    "indptr ends one late": one_more,
    "indptr ends far": put("indptr", -1, 1 << 30),
    "indptr negative": put("indptr", 0, -1),
    "indptr falls": put("indptr", 1, 1 << 20),
    "indptr short": short("indptr"),
    "indices short": short("indices"),
    "data short": short("data"),
    "indices of floats": change("indices", lambda a: a + 0.5),
    "indptr a list": change("indptr", list),
    "data missing": change("data", lambda a: None),
}
DAMAGES: dict[str, dict[str, Callable[[Any], None]]] = {
    "csr": COMPRESSED,
    "csc": COMPRESSED,
    "bsr": {**COMPRESSED, "blocks of another size": change("data", lambda a: a[:, :1, :].repeat(3, axis=1))},
    "coo": {
        "row too large": put("row", 1, 1 << 30),
        "column too large": put("col", 1, 4),
        "row negative": put("row", 1, -1),
        "column negative": put("col", 1, -5),
        "row short": short("row"),
        "column short": short("col"),
        "data short": short("data"),
    },
    "dia": {
        "offsets short": short("offsets"),
        "data short": short("data"),
        "data of one dimension": change("data", np.ravel),
    },
    "lil": {
        "column too large": lists("rows", [0, 1 << 30]),
        "column negative": lists("rows", [-1, 1]),
        "columns short": lists("rows", [0]),
        "data short": lists("data", [1.0]),
        "no list": lists("rows", None),
        "rows short": short("rows"),
    },
    "dok": {
        "row too large": lambda A: A.setdefault((1 << 30, 0), 1.0),
        "column negative": lambda A: A.setdefault((0, -1), 1.0),
        "no pair": lambda A: A.setdefault(3, 1.0),
    },
}


def matrix(form: str, kind: str = "array") -> Any:
    A = getattr(sp, f"{form}_{kind}")(DENSE)
    return A.tobsr((2, 2)) if form == "bsr" else A


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("form", FORMATS)
def test_a_damaged_matrix_is_an_error(form: str, call: str) -> None:
    CALLS[call](matrix(form))
    for name, kind in itertools.product(DAMAGES[form], ("array", "matrix")):
        A = matrix(form, kind)
        DAMAGES[form][name](A)
        with pytest.raises(ValueError) as e:
            CALLS[call](A)
            pytest.fail(f"{form}_{kind}, {name}: no error")
        assert isinstance(e.value, lagcolor.LagcolorError) or call.startswith("semirings")
        assert str(e.value).startswith("forbidden: ") == (call in ("forbidden", "verify, forbidden"))


@pytest.mark.parametrize("damage", COMPRESSED)
def test_nothing_is_written_to_a_damaged_matrix(damage: str) -> None:
    A = matrix("csr")
    B = compression().compress(A)
    COMPRESSED[damage](A)
    with pytest.raises(lagcolor.GraphError):
        compression().decompress_into(A, B)


@pytest.mark.parametrize(
    ("form", "damage", "message"),
    [
        ("csc", "indptr falls", r"indptr must not fall: indptr\[1\] = 1048576, then 4"),
        ("bsr", "index too large", r"block column indices\[1\] = 1073741824 is out of range; there are 2 block c"),
        ("bsr", "blocks of another size", r"blocks of 3 × 2 do not divide the shape \(4, 4\)"),
        ("dia", "offsets short", "offsets must be as many as rows of data, but there are 2 for 3"),
        ("dok", "no pair", r"keys must be pairs \(row, column\)"),
    ],
)
def test_the_error_says_what_is_wrong_where(form: str, damage: str, message: str) -> None:
    A = matrix(form)
    DAMAGES[form][damage](A)
    with pytest.raises(lagcolor.GraphError, match=f"^the sparse matrix is damaged: {message}"):
        solvers.multicolor_sor(A)


def test_entries_after_the_last_offset() -> None:
    """SciPy allows them, and converts them to entries of any row; the advice of the error is followed."""
    A = matrix("csc")
    A.indices, A.data = np.append(A.indices, 3).astype(np.int32), np.append(A.data, 5.0)
    expected = solvers.multicolor_ilu0(matrix("csc")) @ np.ones(4)
    with pytest.raises(lagcolor.GraphError, match=r"indptr ends at 8, but there are 9 indices: call prune\(\)"):
        solvers.multicolor_ilu0(A)
    A.prune()
    np.testing.assert_array_equal(solvers.multicolor_ilu0(A) @ np.ones(4), expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_on_a_gpu(engine: str) -> None:
    calls: list[Callable[[Any], Any]] = [
        lagcolor.Graph.of,
        lagcolor.Pattern.of,
        solvers.multicolor_ilu0,
        solvers.multicolor_ilu0(on(engine, sp.csr_array(DENSE))).update,
        lambda A: lagcolor.color(PATH, forbidden=A),
        derivatives.jacobian(lagcolor.Pattern.of(on(engine, sp.csr_array(DENSE)))).compress,
    ]
    damages = [d for d in COMPRESSED if d not in ("indptr a list", "data missing")]
    for call, damage in itertools.product(calls, damages):
        A: Any = on(engine, sp.csr_array(DENSE))
        COMPRESSED[damage](A)
        with pytest.raises(lagcolor.LagcolorError):
            call(A)
