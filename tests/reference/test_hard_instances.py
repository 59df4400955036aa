"""Flat and Leighton graphs: sizes, hidden classes, and the table of the benchmark on a GPU."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.results import read_lines

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import hard_gpu, hard_instances


@pytest.mark.parametrize(("n", "k", "edges"), [(1000, 50, 245_000), (1000, 60, 245_830), (1000, 76, 246_708)])
def test_flat_graphs_have_the_edges_of_those_of_dimacs(n: int, k: int, edges: int) -> None:
    G = hard_instances.flat(n, k, seed=3)
    assert G.n == n and G.n_edges == edges
    classes = np.empty(n, int)
    for c, members in enumerate(np.array_split(np.random.default_rng(3).permutation(n), k)):
        classes[members] = c
    between = np.zeros((n, k), int)
    np.add.at(between, (np.repeat(np.arange(n), G.degrees), classes[G.indices]), 1)
    assert not between[np.arange(n), classes].any()
    assert between[np.arange(n), (classes + 1) % k].min() > 0


def test_degrees_vary_as_those_of_flat300() -> None:
    """Those have standard deviations of 6.2 to 6.4; a random graph has 8.5, a regular one about 2."""
    for k in (20, 26, 28):
        assert 5 < hard_instances.flat(300, k, seed=1).degrees.std() < 7


def test_flat_graphs_differ_by_their_seed_only() -> None:
    made = [hard_instances.instance(f"flat:120,10,seed={seed}") for seed in (1, 1, 2)]
    assert np.array_equal(made[0].indices, made[1].indices)
    assert not np.array_equal(made[0].indices, made[2].indices)


def test_leighton_graphs_have_a_clique_and_classes() -> None:
    G = hard_instances.instance("leighton:450,25,17343,seed=1")
    assert G.n == 450 and 17_343 <= G.n_edges < 17_343 + 300
    classes = np.random.default_rng(1).permutation(450).reshape(25, 18)
    of = np.empty(450, int)
    of[classes] = np.arange(25)[:, None]
    assert (of[np.repeat(np.arange(450), G.degrees)] != of[G.indices]).all()


def test_other_names_are_specs() -> None:
    assert hard_instances.instance("queen:5").n == 25


def test_files_take_the_place_of_graphs_of_their_kind(tmp_path: Path) -> None:
    (tmp_path / "B").mkdir()
    (tmp_path / "B" / "le450_25c.col").write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    np.savez(tmp_path / "latin_square_10.npz", indptr=np.array([0, 1, 2]), indices=np.array([1, 0]), n=2)
    chosen = {i.goal.dimacs: i for i in hard_instances.instances(tmp_path) if i.goal}
    assert len(chosen) == len(hard_instances.GOALS)
    assert chosen["le450_25c"].name == "le450_25c" and chosen["le450_25c"].graph().n == 3
    assert chosen["latin_square_10"].graph().n_edges == 1
    assert chosen["le450_25d"].name == "leighton:450,25,17425,seed=2" and chosen["le450_25d"].path is None
    without = hard_instances.instances(tmp_path / "B")
    assert len(without) == len(chosen) - 1 and all(i.name for i in without)
    (one, other) = hard_instances.instances(tmp_path, ["le450_25d", "queen:5"])
    assert one == chosen["le450_25d"] and other.goal is None and other.graph().n == 25


def test_colors_at_moments() -> None:
    figures = {"colors": 7, "curve_colors": [9, 8, 7], "curve_seconds": [1.0, 5.0, 19.5], "goal": 8, "best_known": 6}
    line = {"graph": "g", "n": 1000, "m": 4000, "options": {"time_limit": 20.0}, "figures": figures}
    assert [hard_gpu.colors_at(line, moment) for moment in (0.5, 5, 20, 60)] == [None, 8, 7, None]
    about = {
        "settings": {"limit": 60.0, "easy": 20.0},
        "hardware": {"gpu": "H200", "cpu": "C"},
        "date": "2026-11-23T1",
        "commit": "abc",
    }
    lines = hard_gpu.markdown([about, line])
    assert "| g | 1,000 | 6 | 8 | 8 | 7 | – | 5 |" in lines
    assert "One seed; 60 s, or 20 s." in lines[-1]


def test_a_line_and_its_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lagcolor.search.qualities.HEAD_ON_GPU", False)  # comes back
    out = tmp_path / "h.jsonl"
    given = ["leighton:60,5,200,seed=1", "--limit", "0.2", "--device", "cpu", "--out", str(out), "--commit", "abc"]
    assert hard_gpu.main(given) == 0
    _, line = read_lines(out)
    assert line["figures"]["colors"] == line["figures"]["curve_colors"][-1] == 5
    assert "| leighton:60,5,200,seed=1 | 60 |" in capsys.readouterr().out
