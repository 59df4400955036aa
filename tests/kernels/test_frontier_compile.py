"""Kernels of every coloring, with its functors in them, compile with both offset types, for architectures in turn."""

from __future__ import annotations

import functools
import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compile_kernels as ck
import emulated
import numpy as np
import pytest
from corpus import graph

import lagcolor
from lagcolor.algorithms.osama_gunrock.gunrock_ar import color_by_reduction
from lagcolor.algorithms.osama_gunrock.gunrock_hash import color_by_hash
from lagcolor.algorithms.osama_gunrock.gunrock_is import color_sets
from lagcolor.base.log import Log
from lagcolor.frontier.operators import on
from lagcolor.orders import Priorities


@functools.cache
def programs(bits: int) -> list[str]:
    """All kernels that the colorings use; with offsets of 64 bits also the way vertices are kept by degree class."""
    with emulated.emulated_gpu() as e:
        run_all(e, bits)
        return [text for text in e.gpu.texts if "offset_t" in text]  # the order's, and extremes, read no offsets


def run_all(e: emulated.Emulated, bits: int) -> None:
    G = graph("path" if bits == 32 else "star")
    for run in (
        lambda ops, p: color_sets(ops, p.p, Log(), True, True),
        lambda ops, p: color_sets(ops, p.p, Log(), False, False),
        lambda ops, p: color_by_hash(ops, p.p, Log(), 1),
        lambda ops, p: color_by_reduction(ops, p.p, Log(), "merge"),
    ):
        g = e.graph(lagcolor.Graph(G.indptr.astype(np.int32 if bits == 32 else np.int64), G.indices))
        run(on(g), Priorities.of(g, "random", seed=0))


@pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
@pytest.mark.parametrize("bits", [32, 64])
def test_compiles(bits: int, tmp_path: Path) -> None:
    try:
        ck.library()
    except ck.NvrtcMissingError as e:
        pytest.skip(str(e))
    assert len(programs(bits)) >= 12
    sources = []
    for i, text in enumerate(programs(bits)):
        assert f"#define OFFSET_BITS {bits}\n" in text
        sources.append(tmp_path / f"{i}.cu")
        sources[-1].write_text(text)
    arch = itertools.cycle(ck.ARCHITECTURES)
    with ThreadPoolExecutor() as pool:
        for result in pool.map(ck.compile_source, sources, arch):
            assert result.ok, f"{result}\n{result.log}"
            assert "warning" not in result.log
