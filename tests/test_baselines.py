"""The baselines: what each algorithm promises beyond a proper coloring, and their CUDA kernels run on the CPU."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import device as dev
from lagcolor.kernels import baselines, cohen_castonguay, jpl
from lagcolor.priorities import Priorities
from lagcolor.result import Log

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
EMULATED = pytest.mark.skipif(not cuda_emulator.available(), reason="the emulator needs g++")
CUPY = cuda_emulator.Cupy()
MODULES: dict[Any, Any] = {}
PRELUDE = "#define __forceinline__ inline\n#include <algorithm>\nusing std::max;\nusing std::min;\n"
SMALL = [name for name in CORPUS if name != "clique 1100"]


def emulated_kernel(path: Any, name: str, **defines: object) -> Any:
    """What `device.kernel` gives, from the emulator: includes pasted in, macros in front."""
    key = (path, *sorted(defines.items()))
    if key not in MODULES:
        seen: set[str] = set()

        def paste(text: str) -> str:
            return re.sub(r'^#include "(.*)"$', included, text, flags=re.MULTILINE)

        def included(m: re.Match[str]) -> str:
            first = m[1] not in seen
            seen.add(m[1])
            return paste((dev.INCLUDE_DIR / m[1]).read_text()) if first else ""

        text = re.sub(r"\s*__launch_bounds__\(.*?\)", "", paste(path.read_text())).replace("#pragma once", "")
        text = re.sub(r"__global__ void\s+", "__global__ void ", text)
        MODULES[key] = CUPY.RawModule(PRELUDE + "".join(f"#define {k} {v}\n" for k, v in defines.items()) + text)
    return MODULES[key].get_function(name)


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPU code of these algorithms on NumPy arrays."""
    fake = SimpleNamespace(cupy=lambda: CUPY, kernel=emulated_kernel)
    for module in (baselines, cohen_castonguay, jpl):
        monkeypatch.setattr(module, "dev", fake)


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


def hub_graph() -> lagcolor.Graph:
    """Vertices of every degree class: hubs of over 2048 neighbours that are neighbours, and middle ones."""
    n = 6000
    r = np.random.default_rng(4)
    u = np.concatenate([np.repeat(np.arange(3), 4000), np.repeat(np.arange(3, 63), 80), r.integers(0, n, 3000), [0, 1]])
    v = np.concatenate([r.integers(0, n, 12000), r.integers(0, n, 4800), r.integers(0, n, 3000), [1, 2]])
    return lagcolor.Graph.of((u, v), n=n)


# ---- cohen_castonguay -----------------------------------------------------------------------------------------------


def csrcolor(G: lagcolor.Graph, first: np.ndarray, seed: int, hashes: int, fraction: float) -> list[int]:
    """The algorithm in plain Python, from its description."""
    from lagcolor.kernels.cohen_castonguay import GOLDEN, _word
    from lagcolor.priorities.ties import mix, seed_word

    ids = np.arange(G.n, dtype=np.uint32)
    colors = [-1] * G.n
    r = 0
    while sum(c >= 0 for c in colors) < fraction * G.n:
        keys = mix(np, ids ^ np.uint32(_word(seed, r) ^ seed_word(0)), 0).astype(np.uint64)
        of = [keys * np.uint64((2 * j * GOLDEN + 1) % 2**32) & np.uint64(2**32 - 1) for j in range(hashes)]
        if r == 0:
            of[0] = first
        free = [v for v in range(G.n) if colors[v] < 0]
        active = set(free)
        for v in free:
            near = [u for u in G.indices[G.indptr[v] : G.indptr[v + 1]].tolist() if u in active]
            for k in range(2 * hashes):
                h = of[k // 2]
                if all((h[u] < h[v]) == (k % 2 == 0) for u in near):
                    colors[v] = 2 * hashes * r + k
                    break
        r += 1
    used = sorted({c for c in colors if c >= 0})
    return [used.index(c) if c >= 0 else -1 for c in colors]


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("name", ["one vertex", "no edges", "path", "clique 70", "crown", "rmat", "random dense"])
@pytest.mark.parametrize(("hashes", "fraction"), [(1, 1.0), (4, 1.0), (4, 0.6), (16, 1.0)])
def test_csrcolor_is_what_it_says(kind: str, name: str, hashes: int, fraction: float) -> None:
    G = graph(name)
    for order in ("random", "largest_first"):
        result = lagcolor.color(
            G.on(kind), "cohen_castonguay", order=order, seed=3, hashes=hashes, fraction=fraction, verify=True
        )
        assert result.to_numpy().tolist() == csrcolor(G, Priorities.of(G, order, 3).p, 3, hashes, fraction)


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("fraction", [0, 0.01, 0.5, 0.9, 1])
def test_what_is_left_uncolored_says_so(kind: str, fraction: float) -> None:
    G = graph("rmat").on(kind)
    result = lagcolor.color(G, "cohen_castonguay", fraction=fraction, hashes=1, trace=True, verify=True)
    colors = result.to_numpy()
    left = int((colors < 0).sum())
    assert colors.min() >= -1
    assert G.n - left >= fraction * G.n
    assert result.notes.get("uncolored", 0) == left
    assert ("uncolored" in result.notes) == (fraction < 1)
    assert left or fraction in (0.9, 1)  # a round of one hash does not color everything by chance
    lagcolor.verify(G, result, allow_uncolored=True)
    if left:
        with pytest.raises(lagcolor.ColoringError, match=f"{left} uncolored vertices"):
            lagcolor.verify(G, result)
    assert sum(row["colored"] for row in result.trace) == G.n - left
    assert result.class_sizes.sum() == G.n - left


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"hashes": 0}, "hashes must be a whole number from 1 to 16, not 0"),
        ({"hashes": 17}, "hashes must be a whole number from 1 to 16, not 17"),
        ({"hashes": 2.0}, "hashes must be a whole number from 1 to 16, not 2.0"),
        ({"fraction": 1.5}, "fraction must be a number from 0 to 1, not 1.5"),
        ({"fraction": "all"}, "fraction must be a number from 0 to 1, not 'all'"),
        ({"fraction": float("nan")}, "fraction must be a number from 0 to 1, not nan"),
    ],
)
def test_options_of_csrcolor_are_checked(option: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=re.escape(message)):
        lagcolor.color(graph("grid"), "cohen_castonguay", **option)


@EMULATED
@pytest.mark.parametrize("name", [*CORPUS, "hubs"])
def test_kernels_of_csrcolor(emulated: None, name: str) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    for g, order, hashes, fraction in [
        (G, "random", 4, 1.0), (wide(G), "largest_first", 4, 0.7), (G, "largest_first", 16, 1.0), (G, "random", 1, 0.2),
    ][: 1 if name == "clique 1100" else 4]:  # fmt: skip
        expected = lagcolor.color(G, "cohen_castonguay", order=order, hashes=hashes, fraction=fraction, verify=False)
        p = None if order == "random" else Priorities.of(g, order, 0).p
        enough = G.n - int(np.ceil(fraction * G.n))
        log = Log(trace=True)
        colors, left = cohen_castonguay._gpu(g, p, 0, log, hashes, enough, 1)
        assert np.array_equal(colors, expected.colors)
        assert log.rounds == (expected.rounds if G.n else 0) or enough >= G.n
        assert left == (colors < 0).sum()


# ---- jpl ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DEVICES)
@given(
    n=st.integers(1, 50),
    density=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
    order=st.sampled_from(["natural", "random"]),
)
def test_jpl_is_luby_is(kind: str, n: int, density: float, seed: int, order: str) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    jpl = lagcolor.color(G.on(kind), "jpl", order=order, seed=seed)
    luby = lagcolor.color(G, "gunrock_is", order=order, seed=seed, min_max=False)
    assert jpl.to_numpy().tolist() == luby.colors.tolist()
    assert jpl.rounds == jpl.n_colors


@EMULATED
@pytest.mark.parametrize("name", [*CORPUS, "hubs"])
def test_kernels_of_jpl(emulated: None, name: str) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    if G.n == 0:
        return
    for g, order in [(G, "random"), (wide(G), "natural")]:
        p = Priorities.of(g, order, 0)
        assert np.array_equal(jpl._gpu(g, p), lagcolor.color(G, "jpl", order=order, seed=0).colors)


# ---- jp_adg ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("name", SMALL)
def test_jp_adg_is_bounded_by_the_degeneracy(kind: str, name: str) -> None:
    G = graph(name)
    result = lagcolor.color(G.on(kind), "jp_adg")
    bound = 2.02 * lagcolor.priorities.degeneracy(G) + 1
    assert result.n_colors <= bound
    assert result.order == "approximate_degeneracy"
