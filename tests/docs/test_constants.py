"""Constants of speed are listed with the graphs that they were chosen on, and are tried on others."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
from report_cases import measurement, meta

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import constants
from benchmarks.constants import CONSTANTS
from benchmarks.harness.graphs import check_spec

PAGE = (Path(__file__).parents[2] / "docs" / "development" / "constants.md").read_text()
LISTED = dict(re.findall(r"^\| `([\w.]+)`[^|]*\|.*\| (yes|no) \|$", PAGE, re.MULTILINE))


def first(value):
    return first(value[0]) if isinstance(value, tuple) else value


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda c: c.name)
def test_a_constant_is_tried_with_the_value_that_the_code_has(constant):
    assert first(constant.in_code()) == constant.value
    assert LISTED[f"{constant.where}.{constant.name}"] == "yes"
    for graph in constant.graphs:
        check_spec(graph)
        assert graph not in lagcolor.generate.SUITE_H200.values()


def test_the_page_names_what_there_is():
    for name in LISTED:
        module, _, attribute = name.replace(".Tuning.", ".").rpartition(".")
        there = importlib.import_module(module)
        assert hasattr(there, attribute) or hasattr(there.Tuning, attribute)
    assert sum(said == "yes" for said in LISTED.values()) == len(CONSTANTS)


@pytest.mark.parametrize(("value", "loss"), [(100, 2.0), (50, 1.0)])
def test_the_way_that_the_constant_takes_is_judged(value, loss):
    """64 vertices: the way below takes 4 ms, that above 2."""
    ways = (lambda G: lambda: 4.0), (lambda G: lambda: 2.0)
    constant = constants.Constant("x", "Y", value, constants.vertices, *ways, ("path:64",))
    row = constants.measure(constant, lagcolor.generate.from_spec("path:64"), 3)
    assert row == {"value": value, "size": 64, "below_ms": 4.0, "above_ms": 2.0, "loss": loss}
    line = constants.markdown([meta(), measurement("p", "x.Y", **row)])[2]
    assert line.startswith(f"| `x.Y` | {value} | 1 | {int(loss == 1)} | {loss:.2f} × |")


def test_a_patched_constant_comes_back():
    before = constants.CONSTANTS[0].in_code()
    with pytest.raises(KeyError), constants.patched(constants.ONE_LAUNCH, "GRID_ENTRIES", 3):
        assert constants.CONSTANTS[0].in_code() == 3
        raise KeyError
    assert constants.CONSTANTS[0].in_code() == before
