"""Generate a graph and write it to a file, whose ending selects the format; see 'lagcolor list generators'.

example: lagcolor generate kron_g500 16 edge_factor=8 --seed 1 --out kron.mtx.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..base.errors import OptionError
from ..base.messages import counted
from .inputs import add
from .outputs import STDIN, check_stdout, check_target, print_json, progress

COMMAND = ("generate", "write a generated graph to a file")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("family", metavar="FAMILY", help="see 'lagcolor list generators'")
    parser.add_argument("parameters", nargs="*", metavar="PARAM=VALUE", help="by name, or values in order")
    parser.add_argument("--seed", "-s", type=int, help="default: the family's own; same seed, same graph")
    parser.add_argument("--out", "-o", required=True, metavar="FILE", help="format by ending, also with .gz; or -")
    add(parser, "format")


def run(args: argparse.Namespace) -> int:
    """Generate a graph, write it, and print its size."""
    from ..generate import family
    from ..io import write
    from ..io.folder import check_target as check_folder
    from ..io.formats import FOLDER, FORMATS, format_of

    row = family(args.family)
    check_stdout(args)
    if args.out == STDIN and args.format is None:
        raise OptionError("--out - has no name that determines a format: add --format, such as mtx")
    out = Path(args.out)
    check_target(out, [] if args.format else [e for f in (*FORMATS.values(), FOLDER) for e in f.extensions])
    if format_of(out, args.format) is FOLDER:
        check_folder(out.resolve(), True)  # Writer follows links, too
    with progress(f"generating {args.family}") as shown:
        G = row.make(args.parameters, seed=args.seed)
        shown.say(f"writing {args.out}: {counted(G.n, 'vertices')}, {counted(G.n_edges, 'edges')}")
        write(args.out, G, format=args.format)
    if args.json:
        print_json({"family": row.name, "out": args.out, "vertices": G.n, "edges": G.n_edges})
    elif args.out != STDIN:
        print(f"{args.out}: {counted(G.n, 'vertices')}, {counted(G.n_edges, 'edges')}")
    return 0
