"""Offsets become int64 before a step past the end of a row could wrap around in int32, wherever a graph comes from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emulated import EMULATED

import lagcolor
from semirings import sparse

SPECS = ("cycle:20", "clique:9", "complete_bipartite:4,7", "grid2d:5", "stencil27:3", "rmat:5", "banded:30,3")
FORMATS = (".mtx", ".npz", ".graph", ".col", ".el", ".egr")
LOOPS = ("in_order, low", "in_order, high", "in_order, natural", "iterated_greedy", "ejection")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten stored entries are too many for int32."""
    monkeypatch.setattr(sparse, "INT32_LIMIT", 10)


def offsets_of(G: lagcolor.Graph) -> Any:
    assert G.indptr[-1] == G.m
    return G.indptr.dtype


def test_from_which_number_of_entries_on() -> None:
    assert sparse.INT32_LIMIT == 2**31 - 2**16
    assert sparse.offset_type(2**31 - 2**16 - 1) is np.int32
    assert sparse.offset_type(2**31 - 2**16) is np.int64


@pytest.mark.parametrize("spec", SPECS)
def test_generators(few: None, spec: str) -> None:
    assert offsets_of(lagcolor.generate.from_spec(spec)) == np.int64
    assert offsets_of(lagcolor.generate.from_spec("path:5")) == np.int32


@pytest.mark.parametrize("suffix", FORMATS)
def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, suffix: str) -> None:
    G = lagcolor.generate.from_spec("grid2d:5")
    path = tmp_path / f"graph{suffix}"
    lagcolor.io.write(path, G)
    assert offsets_of(lagcolor.io.read(path)) == np.int32
    monkeypatch.setattr(sparse, "INT32_LIMIT", 10)
    H = lagcolor.io.read(path)
    assert offsets_of(H) == offsets_of(lagcolor.Graph.of(G.to_scipy())) == np.int64
    assert H.indptr.tolist() == G.indptr.tolist() and H.indices.tolist() == G.indices.tolist()


def test_canonical_arrays_of_the_callers_own() -> None:
    """`Graph` trusts them, but for their type; offsets of a graph with few entries may be of either."""
    G = lagcolor.generate.from_spec("grid2d:5")
    expected = lagcolor.color(G, "greedy").colors
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "INT32_LIMIT", G.m)
        wide = lagcolor.Graph(G.indptr, G.indices)
        assert offsets_of(wide) == np.int64
        assert np.array_equal(lagcolor.color(wide, "greedy").colors, expected)
        patch.setattr(sparse, "INT32_LIMIT", G.m + 1)
        assert lagcolor.Graph(G.indptr, G.indices).indptr.base is not None  # a view: nothing is copied
        assert offsets_of(lagcolor.Graph(G.indptr, G.indices)) == np.int32
        assert offsets_of(lagcolor.Graph(wide.indptr, G.indices)) == np.int64


def test_too_many_vertices() -> None:
    n = sparse.MOST_ROWS + 1
    with pytest.raises(lagcolor.GraphError, match=f"at most {n - 1}"):
        lagcolor.Graph.of((np.array([0]), np.array([1])), n=n)
    with pytest.raises(lagcolor.GraphError, match="too large"):
        lagcolor.Graph.of((np.array([0]), np.array([n - 1])))
    with pytest.raises(lagcolor.OptionError, match=str(n - 1)):
        lagcolor.generate.from_spec(f"path:{n}")


@EMULATED
def test_steps_past_the_end_of_the_last_row() -> None:
    """With the last offset under the limit no loop overflows. Up to 2³¹ − 1 it would, so the traps are set."""
    child = Path(__file__).parents[1] / "overflow_child.py"
    lasts = [sparse.INT32_LIMIT - 1, 2**31 - 1]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, child, json.dumps(lasts)], capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout.splitlines()[-1])
    assert ended == {name: ["", "trap"] for name in LOOPS}, done.stderr
