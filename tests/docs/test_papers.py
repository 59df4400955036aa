"""The papers' tables and figures: the runner, and the scripts of Osama et al. and ECL-GC. No test measures speed."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
import update_pictures
from report_cases import measurement, meta, run

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import experiment, nsight, outcome
from benchmarks.harness.results import by_graph, of_kind, of_lines, read_lines
from benchmarks.papers import __main__ as papers
from benchmarks.papers import (
    che,
    che_figures,
    ecl_gc,
    ecl_gc_reduction,
    ecl_gc_rivals,
    ecl_gc_shortcuts,
    feluca_rivals,
    ipgc_colors,
    ipgc_profile,
    osama,
)

ROOT = Path(__file__).parents[2]


def test_every_experiment_is_a_script_whose_arguments_parse():
    assert len({e.name for e in papers.EXPERIMENTS}) == len(papers.EXPERIMENTS)
    for e in papers.EXPERIMENTS:
        module = importlib.import_module(e.module)
        for device in ("cuda", "cpu"):
            args = papers.arguments([e.name, "--device", device, "--out", "x", "--commit", "abc"])
            parsed = module.arguments(papers.words(e, args))
            assert (parsed.device, parsed.commit, parsed.out) == (device, "abc", Path("x") / f"{e.name}.part")


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
    argv = ["all", "--device", "cpu", "--out", str(tmp_path), "--commit"]
    assert papers.main([*argv, "abc"]) == 2
    assert "failed: bad" in capsys.readouterr().out
    assert osama.GREEDY in [row.get("variant") for row in read_lines(tmp_path / "good.jsonl")]
    # The same command measures only what failed.
    monkeypatch.setattr(papers, "EXPERIMENTS", (tiny._replace(name="bad"), tiny))
    before = (tmp_path / "good.jsonl").read_bytes()
    assert papers.main([*argv, "abc"]) == 0
    assert "good: measured before" in capsys.readouterr().out
    assert (tmp_path / "good.jsonl").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "good.jsonl"]
    # Files of two commits do not share a folder.
    assert papers.main([*argv, "def"]) == 2
    assert "is of commit abc, not def" in capsys.readouterr().out


def test_one_that_takes_too_long_is_ended(monkeypatch, tmp_path, capsys):
    slow = papers.EXPERIMENTS[0]._replace(name="slow", cpu="path:9 --runs 1")
    monkeypatch.setattr(papers, "EXPERIMENTS", (slow,))
    assert papers.main(["slow", "--device", "cpu", "--out", str(tmp_path), "--timeout", "0.01"]) == 2
    assert "failed: slow" in capsys.readouterr().out
    assert not (tmp_path / "slow.jsonl").exists()


@pytest.mark.parametrize(
    ("module", "file"),
    [
        (che, "D/ca-CondMat-cc1.npz, D/cond-mat-2005.npz"),
        (che_figures, "D/ca-CondMat-cc1.npz"),
        (ecl_gc, "A/USA-road-d.NY.npz"),
        (ecl_gc_shortcuts, "A/USA-road-d.NY.npz"),
        (ecl_gc_reduction, "A/USA-road-d.NY.npz"),
        (osama, "A/rgg_n_2_15_s0.graph.gz"),
    ],
)
def test_a_script_stops_without_a_graph_that_it_names(module, file, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(experiment, "DATA", tmp_path)
    out = tmp_path / "out.jsonl"
    assert module.main(["--device", "cpu", "--out", str(out)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"not in {tmp_path}: {file}: set LAGCOLOR_DATA" in said
    assert not out.exists()


NY = {Path(experiment.ROADS).name: experiment.ROADS}
DECLARED = {  # module → name of a graph in its files → what it is made from
    che: {name: i.spec for name, i in che.INPUTS.items()},
    che_figures: {Path(che.INPUTS[che.DIP].spec).name: che.INPUTS[che.DIP].spec},
    ecl_gc: {Path(i.spec).name: i.spec for i in ecl_gc.INPUTS},
    ecl_gc_shortcuts: lagcolor.generate.SUITE_H200 | NY,
    ecl_gc_reduction: lagcolor.generate.SUITE_H200 | NY,
    osama: osama.GRAPHS,
    ipgc_colors: {name: i.spec for name, i in ipgc_colors.INPUTS.items()},
}


@pytest.mark.parametrize("module", DECLARED)
def test_published_figures_are_of_the_graphs_that_they_name(module):
    """No stand-in for a graph that the script declares, and no file of real graphs left out."""
    declared = DECLARED[module]
    files = set(re.findall(rf"<!-- script {module.__name__} \w+ (benchmarks/results/\S+)", outcomes()))
    assert files
    seen = set()
    for pattern in files:
        for r in read_lines(sorted(ROOT.glob(pattern))[-1]):
            if r["kind"] in ("run", "measurement") and r["graph"] in declared:
                assert r["spec"] == declared[r["graph"]], f"{pattern}: {r['graph']} is {r['spec']}"
                seen.add(r["graph"])
    assert seen >= {name for name, spec in declared.items() if spec.startswith(experiment.SHARED)}


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


def test_osama_figure_2_is_drawn():
    assert update_pictures.drawn(update_pictures.FIGURE_2) == update_pictures.digest_of_figure_2(), "make pictures"
    of = {"Gunrock IS": (2.0, 10), "Gunrock Hash": (3.0, 5)}
    codes = [*osama.CODES, osama.GREEDY]
    rows = [run("g", "x", variant=c, ms=of.get(c, (1.0, 1))[0], colors=of.get(c, (1.0, 1))[1]) for c in codes]
    assert osama.tradeoff([meta(), *rows])["Gunrock"]["Gunrock Hash"] == [[1.5, 0.5]]


def test_osama_singles_and_meshes_with_unknowns():
    rows = [
        run("parabolic_fem", code, variant=name, ms=ms, device="cuda")
        for name, code, ms in (("JPL", "jpl", 3.0), ("Gunrock IS", "gunrock_is", 2.0))
    ]
    _, _, *lines, _, _ = osama.singles([meta(device="cuda"), *rows])
    assert lines[0] == "| peak, parabolic_fem | 2 | 1.50 (3 / 2 ms) | same way |"
    assert lines[1] == "| slowdown, af_shell3 (here `af_shell3-like`) | 0.47 |  | missing |"
    G, H = (osama.graph(f"diagonals:9,8{unknowns}", "cpu") for unknowns in ("", ",5"))
    assert (H.n, H.m) == (5 * G.n, 25 * (G.m + G.n) - 5 * G.n)  # entries of a matrix of blocks, without the diagonal
    assert G.max_degree == 6 and H.max_degree == 34


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
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| grid2d:9", "| rmat:8"]
    missing = [line.split(" | ")[0] for line in lines if line.endswith("| missing |  |  |")]
    assert len(missing) == 18 and {"| amazon0601", "| USA-road-d.NY"} <= set(missing)
    assert lines[22].startswith("| geometric mean of 2 (18) |")
    assert lines[2:23] == ecl_gc_shortcuts.ablation(records)[2:23]
    assert "| Figure 17: time with CPU/GPU transfer over without | 2.8 × |  | missing |" in lines  # without a GPU
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
    assert lines[0].startswith("| rgg:8 | 2.7 (64 / 24) | ")
    assert len(lines) == 11 and all(line.endswith("|  | missing |") for line in lines[1:])
    assert "| circuit5M | 42.6 (341 / 8) |  | missing |" in lines
    assert f"{ours[0] / ours[1]:.1f} ({ours[0]} / {ours[1]})" in lines[0]


def test_a_clique_of_the_papers_colors_agrees_by_construction():
    spec = ipgc_colors.INPUTS["indochina-2004"].spec
    rows = [run("indochina-2004", "ipgc", variant=code, spec=spec, colors=6848) for code in ipgc_colors.CODES]
    assert ipgc_colors.outcomes([meta(), *rows])[2].endswith("| 1.0 (6,848 / 6,848) | by construction |")
    counted = {"steps_without_shortcuts": 30, "steps": 10, "colored": [4], "colored_without": [4]}
    figures = counted | dict(zip(ecl_gc.WAYS, (1, 2, 1), strict=True))
    made, free = (measurement(g, "ecl_gc", {"seed": 0}, **figures) for g in ("rmat:20 + clique:943", "rmat:16"))
    free["figures"]["steps_without_shortcuts"] = 20
    lines = ecl_gc.outcomes([meta(), made, free])
    assert next(line for line in lines if "uk-2002, " in line).endswith("| 3.00 × | by construction |")
    assert "| 2.5 × (18 graphs) | 2.00 × (1 graphs) | agrees |" in "\n".join(lines)  # the mean is without it
    assert "| amazon0601 | 55 / 24 |  |  | 2.29 × |  | missing |" in lines


def test_ipgc_profile(tmp_path, capsys):
    file = tmp_path / "profile.jsonl"
    assert ipgc_profile.main(["grid2d:12", "--device", "cpu", "--runs", "2", "--out", str(file)]) == 0
    lines = of_kind(read_lines(file), "measurement")
    assert [r["options"]["mode"] for r in lines] == list(ipgc_profile.MODES)
    assert all(r["figures"]["active"][0] == 144 for r in lines)
    assert "| grid2d:12, over all vertices | 1 | 1 | " in capsys.readouterr().out
    # What ncu prints, two launches; a metric that the GPU lacks has no value.
    time, reads = nsight.TIME, "dram__bytes_read.sum"
    text = [f'"{i}","ipgc_rounds","{m}","{x}"' for i in (0, 1) for m, x in ((time, "2,000"), (reads, "n/a"))]
    got = nsight.launches(["==PROF== Connected", '"ID","Kernel Name","Metric Name","Metric Value"', *text])
    assert got == [{time: 2000}, {time: 2000}]
    # Means over the first rounds, which the hybrid makes over all vertices.
    rounds = {"hybrid": ([1, 1, 0], [0.004, 0.006, 1], [2000, 9]), "data": ([0, 0, 0], [0.002, 0.002, 1], [1000, 9])}
    records = [
        measurement("g", "ipgc", {"mode": mode}, over_all=over_all, ms=ms, active=[600, 400, 7], **{time: ns})
        for mode, (over_all, ms, ns) in rounds.items()
    ]
    lines = ipgc_profile.outcomes([meta(), *records])
    assert "| g, over all vertices | 2 | 3 | 5.0 | 10.000 | 7 |" in lines
    assert "| g, over the list | 2 | 3 | 2.0 | 4.000 | 7 |" in lines
    assert [line.split(" | ")[1] for line in lines[-4:-2]] == ["2", "1"]


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
