"""Colorings of columns, rows and graphs at distance 2 on a GPU, and their orders, equal sequential first-fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import emulated
import numpy as np
import pytest
from emulated import EMULATED
from two_hop_cases import TWO_HOP, case, cases, first_fit, of_dense, random_pattern, size

import lagcolor
from lagcolor.base.device import to_device
from lagcolor.engines.two_hop import cuda
from lagcolor.graph.nets import Nets
from lagcolor.orders import Priorities, two_hop
from lagcolor.orders import two_hop_linear as linear
from lagcolor.orders.two_hop import degrees
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

pytestmark = pytest.mark.inner  # arrays of its own are on the current device
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
ON_GPU = [(problem, name) for problem in TWO_HOP for name, row in TABLES[problem].items() if "cuda" in row.engines]
SMALL = 20_000  # pairs of vertices of a net that an emulated device looks at in a moment


@pytest.fixture
def gpu() -> Iterator[emulated.Emulated]:
    if not emulated.available():
        pytest.skip("no C++ compiler")
    with emulated.emulated_gpu() as e:
        yield e


def check(problem: str, algorithm: str, P: Any, order: Any = None, seed: int | None = None) -> None:
    row = TABLES[problem][algorithm]
    result = lagcolor.color(P, algorithm, order, seed=seed, problem=problem, device="cuda")
    assert result.device == "cuda:0" and result.verified
    colors = result.to_numpy()
    assert colors.dtype == np.int32 and len(colors) == size(problem, P)
    lagcolor.verify(P, colors, problem=problem)
    if row.oracle == "first_fit":
        p = Priorities.of(PROBLEMS[problem].structure(P), result.order, seed=result.seed)
        assert colors.tolist() == first_fit(problem, P, p.sequence.tolist())


def structure(problem: str, name: str) -> Nets:
    return PROBLEMS[problem].structure(case(problem, name))


def small(problem: str) -> list[str]:
    """Cases whose nets have few pairs."""
    nets = {name: structure(problem, name).members.degrees.astype(np.int64) for name in cases(problem)}
    return [name for name, of_nets in nets.items() if (of_nets**2).sum() <= SMALL]


def structures(problem: str) -> list[Nets]:
    return [structure(problem, name) for name in small(problem)]


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
def test_a_schedule(gpu: emulated.Emulated, problem: str, algorithm: str) -> None:
    """Several blocks, whose threads take turns at random."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu.gpu, "seed", 1)
        patch.setattr(gpu.gpu, "processors", 3)
        for name in ("odd cycle", "clique 5") if PROBLEMS[problem].symmetric else ("no entries", "dense row"):
            check(problem, algorithm, case(problem, name))
        check(problem, algorithm, lagcolor.generate.from_spec("grid2d:6"), "random", 1)


def both_ways(monkeypatch: pytest.MonkeyPatch, bits: bool, **constants: int) -> None:
    """Colors of nets as bits, or a look at all of their vertices."""
    for name, value in constants.items():
        monkeypatch.setattr(cuda, name, value)
    if not bits:
        monkeypatch.setattr(cuda, "fits", lambda nets: False)


@pytest.mark.parametrize(("problem", "algorithm"), [pair for pair in ON_GPU if pair[1] == "first_fit"])
def test_two_hops_per_vertex(
    gpu: emulated.Emulated, problem: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_ways(monkeypatch, bits=False)
    for name in small(problem):
        check(problem, algorithm, case(problem, name))
        check(problem, algorithm, case(problem, name), "random", 3)


@pytest.mark.parametrize(("group", "bits"), [(4, 32), (8, 64), (32, 32)])
def test_lanes_per_net(gpu: emulated.Emulated, group: int, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    P = case("columns", "arrow")
    P = lagcolor.Pattern(P.indptr.astype(f"i{bits // 8}"), P.indices, P.columns)
    both_ways(monkeypatch, bits=False)
    monkeypatch.setattr(cuda, "_group", lambda nets: group)
    check("columns", "first_fit", P)


@pytest.mark.parametrize(
    ("lanes", "bits", "one_word"), [(1, 32, 40), (8, 64, 40), (32, 32, 40), (128, 32, 40), (1, 64, 0), (128, 32, 0)]
)
def test_bits_of_nets(
    gpu: emulated.Emulated, lanes: int, bits: int, one_word: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word per net, and several with a counter."""
    both_ways(monkeypatch, bits=True, ONE_WORD=one_word)
    monkeypatch.setattr(cuda, "LANES", (lanes,) * 3)
    monkeypatch.setattr(cuda, "WIDE_LANES", lanes)
    for name in ("arrow", "wide", "empty rows and columns"):
        P = case("columns", name)
        P = lagcolor.Pattern(P.indptr.astype(f"i{bits // 8}"), P.indices, P.columns)
        nets = Nets.columns(P).on("cuda")
        assert cuda.fits(nets)
        expected = first_fit("columns", P, range(P.columns))
        assert cuda.first_fit_by_bits(nets).get().tolist() == expected
    check("distance2", "first_fit", case("distance2", "grid"), "random", 5)


@pytest.mark.parametrize("bits", [True, False])
def test_more_colors_than_words(gpu: emulated.Emulated, bits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a palette's 1024, and more than the words of bits that are tried first."""
    n = 1100 if not bits else 150
    both_ways(monkeypatch, bits)
    monkeypatch.setattr(cuda, "_words", lambda nets: 1)
    nets = Nets.columns(of_dense(np.ones((1, n)))).on("cuda")
    assert cuda.first_fit_in_nets(nets).get().tolist() == list(range(n))


def test_bits_that_take_too_much(gpu: emulated.Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets that are too large, and colors that need more words than there is memory for, are colored the other way."""
    nets = Nets.columns(of_dense(np.ones((1, 150)))).on("cuda")
    both_ways(monkeypatch, bits=True, LARGEST=100)
    assert not cuda.fits(nets)
    both_ways(monkeypatch, bits=True, LARGEST=2048, BYTES=-8)
    monkeypatch.setattr(cuda, "_words", lambda nets: 1)
    assert cuda.first_fit_by_bits(nets) is None
    assert cuda.first_fit_in_nets(nets).get().tolist() == list(range(150))


# ---- orders -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("kind", ON)
def test_largest_first(kind: str, problem: str) -> None:
    for nets in structures(problem):
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
    for nets in structures(problem):
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


def check_degrees(nets: Nets) -> None:
    assert degrees(nets.on("cuda")).get().tolist() == degrees(nets).tolist()


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.emulated(macros={"WORDS": 2, "MOST": 40})
def test_more_than_a_table_holds(closed: bool) -> None:
    """Bits for 64 vertices at a time, and a table for 40 entries."""
    for seed in range(3):
        P = random_pattern(150, 150, 900, seed)
        G = lagcolor.Graph.of(P, symmetrize=True)
        check_degrees(Nets.neighborhoods(G) if closed else Nets.columns(P))
    check_degrees(Nets.rows(of_dense(np.ones((130, 2)))))


@pytest.mark.parametrize(
    ("slots", "group", "bits"),
    [(n, two_hop.GROUPS[i % len(two_hop.GROUPS)], 32 + i % 2 * 32) for i, n in enumerate(two_hop.SLOTS)],
)
@pytest.mark.emulated
def test_variants_of_degrees(slots: int, group: int, bits: int) -> None:
    P = case("columns", "wide")
    P = lagcolor.Pattern(P.indptr.astype(f"i{bits // 8}"), P.indices, P.columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_hop, "GROUPS", (group,))
        patch.setattr(two_hop, "SLOTS", (slots, slots))
        check_degrees(Nets.columns(P))


@pytest.mark.emulated(seed=3, processors=3, macros={"MOST": 12})
def test_degrees_in_a_schedule() -> None:
    """Several blocks, whose threads take turns at random."""
    check_degrees(Nets.columns(random_pattern(12, 15, 40, 1)))


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["rmat:12", "grid2d:200", "road:100"])
def test_degrees_of_larger_graphs(spec: str) -> None:
    check_degrees(Nets.neighborhoods(lagcolor.generate.from_spec(spec)))
