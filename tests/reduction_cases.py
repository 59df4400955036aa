"""What the tests of the reductions share: their GPU code on the emulator, and colorings to start from."""

from __future__ import annotations

from typing import Any

import cuda_emulator
import numpy as np
import pytest

import lagcolor
from lagcolor import device as dev

CUPY = cuda_emulator.Cupy()


class EmulatedGraph(lagcolor.Graph):
    """A graph of NumPy arrays that says it is on a GPU."""

    __slots__ = ()
    on_gpu = True
    xp = CUPY


def run(engine: str, hook: Any, G: lagcolor.Graph, *colors: Any, **options: Any) -> Any:
    """`hook(G, *colors, **options)` on an engine, from and to NumPy arrays."""
    if engine == "cpu":
        return hook(G, *colors, **options)
    if engine == "cuda":
        g = G.on("cuda")
        with dev.using(g.indices):
            out = hook(g, *(g.xp.asarray(c) for c in colors), **options)
        return None if out is None else out.get()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dev, "cupy", lambda: CUPY)
        patch.setattr(dev, "kernel", cuda_emulator.kernel)
        return hook(EmulatedGraph(G.indptr, G.indices), *(np.array(c) for c in colors), **options)


def colors_for(G: lagcolor.Graph, seed: int) -> np.ndarray:
    """First-fit in random order, then renamed at random: colors that no first-fit would give."""
    colors = lagcolor.color(G, "greedy", "random", seed).colors
    names = np.random.default_rng(seed).permutation(colors.max(initial=-1) + 1)
    return names[colors].astype(np.int32) if G.n else colors
