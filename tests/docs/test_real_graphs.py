"""Tables of real graphs: which code is the best of others, what is counted, and the lines of README.md."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import libraries, real_graphs
from benchmarks.harness import results as measurements
from benchmarks.harness.provenance import hardware, meta
from benchmarks.harness.results import Row


def line(graph: str, code: str, ms: float, colors: int, m: int = 20_000) -> Row:
    about = {"graph": graph, "n": 100, "m": m, "code": code, "options": {"set": "real"}}
    return {"kind": "measurement", **about, "figures": {"ms": ms, "colors": colors}}


def records() -> list[Row]:
    """On a no library is as good as the default; on b Boost is, and has fewer colors; c is too small."""
    codes = {"default": (2.0, 4), "fast": (1.0, 5), "boost32 natural": (1.0, 5), "colpack smallest_last": (3.0, 4)}
    out = [meta("cpu", hardware("cpu"), [], "abc")]
    for graph, m in (("a", 20_000), ("b", 30_000), ("c", 9_999)):
        out += [line(graph, code, ms, colors, m) for code, (ms, colors) in codes.items()]
    return [*out, line("b", "igraph dsatur", 1.5, 3, 30_000)]


def test_the_best_of_others_has_the_fewest_colors_and_then_the_least_time() -> None:
    graphs = real_graphs.large(records())
    assert sorted(graphs) == ["a", "b"]
    assert real_graphs.best(graphs["a"])[0] == "colpack smallest_last"
    best = [real_graphs.theirs(*real_graphs.best(codes)) for codes in graphs.values()]
    assert best == ["3 (4) ColPack", "1.5 (3) igraph"]
    assert not real_graphs.beaten(graphs["a"]) and real_graphs.beaten(graphs["b"])


def test_a_table_of_a_cpu_marks_what_others_do_as_well() -> None:
    lines = real_graphs.cpu(records())
    assert "| a | 2 (4) | 1 (5) | 3 (4) ColPack | 1 (5) Boost |" in lines
    assert any(text.startswith("| b | 2 (4)\\* |") for text in lines)
    assert any(text.startswith("On 1 of 2 graphs, no other code") for text in lines)


def on_a_gpu(tmp_path: Path) -> measurements.Results:
    """Runs of both qualities and of ECL-GC on two graphs; `fast` is slower on b."""
    times = {"a": (1.0, 3.0, 2.0), "b": (2.0, 3.0, 1.0)}
    codes = (("auto:fast", "auto", 5), ("auto:balanced", "auto", 4), (real_graphs.RIVAL, "peer", 5))
    rows = [meta("cuda", {**hardware("cpu"), "gpu": "NVIDIA H200"}, [], "abc")]
    for graph, three in times.items():
        size = {"graph": graph, "spec": graph, "n": 100, "m": 20_000, "max_degree": 9}
        rows.append({"kind": "graph", **size, "degrees": []})
        for (code, style, colors), ms in zip(codes, three, strict=True):
            rows.append(
                {"kind": "run", **size, "floor_ms": 0.1, "code": code, "style": style, "device": "cuda", "order": ""}
                | {"seed": None, "threads": None, "options": {}, "status": "ok", "error": None, "colors": colors}
                | {"rounds": 1, "ms": ms, "ms_all": [ms], "order_ms": 0.0, "convert_ms": 0.0, "memory_bytes": None}
                | {"verified": True, "same_colors": True}
            )
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return measurements.read([path])


def test_a_table_of_a_gpu_marks_where_fast_takes_longer(tmp_path: Path) -> None:
    lines = real_graphs.gpu(on_a_gpu(tmp_path))
    assert "| a | 1 (5) | 3 (4) | 2 (5) |" in lines
    assert "| b | 2 (5)\\* | 3 (4) | 1 (5) |" in lines
    assert lines[-1].startswith("`fast` takes less time than ECL-GC v1.2 on 1 of 2 graphs, and has more colors on 0.")


def test_the_readme_names_some_graphs_and_counts_all(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(real_graphs, "SHOWN", ("a", "missing"))
    text = "\n".join(real_graphs.front(records(), on_a_gpu(tmp_path)))
    assert "| a | 2 (4) | 3 (4) ColPack | 3 (4) | 1 (5) | 2 (5) |" in text
    assert "on 1 of 2 real graphs" in text and "GPU: NVIDIA H200." in text
    assert "takes longer on 2" in text


def test_times_of_other_libraries_over_ours(tmp_path: Path) -> None:
    boost, colpack, igraph = libraries.real(records())
    assert boost == ["Boost", "default", "2 real graphs", "0.5", "0.5 to 0.5", "2, 0, 0"]
    assert colpack[3:] == ["1.5", "1.5 to 1.5", "0, 2, 0"]
    assert igraph[2:] == ["1 real graphs", "0.75", "0.75 to 0.75", "0, 0, 1"]
    results = on_a_gpu(tmp_path)
    (ecl,) = libraries.bench(results, libraries.ON_GPU, "auto:fast", "`fast`, GPU", "real graphs")
    assert ecl == ["ECL-GC v1.2", "`fast`, GPU", "2 real graphs", "1", "0.5 to 2", "0, 2, 0"]


def test_a_library_is_judged_by_the_code_with_the_fewest_colors_or_the_fastest() -> None:
    theirs = [(3.0, 4), (2.0, 4), (1.0, 5)]
    assert libraries.Pair.of((1.0, 4), theirs) == libraries.Pair(1.0, 4, 2.0, 4)
    assert libraries.Pair.of((1.0, 4), theirs, fast=True) == libraries.Pair(1.0, 4, 1.0, 5)
