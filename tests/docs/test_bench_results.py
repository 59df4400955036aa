"""Result files: the schema, what is read of them; fronts, means and growth obey their definitions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import measurement, meta, run, write

import lagcolor
from benchmarks.harness import results as measurements
from benchmarks.harness.results import Results, Run, read_lines
from benchmarks.harness.results.schema import HARDWARE

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "benchmarks/results"


def read(tmp_path, rows, name="r.jsonl") -> Results:
    return measurements.read(write(tmp_path / name, rows))


# ---- what bench writes


def test_a_row_of_bench_is_read_whole(tmp_path):
    trace = [{"round": 1, "active": 9, "colored": 9, "conflicts": 0, "ms": 1.0}]
    more = {"seed": 3, "threads": 2, "options": {"k": 1}, "memory_bytes": 7, "trace": trace, "ms_all": [2.5, 2.0, 1.5]}
    results = read(tmp_path, [meta(), run("rgg:8", "ipgc", **more)])
    (r,) = results.runs
    assert (r.graph, r.code, r.style, r.device, r.machine) == ("rgg:8", "ipgc", "kernel", "cpu", "Test CPU, 2 cores")
    assert (r.order, r.seed, r.threads, r.options, r.colors, r.rounds) == ("natural", 3, 2, "k=1", 8, 1)
    assert (r.ms, r.ms_min, r.ms_max, r.order_ms, r.convert_ms, r.memory_bytes) == (2.0, 1.5, 2.5, 0.5, 0.1, 7)
    assert (r.verified, r.status, r.error, list(r.trace)) == (True, "ok", "", trace)
    assert (r.source, r.date[:10], r.commit) == ("r.jsonl", "2026-11-21", "abc123")
    assert (r.time(), r.time(ordering=False)) == (2.0, 1.5)
    assert r.floors() == pytest.approx(200)
    assert results.label(r) == "ipgc, natural, k=1, 2 threads"
    facts = results.graphs["rgg:8"]
    assert (facts.spec, facts.n, facts.m, facts.max_degree, facts.floor_ms) == ("rgg:8", 256, 2000, 20, 0.01)
    (m,) = results.metas
    assert (m.hardware, m.command, m.versions) == ("Test CPU, 2 cores", "lagcolor bench rgg:8", {"numpy": "2.4.0"})
    assert results.notes == []


def test_a_cut_last_line_is_noted_and_other_malformed_ones_are_errors(tmp_path):
    path = write(tmp_path / "r.jsonl", [meta(), run("g", "a")])
    with open(path, "a") as f:
        f.write('{"kind": "run", "gra')
    results = measurements.read(path)
    assert len(results.runs) == 1
    assert results.notes == ["r.jsonl: the last line is cut off, left out"]
    write(path, [meta()])
    path.write_text(path.read_text() + "not json\n")
    with pytest.raises(lagcolor.FormatError, match=r"r\.jsonl, line 2: not JSON"):
        measurements.read(path)
    path.write_text("[1]\n")
    with pytest.raises(lagcolor.FormatError, match="line 1: not a JSON object"):
        measurements.read(path)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"trace": 5}, "trace of a run line is 5"),
        ({"ms_all": 7}, "ms_all of a run line is 7"),
        ({"colors": True}, "colors of a run line is True"),
        ({"time": 1}, "a run line has no key 'time'"),
        ({"status": "late"}, "status is 'late', not one of ok,"),
        ({"kind": "result"}, "kind is 'result', not one of meta,"),
        ({"kind": "measurement", "figures": {}}, "a measurement line has no key"),
    ],
)
def test_a_line_that_does_not_fit_the_schema_is_named_by_its_number(tmp_path, wrong, message):
    with pytest.raises(lagcolor.FormatError, match=rf"r\.jsonl, line 2: {message}"):
        read(tmp_path, [meta(), {**run("g", "a"), **wrong}])


def test_files_of_other_schemas_and_without_a_header_are_refused(tmp_path):
    with pytest.raises(lagcolor.FormatError, match="line 1: schema 1, not 2"):
        read(tmp_path, [meta(schema=1), run("g", "a")])
    with pytest.raises(lagcolor.FormatError, match="line 1: no meta line"):
        read(tmp_path, [run("g", "a")])
    with pytest.raises(lagcolor.FormatError, match="line 1: a meta line without settings"):
        read(tmp_path, [{key: value for key, value in meta().items() if key != "settings"}])
    with pytest.raises(lagcolor.FormatError, match="figure 'ms' of a measurement line is 'fast'"):
        read(tmp_path, [meta(), measurement("g", "a", ms="fast")])


# ---- comparisons


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9).map(float)), max_size=25))
def test_the_front_is_what_nothing_beats(figures):
    runs = [Run(graph="g", code=f"c{i}", colors=c, ms=t) for i, (c, t) in enumerate(figures)]
    front = [(r.colors, r.ms) for r in measurements.front(runs)]
    beaten = {
        (c, t) for c, t in figures if any((d, u) != (c, t) and d <= c and u <= t for d, u in figures)
    }  # fmt: skip
    assert front == sorted(set(figures) - beaten)


@pytest.mark.parametrize("style", ["peer", "kernel"])
def test_whoever_is_faster_beats(style):
    """A peer as well as a code of ours, in either direction."""
    ours = Run(graph="g", code="ours", colors=5, ms=10.0, style="sequential")
    quick = Run(graph="g", code="theirs", colors=5, ms=2.0, style=style)
    thrifty = Run(graph="g", code="thrifty", colors=4, ms=10.0, style=style)
    slow = Run(graph="g", code="slow", colors=5, ms=11.0, style=style)
    assert measurements.beaten_by(ours, [ours, quick, slow]) is quick
    assert measurements.beaten_by(ours, [ours, thrifty, slow]) is thrifty
    assert measurements.beaten_by(ours, [ours, slow]) is None
    assert measurements.beaten_by(slow, [ours, slow]) is ours
    assert measurements.front([ours, slow, quick, thrifty]) == [thrifty, quick]


def test_speedups_are_geometric_means_over_common_graphs(tmp_path):
    rows = [meta(), *(run(g, "base", ms=m) for g, m in (("x", 4.0), ("y", 9.0), ("z", 1.0)))]
    rows += [run("x", "fast", ms=1.0), run("y", "fast", ms=1.0), run("w", "elsewhere", ms=1.0)]
    rows += [run("x", "seeds", ms=t, seed=s) for s, t in enumerate((1.0, 2.0, 50.0))]
    results = read(tmp_path, rows)
    found = {s.label.split(",")[0]: s for s in measurements.speedups(results, "base")}
    assert list(found) == ["fast", "seeds", "base"]
    assert found["fast"].ratios == {"x": 4.0, "y": 9.0}
    assert found["fast"].mean == pytest.approx(6.0)
    assert found["seeds"].ratios == {"x": 2.0}
    assert found["base"].mean == pytest.approx(1.0)
    assert measurements.default_baseline(results) == "base, natural"
    assert measurements.speedups(results)[0].label == "fast, natural"


def test_committed_result_files_fit_the_schema():
    """Each is named in the docs or README of the benchmarks, has its header first, and names no folder of a machine."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "benchmarks/README.md"]
    texts = "".join(page.read_text() for page in pages)
    for path in sorted(COMMITTED.glob("*.jsonl")):
        rows = read_lines(path)
        assert rows[0]["kind"] == "meta" and len(rows) > 1, path.name
        for head in (row for row in rows if row["kind"] == "meta"):
            assert set(head["hardware"]) == set(HARDWARE) and {"python", "numpy"} <= set(head["versions"]), path.name
            assert re.fullmatch(r"[0-9a-f]{7,40}", head["commit"]) and head["date"][:2] == "20", path.name
        assert not re.findall(r'"/[A-Za-z]+/[^"]*"', path.read_text()), path.name
        assert path.name in texts
