"""The scripts that judge results of `benchmarks.compare`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from report_cases import meta

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import goals, targets
from benchmarks.harness.results import GraphFacts, Results, Run


def run(code: str, ms: float, *, order="natural", threads=None, colors=5, order_ms=0.0, **more):
    times = {"ms": ms + order_ms, "ms_min": ms + order_ms, "ms_max": ms + order_ms, "order_ms": order_ms}
    return Run(graph="g", code=code, order=order, threads=threads, colors=colors, verified=True, **times, **more)


def verdict(name: str, m: int, *runs: Run):
    (target,) = (t for t in targets.TARGETS if t.name == name)
    outcome = target.judge(m, runs)
    return outcome and outcome["verdict"]


def test_target_passes_up_to_its_limit():
    assert verdict("natural / boost", 10, run("greedy", 6.9), run("boost greedy", 10)) == "PASS"
    assert verdict("natural / boost", 10, run("greedy", 7.1), run("boost greedy", 10)) == "MISS"
    assert verdict("natural / ref bits", 10, run("greedy", 9), run("ref bits", 1)) == "shown"


def test_target_takes_the_better_rival_and_counts_ordering():
    rivals = (
        run("boost greedy", 10, order="largest_first"),
        run("colpack greedy", 5, order="largest_first", order_ms=4),
    )
    name = "largest_first / boost"
    assert verdict(name, 10, run("greedy", 3, order="largest_first", order_ms=3.2), *rivals) == "PASS"
    assert verdict(name, 10, run("greedy", 3, order="largest_first", order_ms=3.5), *rivals) == "MISS"


def test_target_without_a_rival_or_with_a_failed_one_is_absent():
    failed = run("boost greedy", 10, status="failed")
    assert verdict("natural / boost", 10, run("greedy", 1), failed) == "absent"
    assert verdict("natural / boost", 10, run("boost greedy", 1)) == "absent"


def test_dsatur_must_not_use_more_colors():
    rival = run("igraph dsatur", 100, order="dsatur", colors=5)
    for colors, expected in ((5, "PASS"), (6, "MISS")):
        mine = run("dsatur", 20, order="largest_first", colors=colors)
        assert verdict("dsatur / igraph", 10, mine, rival) == expected


def test_two_threads_are_judged_on_large_graphs_only():
    pair = run("greedy", 14), run("jones_plassmann", 9.9, threads=2)
    assert verdict("2 threads / 1, natural", 5_000_000, *pair) is None
    assert verdict("2 threads / 1, natural", 5_000_001, *pair) == "PASS"
    alone = (
        run("greedy", 14, order="random", order_ms=1),
        run("jones_plassmann", 9.9, order="random", threads=2, order_ms=50),
    )
    assert verdict("2 threads / 1, random made before", 6_000_000, *alone) == "PASS"


@pytest.fixture
def results(tmp_path):
    """A result file with first_fit, a peer and a reference."""
    frame = {"kind": "run", "graph": "g", "spec": "path:9", "n": 9, "m": 16, "max_degree": 2, "floor_ms": 1.0}
    done = {"device": "cpu", "status": "ok", "verified": True, "order_ms": 0.0, "seed": None, "options": {}}
    rows = [
        meta(),
        *(
            {**frame, **done, "code": "first_fit", "style": "kernel", "order": "largest_first_spread", "threads": t,
             "colors": 3, "ms": ms, "ms_all": [ms]}
            for t, ms in ((1, 4.0), (2, 3.0))
        ),
        *(
            {**frame, **done, "code": f"{peer} greedy", "style": "peer", "order": "natural", "threads": None,
             "colors": colors, "ms": ms, "ms_all": [ms]}
            for peer, colors, ms in (("boost", 3, 2.0), ("ref", 4, 1.0))
        ),
        {"kind": "reference", "graph": "g", "code": "ecl-gc-omp ×2", "colors": 3, "ms": 6.0, "from": "t.csv"},
    ]  # fmt: skip
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_targets_of_a_result_file(results, capsys):
    assert targets.main([str(results)]) == 0
    assert "No target has a pair" in capsys.readouterr().out


def gathered(*runs: Run, n=100, m=1000) -> Results:
    return Results(list(runs), {"g": GraphFacts(name="g", n=n, m=m)}, [], [])


@pytest.mark.parametrize(
    ("ms", "colors", "outcome"),
    [(25, 4, "reached"), (26, 4, "missed in time"), (25, 5, "missed in colors"), (26, 5, "missed in colors and time")],
)
def test_goal_of_balanced(ms, colors, outcome):
    ecl = run("ECL-GC v1.2", 10, colors=9, style="reference")
    other = run("other", 99, colors=4, style="reference")
    wrong = run("wrong", 99, colors=3, style="reference", status="failed")
    ours = run("auto:balanced", ms, colors=colors, style="auto")
    assert goals.balanced(gathered(ours, ecl, other, wrong))[2] == f"| g | {colors} / {ms} |  | 4 / 25 | {outcome} |"


def test_goals_on_real_graphs_beside_ecl_gc():
    """0.25 and 4 times ECL-GC's time: 1 in the mean; graphs of few entries do not count."""
    rows = [
        Run(graph=graph, code=code, style=style, ms=ms, colors=k, verified=style == "auto" or None)
        for graph, code, style, ms, k in [
            ("a", "auto:fast", "auto", 0.25, 5), ("a", "auto:balanced", "auto", 1.0, 4),
            ("a", "ECL-GC v1.2", "reference", 1.0, 5),
            ("b", "auto:fast", "auto", 0.04, 6), ("b", "ECL-GC v1.2", "reference", 0.01, 5),
            ("small", "auto:fast", "auto", 9.0, 9), ("small", "ECL-GC v1.2", "reference", 1.0, 5),
        ]
    ]  # fmt: skip
    facts = {name: GraphFacts(name=name, n=100, m=m) for name, m in (("a", 10_000), ("b", 20_000), ("small", 9_999))}
    lines = goals.real(Results(rows, facts, [], []))
    assert lines[2:4] == ["| fast | 2 | 1.000 | 1 over 1 | 1 |", "| balanced | 1 | 1.000 | 0 over 2.5 | 0 |"]


def test_goal_of_memory_says_who_misses_it():
    """24 bytes per vertex and 0.6 of 4 (n + m): 24 + 2.4 · 11 = 50.4."""
    peaks = {"auto:fast": 50.0, "auto:balanced": 50.5, "auto:best=25x": 60.0}
    rows = [run(code, 1, style="auto", memory_bytes=round(100 * peak)) for code, peak in peaks.items()]
    assert goals.memory(gathered(*rows))[2] == "| g | 50.0 | 50.5 | 60.0 | 50.4 | balanced, best=25x |"
