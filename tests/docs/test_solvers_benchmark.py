"""The benchmark of solvers: its problems, its lines and its tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as spla

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution
from benchmarks import solver_problems, solvers

SPECS = ("poisson:6", "elasticity:4", "convection:6", "tetrahedra:7")


@pytest.mark.parametrize("spec", SPECS)
def test_problems(spec: str) -> None:
    P = solver_problems.made(spec, "cpu")
    A = P.A.toarray()
    assert P.A.has_canonical_format and A.shape[0] % P.block_size == 0 and len(P.b) == len(A)
    assert P.definite == (abs(A - A.T).max() < 1e-12 * abs(A).max())
    assert np.linalg.eigvalsh((A + A.T) / 2).min() > 0
    if spec.startswith("poisson"):
        inner = A[(6 * 3 + 3) * 6 + 3]
        assert sorted(inner[inner != 0]) == [-1] * 6 + [6]


def test_an_unknown_problem() -> None:
    with pytest.raises(ValueError, match="no problem 'cube:3': NAME:WIDTH with a name of poisson, "):
        solver_problems.made("cube:3", "cpu")


@pytest.mark.parametrize("spec", ["poisson:6", "convection:6"])
def test_lines(spec: str) -> None:
    """Each solves the system, and says in how many iterations."""
    P = solver_problems.made(spec, "cpu")
    lines = list(solvers.of_problem(P, ["jacobi", "lagcolor", "spilu"], 2, 60.0))
    names = [line["code"] for line in lines]
    assert names[0] == "jacobi" and "lagcolor ssor" in names and "scipy spilu" in names
    for line in lines:
        f = line["figures"]
        assert f["residual"] < 2e-8 and f["iterations"] > 1 and len(f["ms_all"]) == 2
        assert ("colors" in f) == line["code"].startswith("lagcolor")
    by_name = {line["code"]: line["figures"]["iterations"] for line in lines}
    assert by_name["lagcolor ssor"] < by_name["jacobi"]
    text = solvers.markdown([meta(), *lines])
    heads = [word for line in text[4:] if line.startswith("| problem") for word in line.strip("| ").split(" | ")[1:]]
    rows = [line for line in text[4:] if line.startswith(f"| {P.name} |")]
    cells = dict(zip(heads, (cell for row in rows for cell in row.strip("| ").split(" | ")[1:]), strict=True))
    assert heads == [solvers.short(name) for name in names]
    assert cells["jacobi"].strip("*").endswith(f"({by_name['jacobi']})") and "".join(rows).count("**") == 2


def test_what_takes_too_long_has_no_time() -> None:
    P = solver_problems.made("poisson:6", "cpu")
    lines = list(solvers.of_problem(P, ["jacobi"], 2, 0.0))
    assert "ms" not in lines[0]["figures"] and lines[0]["figures"]["stopped_ms"] >= 0
    lines[0]["figures"] |= {"setup_ms": 1000.0, "stopped_ms": 234.4}  # the time it took depends on the machine
    assert any(line.endswith("| over 1,234 |") for line in solvers.markdown([meta(), *lines]))
    P.A = P.A * 0  # no solver can
    P.A.data[:] = np.arange(P.A.nnz) % 7 - 3.0
    x, count = solvers.solve(P, spla.aslinearoperator(np.eye(len(P.b))), most=20)
    assert x is None and count <= 21


def test_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "COPIED", 1 << 20)
    lines = list(solvers.sweeps(solver_problems.made("elasticity:3", "cpu")))
    names = {line["code"]: line["figures"] for line in lines}
    assert {"product", "lagcolor ssor", "lagcolor ssor, smoother"} <= set(names)
    assert all(f["share"] > 0 and abs(f["share"] * f["ms"] - f["floor_ms"]) < 1e-9 for f in names.values())
    assert "lagcolor ssor" in solvers.sweeps_markdown([meta(), *lines])[3]


def test_pyamg_as_a_preconditioner() -> None:
    pytest.importorskip("pyamg")
    P = solver_problems.made("elasticity:3", "cpu")
    for make in (
        lambda: solvers.gauss_seidel(P),
        lambda: solvers.multigrid(P, None),
        lambda: solvers.multigrid(P, "sor"),
    ):
        x, count = solvers.solve(P, make())
        np.testing.assert_allclose(x, spla.spsolve(P.A.tocsc(), P.b), rtol=1e-4, atol=1e-6 * abs(x).max())
        assert count < 60


def meta() -> dict[str, Any]:
    return {
        "kind": "meta", "hardware": {"gpu": None, "cpu": "a CPU"}, "date": "2026-11-23", "commit": "abc",
        "settings": {"runs": 2},
    }  # fmt: skip
