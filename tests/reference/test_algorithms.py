"""Every registered algorithm, beyond tests/contract: orders, priorities, threads, offsets, hubs, traces and options."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import first_fit, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.orders import Priorities

ROWS = [
    pytest.param(a, kind, id=f"{a}-{kind}", marks=[pytest.mark.gpu] if kind == "cuda" else [])
    for a in lagcolor.ALGORITHMS
    for kind in lagcolor.ALGORITHMS[a].engines
]


def orders(kind: str) -> list[str]:
    return [name for name, row in lagcolor.ORDERS.items() if kind in row.engines]


def fitting(algorithm: str, names: list[str]) -> list[str]:
    """Return the orders that the algorithm reads, or the order that it reports."""
    row = lagcolor.ALGORITHMS[algorithm]
    return names if row.reads_order else [row.order]


def run(
    algorithm: str, kind: str, G: lagcolor.Graph, order: object, seed: int | None, **options: object
) -> lagcolor.Coloring:
    """One run, checked by the verifier and against its bound."""
    row = lagcolor.ALGORITHMS[algorithm]
    seed = seed if row.reads_order else None
    result = lagcolor.color(G.on(kind), algorithm, order=order, seed=seed, verify=False, **options)
    assert result.device.startswith(kind)
    assert result.colors.dtype == np.int32
    lagcolor.verify(G, result.to_numpy())
    if row.bound.startswith("Δ+1"):
        assert result.n_colors <= G.max_degree + 1
    return result


def matches_oracle(algorithm: str, kind: str, G: lagcolor.Graph, order: object, seed: int | None) -> None:
    result = run(algorithm, kind, G, order, seed)
    if lagcolor.ALGORITHMS[algorithm].oracle == "first_fit":
        assert result.to_numpy().tolist() == first_fit(G, Priorities.of(G, order, seed=seed).sequence.tolist())


@pytest.mark.parametrize(("algorithm", "kind"), ROWS)
@given(
    n=st.integers(0, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), order=st.sampled_from(orders("cpu"))
)
def test_random_graphs(algorithm: str, kind: str, n: int, density: float, seed: int, order: str) -> None:
    if kind not in lagcolor.ORDERS[order].engines:
        order = "random"
    (order,) = fitting(algorithm, [order])
    matches_oracle(algorithm, kind, random_graph(n, int(density * n * n / 3), seed), order, seed)


@pytest.mark.parametrize(("algorithm", "kind"), ROWS)
def test_own_priorities(algorithm: str, kind: str) -> None:
    G = graph("random sparse")
    keys = np.random.default_rng(5).integers(0, 9, G.n)  # many ties
    if not lagcolor.ALGORITHMS[algorithm].reads_order:
        with pytest.raises(lagcolor.OptionError, match=f"{algorithm} reads no order: leave it out"):
            lagcolor.color(G.on(kind), algorithm, order=keys)
        with pytest.raises(lagcolor.OptionError, match=f"{algorithm} reads no seed: leave it out"):
            lagcolor.color(G.on(kind), algorithm, seed=1)
        return
    matches_oracle(algorithm, kind, G, keys, None)
    matches_oracle(algorithm, kind, G, keys.astype(float), 3)


THREADED = [name for name, row in lagcolor.ALGORITHMS.items() if row.threaded]


def threads_match_oracle(algorithm: str, G: lagcolor.Graph, threads: int) -> None:
    """Threads are forced: by default, one thread colors graphs this small."""
    for order in fitting(algorithm, ["natural", "largest_first", "random"]):
        result = run(algorithm, "cpu", G, order, 3, threads=threads)
        if lagcolor.ALGORITHMS[algorithm].oracle == "first_fit":
            expected = lagcolor.color(G, "greedy", order=order, seed=3)
            assert np.array_equal(result.colors, expected.colors)


@pytest.mark.parametrize("algorithm", THREADED)
def test_threads(algorithm: str) -> None:
    for name in ("empty", "path", "clique 70", "crown", "grid", "rmat", "random dense"):
        threads_match_oracle(algorithm, graph(name), 5)


@pytest.mark.parametrize("algorithm", THREADED)
def test_threads_on_many_vertices(algorithm: str) -> None:
    """Several chunks are in flight, and a clique in the middle needs over 62 colors."""
    n = 20_000
    G, K = random_graph(n, n * 20, 11), graph("clique 70")
    u = np.concatenate(
        [np.repeat(np.arange(n), np.diff(G.indptr)), n // 2 + np.repeat(np.arange(K.n), np.diff(K.indptr))]
    )
    G = lagcolor.Graph.of((u, np.concatenate([G.indices, n // 2 + K.indices])), n=n)
    threads_match_oracle(algorithm, G, 4)


@pytest.mark.parametrize("kind", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_offsets_of_64_bits(kind: str) -> None:
    G = graph("rmat")
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices).on(kind)
    for a, row in lagcolor.ALGORITHMS.items():
        if kind in row.engines and row.deterministic:
            assert np.array_equal(lagcolor.color(wide, a).to_numpy(), lagcolor.color(G.on(kind), a).to_numpy()), a


@pytest.mark.gpu
def test_hub_with_many_neighbors() -> None:
    """An R-MAT graph with a hub of over 65,535 neighbors."""
    G = lagcolor.generate.from_spec("kron_g500:18,edge_factor=96,seed=1")
    if G.max_degree <= 65_535:  # make sure of it: join one vertex to every other
        n = G.n
        rows = np.repeat(np.arange(n), np.diff(G.indptr))
        G = lagcolor.Graph.of((np.append(rows, np.zeros(n - 1, int)), np.append(G.indices, np.arange(1, n))), n=n)
    assert G.max_degree > 65_535
    for a in lagcolor.ALGORITHMS:
        row = lagcolor.ALGORITHMS[a]
        if a == "memetic":
            with pytest.raises(lagcolor.OptionError, match="take quality='best', which has searches for such graphs"):
                lagcolor.color(G.on("cuda"), a)
        elif "cuda" in row.engines and not a.startswith(("elementwise_", "che_")):  # those: a thread per hub, minutes
            result = lagcolor.color(G.on("cuda"), a, verify=True)
            if row.oracle == "first_fit":
                order, seed = row.order, row.seed
                expected = lagcolor.color(G, "greedy", order=order, seed=seed)
                assert np.array_equal(result.to_numpy(), expected.colors)


@pytest.mark.parametrize(("algorithm", "kind"), ROWS)
def test_trace(algorithm: str, kind: str) -> None:
    G = graph("rmat")
    result = lagcolor.color(G.on(kind), algorithm, trace=True)
    assert len(result.trace) == result.rounds >= 1
    assert result.trace[0]["active"] == G.n
    assert sum(row["colored"] for row in result.trace) == G.n


SWITCH = "switch must be 'none_colored', a number of rounds from 0 on"


@pytest.mark.parametrize(("algorithm", "option", "values", "message"), [
    ("che_hybrid", "switch", ["below:", "below:-1", "none", -1, 1.5, True, None], SWITCH),
    ("che_work_stealing", "queues", [0], "queues must be a whole number from 1 on, or None, not 0"),
    ("che_work_stealing", "chunk", [0], "chunk must be a whole number from 1 on, not 0"),
    ("che_work_stealing", "steal", [1], "steal must be True or False, not 1"),
    ("cohen_castonguay", "hashes", [17], "hashes must be a whole number from 1 to 16, not 17"),
    ("cohen_castonguay", "fraction", [1.5, float("nan")], "fraction must be a number from 0 to 1, not "),
    ("feluca", "alpha", [-1], "alpha must be a number from 0"),
    ("feluca", "fraction", [1.5], "fraction must be a number from 0 to 1, or None, not 1.5"),
    ("feluca", "length", [65], "length must be a whole number from 2 to 64, not 65"),
    ("feluca", "initial", [0], "initial must be a whole number of colors from 1 on"),
    ("feluca", "spread", ["fast"], "spread must be one of pipeline, at_once, vertex, not 'fast'"),
    ("feluca", "traversal", ["depth"], "traversal must be one of all, levels, not 'depth'"),
    ("gebremedhin_manne", "chunk", [0, 1.5, "x", True], "chunk must be a whole number from 1 on"),
    ("gunrock_ar", "load_balance", ["fair"], "load_balance must be one of auto, thread"),
    ("gunrock_hash", "table", [0], "table must be a whole number of entries from 1 on"),
    ("gunrock_is", "min_max", [2], "min_max must be True or False, not 2"),
    ("ipgc", "mode", ["both"], "mode must be one of topology, data, hybrid, not 'both'"),
    ("ipgc", "H", [1.5], "H must be a number from 0 to 1, not 1.5"),
])  # fmt: skip
def test_options_are_checked(algorithm: str, option: str, values: list[object], message: str) -> None:
    for value in values:
        with pytest.raises(lagcolor.OptionError, match=message):
            lagcolor.color(graph("grid"), algorithm, **{option: value})


def test_a_chunk_may_be_longer_than_the_graph() -> None:
    lagcolor.color(graph("grid"), "gebremedhin_manne", chunk=2**80, threads=3, verify=True)
