"""What breaks ties: a number, None (ids), or the algorithm's default."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pauli_cases
import pytest
import scipy.sparse as sp
from corpus import first_fit, graph, random_graph
from emulated import EMULATED

import lagcolor
from lagcolor.base.errors import OptionError
from lagcolor.cli import main


def test_none_goes_with_what_reads_no_seed() -> None:
    G = graph("grid")
    assert np.array_equal(lagcolor.color(G, "ipgc", seed=None).colors, lagcolor.color(G, "ipgc").colors)


@pytest.mark.parametrize(
    "algorithm", [row.name for row in lagcolor.ALGORITHMS.values() if row.reads_order and "cpu" in row.engines]
)
def test_default_is_that_of_the_row(algorithm: str) -> None:
    """The default seed is in the row of each algorithm; None means ids. The result has the seed that was used."""
    G, row = random_graph(40, 80, 1), lagcolor.ALGORITHMS[algorithm]
    default, named = lagcolor.color(G, algorithm), lagcolor.color(G, algorithm, seed="default")
    assert default.seed == named.seed == row.seed
    assert lagcolor.color(G, algorithm, seed=None).seed is None
    ids = lagcolor.color(G, algorithm, "largest_first", seed=None)
    if row.deterministic:  # the order that None means, as an array without ties
        by_id = np.lexsort((np.arange(G.n), -G.degrees))
        own = lagcolor.color(G, algorithm, G.n - np.argsort(by_id), seed=None)
        assert np.array_equal(ids.colors, own.colors)
        assert np.array_equal(default.colors, named.colors)


def test_other_entries() -> None:
    """Each takes None for ids and reports it."""
    G = graph("rmat")
    ours = np.zeros(G.n)  # all priorities are equal
    old = lagcolor.color(G, "first_fit", ours, seed=None)
    assert np.array_equal(old.colors, lagcolor.color(G, "first_fit", "natural").colors)
    again = lagcolor.recolor(G, old.colors, order=ours, seed=None)
    assert again.seed is None and np.array_equal(again.colors, old.colors)
    hashed = lagcolor.color(G, "first_fit", ours)
    assert np.array_equal(lagcolor.recolor(G, hashed.colors, order=ours).colors, hashed.colors)


def by_id(G: lagcolor.Graph) -> list[int]:
    """Sequential first-fit by falling degree, of equal degrees the smaller id first."""
    return first_fit(G, np.lexsort((np.arange(G.n), -G.degrees)).tolist())


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=EMULATED)])
def test_none_of_a_folder(device: str, tmp_path: Path) -> None:
    G = graph("rmat")
    lagcolor.io.write(tmp_path / "g.csr", G)
    result = lagcolor.color(tmp_path / "g.csr", order="largest_first", seed=None, memory="1GB", device=device)
    assert result.seed is None and result.to_numpy().tolist() == by_id(G)


def test_none_of_pauli_strings() -> None:
    """And so does "default": of equally many conflicts the earlier string comes first."""
    texts = pauli_cases.strings(300, 5, 8)
    G = lagcolor.Graph.of(pauli_cases.conflicts(texts, "general").astype(np.int8))
    for seed in (None, "default"):
        result = lagcolor.pauli.group(texts, "general", "largest_first", seed=seed)
        assert result.seed is None and result.to_numpy().tolist() == by_id(G)


def test_none_of_a_jacobian() -> None:
    """Columns of equally many others in their rows, the smaller first."""
    J = sp.random_array((60, 50), density=0.06, rng=np.random.default_rng(1), format="csr")
    touch = J.astype(bool).astype(np.int64)
    square = (touch.T @ touch).toarray()
    np.fill_diagonal(square, 0)
    made = lagcolor.derivatives.jacobian(J, order="largest_first", seed=None, postprocess=False)
    assert made.coloring.seed is None
    assert made.column_colors.tolist() == by_id(lagcolor.Graph.of(square))


def test_orders_with_a_hash_take_none_as_0() -> None:
    """The default order among them, so that `seed=None` alone changes nothing."""
    G = graph("rmat")
    for order in (None, "largest_first_spread", "random", "random_spread"):
        none, zero = (lagcolor.color(G, order=order, seed=seed) for seed in (None, 0))
        assert np.array_equal(none.colors, zero.colors)


G = graph("random dense")
DRAWN = int(np.random.default_rng(7).integers(2**63))
CALLS = {
    "color": lambda **how: lagcolor.color(G, "first_fit", "random", **how).colors,
    "color_implicit": lambda **how: lagcolor.color_implicit(lambda u, v: u[:, None] != v, 3, "random", **how).seed,
    "balance": lambda **how: lagcolor.balance(G, range(G.n), **how).seed,
    "equitable": lambda **how: lagcolor.equitable(G, order="random", **how).colors,
    "recolor": lambda **how: lagcolor.recolor(G, [-1] * G.n, order="random", **how).colors,
    "reduce": lambda **how: lagcolor.reduce(G, range(G.n), **how).seed,
    "jacobian": lambda **how: lagcolor.derivatives.jacobian(G, order="random", **how).column_colors,
    "color_nodes": lambda **how: lagcolor.mesh.color_nodes([[0, 1], [1, 2]], order="random", **how).seed,
    "pauli.group": lambda **how: lagcolor.pauli.group(["XX", "YY", "ZI"], order="random", **how).seed,
    "pauli.random": lambda **how: lagcolor.pauli.random(50, 9, **how).codes(),
    "Priorities.of": lambda **how: lagcolor.Priorities.of(G, "random", **how).sequence,
    "from_spec": lambda **how: lagcolor.generate.from_spec("uniform:50,3", **how).indices,
}


@pytest.mark.parametrize("name", CALLS)
def test_rng_draws_the_seed(name: str) -> None:
    """Each call takes an integer, a generator or a seed sequence as `rng`, each for the number that it draws."""
    call = CALLS[name]
    expected = call(seed=DRAWN)
    for rng in (7, np.random.default_rng(7), np.random.SeedSequence(7)):
        assert np.array_equal(call(rng=rng), expected)
    with pytest.raises(OptionError, match="seed and rng are both given: leave one of them out"):
        call(seed=1, rng=2)


@pytest.mark.emulated(devices=2)
def test_several_gpus() -> None:
    """On several GPUs, None also breaks ties by id, and `rng` draws the seed."""
    H = lagcolor.generate.from_spec("kron_g500:8")
    none = lagcolor.color(H, order="largest_first", seed=None, device="cuda:*")
    assert none.seed is None and none.to_numpy().tolist() == by_id(H)
    assert lagcolor.color(H, order="random", rng=7, device="cuda:*").seed == DRAWN
    assert lagcolor.scale.gpus.color(lagcolor.scale.gpus.distribute(H), "random", rng=7).seed == DRAWN


@pytest.mark.parametrize("seed", [2**64, 1.5, "none", True])
def test_no_such_seed_or_generator(seed: object) -> None:
    with pytest.raises(OptionError, match=r"seed must be .* None or 'default'"):
        lagcolor.color(G, seed=seed)
    with pytest.raises(OptionError, match=r"rng must be a numpy.random.Generator, or .* not 'x'"):
        lagcolor.color(G, rng="x")


def test_a_generator_moves_on() -> None:
    """SPEC 7: two calls with one generator draw two numbers."""
    rng = np.random.default_rng(7)
    first, second = (lagcolor.color(G, rng=rng).seed for _ in range(2))
    assert first == DRAWN != second


def test_command_line(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["color", "rmat:8", "--algorithm", "ecl_gc", "--seed", "none", "--device", "cpu"]) == 0
    assert "seed" not in capsys.readouterr().out
    assert main(["color", "rmat:8", "--algorithm", "ecl_gc", "--device", "cpu"]) == 0
    assert "seed 0" in capsys.readouterr().out
