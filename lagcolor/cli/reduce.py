"""Lower the number of colors of a coloring in a file, whatever program made it.

example: lagcolor reduce mesh.mtx colors.txt --method ejection --out fewer.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .color import show
from .outputs import check_outputs
from .support import (
    INPUT_HELP,
    STDIN,
    add_first_line,
    add_format,
    assignments,
    check_inputs,
    check_stdout,
    check_target,
    colors_of,
    first_line,
    input_name,
    load,
    print_json,
    progress,
    stem,
)

COMMAND = ("reduce", "lower the number of colors of a coloring")
METHODS = ("ejection", "iterated_greedy", "heuristics")  # as in api/reduce.py, which takes a while to import


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("graph", metavar="GRAPH", help=INPUT_HELP)
    parser.add_argument("colors", metavar="COLORS", help="a proper coloring, as 'lagcolor color --out' writes it; or -")
    add_format(parser)
    add_first_line(parser)
    parser.add_argument("--method", "-m", default=METHODS[0], help=f"{', '.join(METHODS)} (default: %(default)s)")
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="for all of it but reading (default: until the method ends)"
    )
    parser.add_argument("--device", "-d", help="cpu (default), cuda, cuda:1 …")
    parser.add_argument("--symmetrize", action="store_true", help="take A ∪ Aᵀ where the graph is not symmetric")
    parser.add_argument(
        "--out", "-o", help="write the colors here, as .npy, .txt, .csv or .json (with .gz perhaps); or -"
    )
    parser.add_argument("--trace", action="store_true", help="print what happened in each round")
    parser.add_argument(
        "--verify", action=argparse.BooleanOptionalAction, help="check the result (default: for up to 10 M edges)"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="option of the method, such as seed=3; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Reduce, print, write, and return the exit code."""
    from ..api.reduce import reduce
    from ..io.colorings import EXTENSIONS

    check_inputs(args)
    check_stdout(args)
    options = assignments(args, reduce)
    if args.out is not None:
        check_target(Path(args.out), EXTENSIONS)
        check_outputs([args.out], [args.graph, args.colors])
    with progress(f"reading {input_name(args.graph)}") as shown:
        G = load(args.graph, args.symmetrize, args.device, format=args.format, **first_line(args))
        shown.say(f"reading {input_name(args.colors)}")
        colors = colors_of(args, G)
        shown.say(f"reducing: {G.n:,} vertices, {G.n_edges:,} edges")
        result = reduce(
            G, colors, method=args.method, time_limit=args.time_limit, verify=args.verify, trace=args.trace, **options
        )
        if args.out is not None:
            shown.say(f"writing {args.out}")
            result.save(args.out)
    if args.json:
        print_json({"input": args.graph, **result.provenance(), **({"out": args.out} if args.out else {})})
    else:
        show([(stem(args.graph), result)], args.trace, stderr=args.out == STDIN)
    return 0
