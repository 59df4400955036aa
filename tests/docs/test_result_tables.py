"""The tables and pictures that docs/ takes from result files say what the files say."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import result_tables as tables
import update_pictures
from report_cases import failed, meta, run, write

from benchmarks.harness import plots
from benchmarks.harness import results as measurements


@pytest.fixture
def file(tmp_path: Path) -> Path:
    auto = {"style": "auto", "order": ""}
    rows = [
        meta(),
        run("g", "first_fit", order="largest_first_spread", seed=0, ms=1.0, colors=9),
        run("g", "auto:fast", ms=1.01, colors=9, **auto),
        run("g", "auto:balanced", ms=2.0, colors=7, **auto), run("g", "auto:best=25x", ms=30.0, colors=5, **auto),
        run("g", "auto:best=5x", ms=6.0, colors=6, **auto), run("g", "dsatur", ms=20.0, colors=5),
        run("g", "slow", ms=3000.0, colors=99), failed("h", "slow", "timeout", "no answer in 2 s"),
        run("h", "first_fit", ms=2.0, colors=3), run("h", "boost greedy", ms=4.0, colors=3, style="peer"),
        {"kind": "reference", "graph": "g", "code": "A B", "colors": 2, "ms": 0.5, "from": "x.csv"},
    ]  # fmt: skip
    return write(tmp_path / "bench-2026-01-02.jsonl", rows)


def body(text: str) -> list[str]:
    return [line for line in text.partition("\n\n")[0].splitlines() if not line.startswith("| ---")]


def test_a_quality_says_what_beats_it_and_nothing_of_itself(file):
    text = tables.qualities([str(file)])
    assert body(text) == [
        "| graph | fast | balanced | best, 5 × | best, 25 × |",
        "| g | 1.01 (9) | 2 (7) | 6 (6) | 30 (5) † |",
    ]
    assert "of that run: 3 of 4." in text and "The codes are on g dsatur 20 (5)." in text
    assert "Test CPU, 2 cores, 2026-11-21, commit abc123" in text


def test_codes_are_ordered_by_what_they_colored_and_how_fast(file):
    assert body(tables.codes([str(file)])) == [
        "| code | g | h |",
        "| first_fit | 1 (9) | 2 (3) |",
        "| fast | 1.01 (9) |  |",
        "| balanced | 2 (7) |  |",
        "| Boost |  | 4 (3) |",
        "| best, 5 × | 6 (6) |  |",
        "| dsatur | 20 (5) |  |",
        "| best, 25 × | 30 (5) |  |",
        "| slow | 3,000 (99) | too late |",
        "| A B | 0.5 (2) |  |",
    ]


def test_codes_of_one_side_and_of_many_graphs(file, tmp_path):
    others = [line.split(" | ")[0] for line in body(tables.codes(["others", str(file)]))]
    assert others == ["| code", "| Boost", "| A B"]
    assert "Boost" not in tables.codes(["own", str(file)])
    many = write(tmp_path / "many.jsonl", [meta(), *(run(f"g{i}", "greedy") for i in range(7))])
    heads = [line for line in tables.codes([str(many)]).splitlines() if line.startswith("| code")]
    assert heads == ["| code | g0 | g1 | g2 | g3 |", "| code | g4 | g5 | g6 |"]


def test_graphs_with_their_sizes(file):
    assert body(tables.graphs([str(file)]))[1] == "| g | `g` | 256 | 2,000 | 20 |"
    assert tables.graphs([str(file)]).endswith("From `bench-2026-01-02.jsonl`.\n")


def test_a_code_against_another(file):
    assert body(tables.against(["A B", "first_fit", str(file)])) == [
        "| graph | first_fit | × floor | A B | ratio |",
        "| g | 1 (9) | 100.0 | 0.5 (2) | 2.00 |",
        "| h | 2 (3) | 200.0 |  |  |",
        "| geometric mean |  |  |  | 2.00 |",
    ]


def test_of_a_pattern_the_last_file_counts_and_none_is_said(file, monkeypatch):
    monkeypatch.setattr(tables, "ROOT", file.parent)
    write(file.with_name("bench-2026-01-01.jsonl"), [meta(), run("old", "first_fit")])
    assert tables.found(["bench-*.jsonl"]) == [file]
    assert "| g |" in tables.results(["bench-[0-9]*.jsonl", "codes", "first_fit"])
    assert tables.results(["bench-*.jsonl", "codes", "no_such"]) == tables.MISSING
    for made in (tables.compared, tables.codes, tables.graphs, tables.qualities, tables.rivals, tables.sources):
        assert made(["none-*.jsonl"]) == tables.MISSING
    assert tables.results(["none-*.jsonl", "codes", "first_fit"]) == tables.MISSING
    with pytest.raises(ValueError, match="names its codes"):
        tables.results([str(file)])
    assert tables.against(["A B", "first_fit", "none-*.jsonl"]) == tables.MISSING
    assert tables.script(["benchmarks.papers.ecl_gc_shortcuts", "ablation", "none-*.jsonl"]) == tables.MISSING
    assert tables.qualities(["bench-2026-01-01.jsonl"]) == tables.MISSING


def test_the_picture_of_qualities_joins_and_names_them(file):
    figure = plots.qualities(file)
    (ax,) = [ax for ax in figure.axes if ax.axison]  # h has none
    assert ax.get_title(loc="left") == "g"
    assert {text.get_text() for text in ax.texts} == {"fast", "balanced", "5 ×", "25 ×"}
    chain = next(line for line in ax.lines if line.get_linestyle() == "-")
    assert list(chain.get_xdata()) == [9, 7, 6, 5]
    with pytest.raises(ValueError, match="no quality in these results"):
        plots.qualities(measurements.read(file).only([]))


def test_qualities_that_lie_on_each_other_share_a_name(tmp_path):
    auto = {"style": "auto", "order": "", "colors": 2}
    times = (("best=2", 1.1), ("fast", 1.0), ("best=25x", 99.0))
    rows = [run("g", f"auto:{q}", ms=ms, **auto) for q, ms in times]
    rows.append(run("g", "auto:balanced", ms=1.2, **{**auto, "colors": 3}))
    figure = plots.qualities(write(tmp_path / "x.jsonl", [meta(), *rows]))
    labels = figure.axes[0].texts
    assert [text.get_text() for text in labels] == ["fast, 2 s", "balanced", "25 ×"]
    figure.draw_without_rendering()
    ends = [text.get_window_extent() for text in labels]
    assert all(below.y1 <= above.y0 + 3 for below, above in itertools.pairwise(ends))  # they do not cover each other


def test_a_picture_shows_the_newest_file_of_its_pattern(file, monkeypatch):
    new = file.rename(file.with_name("qualities-cpu-2026-01-02.jsonl"))
    for other in ("other.jsonl", "qualities-cpu-2026-01-01.jsonl"):
        write(file.with_name(other), [meta(), *(run("g", f"code{i}", ms=1e-3) for i in range(9))])
    monkeypatch.setattr(update_pictures, "RESULTS", file.parent)
    picture = update_pictures.PICTURES["qualities-cpu"]
    assert picture.shown()[1] == []  # the graph is too small
    monkeypatch.setattr(update_pictures, "ENTRIES", 1000)
    results, graphs = picture.shown()
    assert graphs == ["g"] and {r.source for r in results.runs} == {new.name}
    now = update_pictures.digests("qualities-cpu")
    assert list(now) == ["qualities-cpu-g.svg"] and len(now["qualities-cpu-g.svg"]) == 64
    assert update_pictures.digests("qualities-gpu") == {}


@pytest.mark.parametrize("name", update_pictures.PICTURES)
def test_pictures_of_the_docs_are_fresh(name):
    assert update_pictures.stale(name) == [], "make pictures"
    assert set(update_pictures.digests(name)) == set(update_pictures.files(name).values())
