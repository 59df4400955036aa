"""List algorithms, their options, orders, problems or generators (default: all but the generators).

Algorithms, options and orders are those of distance 1, or of the problem that --problem names.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from .inputs import add
from .outputs import print_json, print_table

# Of tables that are to fit on a terminal.
LEFT_OUT = ("order", "style", "variant of", "seed", "bound", "worst case", "deterministic", "oracle", "paper")
COMMAND = ("list", "list algorithms, orders, problems and generators")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("what", nargs="*", choices=[[], *TABLES], metavar="WHAT", help=", ".join(TABLES))
    parser.add_argument("--wide", action="store_true", help="all columns, however wide the table gets")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    add(parser, "problem")


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    from ..problems import named

    named(args.problem)
    kinds = args.what or ["algorithms", "options", "orders", "problems"]
    for what in kinds:
        rows = list(TABLES[what](args.problem))
        if args.json:
            for row in rows:
                print_json({"kind": what.removesuffix("s"), **row})
            continue
        if not rows:
            continue
        left_out = ("summary",) if args.markdown else () if args.wide else LEFT_OUT
        columns = [key for key in rows[0] if key not in left_out]
        cells = [[_text(row[key]) for key in columns] for row in rows]
        if args.markdown:
            print(markdown(columns, cells))
        else:
            print_table(columns, cells, title=what if what == kinds[0] else f"\n{what}", wide=args.wide)
    return 0


def algorithms(problem: str) -> Iterable[dict[str, Any]]:
    """One row per algorithm."""
    from ..core.registry import TABLES as ALGORITHMS_OF

    names = ("name", "summary", "style", "variant of", "engines", "order", "seed", "bound")
    for row in ALGORITHMS_OF[problem].values():
        yield {
            **{name: getattr(row, name.replace(" ", "_")) for name in names},
            "worst case": "rounds × (n + m)" if row.passes else None,
            **{name: getattr(row, name) for name in ("deterministic", "oracle", "paper")},
        }


def options(problem: str) -> Iterable[dict[str, Any]]:
    """One row per option of an algorithm."""
    from ..core.registry import TABLES as ALGORITHMS_OF

    for row in ALGORITHMS_OF[problem].values():
        for name, meaning in row.options.items():
            yield {"algorithm": row.name, "option": name, "what": meaning}


def orders(problem: str) -> Iterable[dict[str, Any]]:
    """One row per order."""
    from ..orders import ORDERS, TWO_HOPS

    for row in (TWO_HOPS if problem in ("columns", "rows", "distance2") else ORDERS).values():
        yield {name: getattr(row, name) for name in ("name", "engines", "exact", "reference")}


def problems(_: str) -> Iterable[dict[str, Any]]:
    """One row per problem."""
    from ..core.registry import TABLES as ALGORITHMS_OF
    from ..problems import PROBLEMS

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
    """One row per generator."""
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
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *([cell.replace("|", "\\|") for cell in row] for row in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
