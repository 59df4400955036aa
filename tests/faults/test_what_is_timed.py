"""Reported seconds hold all that one algorithm alone wants of a graph; no timed run finds what another has made."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import experiment
from benchmarks.harness.codes import Code
from benchmarks.harness.library import Library
from benchmarks.papers import feluca

GRAPH = lagcolor.generate.from_spec("rmat:8")


def test_what_is_made_off_the_clock_serves_several_algorithms():
    rows = [row for row in lagcolor.ALGORITHMS.values() if row.prepare is not None]
    users = Counter(row.prepare for row in rows if row.variant_of is None)
    alone = {row.name for row in rows if row.variant_of is None and users[row.prepare] < 2}
    assert rows and alone <= {"exact"}  # which only refuses large graphs there


@pytest.fixture
def found(monkeypatch):
    """Names of what each call of `color` finds made of its graph."""
    seen: list[set[str]] = []
    color = lagcolor.color

    def spy(G, *args, **options):
        seen.append(set(G._cache))
        return color(G, *args, **options)

    monkeypatch.setattr(lagcolor, "color", spy)
    return seen


def test_a_run_of_a_papers_script_finds_nothing(found):
    codes = {name: ("feluca", {**given, "order": "random"}) for name, given in feluca.STAGES.items()}
    experiment.measure(GRAPH, experiment.facts(GRAPH, "grid", "grid2d:9"), codes, 2)
    assert len(found) == 6 and not any(found)


def test_a_run_of_the_feluca_tables_finds_nothing(found, capsys):
    assert feluca.main(["grid2d:9", "--device", "cpu", "--runs", "2"]) == 0
    assert found and not any(found)


@pytest.mark.parametrize("name", ["feluca", "luby_mis", "first_fit", "ecl_gc", "auto:balanced"])
def test_a_run_of_lagcolor_bench_finds_nothing(found, name):
    own = Library(GRAPH)
    for _ in range(2):
        own.run(Code("lagcolor", name, "" if name.startswith("auto") else "random"))
    assert len(found) == 2 and not any(found)
