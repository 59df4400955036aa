"""Rows as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from .curve import points
from .reference import of_another

STYLES = {"failed": "red", "timeout": "red", "absent": "yellow"}
RIGHT = ("colors", "ms", "min … max", "ordering", "rounds", "× floor", "peak MB", "runs")

FULL = 120  # columns of a terminal that all of these take
BRIEF = ("colors", "ms", "ordering", "× floor")


def graph_table(name: str, rows: Iterable[Mapping[str, Any]], width: int = FULL) -> Table:
    """Return a table of all codes on one graph, fastest first, with the numbers of other tables in between."""
    mine = [r for r in rows if r.get("graph") == name and r["kind"] in ("run", "reference")]
    layout: dict[str, Any] = {} if width >= FULL else {"box": box.SIMPLE, "show_edge": False, "pad_edge": False}
    table = Table(title=_title(name, mine), title_justify="left", title_style="bold", **layout)
    table.add_column("code, order")
    shown = [i for i, column in enumerate(RIGHT) if width >= FULL or column in BRIEF]
    for i in shown:
        table.add_column(RIGHT[i], justify="right", no_wrap=True)
    size = next(((r["n"], r["m"]) for r in mine if r.get("n") is not None), (None, None))
    device = next((r["device"] for r in mine if r.get("n") is not None), None)
    for row in sorted((r for r in mine if r.get("status") != "absent"), key=_by_time):
        cells = _reference_cells(row, *size) if row["kind"] == "reference" else _cells(row, device)
        table.add_row(cells[0], *(cells[i + 1] for i in shown if i + 1 < len(cells)), style=_style(row))
    for code, why in _absent(mine).items():
        table.add_row(f"{code}: absent, {escape(why)}", style=STYLES["absent"])
    return table


def curve_table(name: str, rows: Iterable[Mapping[str, Any]]) -> Table | None:
    """Colors against time on one graph (see `curve`); None where fewer than two qualities were measured."""
    found = points(name, rows)
    if len(found) < 2:
        return None
    table = Table(title=f"{escape(name)}: colors by time", title_justify="left", title_style="bold", box=box.SIMPLE)
    table.add_column("quality")
    for column in ("ms", "× fast", "colors"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("best of the others by then")
    for point in found:
        seed = "" if point.seed is None else f", seed {point.seed}"
        rival = "" if point.rival is None else f"{point.rival_colors:,} {escape(point.rival)}"
        times = "" if point.times is None else _factor(point.times)
        style = None if point.on_front else "red"
        table.add_row(f"{point.quality}{seed}", _ms(point.ms), times, f"{point.colors:,}", rival, style=style)
    return table


def _title(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    for row in rows:
        if row.get("n") is not None:
            size = f"{row['n']:,} vertices, {row['m']:,} stored entries, Δ {row['max_degree']:,}"
            return f"{escape(name)}: {size}, floor {row['floor_ms']:.3g} ms on {row['device']}"
    return escape(name)


def _by_time(row: Mapping[str, Any]) -> float:
    return float("inf") if row.get("ms") is None else row["ms"]


def _style(row: Mapping[str, Any]) -> str | None:
    if row["kind"] == "reference":
        return "cyan"
    return STYLES.get(row["status"], None if row["style"] == "peer" else "bold")


def _reference_cells(row: Mapping[str, Any], n: int | None, m: int | None) -> list[str]:
    source = "; ".join(filter(None, (row["from"], of_another(row, n, m))))
    return [escape(f"{row['code']} ({source})"), _number(row["colors"]), _ms(row["ms"])]


def _cells(row: Mapping[str, Any], device: str | None) -> list[str]:
    """Of a run; its device if it is another than the title's."""
    seed = "" if row["seed"] is None else f", seed {row['seed']}"
    threads = "" if row["threads"] is None else f", {row['threads']} threads"
    order = f", {row['order']}" if row["order"] else ""  # a quality tries several
    where = f", on {row['device']}" if device not in (None, row["device"]) else ""
    code = f"{row['code']}{order}{seed}{threads}{where}"
    if row["status"] != "ok":
        return [f"{code}: {row['status']}, {escape(row['error'] or '')}"]
    runs = row["ms_all"]
    return [
        code,
        _number(row["colors"]),
        _ms(row["ms"]),
        f"{_ms(min(runs))} … {_ms(max(runs))}",
        _ms(row["order_ms"]) if row["order_ms"] else "",
        _number(row["rounds"]),
        _factor(row["ms"] / row["floor_ms"]) if row["floor_ms"] else "",
        "" if row["memory_bytes"] is None else _megabytes(row["memory_bytes"]),
        str(len(runs)) + (" (stopped)" if row.get("partial") else ""),
    ]


def _absent(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Peer → why, one line for all of its codes."""
    return {r["code"].partition(" ")[0]: r["error"] for r in rows if r.get("status") == "absent"}


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _megabytes(value: int) -> str:
    return f"{value / 1e6:.1f}" if value < 1e7 else f"{value / 1e6:,.0f}"


def _factor(value: float) -> str:
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def _ms(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if value < 10 else f"{value:,.1f}"
