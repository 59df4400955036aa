"""The flags of rules: --fixed, --forbidden, --allowed, --max-colors, --capacity, --weights."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .inputs import value_of
from .parser import Parser

NAMES = ("fixed", "forbidden", "allowed", "max_colors", "capacity", "weights")


def add_rules(parser: Parser) -> None:
    """Declare the flags of rules."""
    one = parser.group(
        "rules",
        'for distance1, distance2, distance3, columns, rows, edges (u,v in place of vertex in .csv); "Choose a rule" '
        "in the documentation explains them",
    )
    one("--fixed", metavar="FILE", help="colors of vertices, -1 for none: .npy, .txt, .csv (vertex,color), .json")
    one("--forbidden", metavar="FILE", help="colors that vertices may not have: .csv (vertex,color), .mtx or .npz")
    one("--allowed", metavar="FILE", help="lists of the colors that vertices may have, in the same formats")
    one("--max-colors", type=int, metavar="K", help="only colors 0 … K - 1")
    one("--capacity", metavar="N|FILE", help="largest total weight of a color; a .npy, .txt or .csv has one per color")
    one("--weights", metavar="FILE", help="weights of vertices: .npy, .txt or .csv (vertex,weight)")


def used(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the names of the rules that have a flag on this command line."""
    return tuple(name for name in NAMES if getattr(args, name) is not None)


def files(args: argparse.Namespace) -> list[str]:
    """Return the values of the flags of rules that may be files."""
    return [getattr(args, name) for name in used(args) if name != "max_colors"]


def keywords(args: argparse.Namespace, G: Any) -> dict[str, Any]:
    """Read the rules from their files, as keywords for `lagcolor.color` and `lagcolor.verify`."""
    if not used(args):
        return {}
    from ..api.files.colorings import read_parts
    from ..api.files.rules import read_allowed, read_capacity, read_forbidden, read_weights
    from ..problems import named

    row, out = named(args.problem), dict[str, Any]()
    n, labels = row.size(G), row.labels(G)
    if args.fixed is not None:
        out["fixed"] = read_parts(Path(args.fixed), n, labels, row.colored)
    for name, read in (("forbidden", read_forbidden), ("allowed", read_allowed)):
        if (path := getattr(args, name)) is not None:
            out[name] = read(path, n, labels=labels)
    if args.max_colors is not None:
        out["max_colors"] = args.max_colors
    if args.capacity is not None:
        number = value_of(args.capacity)
        out["capacity"] = read_capacity(number) if isinstance(number, str) else number
    if args.weights is not None:
        out["weights"] = read_weights(args.weights, n, labels=labels)
    return out


def load_code(names: tuple[str, ...], problem: str, device: str) -> None:
    """Color three vertices with rules of these kinds, so that loading code is not in the printed time."""
    from .. import generate
    from ..api.color import color
    from ..graph.pattern import Pattern
    from ..problems import named

    small: Any = generate.path(4 if problem == "edges" else 3).on(device)  # three edges
    if not named(problem).symmetric:
        small = Pattern.of(small.to_scipy(), device=device)
    lists = {"forbidden": {0: [1]}, "allowed": {v: [0, 1] for v in range(3)}}
    values = {"fixed": [0, -1, -1], **lists, "max_colors": 3, "capacity": 3, "weights": [1, 1, 1]}
    color(small, problem=problem, **{name: values[name] for name in names})  # type: ignore[arg-type]
