"""The benchmark of balanced beside three orders: its lines, and what its table counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import lagcolor
from benchmarks import three_orders
from lagcolor.bench.provenance import hardware, meta
from lagcolor.bench.results import Row, read_lines


def test_measured_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, peer = tmp_path / "o.jsonl", tmp_path / "peer.csv"
    peer.write_text("graph,colors\nrmat:9,2\n")
    args = ["rmat:9", "grid2d:20", "--device", "cpu", "--runs", "1", "--peer", str(peer), "--out", str(out)]
    assert three_orders.main([*args, "--commit", "abc"]) == 0
    _, first, second = read_lines(out)
    orders = [lagcolor.color("rmat:9", "greedy", order=order).n_colors for order in three_orders.ORDERS]
    assert first["figures"]["orders"] == min(orders) >= first["figures"]["balanced_colors"]
    assert first["figures"]["peer"] == 2 and "peer" not in second["figures"]
    assert second["figures"]["balanced_colors"] == 2
    said = capsys.readouterr().out
    assert "More colors than the best order: none." in said
    assert f"More colors than the peer: rmat:9 ({first['figures']['balanced_colors']}, 2)." in said


def test_what_is_counted() -> None:
    def line(graph: str, m: int, ms: float, colors: int, orders: int, **more: int) -> Row:
        figures = {"fast_ms": 1.0, "balanced_ms": ms, "balanced_colors": colors, "orders": orders, **more}
        return {"kind": "measurement", "code": "three_orders", "graph": graph, "m": m, "figures": figures}

    records = [line("a", 100, 9.0, 3, 3), line("b", 20_000, 4.0, 5, 4, peer=4), line("c", 30_000, 1.0, 5, 5, peer=5)]
    table = three_orders.markdown([meta("cpu", hardware("cpu"), [], "abc"), *records])
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table if row.startswith("|")]
    assert ["10,000 to 100,000", "2", "2.00", "4.00", "1", "1"] in cells
    assert ["from 0", "3", "3.30", "9.00", "1", "1"] in cells
    assert "More colors than the best order: b (5, 4)." in table
