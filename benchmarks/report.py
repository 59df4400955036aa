"""Tables and footers of the scripts here; `lagcolor bench` has its own."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from lagcolor.bench.results import Row


def markdown(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Lines of a table; the first row is its head; `numbers`: columns that are set to the right."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    rule = (" ---: " if i in numbers else " --- " for i in range(len(rows[0])))
    return [head, f"|{'|'.join(rule)}|", *body]


def source(records: Sequence[Row]) -> str:
    """Where and when a result file was made, and of what."""
    about = records[0]
    where = about["hardware"]["gpu"] or about["hardware"]["cpu"]
    return f"{where}, {about['date'][:10]}, commit {about['commit']}."


def console(stderr: bool = False) -> Console:
    """As wide as the terminal; wide enough for the tables where there is none."""
    probe = Console(stderr=stderr)
    return probe if probe.is_terminal else Console(stderr=stderr, width=170)
