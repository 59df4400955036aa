"""Names are taken in any case and with `-` for `_`; an unknown one is answered by those like it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import pauli
from lagcolor.api import color_implicit as computed_edges
from lagcolor.api import reduce as recoloring
from lagcolor.api import request as plan
from lagcolor.api.reduce import METHODS
from lagcolor.base import options as names
from lagcolor.derivatives import hessian, jacobian
from lagcolor.derivatives.choose import OWN
from lagcolor.generate import FAMILIES
from lagcolor.orders import ORDERS, TWO_HOPS
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import ALGORITHMS, TABLES

TABLE_OF_NAMES = [
    *(pytest.param(list(table), id=f"algorithms of {problem}") for problem, table in TABLES.items()),
    *(
        pytest.param(list(names), id=what)
        for what, names in {
            "orders": ORDERS, "orders of two hops": TWO_HOPS, "problems": PROBLEMS, "families": FAMILIES,
            "methods": METHODS,
        }.items()
    ),
]  # fmt: skip


@pytest.mark.parametrize("table", TABLE_OF_NAMES)
def test_each_name_is_found_however_it_is_spelled_and_no_two_are_alike(table: list[str]) -> None:
    for name in table:
        apart = re.sub(r"(?<=[a-z])(?=\d)", "-", name)  # distance-2, grid-2d
        for spelled in (name, name.upper(), name.replace("_", "-"), f" {name.title()} ", apart, name.replace("_", "")):
            assert names.known(spelled, table) == name
    assert names.known("no such name", table) is None and names.known(3, table) is None


@pytest.mark.parametrize("table", TABLE_OF_NAMES)
def test_a_name_with_one_fault_is_proposed(table: list[str]) -> None:
    """A letter that is missing, doubled, exchanged with the next, or replaced; of names with six letters and more."""
    for name in (name for name in table if len(name) > 5):
        for i in range(1, len(name) - 1):
            for wrong in (
                name[:i] + name[i + 1 :],
                name[:i] + name[i] + name[i:],
                name[:i] + name[i + 1] + name[i] + name[i + 2 :],
                name[:i] + "q" + name[i + 1 :],
            ):
                assert names.known(wrong, table) is not None or name in names.close(wrong, table), wrong


@given(st.text(max_size=30))
def test_any_text_is_a_name_or_unknown(text: str) -> None:
    found = names.known(text, ORDERS)
    assert found in (None, *ORDERS)
    assert set(names.close(text, ORDERS)) <= set(ORDERS) and len(names.close(text, ORDERS)) <= names.SHOWN
    assert names.unknown("order", text, ORDERS).startswith("unknown order ")


def test_options_of_jacobian_and_hessian_are_there() -> None:
    """Each name that their errors list is a parameter, or passed on."""
    values: dict[str, Any] = {
        "algorithm": "auto",
        "seed": None,
        "quality": "best",
        "time_limit": 0.05,
        "device": "cpu",
        "verify": True,
        "trace": True,
        "progress": None,
    }
    for function in (jacobian, hessian):
        own = inspect.signature(function).parameters
        for name in OWN[function.__name__]:
            value = own[name].default if name in own else values.get(name, False)
            option: dict[str, Any] = {name: value, **({"quality": "best"} if name == "time_limit" else {})}
            assert function(PATH, **option).coloring.verified
    assert jacobian(PATH, "both", algorithm="First-Fit", trace=True).coloring.trace


def test_parameters_that_are_proposed_are_there() -> None:
    implicit, groups = ((*computed_edges.KEYWORDS, *own) for own in computed_edges.OWN.values())
    for words, function in (
        (plan.KEYWORDS, lagcolor.color), (recoloring.KEYWORDS, lagcolor.reduce),
        (implicit, lagcolor.color_implicit), (groups, pauli.group),
    ):  # fmt: skip
        every = inspect.signature(function).parameters
        own = [p.name for p in every.values() if p.kind is not p.VAR_KEYWORD and p.name not in ("x", "colors")]
        assert set(words) <= set(own)


PATH = lagcolor.generate.path(50)
COLORS = np.arange(PATH.n) % 2
UNKNOWN: list[tuple[Callable[[], Any], str]] = [
    (lambda: lagcolor.color(PATH, "ipgc", mod="data"), "no option 'mod' (did you mean 'mode'?); options of ipgc: "),
    (lambda: lagcolor.color(PATH, random_state=1), "no option 'random_state' (did you mean 'rng'?); it has: "),
    (lambda: lagcolor.color(PATH, strategy="DSATUR"), "no option 'strategy' (did you mean 'algorithm'?); it has: "),
    (lambda: lagcolor.color("w.csv", header=True), "'header': pass lagcolor.io.read(path, header=True) in place of"),
    (lambda: lagcolor.color(PATH, quality="bset"), "not 'bset' (did you mean 'best'?)"),
    (lambda: lagcolor.reduce(PATH, COLORS, method="ejections"), "'ejections' (did you mean 'ejection'?)"),
    (lambda: lagcolor.reduce(PATH, COLORS, method="ejection", pass_=1), "(did you mean 'passes'?); options of eject"),
    (lambda: hessian(PATH, decompresion="direct"), "hessian has no option 'decompresion' (did you mean 'decompressio"),
    (lambda: lagcolor.equitable(PATH, k=3), "equitable has no option 'k' (did you mean 'max_colors'?); it has: "),
    (lambda: pauli.group(["X"], commute="qubit"), "(did you mean 'qubitwise'?)"),
]


def test_unknown_names_in_python() -> None:
    for call, words in UNKNOWN:
        with pytest.raises(lagcolor.LagcolorError) as e:
            call()
        assert words in str(e.value)


def test_spellings_in_python(tmp_path: Path) -> None:
    """The result says the names as the tables have them."""
    c = lagcolor.color(PATH, "First-Fit", "Largest-First", problem="Distance1", quality=None, device="CPU")
    assert (c.algorithm, c.order, c.problem) == ("first_fit", "largest_first", "distance1")
    assert lagcolor.color(PATH, "AUTO", quality="Balanced").algorithm == "auto, balanced"
    assert lagcolor.color(PATH, "dsAtur").algorithm == "dsatur"
    assert lagcolor.color(PATH, "Largest_First").order == "largest_first"
    assert lagcolor.color(PATH, order=("Natural", "SMALLEST-LAST")).order in ("natural", "smallest_last")
    two = lagcolor.color(PATH, problem="Distance2")
    assert two.problem == "distance2" and lagcolor.verify(PATH, two.colors, problem="DISTANCE2").ok
    assert lagcolor.color(PATH, "ipgc", h=0.25, Mode="Data").verified
    fewer = lagcolor.reduce(PATH, np.arange(PATH.n), method="Iterated-Greedy", Rounds=1, order="Reverse")
    assert fewer.algorithm == "iterated_greedy"
    again = lagcolor.recolor(PATH, lagcolor.color(PATH, "greedy", "natural"), order="Natural", problem="Distance1")
    assert again.order == "natural"
    assert lagcolor.generate.from_spec("Kron-G500:4,Edge-Factor=2").n == 16
    (tmp_path / "edges").write_text("0 1\n")
    assert lagcolor.io.read(tmp_path / "edges", format="Edges").n == 2
    assert pauli.group(["X", "Z"], "Anti", order="Natural").commute == "anti"
    assert jacobian(PATH, "Columns", "Direct", algorithm="Auto").partition == "columns"
    assert "First-Fit" in ALGORITHMS and "first fit" not in ALGORITHMS
    with pytest.raises(lagcolor.OptionError, match="option 'mode' of ipgc is given twice"):
        lagcolor.color(PATH, "ipgc", mode="data", Mode="data")
