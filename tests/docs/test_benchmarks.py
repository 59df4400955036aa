"""What is judged of results: targets, the outcomes of papers, the best of others, and the claims of README.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_cases import meta, run, write

from benchmarks import outcome, real_graphs, targets
from benchmarks.harness import results as measurements
from benchmarks.harness.provenance import hardware
from benchmarks.harness.provenance import meta as header
from benchmarks.harness.results import Row, Run

ROOT = Path(__file__).parents[2]


def timed(code: str, ms: float, *, order: str = "natural", threads: int | None = None, colors: int = 5) -> Run:
    times = {"ms": ms, "ms_min": ms, "ms_max": ms, "order_ms": 0.0}
    return Run(graph="g", code=code, order=order, threads=threads, colors=colors, verified=True, **times)


@pytest.mark.parametrize(
    ("name", "m", "runs", "verdict"),
    [
        ("natural / boost", 10, [timed("greedy", 6.9), timed("boost greedy", 10)], "PASS"),
        ("natural / boost", 10, [timed("greedy", 7.1), timed("boost greedy", 10)], "MISS"),
        (
            "largest_first / boost", 10,
            [timed(code, ms, order="largest_first") for code, ms in
             (("greedy", 6.5), ("boost greedy", 10), ("colpack greedy", 9))],
            "MISS",
        ),
        ("natural / boost", 10, [timed("boost greedy", 1)], "absent"),
        ("dsatur / igraph", 10, [timed("dsatur", 20, order="largest_first", colors=6),
                                 timed("igraph dsatur", 100, order="dsatur")], "MISS"),
        ("2 threads / 1, natural", 5_000_001, [timed("greedy", 14), timed("jones_plassmann", 9.9, threads=2)], "PASS"),
        ("2 threads / 1, natural", 5_000_000, [timed("greedy", 14), timed("jones_plassmann", 9.9, threads=2)], None),
    ],
)  # fmt: skip
def test_targets(name: str, m: int, runs: list[Run], verdict: str | None) -> None:
    (target,) = (t for t in targets.TARGETS if t.name == name)
    found = target.judge(m, runs)
    assert (found and found["verdict"]) == verdict


@pytest.mark.parametrize(
    ("paper", "ours", "expected"),
    [
        (2, 2.4, "agrees"), (2, 1.2, "same way"), (2, 0.9, "differs"), (None, 1.1, "agrees"), (None, 0.9, "differs"),
        (1.1, 0.95, "differs"), (1.1, 1.0, "agrees"), (0.5, 0.9, "same way"), (1.0, 2, "differs"),
    ],
)  # fmt: skip
def test_outcomes_of_ratios(paper: float | None, ours: float, expected: str) -> None:
    assert outcome.of_ratio(ours, paper) == expected


def line(graph: str, code: str, ms: float, colors: int, m: int = 20_000) -> Row:
    about = {"graph": graph, "n": 100, "m": m, "code": code, "options": {"set": "real"}}
    return {"kind": "measurement", **about, "figures": {"ms": ms, "colors": colors}}


def test_the_readme_compares_with_the_best_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a no library is as good as the default; on b igraph has fewer colors, and `fast` is slower; c is small."""
    codes = {"default": (2.0, 4), "fast": (1.0, 5), "boost32 natural": (1.0, 5), "colpack smallest_last": (3.0, 4)}
    records = [header("cpu", hardware("cpu"), [], "abc"), line("b", "igraph dsatur", 1.5, 3, 30_000)]
    for graph, m in (("a", 20_000), ("b", 30_000), ("c", 9_999)):
        records += [line(graph, code, ms, colors, m) for code, (ms, colors) in codes.items()]
    about = meta(hardware={"cpu": "", "cores": 2, "gpu": "NVIDIA H200"}, device="cuda")
    rows = [about]
    for graph, times in {"a": (1.0, 3.0, 2.0), "b": (2.0, 3.0, 1.0)}.items():
        three = (("auto:fast", "auto", 5), ("auto:balanced", "auto", 4), (real_graphs.RIVAL, "peer", 5))
        for (code, style, colors), ms in zip(three, times, strict=True):
            size = {"n": 100, "m": 20_000, "device": "cuda"}
            rows.append(run(graph, code, style=style, colors=colors, ms=ms, order="", **size))
    on_gpu = measurements.read(write(tmp_path / "r.jsonl", rows))
    graphs = real_graphs.large(records)
    assert {name: real_graphs.beaten(row) for name, row in graphs.items()} == {"a": False, "b": True}
    best = {name: real_graphs.theirs(*real_graphs.best(row)) for name, row in graphs.items()}
    assert best == {"a": "3 (4) ColPack", "b": "1.5 (3) igraph"}
    lines = real_graphs.gpu(on_gpu)
    assert "| a | 1 (5) | 3 (4) | 2 (5) |" in lines and "| b | 2 (5)\\* | 3 (4) | 1 (5) |" in lines
    monkeypatch.setattr(real_graphs, "SHOWN", ("a", "missing"))
    text = "\n".join(real_graphs.front(records, on_gpu))
    assert "| a | 2 (4) | 3 (4) ColPack | 3 (4) | 1 (5) | 2 (5) |" in text
    assert "on 1 of 2 real graphs" in text and "takes longer on 2" in text


def test_pages_have_the_measured_seconds_of_first_calls() -> None:
    """Of the table in docs/start/install.md."""
    from result_tables import found

    from benchmarks.first_calls import span

    (path,) = found(["benchmarks/results/first-calls-page-[0-9]*.jsonl"])
    least, most = span(measurements.read_lines(path))
    for page in ("README.md", "docs/how_to/errors.md"):
        assert f"takes {least} to {most} seconds of CPU time" in " ".join((ROOT / page).read_text().split()), page
