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
    text = tables.results([str(file), str(peers), "codes", "greedy", "A B", "C ×2"])
    assert text.splitlines()[2:5] == [
        "| g | 256 | 2,000 | 1 (8) | 0.5 (6) | improper |",
        "| h | 256 | 2,000 | 2 (8) | 8 (7)* | 0.75 (4)* |",
        "| i | 256 | 2,000 | 4 (8) | – | – |",
    ]
    footer = text.splitlines()[-1]
    for said in (
        "a big machine",
        "best of 3",
        "not known: flags",
        "–: a crash",
        "one figure: h.",
        "`peers.csv`",
        "not run by us",
    ):
        assert said in footer
    assert "Every coloring verified: Test CPU, 2 cores, 2026-11-21, commit abc123 (`bench.jsonl`)." in footer


def test_a_table_of_unknown_origin_is_refused(file, peers):
    peers.with_name("sources.json").write_text("{}")
    with pytest.raises(SourceError, match=r"peers\.csv is not in sources\.json"):
        tables.results([str(file), str(peers)])


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
    makers = [tables.results, tables.codes, tables.qualities]
    calls = [*((make, names) for make in makers), (tables.against, ["fastest", "greedy", *names])]
    calls += [(tables.runs, ["benchmarks.targets", "markdown", *names])]
    for make, words in calls:
        if why is None:
            assert commits[0] in make(words)
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
    assert cited.startswith(tables.script(words)) and cited.rstrip().endswith("one figure: h.")
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
    page.write_text("".join(f"<!-- results {name}.jsonl -->\n| stale |\n<!-- end -->\n" for name in ("mixed", "clean")))
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(update_tables, "ROOT", tmp_path)
    assert update_tables.main() == 1
    refused, shown = page.read_text().split("<!-- end -->\n")[:2]
    assert refused.splitlines()[1:] == ["No table: measured at more than one commit (abc1234, def5678)."]
    assert "| g |" in shown and "README.md" in capsys.readouterr().err
    page.write_text(page.read_text().replace("mixed", "clean"))
    assert update_tables.main() == 0


def test_like_stands_beside_like(tmp_path):
    rows = [
        meta(), run("g", "greedy", ms=4.0, style="sequential"), run("g", "first_fit", ms=2.0, colors=7, threads=2),
        run("g", "first_fit", ms=3.0, colors=7, threads=1), run("g", "gebremedhin_manne", ms=1.0),
        run("g", "boost greedy", ms=9.0, style="peer"), run("g", "auto:best=5x", ms=0.5, colors=2, style="auto"),
        failed("g", "igraph dsatur", "timeout", "late", style="peer"),
    ]  # fmt: skip
    line = tables.results([str(write(tmp_path / "x.jsonl", rows))]).splitlines()[2]
    one, ours, peer, theirs, fixed, varying = line.split(" | ")[3:]
    assert one.startswith("first_fit, natural: 3 ms (7)") and ours == one
    assert peer == theirs == "boost greedy, natural: 9 ms (8)"
    assert fixed == "first_fit, natural, 2 threads: 2 ms (7)" and varying.startswith(
        "gebremedhin_manne, natural: 1 ms (8)"
    )


@pytest.mark.parametrize("path", sorted((table_sources.Path(__file__).parents[2] / "benchmarks/peers").glob("*.csv")))
def test_every_committed_table_of_others_says_where_it_is_from(path):
    about = json.loads((path.parent / table_sources.SOURCES).read_text())[path.name]
    assert all(about[key] for key in ABOUT)
    page = (path.parent / "README.md").read_text()
    assert path.name in page and about["machine"] in page and about["missing"] in page
