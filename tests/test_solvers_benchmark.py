"""The benchmark of solvers: its problems, its lines and its tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import emulated
import numpy as np
import pytest
import scipy.sparse.linalg as spla

from lagcolor import device as dev

sys.path.insert(0, str(Path(__file__).parents[1]))  # benchmarks/ is not part of the distribution
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


def test_elasticity_lets_a_rigid_body_move() -> None:
    """Away from where it is held, no forces come from moving or turning."""
    width = 5
    P = solver_problems.made(f"elasticity:{width}", "cpu")
    node = np.arange(P.A.shape[0] // 3)
    x, y, z = (q.astype(float) for q in (node % 6, node // 6 % 6, node // 36 + 1))
    free = np.repeat(z > 1, 3)
    for u in (np.stack([y, -x, 0 * x], 1), np.stack([0 * x, z, -y], 1), np.ones((len(node), 3))):
        force = P.A @ u.ravel()
        assert abs(force[free]).max() < 1e-12 and abs(force[~free]).max() > 0.1


def test_tetrahedra_reproduce_linear_functions() -> None:
    """−Δ of a linear function is 0 at vertices all of whose neighbors are inside."""
    rng = np.random.default_rng(7)
    points = np.stack(np.meshgrid(*(np.arange(9.0),) * 3, indexing="ij"), -1).reshape(-1, 3)
    points += rng.uniform(-0.4, 0.4, points.shape)
    import scipy.spatial

    inner = np.setdiff1d(np.arange(len(points)), scipy.spatial.Delaunay(points).convex_hull)
    A = solver_problems.made("tetrahedra:9", "cpu").A
    assert A.shape[0] == len(inner)
    far = abs(points[inner] - 4).max(axis=1) < 1.5
    found = abs(A @ points[inner])
    assert far.any() and np.median(found[far]) < 1e-10 and found[~far].max() > 0.1


@emulated.EMULATED
@pytest.mark.parametrize("kind", [pytest.param("emulated", marks=emulated.EMULATED)])
@pytest.mark.parametrize("spec", SPECS)
def test_problems_on_a_device(kind: str, spec: str) -> None:
    """The same arrays as on a CPU."""
    there, here = solver_problems.made(spec, "cuda"), solver_problems.made(spec, "cpu")
    for name in ("data", "indices", "indptr"):
        x = getattr(there.A, name)
        assert dev.is_cupy(x)
        np.testing.assert_allclose(x.get(), getattr(here.A, name), rtol=1e-15)
    np.testing.assert_array_equal(there.b.get(), here.b)


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
    head, _, row, *rest = solvers.markdown([meta(), *lines])
    cells = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert list(cells)[4:] == [*names[:-1], f"{names[-1]} |"] and len(rest) == 2
    assert cells["jacobi"].strip("*").endswith(f"({by_name['jacobi']})") and row.count("**") == 2


def test_parts_of_a_setup() -> None:
    """Coloring, structure and values, which are all of it; a file without them has the whole alone."""
    whole = {"setup_ms": 140.2, "colors": 2}
    assert solvers.setup(whole) == solvers.setup(whole | {"coloring_ms": 3.46}) == "140"
    assert solvers.setup(whole | {"coloring_ms": 3.46, "numeric_ms": 25.9}) == "140 (3.5, 111, 26)"
    assert solvers.setup({"setup_ms": 0.4, "coloring_ms": 0.3, "numeric_ms": 0.2}) == "0.4 (0.3, 0, 0.2)"
    line = solvers.of_code(P := solver_problems.made("poisson:6", "cpu"), solvers.codes(P)["lagcolor ilu0"], 1, 60.0)
    assert {"setup_ms", "coloring_ms", "numeric_ms"} <= line.keys()


def test_what_takes_too_long_has_no_time() -> None:
    P = solver_problems.made("poisson:6", "cpu")
    lines = list(solvers.of_problem(P, ["jacobi"], 2, 0.0))
    assert "ms" not in lines[0]["figures"] and lines[0]["figures"]["stopped_ms"] >= 0
    lines[0]["figures"] |= {"setup_ms": 1000.0, "stopped_ms": 234.4}  # the time it took depends on the machine
    assert solvers.markdown([meta(), *lines])[2].endswith("| over 1,234 |")
    P.A = P.A * 0  # no solver can
    P.A.data[:] = np.arange(P.A.nnz) % 7 - 3.0
    x, count = solvers.solve(P, spla.aslinearoperator(np.eye(len(P.b))), most=20)
    assert x is None and count <= 21


def test_iterations() -> None:
    """Natural order needs fewest; two colors as many as half of Jacobi's."""
    P = solver_problems.made("poisson:8", "cpu")
    lines = list(solvers.iterations(P))
    found = {line["code"]: line["figures"] for line in lines}
    assert found["ssor, natural order"]["colors"] == P.A.shape[0] and found["ssor, 8 colors"]["colors"] == 8
    assert found["ssor, natural order"]["iterations"] < found["ssor, 2 colors"]["iterations"]
    jacobi = solvers.solve(P, solvers.jacobi(P))[1]
    assert abs(found["ssor, 2 colors"]["iterations"] - jacobi / 2) <= 1
    table = solvers.iterations_markdown([meta(), *lines])
    assert "| 2 colors | 2 |" in table[3]


def test_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "COPIED", 1 << 20)
    lines = list(solvers.sweeps(solver_problems.made("elasticity:3", "cpu")))
    names = {line["code"]: line["figures"] for line in lines}
    assert {"product", "lagcolor ssor", "lagcolor ssor, smoother"} <= set(names)
    assert all(f["share"] > 0 and abs(f["share"] * f["ms"] - f["floor_ms"]) < 1e-9 for f in names.values())
    assert "lagcolor ssor" in solvers.sweeps_markdown([meta(), *lines])[3]


def test_floor_of_a_small_matrix() -> None:
    P = solver_problems.made("poisson:2", "cpu")  # 8 rows of 4 entries
    assert solvers.floor_bytes(P) == 32 * 12 + 9 * 4 + 8 * 16


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
