"""The papers' tables and figures: the runner, and the scripts of Osama et al. and ECL-GC. No test measures speed."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
from report_cases import meta, run

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import outcome
from benchmarks.papers import __main__ as papers
from benchmarks.papers import (
    ecl_gc,
    ecl_gc_reduction,
    ecl_gc_rivals,
    ecl_gc_shortcuts,
    feluca_rivals,
    ipgc_colors,
    osama,
)
from lagcolor.bench.results import by_graph, of_kind, of_lines, read_lines

ROOT = Path(__file__).parents[2]


def test_every_experiment_is_a_script_whose_arguments_parse():
    assert len({e.name for e in papers.EXPERIMENTS}) == len(papers.EXPERIMENTS)
    for e in papers.EXPERIMENTS:
        module = importlib.import_module(e.module)
        for device in ("cuda", "cpu"):
            args = papers.arguments([e.name, "--device", device, "--out", "x", "--commit", "abc"])
            parsed = module.arguments(papers.words(e, args))
            assert (parsed.device, parsed.commit, parsed.out) == (device, "abc", Path("x") / f"{e.name}.jsonl")


def test_every_script_of_the_folder_is_an_experiment():
    scripts = {p.stem for p in (ROOT / "benchmarks" / "papers").glob("*.py")} - {"__init__", "__main__"}
    assert scripts == {e.module.rpartition(".")[2] for e in papers.EXPERIMENTS} - {"frontier_table2"}


def outcomes():
    """The text of the pages of the papers' tables and figures."""
    folder = ROOT / "docs" / "measurements"
    return "".join(page.read_text() for page in sorted(folder.glob("paper*.md")))


def test_the_pages_of_outcomes_name_every_experiment():
    page = outcomes()
    for e in papers.EXPERIMENTS:
        assert f"`{e.name}`" in page


def test_one_that_fails_is_not_the_end(monkeypatch, tmp_path, capsys):
    tiny = papers.EXPERIMENTS[0]._replace(name="good", cpu="path:9 --runs 1")
    bad = tiny._replace(name="bad", cpu="no_such_family:3 --runs 1")
    monkeypatch.setattr(papers, "EXPERIMENTS", (bad, tiny))
    assert papers.main(["all", "--device", "cpu", "--out", str(tmp_path)]) == 2
    assert "failed: bad" in capsys.readouterr().out
    assert osama.GREEDY in [row.get("variant") for row in read_lines(tmp_path / "good.jsonl")]


# Osama et al.


def test_osama_rows_are_colors_of_the_library(tmp_path, capsys):
    file = tmp_path / "osama.jsonl"
    assert osama.main(["rgg:8", "grid2d:9", "--device", "cpu", "--runs", "1", "--out", str(file)]) == 0
    records = read_lines(file)
    results = by_graph(records)
    assert [r["graph"] for r in results] == ["rgg:8", "grid2d:9"]
    for r in results:
        G = lagcolor.generate.from_spec(r["graph"])
        for name, (algorithm, _) in (osama.CODES | {osama.GREEDY: ("greedy", {})}).items():
            assert r[name]["colors"] == lagcolor.color(G, algorithm).n_colors
    claims = osama.judge(results, on_gpu=False)
    assert [c["verdict"] == "not judged on a CPU" for c in claims] == [c.what == "ms" for c in osama.CLAIMS]
    mis = [r["GraphBLAS MIS"]["colors"] for r in results]
    jpl = [r["JPL"]["colors"] for r in results]
    assert claims[0]["ours"] == pytest.approx((jpl[0] / mis[0] * jpl[1] / mis[1]) ** 0.5, abs=1e-3)
    assert "| time of | over | paper |" in capsys.readouterr().out
    lines = osama.times(records)
    assert lines[2].startswith("| JPL | Gunrock IS | 1.3 | ") and lines[2].endswith("| not judged on a CPU |")
    assert len(lines) == 2 + sum(c.what == "ms" for c in osama.CLAIMS) + 2 and records[0]["date"][:10] in lines[-1]
    lines = osama.colors(records)
    assert len(lines) == 2 + sum(c.what == "colors" for c in osama.CLAIMS) + 2 and lines[2].startswith("| JPL |")


def test_osama_figure_3_and_second_products(tmp_path, capsys):
    file = tmp_path / "osama.jsonl"
    argv = ["path:9", "--device", "cpu", "--runs", "1", "--scales", "7", "8", "--out", str(file)]
    assert osama.main(argv) == 0
    records = read_lines(file)
    lines = osama.scaling(records)
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| rgg_n_2_7", "| rgg_n_2_8"]
    assert len(osama.times(records)) == 2 + sum(c.what == "ms" for c in osama.CLAIMS) + 2  # of path:9 alone
    shares = {r["code"]: r["figures"]["second_vxm"] for r in of_kind(records, "measurement")}
    assert shares.keys() == osama.SECOND.keys() and all(0 < x < 100 for x in shares.values())
    assert [line.split(" | ")[0] for line in osama.second(records)[2:4]] == ["| GraphBLAS MIS", "| GraphBLAS JP"]


@pytest.mark.parametrize(
    ("paper", "ours", "expected"),
    [
        (2, 2.4, "agrees"),
        (2, 1.2, "same way"),
        (2, 0.9, "differs"),
        (None, 1.1, "agrees"),
        (None, 0.9, "differs"),
        (1.1, 0.95, "differs"),
        (0.9, 1.05, "differs"),
        (1.1, 1.0, "agrees"),
        (1.0, 0.9, "agrees"),
        (0.5, 0.9, "same way"),
        (0.5, 1.01, "differs"),
        (2, 1.0, "differs"),
        (1.0, 2, "differs"),
    ],
)
def test_verdicts(paper, ours, expected):
    assert outcome.of_ratio(ours, paper) == expected


# ECL-GC


def test_ecl_gc_steps_are_those_of_a_trace(tmp_path, capsys):
    file = tmp_path / "ecl.jsonl"
    assert ecl_gc.main(["grid2d:16", "--device", "cpu", "--out", str(file)]) == 0
    (row,) = ecl_gc.flat(read_lines(file))
    assert tuple(row.by_seed) == ecl_gc.SEEDS
    own = [i for i in ecl_gc.INPUTS if i.own]
    assert [i.name for i in own] == ["2d-2e20.sym", "USA-road-d.NY"]
    assert ecl_gc.seeds(Path(own[0].spec).name, 2**20) == (*ecl_gc.SEEDS, None)
    assert ecl_gc.seeds("rmat:22", 2**26) == (0,)
    for seed, figures in row.by_seed.items():
        traced = lagcolor.color(lagcolor.generate.grid2d(16), "ecl_gc", seed=seed, trace=True)
        assert figures["steps"] == traced.notes["steps"] <= figures["steps_without_shortcuts"]
    assert "without / with shortcuts" in capsys.readouterr().out


def test_ecl_gc_reduction(tmp_path, capsys):
    file = tmp_path / "reduction.jsonl"
    assert ecl_gc_reduction.main(["rmat:9", "path:9", "--device", "cpu", "--runs", "1", "--out", str(file)]) == 0
    about, *lines = read_lines(file)
    rmat, path = (line["figures"] for line in lines)
    G = lagcolor.generate.rmat(9)
    before = lagcolor.color(G, "ecl_gc", order="largest_first", seed=0)
    assert (rmat["colors_before"], rmat["colors_after"]) == (
        before.n_colors,
        lagcolor.reduce(G, before, method="heuristics").n_colors,
    )
    assert path["colors_before"] >= path["colors_after"] >= 2
    shown = capsys.readouterr().out.splitlines()
    fewer = 50.0 * sum(figures["colors_after"] < figures["colors_before"] for figures in (rmat, path))
    assert shown[2].startswith(f"| graphs with fewer colors | 50 % | {fewer:.1f} % |")
    timed = [about | {"device": "cuda"}, lines[0] | {"figures": rmat | {"coloring_ms": 2.0, "reduction_ms": 1.8}}]
    assert "| time with the reduction over without (Titan V) | 1.9 × | 1.90 × | agrees |" in ecl_gc_reduction.outcomes(
        timed
    )


# Codes over one another


def results(*rows):
    """Runs of (graph, code, ms, colors, device), whose graphs have 1000 vertices."""
    names = ("graph", "code", "ms", "colors", "device")
    lines = (run(**dict(zip(names, row, strict=True)), n=1000, order="", seed=i) for i, row in enumerate(rows))
    return of_lines([meta(), *lines])


@pytest.mark.parametrize("module", [ecl_gc_rivals, feluca_rivals])
def test_rivals_are_measured_and_compared(module, tmp_path, capsys):
    file = tmp_path / "rivals.jsonl"
    assert module.main(["rmat:8", "path:9", "--device", "cpu", "--runs", "1", "--out", str(file)]) == 0
    runs = of_kind(read_lines(file), "run")
    for r in runs:
        G = lagcolor.generate.from_spec(r["graph"])
        assert r["colors"] <= G.max_degree + 1 or r["code"] in ("feluca", "jpl", "gunrock_is", "cohen_castonguay")
    lines = [line for line in capsys.readouterr().out.splitlines()[2:] if "missing |  | missing" not in line]
    assert lines and all("colors of" in line and " (2) | " in line for line in lines)  # a CPU tells no times of a GPU
    assert {r["code"] for r in runs} >= {"ecl_gc" if module is ecl_gc_rivals else "feluca"}


def test_ecl_gc_shortcuts_are_timed_against_none(tmp_path, capsys):
    file, peers = tmp_path / "shortcuts.jsonl", tmp_path / "peers.csv"
    peers.write_text("graph,code,colors,ms\nrmat:8,ECL-GC v1.2,9,0.5\nrmat:8,other,9,1\n")
    argv = ["grid2d:9", "rmat:8", "--device", "cpu", "--runs", "2", "--reference", str(peers), "--out", str(file)]
    assert ecl_gc_shortcuts.main(argv) == 0
    records = read_lines(file)
    grid, rmat = by_graph(records)
    for row in (grid, rmat):
        gains = [row["none"]["ms"] / row[c]["ms"] for c in ("sc1", "sc2", "both")]
        assert ecl_gc_shortcuts.speedups(row) == pytest.approx(gains)
        G = lagcolor.generate.from_spec(row["graph"])
        paper = lagcolor.color(G, "greedy", order="largest_first", seed=0).n_colors
        assert {row[s]["colors"] for s in ecl_gc_shortcuts.SHORTCUTS} == {paper}  # no switch changes a color
    assert [(r["graph"], r["ms"], r["colors"]) for r in of_kind(records, "reference")] == [("rmat:8", 0.5, 9)]
    capsys.readouterr()
    assert ecl_gc_shortcuts.main(["--table", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:5]] == ["| grid2d:9", "| rmat:8", "| geometric mean"]
    assert lines[2:5] == ecl_gc_shortcuts.ablation(records)[2:5]
    assert f"{rmat['both']['ms'] / 0.5:.2f}" in next(x for x in lines if "0.500 (9)" in x)


# IPGC


def test_ipgc_colors(tmp_path, capsys):
    file = tmp_path / "ipgc.jsonl"
    assert ipgc_colors.main(["rgg:8", "path:9", "--device", "cpu", "--runs", "1", "--out", str(file)]) == 0
    rgg, path = by_graph(read_lines(file))
    G = lagcolor.generate.rgg(8)
    assert rgg["csrcolor"]["colors"] == lagcolor.color(G, "cohen_castonguay").n_colors
    assert rgg["hybrid"]["colors"] <= G.max_degree + 1
    assert (ipgc_colors.kin(rgg["spec"]).hybrid, ipgc_colors.kin(path["spec"])) == (24, None)
    for row in ipgc_colors.INPUTS.values():  # two are meshes of one family
        assert ipgc_colors.kin(row.spec) is row
    assert "Table IV" in capsys.readouterr().out
    _, _, *lines, _, _ = ipgc_colors.outcomes(read_lines(file))
    ours = [rgg["csrcolor"]["colors"], rgg["hybrid"]["colors"]]
    assert len(lines) == 1 and lines[0].startswith("| rgg:8 | 2.7 (64 / 24) | ")
    assert f"{ours[0] / ours[1]:.1f} ({ours[0]} / {ours[1]})" in lines[0]


def test_the_pages_of_outcomes_take_times_from_files_only():
    """What only a GPU can tell is in blocks that `make tables` fills from a file, no two of them the same."""
    page = outcomes()
    runs = re.findall(r"<!-- runs (benchmarks\.papers\.\w+) (\w+)((?: benchmarks/(?:results|peers)/\S+)+) -->", page)
    assert len(runs) == page.count("<!-- runs ") == 6
    blocks = re.findall(
        r"<!-- script (benchmarks\.papers\.\w+) (\w+) (benchmarks/results/\S+)(?: benchmarks/peers/\S+)? -->", page
    )
    assert len({(module, function) for module, function, _ in blocks}) == len(blocks) >= 8
    for module, function, _ in [*blocks, *runs]:
        assert callable(getattr(importlib.import_module(module), function))
    assert "*GPU*" not in page


@pytest.mark.skipif(lagcolor.has_gpu(), reason="is about machines without a GPU")
@pytest.mark.parametrize(
    "module", [osama, ecl_gc_shortcuts, ecl_gc_reduction, ecl_gc_rivals, feluca_rivals, ipgc_colors]
)
def test_needs_a_gpu_unless_told(module, capsys):
    assert module.main([]) == 2
    assert re.search(r"--device\s+cpu", capsys.readouterr().out)
