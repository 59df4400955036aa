"""Values of options: NumPy's numbers are numbers, truth values and texts are not; errors come before any work."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from corpus import graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.api import reduce as recoloring
from lagcolor.api.reduce import METHODS
from lagcolor.base import options
from lagcolor.problems.registry import TABLES

INTEGERS = [np.int8, np.int32, np.uint64]
FLOATS = [np.float16, np.float64, np.longdouble]


@given(st.integers(-300, 300), st.integers(-200, 200), st.one_of(st.none(), st.integers(-200, 200)))
def test_whole(x: int, low: int, high: int | None) -> None:
    kinds = [int, *(kind for kind in INTEGERS if np.iinfo(kind).min <= x <= np.iinfo(kind).max)]
    for kind in kinds:
        if low <= x and (high is None or x <= high):
            got = options.whole("rounds", kind(x), low, high)
            assert type(got) is int and got == x
        else:
            with pytest.raises(lagcolor.OptionError, match=rf"rounds must be a whole number from {low} (on|to)"):
                options.whole("rounds", kind(x), low, high)


@given(st.floats(-9, 9, width=16), st.floats(-9, 9), st.floats(-9, 9), st.booleans())
def test_number(x: float, low: float, high: float, over: bool) -> None:
    for kind in (float, *FLOATS):
        if (low < x if over else low <= x) and x <= high:
            got = options.number("limit", kind(x), low, high, over=over)
            assert type(got) is float and got == x
        else:
            with pytest.raises(lagcolor.OptionError, match=rf"limit must be a number {'over' if over else 'from'} "):
                options.number("limit", kind(x), low, high, over=over)


def test_numbers_of_other_kinds() -> None:
    assert options.number("limit", Fraction(1, 4)) == 0.25
    assert options.number("limit", 3) == options.number("limit", np.int32(3)) == 3.0
    assert options.number("limit", float("inf")) == float("inf")
    for x in (float("nan"), np.float32("nan"), -(10**400), 10**400):
        with pytest.raises(lagcolor.OptionError, match="limit must be a number from 0 on, not"):
            options.number("limit", x)
    for how, says in (
        ({"value": 0, "over": True, "of": "seconds", "none": True}, "of seconds over 0, or None, not 0"),
        ({"value": 3, "high": 2, "over": True}, "over 0 and up to 2, not 3"),
        ({"value": float("inf"), "high": 2}, "from 0 to 2, not inf"),
    ):
        with pytest.raises(lagcolor.OptionError, match=f"limit must be a number {says}"):
            options.number("limit", **how)


def test_no_numbers() -> None:
    for check in (options.whole, options.number):
        for value in (True, np.True_, "1", "x" * 10_000, None, [1], np.array([1]), 1j, object()):
            with pytest.raises(lagcolor.OptionError, match="rounds must be a") as e:
                check("rounds", value)
            assert len(str(e.value)) < 200
        assert check("rounds", None, none=True) is None
    with pytest.raises(lagcolor.OptionError, match=r"rounds must be a whole number from 0 on, not 1\.0"):
        options.whole("rounds", 1.0)


def test_words_and_flags() -> None:
    assert options.choice("mode", "a", ("a", "b")) == "a"
    for wrong in ("c", None, 1, ["a"], np.array(["a"])):
        with pytest.raises(lagcolor.OptionError, match="mode must be one of a, b, not"):
            options.choice("mode", wrong, ("a", "b"))
    assert options.flag("fast", np.True_) is True and options.flag("fast", False) is False
    for wrong in (1, 0, "yes", None):
        with pytest.raises(lagcolor.OptionError, match="fast must be True or False, not"):
            options.flag("fast", wrong)


# What the options of `reduce` refuse, and of what they take, in NumPy's types.
REFUSED: dict[tuple[str, str], list[Any]] = {
    ("iterated_greedy", "rounds"): [1.5, -1, True],
    ("iterated_greedy", "order"): ["x", 5, np.array(["mix", "reverse"])],
    ("ejection", "passes"): [float("nan"), float("inf"), -1, 1e300, "1"],
    ("ejection", "least"): [-1, 2.5, None],
}


def test_reduce_refuses_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recoloring, "dense", lambda *_: pytest.fail("work was begun"))
    assert set(REFUSED) == {(method, option) for method, row in METHODS.items() for option in row.options}
    for (method, option), values in REFUSED.items():
        for value in values:
            with pytest.raises(lagcolor.OptionError, match=f"{option} of {method} must be .*, not "):
                lagcolor.reduce(graph("path"), "no colors", method=method, **{option: value})
    for how in ({"seed": 2**64}, {"seed": 1.5}, {"time_limit": -0.5}, {"time_limit": float("nan")}):
        with pytest.raises(lagcolor.OptionError, match=f"{next(iter(how))} must be .*, not "):
            lagcolor.reduce(graph("path"), "no colors", **how)  # type: ignore[arg-type]


TAKEN: list[tuple[str, dict[str, Any]]] = [
    ("iterated_greedy", {"rounds": np.int64(3), "seed": np.uint64(2**64 - 1), "threads": np.int32(2)}),
    ("ejection", {"passes": np.float32(0.5), "seed": np.int64(2**62), "least": np.int8(4), "time_limit": None}),
    ("ejection", {"passes": 1e9, "time_limit": np.int32(1), "least": 10**30}),
]


@pytest.mark.parametrize(("method", "passed"), TAKEN)
def test_reduce_takes(method: str, passed: dict[str, Any]) -> None:
    G = graph("random dense" if "least" in passed else "grid")
    before = lagcolor.color(G, "jones_plassmann", "random", seed=1)
    after = lagcolor.reduce(G, before, method=method, verify=True, **passed)
    assert after.n_colors <= before.n_colors
    if "time_limit" not in passed:
        plain = {name: value if value is None else value.item() for name, value in passed.items() if value is not None}
        assert np.array_equal(after.to_numpy(), lagcolor.reduce(G, before, method=method, **plain).to_numpy())


# Options of algorithms that are numbers: the same colors whether Python's or NumPy's.
NUMBERS: list[tuple[str, dict[str, Any]]] = [
    ("feluca", {"initial": np.int64(4), "length": np.uint8(8), "alpha": np.float32(0.5)}),
    ("gebremedhin_manne", {"chunk": np.int64(16), "threads": np.int64(1)}),
    ("che_work_stealing", {"queues": np.int64(2), "chunk": np.int32(16), "steal": np.False_}),
    ("cohen_castonguay", {"hashes": np.int32(3), "fraction": np.float32(0.5)}),
    ("ipgc", {"H": np.float32(0.25), "threads": np.int64(1)}),
    ("dec_adg_itr", {"eps": np.float32(0.5), "threads": np.int64(2)}),
    ("gunrock_is", {"min_max": np.False_, "atomics": np.True_}),
]


@pytest.mark.parametrize(("algorithm", "passed"), NUMBERS)
def test_algorithms_take_numpys_numbers_and_nothing_else(algorithm: str, passed: dict[str, Any]) -> None:
    row, G = lagcolor.ALGORITHMS[algorithm], graph("rmat")
    ours = lagcolor.color(G, algorithm, verify=True, **passed)
    plain = lagcolor.color(G, algorithm, verify=True, **{name: value.item() for name, value in passed.items()})
    assert not row.deterministic or np.array_equal(ours.colors, plain.colors)
    for name in passed:
        for value in (1j, "x", 1 if isinstance(passed[name], np.bool_) else True):
            with pytest.raises(lagcolor.OptionError, match=rf"^{name}\b.* must be .*, not "):
                lagcolor.color(G, algorithm, **{name: value})


def test_no_option_of_an_algorithm_is_a_parameter_of_color() -> None:
    """Or it would never reach the algorithm."""
    taken = set(inspect.signature(lagcolor.color).parameters)
    for table in TABLES.values():
        for row in table.values():
            assert not taken & set(row.options), row.name


def test_sizes() -> None:
    for text, count in (
        ("4GB", 4 * 10**9),
        ("1.5 GiB", 3 << 29),
        ("500mb", 5 * 10**8),
        ("2k", 2000),
        (" 7 ", 7),
        (77, 77),
    ):
        assert options.size("memory", text) == count
    for wrong in ("", "GB", "4XB", "-1GB", "1e9", 0, 1.5, True, None, "0.5"):
        with pytest.raises(lagcolor.OptionError, match="memory must be a number of bytes from 1 on, such as '4GB'"):
            options.size("memory", wrong)
