"""Result files for tests: what `benchmarks.compare` writes, with everything that can go wrong in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lagcolor
from benchmarks.harness.results import SCHEMA
from lagcolor import generate

NASTY = "</script><img src=x onerror=alert(1)> & \"quoted\" 'name'"
SPECS = ("rgg:6", "rgg:7")
CODES = ("greedy", "luby_is")


def meta(**more: Any) -> dict[str, Any]:
    return {
        "kind": "meta", "schema": SCHEMA, "date": "2026-11-21T10:00:00+00:00", "commit": "abc123", "device": "cpu",
        "command": ["lagcolor", "bench", "rgg:8"], "hardware": {"cpu": "Test CPU", "cores": 2, "gpu": None},
        "versions": {"numpy": "2.4.0"}, "settings": {"runs": 3, "threads": 1}, **more,
    }  # fmt: skip


def run(graph: str, code: str, **more: Any) -> dict[str, Any]:
    """A row of a run that went well, unless the arguments differ."""
    ms = more.get("ms", 2.0)
    return {
        "kind": "run", "graph": graph, "spec": graph, "n": 256, "m": 2000, "max_degree": 20, "floor_ms": 0.01,
        "code": code, "style": "kernel", "device": "cpu", "order": "natural", "seed": None, "threads": None,
        "options": {}, "status": "ok", "error": None, "colors": 8, "rounds": 1, "ms": ms,
        "ms_all": [] if ms is None else [ms], "order_ms": 0.5, "convert_ms": 0.1, "memory_bytes": None,
        "verified": True, **more,
    }  # fmt: skip


def measurement(graph: str, code: str, options: dict[str, Any] | None = None, **figures: Any) -> dict[str, Any]:
    """A line of figures that are no coloring's."""
    about = {"kind": "measurement", "graph": graph, "spec": graph, "n": 256, "m": 2000, "device": "cpu"}
    return {**about, "code": code, "options": options or {}, "figures": figures}


def failed(graph: str, code: str, status: str, error: str, **more: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("colors", "rounds", "ms", "order_ms", "convert_ms", "verified"))
    return run(graph, code, status=status, error=error, **nothing, **more)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def real_rows() -> list[dict[str, Any]]:
    """Colorings made here and now, so that colors, rounds and traces are real; times are not, so that tests repeat."""
    rows = [meta()]
    for spec in SPECS:
        G = generate.from_spec(spec)
        size = {"n": G.n, "m": G.m, "max_degree": G.max_degree, "floor_ms": G.m / 1e6}
        for i, code in enumerate(CODES):
            for seed in (0, 1):
                c = lagcolor.color(G, code, seed=seed, trace=seed == 0)
                figures = {
                    "colors": c.n_colors,
                    "rounds": c.rounds,
                    "ms": (3 + i**2 + seed) * G.m / 1e4,
                    "order_ms": i / 10,
                }
                style = lagcolor.ALGORITHMS[code].style
                row = run(spec, code, **size, **figures, style=style, order=c.order, seed=seed)
                rows.append({**row, "trace": c.trace or None})
        rows.append(run(spec, "networkx", **size, style="peer", order="largest_first", colors=9, ms=G.m / 100))
        rows.append(failed(spec, "igraph dsatur", "timeout", "no answer in 30 s", **size, style="peer"))
        rows.append(failed(spec, "gcol", "absent", "not installed: pip install gcol", **size, style="peer"))
    rows.append({"kind": "reference", "graph": "rgg:7", "code": "csrcolor", "colors": 30, "ms": 0.1, "from": "a paper"})
    rows.append(run(NASTY, NASTY, colors=3, floor_ms=None, error=NASTY, trace=[{"round": 1, "colored": 5}]))
    return rows
