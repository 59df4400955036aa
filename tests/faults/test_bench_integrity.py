"""The figures of `benchmarks.compare` are fair: nothing is cached between runs, all our time counts, peers are fast."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import graph

import lagcolor
from benchmarks.harness import host
from benchmarks.harness.codes import Code
from benchmarks.harness.library import Library
from benchmarks.papers import feluca
from benchmarks.peers import native

CODES = [
    Code("lagcolor", "greedy", "largest_first"),
    Code("lagcolor", "feluca", "random"),
    Code("lagcolor", "first_fit", "random"),
    Code("lagcolor", "auto:fast", ""),
    Code("lagcolor", "auto:balanced", ""),
]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The data that the graph of each call of `color` has cached before: degrees, orders and layouts."""
    seen: list[set[str]] = []
    color = lagcolor.color

    def spy(G: lagcolor.Graph, *args: Any, **options: Any) -> lagcolor.Coloring:
        seen.append(set(map(str, G._cache)))
        return color(G, *args, **options)

    monkeypatch.setattr(lagcolor, "color", spy)
    return seen


@pytest.mark.parametrize("code", CODES, ids=str)
def test_each_run_begins_with_a_graph_of_which_nothing_is_known(code: Code, found: list[set[str]]) -> None:
    session = Library(lagcolor.Graph(graph("rmat").indptr, graph("rmat").indices))
    for _ in range(3):
        session.run(code)
    assert len(found) >= 3 and not any(found)


def test_a_run_of_a_papers_script_finds_nothing(found: list[set[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert feluca.main(["grid2d:9", "--device", "cpu", "--runs", "2"]) == 0
    assert found and not any(found)


def test_ordering_and_coloring_are_both_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    G = graph("grid")
    done = lagcolor.Coloring(
        np.arange(G.n, dtype=np.int32), G, "greedy", "natural",
        seconds=0.5, order_seconds=0.25, convert_seconds=0.125,
    )  # fmt: skip
    monkeypatch.setattr(lagcolor, "color", lambda *_, **__: done)
    answer = Library(G).run(CODES[0])
    assert (answer["order_ms"], answer["color_ms"], answer["convert_ms"]) == (250, 500, 125)
    assert answer["colors"] == G.n


PROBE = """
#include <cstdio>
int main() {
#ifdef __OPTIMIZE__
    std::puts("optimized");
#endif
#ifdef NDEBUG
    std::puts("without assertions");
#endif
}
"""


def test_peers_are_compiled_to_be_fast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        native.compiler()
    except RuntimeError as e:
        pytest.skip(str(e))
    (tmp_path / "probe.cpp").write_text(PROBE)
    monkeypatch.setattr(native, "HERE", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    binary = native.Native("probe", "probe.cpp", ("word",)).binary()
    printed = subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout.split("\n")
    assert printed[:2] == ["optimized", "without assertions"]


def test_a_host_hears_the_verifier() -> None:
    G = graph("grid")
    good = lagcolor.color(G).colors
    assert host.inspect(G, good)["fault"] is None
    assert "conflicting" in host.inspect(G, good * 0)["fault"]
    assert "uncolored" in host.inspect(G, good * 0 - 1)["fault"]
    assert "shape" in host.inspect(G, good[1:])["fault"]
