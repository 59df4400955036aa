"""A table of the docs says whose figures it shows and refuses a mix of commits."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import result_tables as tables
import table_sources
import update_pictures
import update_tables
from report_cases import failed, measurement, meta, run, write
from table_sources import SourceError

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import frontier_table2, semirings_cpu

HEAD = "graph,n,directed_edges,code,threads,colors,ms,valid\n"
ROWS = (
    "g,256,2000,A B,1,6,0.5,yes\ng,256,2000,C,2,5,0.25,no\nh,256,1998,A B,1,7,8,yes\nh,256,1998,C,2,4,0.75,yes\n"
    "elsewhere,9,9,D,1,2,3,yes\n"
)
ABOUT = {"machine": "a big machine", "how": "best of 3", "unknown": "flags", "missing": "a crash"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [run("g", "greedy", ms=1.0), run("h", "greedy", ms=2.0), run("i", "greedy", ms=4.0)]
    return write(tmp_path / "bench.jsonl", [meta(), *rows])


@pytest.fixture
def peers(tmp_path: Path) -> Path:
    (tmp_path / "sources.json").write_text(json.dumps({"peers.csv": ABOUT}))
    path = tmp_path / "peers.csv"
    path.write_text(HEAD + ROWS)
    return path


def test_other_peoples_figures_are_cited_and_marked(file, peers):
    text = tables.results([str(file), str(peers), "codes", "greedy", "Abe=A B", "C ×2"])
    assert text.splitlines()[0] == "| graph | greedy | Abe | C ×2 |"
    assert text.splitlines()[2:5] == [
        "| g | 1 (8) | 0.5 (6) | improper |",
        "| h | 2 (8) | 8 (7)* | 0.75 (4)* |",
        "| i | 4 (8) | – | – |",
    ]
    footer = text.splitlines()[-1]
    for said in ("a big machine", "–: a crash", "*: another instance", "`peers.csv`", "not run by us"):
        assert said in footer
    assert "Every coloring verified: Test CPU, 2 cores, 2026-11-21, commit abc123 (`bench.jsonl`)." in footer


def test_all_that_is_known_of_other_peoples_figures(file, peers):
    text = tables.about([str(peers), str(file)])
    for said in ("a big machine", "best of 3", "Not known: flags", "a crash", "These are h of 256 vertices, 1,998"):
        assert said in text
    assert text.endswith("From `peers.csv`; the graphs here are from `bench.jsonl`.\n")


def test_a_table_of_unknown_origin_is_refused(file, peers):
    peers.with_name("sources.json").write_text("{}")
    with pytest.raises(SourceError, match=r"peers\.csv is not in sources\.json"):
        tables.compared([str(file), str(peers)])
    with pytest.raises(SourceError, match=r"peers\.csv is not in sources\.json"):
        tables.about([str(peers)])


def test_the_fastest_peer_is_named_with_the_ratio_to_it(file, peers):
    lines = tables.against(["fastest", "greedy", str(file), str(peers)]).splitlines()
    assert lines[2:6] == [
        "| g | 1 (8) | 100.0 | A B: 0.5 (6) | 2.00 |",
        "| h | 2 (8) | 200.0 | C ×2: 0.75 (4)* | 2.67 |",
        "| i | 4 (8) | 400.0 |  |  |",
        "| geometric mean |  |  |  | 2.31 |",
    ]


@pytest.mark.parametrize(
    ("commits", "why"),
    [
        (["abc1234", "def5678"], "more than one commit"),
        (["abc1234+"], "uncommitted changes"),
        ([""], "does not say"),
        (["abc1234", "abc1234def56"], None),
    ],
)
def test_one_commit_of_a_clean_tree(tmp_path, monkeypatch, commits, why):
    rows = []
    for i, commit in enumerate(commits):
        rows += [meta(commit=commit), run(f"g{i}", "greedy"), run(f"g{i}", "auto:fast", style="auto")]
    path = write(tmp_path / "bench-1.jsonl", rows)
    names = [str(path)]
    makers = [tables.graphs, tables.codes, tables.qualities]
    calls = [*((make, names) for make in makers), (tables.against, ["fastest", "greedy", *names])]
    calls += [(tables.runs, ["benchmarks.targets", "markdown", *names])]
    for make, words in calls:
        if why is None:
            assert commits[0] in make(words) or make is tables.graphs
        else:
            with pytest.raises(SourceError, match=why):
                make(words)
    monkeypatch.setattr(update_pictures, "RESULTS", tmp_path)
    if why is not None:
        with pytest.raises(SourceError, match=why):
            update_pictures.every_code("cpu", "bench-*.jsonl")


def test_a_table_that_records_were_laid_beside_is_cited(tmp_path, peers):
    codes = ("baseline", "hybrid", "queues", "stealing")
    rows = [meta(), *(run(g, "che", variant=c, ms=1.0) for g in "gh" for c in codes)]
    words = ["benchmarks.papers.che", "markdown", str(write(tmp_path / "x.jsonl", rows))]
    cited = tables.script([*words, str(peers)])
    assert cited.startswith(tables.script(words)) and cited.rstrip().endswith("*: another instance of the graph.")
    assert "a big machine" in cited and "a big machine" not in tables.script(words)


def test_times_beside_python_graphblas_as_a_table():
    times = {"ratio": 0.5, "verbs_ms": 2.0, "by_hand_ms": 4.0}
    speed = [measurement("g", name, **times) for name in semirings_cpu.ALGORITHMS]
    colors = [measurement("g", "luby_mis", {"order": "random"}, colors=9, greedy_colors=8)]
    lines = semirings_cpu.markdown([meta(), *speed])
    assert lines[2] == f"| g |{' 0.50 (2 / 4 ms) |' * 3}" and lines[-1].startswith("Geometric mean 0.50; ")
    assert semirings_cpu.markdown([meta(), *speed, *colors])[-1] == "| colors over greedy's | 1.12 |"


def test_the_steps_of_gunrock_as_a_table():
    steps = [run("g", step.algorithm, variant=step.name, ms=step.paper_ms) for step in frontier_table2.STEPS]
    _, _, *lines, _, last = frontier_table2.markdown([meta(), *steps])
    assert len(lines) == len(steps) - 1 and all(line.endswith("| agrees |") for line in lines)
    assert last == "Medians. Test CPU, 2026-11-21, commit abc123."


def test_a_refused_table_is_replaced_by_the_reason_and_the_command_fails(tmp_path, monkeypatch, capsys):
    rows = [meta(commit="abc1234"), run("g", "greedy"), meta(commit="def5678"), run("h", "greedy")]
    write(tmp_path / "mixed.jsonl", rows)
    write(tmp_path / "clean.jsonl", rows[:2])
    page = tmp_path / "README.md"
    page.write_text("".join(f"<!-- codes {name}.jsonl -->\n| stale |\n<!-- end -->\n" for name in ("mixed", "clean")))
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(update_tables, "ROOT", tmp_path)
    assert update_tables.main() == 1
    refused, shown = page.read_text().split("<!-- end -->\n")[:2]
    assert refused.splitlines()[1:] == ["No table: measured at more than one commit (abc1234, def5678)."]
    assert "| code | g |" in shown and "README.md" in capsys.readouterr().err
    page.write_text(page.read_text().replace("mixed", "clean"))
    assert update_tables.main() == 0


def test_a_text_that_names_a_library_without_figures_is_refused(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    peer = {"style": "peer"}
    rows = [meta(), run("g", "greedy"), run("g", "boost32 greedy", **peer)]
    rows.append(failed("g", "colpack greedy", "absent", "no"))
    write(folder / "x.jsonl", rows)
    page = tmp_path / "README.md"
    lines = "## Times\n\nBoost and ColPack run on one thread.\n\n<!-- codes benchmarks/x.jsonl -->\n<!-- end -->\n"
    page.write_text(f"ColPack is a library.\n\n{lines}")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(update_tables, "ROOT", tmp_path)
    assert update_tables.main() == 1
    assert "No table: the text before it names ColPack, without a figure in it." in page.read_text()
    assert "names ColPack" in capsys.readouterr().err
    page.write_text(page.read_text().replace("Boost and ColPack run", "`colpack` and Boost run"))
    assert update_tables.main() == 0 and "| Boost 32-bit | 2 (8) |" in page.read_text()


def test_a_script_s_table_must_name_what_the_last_paragraph_names():
    check = update_tables.check_text
    check("igraph is above.\n\nSciPy is here.\n\n", "script", [], "| SciPy |")
    with pytest.raises(SourceError, match="names igraph, without"):
        check("igraph is here.\n\n", "script", [], "| SciPy |")
    check("igraph is here.", "pictures", [], "")
    for name in ("ECL-GC", "CP-SAT", "SparseMatrixColorings.jl", "Gunrock", "PyAMG", "Picasso", "asdex"):
        with pytest.raises(SourceError, match=f"names {name}, without"):
            check(f"{name} is here.", "script", [], "| SciPy |")


def test_columns_of_the_comparison_are_the_same_for_every_graph(tmp_path):
    rows = [
        meta(), run("g", "greedy", ms=4.0), run("g", "greedy", ms=3.0, order="largest_first"),
        run("g", "auto:balanced", ms=0.5, colors=2, style="auto", order=""), run("g", "dsatur", ms=8.0, colors=3),
        run("g", "boost greedy", ms=9.0, style="peer"), run("g", "colpack greedy", ms=99.0, colors=4, style="peer"),
        failed("g", "igraph dsatur", "timeout", "late", style="peer"), run("h", "dsatur", ms=1.0),
    ]  # fmt: skip
    text = tables.compared([str(write(tmp_path / "x.jsonl", rows))]).splitlines()
    assert text[0] == "| graph | default | natural | DSATUR | fastest other | other with the fewest colors |"
    assert text[2] == "| g | 0.5 (2) | 4 (8) | 8 (3) | Boost, natural: 9 (8) | ColPack, natural: 99 (4) |"
    assert text[3] == "| h |  |  | 1 (8) |  |  |"
    assert text[5].startswith("The default is faster than every other library here on 1 of 1 graphs (g). Among")
    assert "it is the fastest on 1. It has fewer colors than every other library on 1." in text[5]


@pytest.mark.parametrize("path", sorted((table_sources.Path(__file__).parents[2] / "benchmarks/peers").glob("*.csv")))
def test_every_committed_table_of_others_says_where_it_is_from(path):
    about = json.loads((path.parent / table_sources.SOURCES).read_text())[path.name]
    assert all(about[key] for key in ABOUT)
    page = (path.parent / "README.md").read_text()
    assert path.name in page and about["machine"] in page and about["missing"] in page
