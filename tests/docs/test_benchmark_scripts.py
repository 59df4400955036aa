"""Scripts of benchmarks/ on small inputs: their result files and tables. Speed is not tested."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from waiting import PATIENCE

import lagcolor
from benchmarks import compare, experiment, losses
from benchmarks.harness.codes import ours
from benchmarks.harness.results import of_kind, read_lines
from benchmarks.papers import __main__ as papers
from benchmarks.papers import che, che_figures, ecl_gc, ecl_gc_reduction, ecl_gc_shortcuts, ipgc_colors, osama
from benchmarks.peers import PEERS

ROOT = Path(__file__).parents[2]
BACKEND = any(point.name == "lagcolor" for point in entry_points(group="networkx.backends"))
SCRIPTS = {
    "edges": "regular:3,200 clique:11 --runs 1",
    "exact": "sudoku:9,40,1 latin:5,40,1 --limit 20 --runs 1",
    "frontier_table2": "grid2d:20,15 --device cpu --runs 1",
    "hard": "erdos_renyi:60,0.5 --easy 0.05 --limit 0.1",
    "meshes": "hexahedra:4 random:90,40 --device cpu --runs 1 --best 0.1",
    "networkx_calls": "--nodes 400 --runs 1",
    "papers.che": "barabasi_albert:300,3 --device cpu --runs 1",
    "papers.che_figures": "barabasi_albert:300,3 --device cpu --runs 1 --queues 2 --chunk 16 --switch-points 3",
    "papers.ecl_gc": "grid2d:16 --device cpu",
    "papers.ecl_gc_reduction": "rmat:9 --device cpu --runs 1",
    "papers.ecl_gc_rivals": "rmat:8 --device cpu --runs 1",
    "papers.ecl_gc_shortcuts": "rmat:8 --device cpu --runs 1",
    "papers.feluca": "rmat:9 --device cpu --runs 1",
    "papers.feluca_figures": "kron_g500:10 --device cpu --runs 1 --fractions 0 0.9 1",
    "papers.feluca_rivals": "rmat:8 --device cpu --runs 1",
    "papers.ipgc_colors": "rgg:8 --device cpu --runs 1",
    "papers.ipgc_profile": "grid2d:12 --device cpu --runs 1",
    "papers.osama": "rgg:8 --device cpu --runs 1",
    "proofs": "cycle:9 queen:5 --limit 0.2",
    "rlf": "queen:5 --runs 1 --edges 300",
    "rules": "grid2d:20 --device cpu --runs 1",
    "solvers": "poisson:6 --device cpu --runs 1 --codes jacobi ssor",
    "spills": "queen:5 --registers 3 --runs 1 --seconds 0.2",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_measures_and_prints_a_table(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    if name == "networkx_calls" and not BACKEND:
        pytest.skip("lagcolor is not installed as a backend of NetworkX")
    out = tmp_path / "r.jsonl"
    module = importlib.import_module(f"benchmarks.{name}")
    assert module.main([*SCRIPTS[name].split(), "--out", str(out), "--commit", "abc"]) == 0
    about, *lines = records = read_lines(out)
    assert about["commit"] == "abc" and lines
    for line in of_kind(lines, "run"):
        if not line["options"]:
            G = lagcolor.generate.from_spec(line["spec"])
            order = line["order"] or None
            assert line["colors"] == lagcolor.color(G, line["code"], order, seed=line["seed"]).n_colors, line["code"]
    printed = capsys.readouterr().out
    assert "| --- |" in printed or "━" in printed or "─" in printed
    if hasattr(module, "markdown") and name != "frontier_table2":
        assert "\n".join(module.markdown(records)) in printed


def test_losses_go_on_where_they_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(experiment, "collection", lambda: {"a": "grid2d:8", "b": "cycle:9"})
    out = str(tmp_path / "l.jsonl")
    words = ["measure", out, "real", "tiny", "--runs", "1", "--commit", "abc"]
    assert losses.main([*words, "--limit", "-1"]) == losses.UNFINISHED
    for _ in range(2):
        assert losses.main(words) == 0
        found = [(r["options"]["set"], r["graph"], r["code"]) for r in of_kind(read_lines(out), "measurement")]
        assert len(found) == len(set(found)) and {("real", "b", "call"), ("tiny", "petersen", "default")} <= set(found)
    with pytest.raises(SystemExit, match="of commit abc, not def"):
        losses.main([*words[:-1], "def"])
    assert losses.main(["markdown", out]) == 0 and "proved optimal; median" in capsys.readouterr().out
    monkeypatch.setattr(losses, "hardware", lambda device: {"cpu": "another", "cores": 1, "gpu": None})
    with pytest.raises(SystemExit, match="another machine"):
        losses.main(words)
    monkeypatch.undo()
    monkeypatch.setattr(experiment, "DATA", tmp_path)
    with pytest.raises(SystemExit, match="set LAGCOLOR_DATA"):
        losses.main(["measure", str(tmp_path / "other.jsonl"), "real", "--commit", "abc"])


# The tables of the papers' pages.


def outcomes() -> str:
    """The text of the pages of the papers' tables and figures."""
    folder = ROOT / "docs" / "measurements"
    return "".join(page.read_text() for page in sorted(folder.glob("paper*.md")))


def test_every_experiment_is_a_script_on_a_page() -> None:
    page = outcomes()
    for e in papers.EXPERIMENTS:
        module = importlib.import_module(e.module)
        for device in ("cuda", "cpu"):
            args = papers.arguments([e.name, "--device", device, "--out", "x", "--commit", "abc"])
            parsed = module.arguments(papers.words(e, args))
            assert (parsed.device, parsed.commit, parsed.out) == (device, "abc", Path("x") / f"{e.name}.part")
        assert f"`{e.name}`" in page


@pytest.mark.parametrize("module", [che, che_figures, ecl_gc, ecl_gc_shortcuts, ecl_gc_reduction, osama])
def test_a_script_stops_without_a_graph_that_it_names(
    module: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(experiment, "DATA", tmp_path)
    assert module.main(["--device", "cpu", "--out", str(tmp_path / "out.jsonl")]) == 2  # type: ignore[attr-defined]
    message = " ".join(capsys.readouterr().err.split())
    assert re.search(rf"not in {tmp_path}: [AD]/[\w.-]+(, D/[\w.-]+)?: set LAGCOLOR_DATA", message), message
    assert not list(tmp_path.iterdir())


NY = {Path(experiment.ROADS).name: experiment.ROADS}
DECLARED = {  # module → name of a graph in its files → its source
    che: {name: i.spec for name, i in che.INPUTS.items()},
    che_figures: {Path(che.INPUTS[che.DIP].spec).name: che.INPUTS[che.DIP].spec},
    ecl_gc: {Path(i.spec).name: i.spec for i in ecl_gc.INPUTS},
    ecl_gc_shortcuts: lagcolor.generate.SUITE_H200 | NY,
    ecl_gc_reduction: lagcolor.generate.SUITE_H200 | NY,
    osama: osama.GRAPHS,
    ipgc_colors: {name: i.spec for name, i in ipgc_colors.INPUTS.items()},
}


@pytest.mark.parametrize("module", DECLARED)
def test_published_figures_are_of_the_graphs_that_they_name(module: object) -> None:
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


# The scripts that measure all tables again.

STUB = """#!/usr/bin/env bash
printf '%s\\t' "$@" >>"$CALLS"; echo >>"$CALLS"
while [ $# -gt 0 ]; do
    case "$1" in
        *.jsonl) : >"$1" ;;
        --out) case "$2" in *.jsonl) ;; *) mkdir -p "$2" && : >"$2/results.jsonl" ;; esac ;;
    esac
    shift
done
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_scripts_of_tables_have_right_command_lines_and_make_every_table(tmp_path: Path) -> None:
    stub, made = tmp_path / "python", set()
    stub.write_text(STUB)
    stub.chmod(0o755)
    for i, words in enumerate((["gpu_tables.sh", "abc123"], ["cpu_tables.sh"])):
        calls, out = tmp_path / f"calls{i}", tmp_path / f"out{i}"
        env = {"PATH": "/usr/bin:/bin", "PYTHON": str(stub), "CALLS": str(calls), "TRY": "yes"}
        env |= dict.fromkeys(("LAGCOLOR_DATA", "PEERS", "TABLES"), "there")
        script, *commit = words
        command = ["bash", str(ROOT / "benchmarks" / script), *commit, str(out)]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        again = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE)
        assert again.stdout.count("done before") == done.stdout.count("done, ") == len(again.stdout.splitlines())
        for line in calls.read_text().splitlines():
            how, module, *argv = line.rstrip("\t").split("\t")
            if how == "-":  # `installed` of steps.sh
                assert {module, *argv} <= PEERS.keys()
            elif module == "benchmarks.compare":
                args = compare.parser_of(compare, module).parse_args(argv)
                assert ours(args.device, args.algorithms)
            elif hasattr(found := importlib.import_module(module), "arguments"):
                found.arguments(argv)
            else:
                options = Path(found.__file__).read_text() + (ROOT / "benchmarks/experiment.py").read_text()
                assert all(f'"{word}"' in options for word in argv if word.startswith("--")), line
            assert how == "-" or script == "cpu_tables.sh" or argv[argv.index("--commit") + 1] == "abc123"
        made |= {path.name for path in out.glob("*.jsonl")}
    command[1:] = str(ROOT / "benchmarks" / "gpu_tables.sh"), "def456", str(tmp_path / "out0")
    other = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE)
    assert other.returncode == 2 and "has files of commit abc123, and this is def456" in other.stderr
    del env["LAGCOLOR_DATA"]
    command[3:] = str(tmp_path / "new"), "solvers"
    absent = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE)
    assert absent.returncode == 1 and "set LAGCOLOR_DATA: the folder of real matrices" in absent.stdout
    made |= {f"{e.name}-h200-2026-11-29.jsonl" for e in papers.EXPERIMENTS}
    text = "".join(page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    patterns = set(re.findall(r"(?<=benchmarks/results/)\S+\.jsonl(?=.* -->)", text))
    assert len(patterns) > 15
    assert {p for p in patterns if not any(Path(name).match(p) for name in made)} == set()
