"""Colorings of columns, rows and graphs at distance 2 on an emulated GPU: sequential first-fit, color for color."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import emulated
import numpy as np
import pytest
from two_hop_cases import TWO_HOP, apart, case, cases, first_fit, of_dense, size

import lagcolor
from lagcolor.engines.two_hop import cuda
from lagcolor.hops import Hops
from lagcolor.orders import Priorities
from lagcolor.problems import PROBLEMS
from lagcolor.registry import TABLES

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
ON_GPU = [(problem, name) for problem in TWO_HOP for name, row in TABLES[problem].items() if "cuda" in row.engines]
SMALL = 20_000  # pairs of vertices of a net that an emulated device looks at in a moment


@pytest.fixture(scope="module")
def gpu() -> Iterator[emulated.Emulated]:
    with emulated.emulated_gpu() as e:
        yield e


def check(problem: str, algorithm: str, P: Any, order: Any = None, seed: int | None = None) -> None:
    row = TABLES[problem][algorithm]
    result = lagcolor.color(P, algorithm, order, seed, problem=problem, device="cuda")
    assert result.device == "cuda:0" and result.verified
    colors = result.to_numpy()
    assert colors.dtype == np.int32 and len(colors) == size(problem, P)
    lagcolor.verify(P, colors, problem=problem)
    if row.oracle == "first_fit":
        p = Priorities.of(PROBLEMS[problem].structure(P), result.order, result.seed)
        assert colors.tolist() == first_fit(apart(problem, P), p.sequence.tolist())


def small(problem: str) -> list[str]:
    """Cases whose nets have few pairs."""
    found = []
    for name in cases(problem):
        H = PROBLEMS[problem].structure(case(problem, name))
        if int((H.members.degrees.astype(np.int64) ** 2).sum()) <= SMALL:
            found.append(name)
    return found


@pytest.mark.parametrize(("problem", "algorithm"), ON_GPU)
def test_rows(gpu: emulated.Emulated, problem: str, algorithm: str) -> None:
    names = small(problem)
    assert len(names) >= 12
    for name in names:
        launched = gpu.gpu.launched
        check(problem, algorithm, case(problem, name))
        check(problem, algorithm, case(problem, name), "random", 3)
        assert gpu.gpu.launched > launched or size(problem, case(problem, name)) == 0


@pytest.mark.parametrize(("problem", "algorithm"), ON_GPU)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_schedules(gpu: emulated.Emulated, problem: str, algorithm: str, seed: int) -> None:
    """Several blocks, whose threads take turns at random."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu.gpu, "seed", seed)
        patch.setattr(gpu.gpu, "processors", 3)
        for name in ("odd cycle", "clique 5") if PROBLEMS[problem].symmetric else ("empty rows and columns", "one row"):
            check(problem, algorithm, case(problem, name))
        check(problem, algorithm, lagcolor.generate.from_spec("grid2d:6"), "random", seed)


@pytest.mark.parametrize("group", cuda.GROUPS)
@pytest.mark.parametrize("bits", [32, 64])
def test_lanes_per_net(gpu: emulated.Emulated, group: int, bits: int) -> None:
    P = case("columns", "arrow")
    P = lagcolor.Pattern(P.indptr.astype(f"i{bits // 8}"), P.indices, P.columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "_group", lambda H: group)
        check("columns", "first_fit", P)


def test_more_colors_than_a_palette_holds(gpu: emulated.Emulated) -> None:
    n = 1100
    H = Hops.columns(of_dense(np.ones((1, n)))).on("cuda")
    assert cuda.first_fit_in_nets(H).get().tolist() == list(range(n))


def test_verifier_on_the_device(gpu: emulated.Emulated) -> None:
    P = case("columns", "wide").on("cuda")
    colors = lagcolor.color(P, problem="columns").colors
    assert lagcolor.verify(P, colors, problem="columns").ok
    colors[:] = 0
    assert not lagcolor.verify(P, colors, problem="columns", errors="return").ok
    for problem in TWO_HOP:
        G = case(problem, "grid")
        row = PROBLEMS[problem]
        assert (row.lower_bound(G.on("cuda")), row.upper_bound(G.on("cuda"))) == (
            row.lower_bound(G),
            row.upper_bound(G),
        )
