"""Groups of Pauli strings and colorings with computed edges on a GPU, compared with a CPU group for group."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
from emulated import EMULATED
from pauli_cases import CASES, RELATIONS, strings

import lagcolor
from lagcolor import color_implicit, pauli
from lagcolor.api import color_implicit as computed_edges
from lagcolor.engines.implicit import cuda


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of 64 strings, and passes of two stages: a few hundred strings take many of each."""
    monkeypatch.setattr(cuda, "BLOCK", 64)
    monkeypatch.setattr(cuda, "STAGES", 2)
    monkeypatch.setattr(cuda, "PATIENCE", 1)
    monkeypatch.setattr(cuda, "STAGED", 50)  # one level of 22 qubits, more of fewer, less than one of more


def check(source: Any, commute: str, order: Any = "largest_first", seed: int | None = None) -> None:
    here = pauli.group(source, commute, order, seed=seed, device="cpu")
    there = pauli.group(source, commute, order, seed=seed, device="cuda")
    assert there.strings.on_gpu and there.device.startswith("cuda") and there.verified
    assert there.to_numpy().dtype == np.int32
    assert there.to_numpy().tolist() == here.to_numpy().tolist()


@EMULATED
@pytest.mark.parametrize("commute", RELATIONS)
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("one", "identities", "one qubit")])
def test_cases(small_blocks: None, name: str, commute: str) -> None:
    check(CASES[name], commute)


@EMULATED
@pytest.mark.parametrize("commute", RELATIONS)
def test_orders(small_blocks: None, commute: str) -> None:
    P = pauli.random(150, 5, seed=1)
    for order, seed in (("natural", None), ("random", 3), (np.arange(150) % 7, None)):
        check(P, commute, order, seed)


@EMULATED
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("commute", RELATIONS)
def test_balanced(small_blocks: None, commute: str, stored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(computed_edges.BYTES, "balanced", 1 << 26 if stored else 0)
    check(pauli.random(90, 4, seed=1), commute, None)


@EMULATED
@pytest.mark.parametrize("commute", RELATIONS)
def test_several_passes(small_blocks: None, commute: str, monkeypatch: Any) -> None:
    """More than 128 groups, one stage per pass, whole blocks of 256 strings."""
    monkeypatch.setattr(cuda, "STAGES", 1)
    monkeypatch.setattr(cuda, "BLOCK", 256)
    P = pauli.PauliStrings.of(strings(400, 12, 2, "XYZ") if commute == "qubitwise" else ["X", "Z", "Y"] * 60)
    check(P, commute, "natural")


@EMULATED
def test_a_basis_is_enough(small_blocks: None) -> None:
    """Over 32 generators of one group, and products of them: more than a lane each."""
    q = 40
    z = np.tril(np.ones((q, q), bool))
    z = np.concatenate([z, z ^ np.roll(z, 1, axis=0), z[::-1]])
    x = np.zeros_like(z)
    check((x, z), "general", "natural")
    assert pauli.group((x, z), "general", device="cuda").n_groups == 1
    x[-1, 0] = True  # commutes with all but those that have Z on qubit 0
    z[-1] = False
    check((x, z), "general", "natural")


@pytest.mark.emulated(seed=1, processors=3)
@pytest.mark.parametrize("commute", RELATIONS)
def test_a_schedule(small_blocks: None, commute: str) -> None:
    """Blocks whose threads take turns at random."""
    check(strings(140, 4, 1), commute, "natural")


@EMULATED
def test_forms_on_a_gpu(small_blocks: None) -> None:
    import cupy as cp

    texts = strings(30, 70, 9, "IIIXYZ")
    P = pauli.PauliStrings.of(texts)
    x, z = (np.unpackbits(part.view(np.uint8), axis=1, bitorder="little")[:, :70].astype(bool) for part in (P.x, P.z))
    expected = pauli.group(texts).to_numpy().tolist()
    result = pauli.group((cp.asarray(x), cp.asarray(z)))
    assert result.device == corpus.gpu() and result.to_numpy().tolist() == expected
    assert result.strings.text(3) == texts[3]
    assert pauli.group((cp.asarray(P.x), cp.asarray(P.z)), qubits=70).to_numpy().tolist() == expected
    with pytest.raises(lagcolor.GraphError, match="x is on cuda:0 and z on cpu"):
        pauli.group((cp.asarray(x), z))
    with pytest.raises(lagcolor.GraphError, match="x is 2 at string 1, qubit 0"):
        pauli.group((cp.asarray(x) + 2 * cp.asarray(np.arange(30)[:, None] == 1), cp.asarray(z)))


def computed(xp: Any, n: int, device: str, **how: Any) -> Any:
    M = np.triu(np.random.default_rng(0).random((n, n)) < 0.4, 1)
    M = xp.asarray(M | M.T)
    return color_implicit(lambda us, vs: M[us][:, vs], n, device=device, **how)


@EMULATED
@pytest.mark.parametrize("batch", [9, 500])
def test_color_implicit(batch: int) -> None:
    import cupy as cp

    for order in ("natural", "largest_first", "random"):
        there = computed(cp, 150, "cuda", order=order, batch=batch)
        assert there.device == corpus.gpu() and there.verified
        assert there.to_numpy().tolist() == computed(np, 150, "cpu", order=order).to_numpy().tolist()
    there = computed(cp, 150, "cuda", batch=batch)
    assert there.quality == "balanced" and there.device == corpus.gpu()
    assert there.to_numpy().tolist() == computed(np, 150, "cpu").to_numpy().tolist()
    with pytest.raises(lagcolor.GraphError, match="must return an array on cuda:0"):
        color_implicit(lambda us, vs: np.zeros((len(us), len(vs)), bool), 5, device="cuda")


@pytest.mark.gpu
@pytest.mark.parametrize("commute", RELATIONS)
@pytest.mark.parametrize(("n", "qubits"), [(20_000, 5), (6000, 40), (3000, 100), (300, 1100)])
def test_random_strings_on_a_gpu(n: int, qubits: int, commute: str) -> None:
    check(pauli.random(n, qubits, seed=1), commute)
    check(pauli.random(n, qubits, seed=2), commute, "natural")
    check(pauli.random(n, qubits, seed=3), commute, None)
