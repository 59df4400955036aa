"""List algorithms, their options, orders, problems or generators (default: the names of all of them).

Algorithms, options and orders are for distance 1, or for the problem that --problem names. On a terminal, a list
that is longer than the screen opens in the pager ($PAGER, else less).
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from ..base.errors import OptionError
from .inputs import add
from .outputs import paging, print_json, print_table, width_of

# Columns that only --wide and --markdown show.
LEFT_OUT = ("order", "style", "variant of", "seed", "bound", "worst case", "deterministic", "oracle", "paper")
COMMAND = ("list", "list algorithms, orders, problems and generators")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("what", nargs="*", choices=[[], *TABLES], metavar="WHAT", help=", ".join(TABLES))
    parser.add_argument("--wide", action="store_true", help="all columns, however wide the table gets")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument("--columns", metavar="NAMES", help="only these columns, in this order: name,bound,paper")
    add(parser, "problem")


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    from ..problems import named

    named(args.problem)
    if not (args.what or args.json or args.markdown or args.wide or args.columns):
        print(overview(args.problem))
        return 0
    with contextlib.nullcontext() if args.json or args.markdown else paging(sys.stdout, wide=args.wide):
        tables(args, args.what or ["algorithms", "options", "orders", "problems"])
    return 0


def overview(problem: str) -> str:
    """Return all names that can be listed, in at most 22 lines of 80 columns."""
    width = min(max(width_of(sys.stdout), 60), 100)
    parts = []
    for what in ("algorithms", "orders", "problems", "generators"):
        names = [row["name"] for row in TABLES[what](problem)]
        of = f" for {problem}" if what == "algorithms" else ""
        text = f"{what}{of} ({len(names)}): {', '.join(names)}"
        parts.append(textwrap.fill(text, width, subsequent_indent="  ", break_on_hyphens=False))
    more = "Details: lagcolor list algorithms, options, orders, problems or generators; --problem NAME for others."
    return "\n".join([*parts, textwrap.fill(more, width, break_on_hyphens=False)])


def tables(args: argparse.Namespace, kinds: list[str]) -> None:
    """Print a table, or lines of JSON, for each kind."""
    for what in kinds:
        rows = list(TABLES[what](args.problem))
        if args.columns:
            rows = [selection(what, row, args.columns.split(",")) for row in rows]
        if args.json:
            for row in rows:
                print_json({"kind": what.removesuffix("s"), **row})
            continue
        if not rows:
            continue
        left_out = () if args.columns else ("summary",) if args.markdown else () if args.wide else LEFT_OUT
        columns = [key for key in rows[0] if key not in left_out]
        cells = [[_text(row[key]) for key in columns] for row in rows]
        if args.markdown:
            print(markdown(columns, cells))
        else:
            print_table(columns, cells, title=what if what == kinds[0] else f"\n{what}", wide=args.wide)


def selection(what: str, row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the named columns of a row, in this order."""
    for name in names:
        if name not in row:
            raise OptionError(f"--columns: {what} have no column {name!r}; there are: {', '.join(row)}")
    return {name: row[name] for name in names}


def algorithms(problem: str) -> Iterable[dict[str, Any]]:
    """Yield one row per algorithm."""
    from ..problems.registry import TABLES as ALGORITHMS_OF

    names = ("name", "summary", "style", "variant of", "engines", "order", "seed", "bound")
    for row in ALGORITHMS_OF[problem].values():
        yield {
            **{name: getattr(row, name.replace(" ", "_")) for name in names},
            "worst case": "rounds × (n + m)" if row.passes else None,
            **{name: getattr(row, name) for name in ("deterministic", "oracle", "paper")},
        }


def options(problem: str) -> Iterable[dict[str, Any]]:
    """Yield one row per option of an algorithm."""
    from ..problems.registry import TABLES as ALGORITHMS_OF

    for row in ALGORITHMS_OF[problem].values():
        for name, meaning in row.options.items():
            yield {"algorithm": row.name, "option": name, "what": meaning}


def orders(problem: str) -> Iterable[dict[str, Any]]:
    """Yield one row per order."""
    from ..orders import ORDERS, TWO_HOPS

    for row in (TWO_HOPS if problem in ("columns", "rows", "distance2") else ORDERS).values():
        yield {name: getattr(row, name) for name in ("name", "engines", "exact", "reference")}


def problems(_: str) -> Iterable[dict[str, Any]]:
    """Yield one row per problem."""
    from ..problems import PROBLEMS
    from ..problems.registry import TABLES as ALGORITHMS_OF

    for row in PROBLEMS.values():
        algorithms = ALGORITHMS_OF[row.name]
        many = len(algorithms) > 5
        yield {
            "name": row.name,
            "of": "a graph" if row.symmetric else "any matrix",
            "colored": row.colored,
            "may not share a color": row.meaning,
            "algorithms": f"{len(algorithms)} (lagcolor list algorithms)" if many else tuple(algorithms),
        }


def generators(_: str) -> Iterable[dict[str, Any]]:
    """Yield one row per generator."""
    from ..generate import FAMILIES

    for row in FAMILIES.values():
        yield {"name": row.name, "parameters": row.usage, "what": row.summary, "source": row.source}


TABLES: dict[str, Callable[[str], Iterable[dict[str, Any]]]] = {
    "algorithms": algorithms,
    "options": options,
    "orders": orders,
    "problems": problems,
    "generators": generators,
}


def markdown(columns: list[str], cells: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *([cell.replace("|", "\\|") for cell in row] for row in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
