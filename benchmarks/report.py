"""Tables and footers of the scripts here; `benchmarks.compare` has its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from benchmarks.harness.results import Row, load_of


def markdown(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Lines of a table; the first row is its head; `numbers`: columns that are set to the right."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    rule = (" ---: " if i in numbers else " --- " for i in range(len(rows[0])))
    return [head, f"|{'|'.join(rule)}|", *body]


WIDTH = 5  # columns of a table after the first one, on a narrow page


def pivot(cells: Mapping[tuple[str, str], str], head: str, width: int = WIDTH) -> list[str]:
    """Lines of tables of the cells by (row, column), at most `width` columns each, of about equal numbers."""
    rows, columns = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    lines: list[str] = []
    for some in chunks(columns, width):
        table = [[head, *some]]
        table += [
            [row, *(cells.get((row, c), "") for c in some)] for row in rows if any((row, c) in cells for c in some)
        ]
        lines += [*([""] if lines else []), *markdown(table, numbers=range(1, len(some) + 1))]
    return lines


def chunks(columns: Sequence[str], width: int = WIDTH) -> list[Sequence[str]]:
    """Columns in as few parts as hold at most `width`, of about equal numbers."""
    parts = -(-len(columns) // width)
    size = -(-len(columns) // parts) if parts else 0
    return [columns[i * size : (i + 1) * size] for i in range(parts)]


def titled(title: str, lines: Sequence[str]) -> list[str]:
    """A line that says what a table is of, the table, and an empty line."""
    return [f"**{title}**", "", *lines, ""]


def three_digits(number: float) -> str:
    """Without an exponent."""
    return f"{number:,.0f}" if number >= 999.5 else f"{number:.3g}"


def source(records: Sequence[Row]) -> str:
    """Return machine, load, date and commit of a result file."""
    about = records[0]
    where = about["hardware"]["gpu"] or about["hardware"]["cpu"]
    parts = where, load_of(about["hardware"]), about["date"][:10], f"commit {about['commit'][:12]}"
    return f"{', '.join(filter(None, parts))}."


def console(stderr: bool = False) -> Console:
    """Return a console with the width of the terminal, or wide enough for the tables without one."""
    probe = Console(stderr=stderr)
    return probe if probe.is_terminal else Console(stderr=stderr, width=170)
