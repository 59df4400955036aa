"""The script and the picture of docs/how_to/solvers.md: residuals per iteration."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import update_pictures

from benchmarks import solver_convergence as script
from benchmarks.harness.plots.convergence import convergence
from benchmarks.harness.results import read_lines
from benchmarks.solver_problems import made
from benchmarks.solvers import solve
from lagcolor import solvers

pytest.importorskip("pyamg")


def test_lines_and_their_picture(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    assert script.main(["poisson:8", "--out", str(out)]) == 0
    records = read_lines(out)
    lines = {line["code"]: line["figures"] for line in records if line["kind"] == "measurement"}
    assert set(lines) == set(script.preconditioners(made("poisson:8", "cpu")))
    for figures in lines.values():
        assert figures["residuals"][0] == 1 and figures["residuals"][-1] <= 1.001e-8 < figures["residuals"][-2]
    assert lines["Jacobi"]["work"] == 1 and lines["multicolor SSOR"]["work"] == 2
    assert lines["AMG (PyAMG)"]["work"] > 1 + script.PER_LEVEL
    P = made("poisson:8", "cpu")
    M = solvers.multicolor_sor(P.A)
    assert len(lines["multicolor SSOR"]["residuals"]) - 1 == solve(P, M)[1]
    pytest.importorskip("matplotlib")
    (ax,) = convergence(records).axes
    drawn = {line.get_label().partition(":")[0]: line for line in ax.get_lines()}
    for code, figures in lines.items():
        x, y = drawn[code].get_data()
        np.testing.assert_array_equal(y, figures["residuals"])
        assert x[0] == 0 and all(b - a == pytest.approx(figures["work"]) for a, b in itertools.pairwise(x))


def test_the_picture_is_current() -> None:
    now = update_pictures.digests_of_histories()
    assert now and all(len(digest) == 64 for digest in now.values())
    assert {file: update_pictures.drawn(file) for file in now} == now, "make pictures"
