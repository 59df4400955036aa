"""Certificates of lower bounds: all results have valid ones, and the check refuses broken ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph

import lagcolor
from lagcolor.problems.certificates import CLIQUE, EXHAUSTIVE, ODD_CYCLE, Certificate, check


def of(kind: str | None, k: int, vertices: Any) -> Certificate:
    return Certificate(kind, k, np.asarray(vertices, np.int64))


@pytest.mark.parametrize(
    "options", [{"quality": "fast"}, {}, {"quality": "best", "time_limit": 0.05}, {"algorithm": "exact"}]
)
def test_certificates_of_the_corpus_hold(options: dict[str, Any]) -> None:
    for name in CORPUS:
        G = graph(name)
        result = lagcolor.color(G, **options)
        certificate = result.certificate
        assert certificate.k == result.lower_bound
        assert certificate.kind is not None or result.lower_bound == 0
        assert check(G, certificate, effort=500) is True or certificate.kind == EXHAUSTIVE
        assert result.certificate is certificate


@pytest.mark.parametrize("problem", ["distance2", "columns", "rows"])
def test_certificates_at_two_hops_hold(problem: str) -> None:
    for name in CORPUS:
        if "1100" not in name:
            result = lagcolor.color(graph(name), problem=problem, quality="fast")
            assert result.certificate.k == result.lower_bound
            assert check(graph(name), result.certificate, problem=problem) is True
    assert lagcolor.color(graph("grid"), problem="star").certificate.kind is None


def test_of_entries_one_way() -> None:
    """A coloring with symmetrize=True has a certificate of A ∪ Aᵀ."""
    A = sp.csr_array(np.triu(np.ones((4, 4)), 1))
    certificate = lagcolor.color(A, symmetrize=True).certificate
    assert certificate.k == 4 and check(A, certificate, symmetrize=True) is True
    with pytest.raises(lagcolor.GraphError, match="not symmetric"):
        check(A, certificate)
    assert check(A, lagcolor.color(A, problem="rows").certificate, problem="rows") is True


@pytest.mark.parametrize("options", [{}, {"quality": "best", "time_limit": 2.0}, {"algorithm": "exact"}])
@pytest.mark.parametrize(
    ("x", "problem", "k"),
    [
        (nx.cycle_graph(5), "distance2", 5),  # the widest net has three vertices
        (nx.incidence_matrix(nx.mycielski_graph(3)).T, "columns", 3),  # the columns are the vertices of an odd cycle
        (nx.incidence_matrix(nx.complete_graph(6)), "rows", 6),
    ],
)
def test_bounds_over_the_widest_net_at_two_hops(x: Any, problem: str, k: int, options: dict[str, Any]) -> None:
    result = lagcolor.color(x, problem=problem, **options)
    assert result.n_colors == k and result.certificate.k == result.lower_bound
    assert result.certificate.kind is not None and check(x, result.certificate, problem=problem) is True
    assert result.optimal or not options


def test_an_exhaustive_search_is_repeated() -> None:
    G = nx.mycielski_graph(5)  # five colors, and no triangle
    for options in ({"algorithm": "exact"}, {"quality": "best"}):
        result = lagcolor.color(G, **options)
        assert result.optimal and result.certificate.kind == EXHAUSTIVE and result.certificate.k == 5
        assert check(G, result.certificate) is True
        assert check(G, result.certificate, effort=20) is None
        assert lagcolor.reduce(G, result).certificate is result.certificate
    odd, cycle = of(EXHAUSTIVE, 3, range(5)), lagcolor.generate.cycle(5)  # four vertices in turn, then none
    assert [check(cycle, odd, effort=effort) for effort in (0, 3, 4)] == [None, None, True]
    fewer = of(EXHAUSTIVE, 5, result.certificate.vertices[:-1])
    with pytest.raises(lagcolor.ColoringError, match="have a coloring with 4 colors"):
        check(G, fewer)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (of(CLIQUE, 3, [0, 1]), "a clique of 2 vertices does not prove 3"),
        (of(CLIQUE, 3, [0, 1, 2]), "vertices 2 and 0 are not in conflict"),
        (of(CLIQUE, 2, [0, 0]), "a vertex twice"),
        (of(CLIQUE, 2, [0, 9]), "from 0 to 4"),
        (of(CLIQUE, 2, [-1, 0]), "from 0 to 4"),
        (Certificate(CLIQUE, 2, np.array([0.0, 1.0])), "are numbers, not float64"),
        (of(ODD_CYCLE, 4, [0, 1, 2, 3, 4]), "does not prove 4"),
        (of(ODD_CYCLE, 3, [0, 1, 2, 3]), "does not prove 3"),
        (of(ODD_CYCLE, 3, [0]), "does not prove 3"),
        (of(ODD_CYCLE, 3, [0, 1, 2]), "no odd cycle: vertices 2 and 0"),
        (of(ODD_CYCLE, 3, [0, 2, 1, 3, 4]), "no odd cycle"),
        (of(EXHAUSTIVE, 4, [0, 1, 2, 3, 4]), "a coloring with 3 colors"),
        (of(EXHAUSTIVE, 1, []), "a coloring with 0 colors"),
        (of("guess", 1, [0]), "not 'guess'"),
    ],
)
def test_broken_ones_are_refused(broken: Certificate, message: str) -> None:
    with pytest.raises(lagcolor.ColoringError, match=message):
        check(lagcolor.generate.cycle(5), broken)


def test_none_proves_nothing_but_no_colors() -> None:
    assert check(lagcolor.generate.cycle(5), of(None, 0, [])) is True
    assert check(lagcolor.generate.cycle(5), of(None, 2, [])) is None
    with pytest.raises(lagcolor.OptionError, match="effort"):
        check(lagcolor.generate.cycle(5), of(None, 0, []), effort=-1)


def test_kinds_are_written_and_printed(tmp_path: Path) -> None:
    result = lagcolor.color(lagcolor.generate.cycle(5))
    result.save(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["certificate"] == ODD_CYCLE
    assert repr(result.certificate) == "<Certificate: at least 3 colors, odd cycle of 5 vertices>"
    assert repr(of(None, 2, [])) == "<Certificate: at least 2 colors, of no kind>"


def test_bounds_under_rules_have_no_certificate() -> None:
    """Bounds under rules other than `max_colors` do not hold for the graph alone."""
    G = lagcolor.generate.clique(4)
    for rules in ({"capacity": 1}, {"forbidden": {0: [0]}}):
        result = lagcolor.color(G, quality="balanced", **rules)
        assert result.certificate.kind is None and result.certificate.k == result.lower_bound
    assert lagcolor.color(G, max_colors=4, quality="balanced").certificate.kind == "clique"
