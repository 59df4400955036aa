"""Largest first at distance 2 on a GPU: the order of a CPU, which tests hold against plain Python."""

from __future__ import annotations

import corpus
import numpy as np
import pytest
from emulated import EMULATED
from two_hop_cases import TWO_HOP, case, cases, of_dense, random_pattern

import lagcolor
from lagcolor.base.device import to_device
from lagcolor.graph.nets import Nets
from lagcolor.orders import TWO_HOPS, Priorities
from lagcolor.orders import two_hop_cuda as cuda
from lagcolor.orders import two_hop_linear as linear
from lagcolor.orders.two_hop import degrees
from lagcolor.problems import PROBLEMS

pytestmark = pytest.mark.inner  # arrays of its own are on the current device
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
SMALL = 20_000  # pairs of vertices of a net that an emulated device looks at in a moment


def small(problem: str) -> list[Nets]:
    found = [PROBLEMS[problem].structure(case(problem, name)) for name in cases(problem)]
    return [nets for nets in found if int((nets.members.degrees.astype(np.int64) ** 2).sum()) <= SMALL]


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("kind", ON)
def test_cases(kind: str, problem: str) -> None:
    structures = small(problem)
    assert len(structures) >= 12
    for nets in structures:
        there = nets.on("cuda")
        assert degrees(there).get().tolist() == degrees(nets).tolist()
        for seed in (None, 5):
            expected = Priorities.of(nets, "largest_first", seed=seed).sequence
            assert Priorities.of(there, "largest_first", seed=seed).sequence.get().tolist() == expected.tolist()


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("kind", ON)
def test_orders_of_one_pass(kind: str, problem: str) -> None:
    """Residues of ids, and sums of the sizes of nets, also where these are divided."""
    found = 0
    for nets in small(problem):
        there = nets.on("cuda")
        for spread in (False, True):
            expected = linear.by_net_sizes(nets, spread)
            assert to_device(linear.by_net_sizes(there, spread), "cpu").tolist() == expected.tolist()
        expected, order = linear.cyclic(nets), linear.cyclic(there)
        found += expected is not None
        assert (None if order is None else order.get().tolist()) == (None if expected is None else expected.tolist())
    assert found


@pytest.mark.emulated
def test_divided_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "KEYS", 3)
    nets = Nets.columns(random_pattern(40, 60, 400, 1))
    assert linear.by_net_sizes(nets.on("cuda"), True).get().tolist() == linear.by_net_sizes(nets, True).tolist()


def check(nets: Nets) -> None:
    assert degrees(nets.on("cuda")).get().tolist() == degrees(nets).tolist()


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.emulated(macros={"WORDS": 2, "MOST": 40})
def test_more_than_a_table_holds(closed: bool) -> None:
    """Bits for 64 vertices at a time, and a table for 40 entries."""
    for seed in range(3):
        P = random_pattern(150, 150, 900, seed)
        G = lagcolor.Graph.of(P, symmetrize=True)
        check(Nets.neighborhoods(G) if closed else Nets.columns(P))
    check(Nets.rows(of_dense(np.ones((130, 2)))))


@pytest.mark.parametrize("group", cuda.GROUPS)
@pytest.mark.parametrize("slots", cuda.SLOTS)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.emulated
def test_variants(group: int, slots: int, bits: int) -> None:
    P = case("columns", "wide")
    P = lagcolor.Pattern(P.indptr.astype(f"i{bits // 8}"), P.indices, P.columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "GROUPS", (group,))
        patch.setattr(cuda, "SLOTS", (slots, slots))
        check(Nets.columns(P))


@pytest.mark.emulated(seed=3, processors=3, macros={"MOST": 12})
def test_schedules() -> None:
    """Several blocks, whose threads take turns at random."""
    check(Nets.columns(random_pattern(12, 15, 40, 1)))


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["rmat:12", "grid2d:200", "road:100"])
def test_larger_graphs(spec: str) -> None:
    check(Nets.neighborhoods(lagcolor.generate.from_spec(spec)))


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("order", [name for name, row in TWO_HOPS.items() if "cuda" not in row.engines])
def test_orders_of_a_cpu(kind: str, order: str) -> None:
    """These go through the CPU, and the result says so."""
    for problem in TWO_HOP:
        P = case(problem, "grid") if problem != "distance2" else case(problem, "random sparse")
        result = lagcolor.color(P.on("cuda"), order=order, problem=problem)
        assert result.device == corpus.gpu() and "computed on the CPU" in result.notes["order"]
        assert result.to_numpy().tolist() == lagcolor.color(P, order=order, problem=problem).colors.tolist()
