"""Describe graphs: size, degrees, connected components, whether two colors suffice, and the degeneracy.

A graph of degeneracy d needs at most d + 1 colors, and the order smallest_last reaches that.

With --problem, the table has the rows and columns of a matrix if the problem colors them, a lower bound of the number
of colors, and an upper bound for first-fit.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .inputs import add, for_each, load, sizes, stem
from .outputs import input_name, print_json, print_table, progress

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..graph.pattern import Pattern

COMMAND = ("info", "describe graphs")
SIDE_BY_SIDE = 4  # graphs in one table


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    add(parser, "files", "format", "header", "columns", "problem", "symmetrize")


def run(args: argparse.Namespace) -> int:
    """Describe every input."""
    from ..problems import PROBLEMS

    def one(file: str, prefix: str) -> dict[str, Any]:
        with progress(f"{prefix}reading {input_name(file)}") as shown:
            G = load(args, file)
            shown.say(f"{prefix}{input_name(file)}: {sizes(PROBLEMS[args.problem].sizes(G))}")
            row = describe(G) if PROBLEMS[args.problem].symmetric else describe_pattern(G)
            row |= bounds(G, args.problem)
        if args.json:
            print_json({"input": file, **row})
        return row

    done, code = for_each(args, one)
    if done and not args.json:
        show([(stem(file), [_cell(value) for value in row.values()]) for file, row in done], list(done[0][1]))
    return code


def show(done: list[tuple[str, list[str]]], facts: list[str]) -> None:
    """Print tables of a few graphs each, with a row per fact and a column per graph."""
    for first in range(0, len(done), SIDE_BY_SIDE):
        few = done[first : first + SIDE_BY_SIDE]
        table = [list(cells) for cells in zip(facts, *(cells for _, cells in few), strict=True)]
        print_table(["graph", *(name for name, _ in few)], table, right=True)


def describe(G: Graph) -> dict[str, Any]:
    """Return figures of one graph, as plain Python values."""
    from ..graph.components import components, is_bipartite
    from ..orders import degeneracy

    return {
        "vertices": G.n,
        "edges": G.n_edges,
        "min degree": int(G.degrees.min()) if G.n else 0,
        "mean degree": G.m / G.n if G.n else 0.0,
        "max degree": G.max_degree,
        "isolated": int((G.degrees == 0).sum()),
        "components": components(G)[0],
        "bipartite": is_bipartite(G),
        "degeneracy": degeneracy(G),
    }


def describe_pattern(P: Pattern) -> dict[str, Any]:
    """Return figures of one pattern."""
    of_rows, of_columns = P.degrees, P.T.degrees
    return {
        "rows": P.rows,
        "columns": P.columns,
        "entries": P.m,
        "longest row": P.max_degree,
        "longest column": P.T.max_degree,
        "empty rows": int((of_rows == 0).sum()),
        "empty columns": int((of_columns == 0).sum()),
    }


def bounds(G: Any, problem: str) -> dict[str, Any]:
    """Return bounds of the number of colors; nothing for distance 1, whose bounds are the degree and the degeneracy."""
    from ..problems import DEFAULT, PROBLEMS

    if problem == DEFAULT:
        return {}
    row = PROBLEMS[problem]
    return {"problem": problem, "colors, at least": row.lower_bound(G), "first-fit, at most": row.upper_bound(G)}


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
