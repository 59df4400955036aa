"""What is judged of results: targets, the outcomes of papers, the best of others, and the claims of README.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import loss_table, outcome, real_graphs, targets
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


def line(graph: str, code: str, ms: float, colors: int, m: int = 20_000, group: str = "real") -> Row:
    about = {"graph": graph, "n": 100, "m": m, "code": code, "options": {"set": group}}
    return {
        "kind": "measurement",
        **about,
        "figures": {"ms": 9 * ms if (group, code) == ("gpu", "fast") else ms, "colors": colors},
    }


def test_the_readme_compares_with_the_best_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a no library is as good as the default; on b igraph has fewer colors, and `fast` is slower; c is small."""
    codes = {"default": (2.0, 4), "fast": (1.0, 5), "boost32 natural": (1.0, 5), "colpack smallest_last": (3.0, 4)}
    records = [header("cpu", hardware("cpu"), [], "abc"), line("b", "igraph dsatur", 1.5, 3, 30_000)]
    for graph, m in (("a", 20_000), ("b", 30_000), ("c", 9_999)):
        records += [line(graph, code, ms, colors, m) for code, (ms, colors) in codes.items()]
    there = [header("cpu", hardware("cpu") | {"gpu": "NVIDIA H200"}, [], "abc")]
    for graph, times in {"a": (1.0, 3.0, 2.0), "b": (2.0, 3.0, 1.0)}.items():
        for code, colors, ms in zip(("fast", "default", real_graphs.RIVAL), (5, 4, 5), times, strict=True):
            row = line(graph, code, ms, colors, group="gpu")
            there.append(row | {"figures": {**row["figures"], "work_ms": ms}})
    graphs = real_graphs.large(records)
    assert {name: real_graphs.beaten(row) for name, row in graphs.items()} == {"a": False, "b": True}
    best = {name: real_graphs.theirs(*real_graphs.best(row)) for name, row in graphs.items()}
    assert best == {"a": "3 (4) ColPack", "b": "1.5 (3) igraph"}
    lines = real_graphs.gpu(there)
    assert "| a | 1 (5) | 3 (4) | 2 (5) |" in lines and "| b | 2 (5)\\* | 3 (4) | 1 (5) |" in lines
    monkeypatch.setattr(real_graphs, "FIRST", 0)
    text = " ".join("\n".join(real_graphs.front([records, there])).split())
    assert "| a | 2 (4) | 3 (4) ColPack | 1 (5) Boost | 3 (4) | 1 (5) | 2 (5) |" in text and "| b |" not in text
    assert "on 1 of 2 real graphs of 10,000 entries and more" in text and "on 0 of 1 smaller graphs" in text
    assert "The fastest code takes 0.5 ×." in text and "0.5 × (Boost), 1.5 × (ColPack) and 0.75 × (igraph)" in text
    assert "on 1 of 2 real graphs" in text and "takes 2.12 × ECL-GC's time" in text and "default is slower on 2" in text


def test_the_table_of_losses_has_a_column_for_each_machine() -> None:
    """Columns are for a CPU, and for a CPU with a GPU; cells without a measurement are empty."""
    codes = {"default": 0.2, "fast": 0.1, "natural": 0.1, "boost32 natural": 0.1, "igraph dsatur": 3.0}
    cpu = [header("cpu", hardware("cpu") | {"cores": 2}, [], "abc")]
    for graph, m in (("a", 20_000), ("b", 300_000), ("c", 9_999)):
        cpu += [line(graph, code, ms, 4, m) for code, ms in codes.items()]
    cpu.append(line("c", "call", 0.13, 4, 9_999))
    cpu[-1]["figures"]["optimal"] = True
    cpu += [line("color(A)", "default", 0, 0, 100, "first")]
    cpu[-1]["figures"] = {"wall": 2.5, "later": 0.5}
    gpu = [header("cpu", hardware("cpu") | {"cores": 16, "gpu": "G"}, [], "abc")]
    for graph, m in (("a", 20_000), ("b", 300_000), ("c", 9_999)):
        for code, ms in (
            ("default", 0.2),
            ("fast", 0.1),
            ("cpu", 0.15 if m > 20_000 else 0.1),
            (loss_table.RIVAL, 0.05),
        ):
            gpu.append(line(graph, code, ms, 4, m, "gpu"))
            gpu[-1]["figures"]["work_ms"] = ms / 4
    rows = {row.split(" | ")[0]: row.split(" | ")[3:] for row in loss_table.markdown([cpu, gpu])}
    assert rows["| where"] == ["2 cores", "16 cores, G |"]
    assert [cells[0] for cells in rows.values() if len(cells) == 2 and cells[0].strip()][2:] == [
        "2; 2", "1 of 1; 1 of 1", "0 of 2", "130 on 1 where one pass is proved optimal; median 130, at most 130 (c), "
        "over 120 on 1 of 1", "2.5 s", "0.5 s",
    ]  # fmt: skip
    assert rows["| GPU: default slower than the CPU's call and 60 µs"][1] == "1 of 1; 1 of 1; 0 of 1 |"
    assert rows["| GPU, time on the device: `fast` / ECL-GC v1.2"][1] == "0.5; 0.5; 0.5; slower on 0 of 3 |"
