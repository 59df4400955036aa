"""Lower the number of colors of a coloring in a file, from any program.

example: lagcolor reduce mesh.mtx colors.txt --method ejection --out fewer.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .color import show
from .inputs import add, assignments, check_inputs, colors_of, load, seed_value, stem
from .outputs import STDIN, check_outputs, check_stdout, check_target, input_name, print_json, progress

COMMAND = ("reduce", "lower the number of colors of a coloring")
METHODS = ("ejection", "iterated_greedy", "heuristics")  # a copy of those in api/reduce.py, whose import is slow


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    add(parser, "graph", "colors", "format", "header", "columns")
    one = parser.add_argument
    one("--method", "-m", default=METHODS[0], help=f"{', '.join(METHODS)} (default: %(default)s)")
    one("--time-limit", type=float, metavar="SECONDS",
        help="excludes the time to read files (default: until the method ends)",
    )  # fmt: skip
    one("--out", "-o", help="write the colors here, as .npy, .txt, .csv or .json (optionally with .gz); or -")
    one("--seed", "-s", type=seed_value, default="default", metavar="N",
        help="seed of ejection and iterated_greedy (default: 0)",
    )  # fmt: skip
    add(parser, "device", "threads", "symmetrize", "trace", "verify")
    add(parser, "option", help="option of --method, such as passes=2 of ejection; may be repeated")


def run(args: argparse.Namespace) -> int:
    """Reduce, print, write, and return the exit code."""
    from ..api.files.colorings import EXTENSIONS
    from ..api.reduce import reduce
    from ..base.device import at_most_threads

    check_inputs(args)
    check_stdout(args)
    options = assignments(args, reduce)
    if args.out is not None:
        check_target(Path(args.out), EXTENSIONS)
        check_outputs([args.out], [args.graph, args.colors])
    with progress(f"reading {input_name(args.graph)}") as shown, at_most_threads(args.threads):
        G = load(args, args.graph, args.device)
        shown.say(f"reading {input_name(args.colors)}")
        colors = colors_of(args, G)
        shown.say(f"reducing: {G.n:,} vertices, {G.n_edges:,} edges")
        result = reduce(
            G, colors, method=args.method, seed=args.seed, time_limit=args.time_limit, threads=args.threads,
            verify=args.verify, trace=args.trace, **options,
        )  # fmt: skip
        if args.out is not None:
            shown.say(f"writing {args.out}")
            result.save(args.out)
    if args.json:
        print_json({"input": args.graph, **result.provenance(), **({"out": args.out} if args.out else {})})
    else:
        show([(stem(args.graph), result)], args.trace, stderr=args.out == STDIN)
    return 0
