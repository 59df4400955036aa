"""Convert files of edges to a graph folder, such as web.csr/, in bounded memory; 'lagcolor color' reads it.

Files are edge lists of numbers or names (plain or .gz), Parquet, .npy of shape (m, 2) or (2, m), npz, Matrix Market,
DIMACS, METIS or ECL; a folder means all its files, and - means standard input. Each pair is an undirected edge;
self-loops and repetitions are left out.

After Ctrl-C, a kill or a full disk the same command continues where it stopped.

example: lagcolor convert edges-*.parquet web.csr --memory 4GB
"""

from __future__ import annotations

import argparse

from ..base.messages import counted
from . import exits
from .inputs import add
from .outputs import STDIN, input_name, print_json, progress

COMMAND = ("convert", "make a graph folder of a graph that does not fit in memory")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("edges", nargs="+", metavar="FILE", help="files of edges, folders of such files, or -")
    parser.add_argument("folder", metavar="FOLDER", help="the folder to write, such as web.csr")
    parser.add_argument(
        "--memory", "-m", default="1GB", metavar="SIZE", help="limit for arrays, such as 4GB (default: 1GB)"
    )
    many = "number of vertices (default: as in the file, or the largest number + 1)"
    parser.add_argument("--n", type=int, metavar="N", help=many)
    add(parser, "format", "header", "columns")
    parser.add_argument("--force", action="store_true", help="replace an existing graph")
    parser.add_argument("--restart", action="store_true", help="discard an unfinished conversion to this folder")


def run(args: argparse.Namespace) -> int:
    """Convert, and print a summary."""
    from ..scale.disk.convert import convert

    first = input_name(args.edges[0]) if len(args.edges) == 1 else f"{len(args.edges)} files"
    options = {name: getattr(args, name) for name in ("memory", "n", "columns", "header", "format", "force", "restart")}
    try:
        with progress(f"converting {first}"):
            made = convert(args.edges, args.folder, **options)
    except KeyboardInterrupt:
        if STDIN not in args.edges:
            exits.complain("interrupted; the same command continues where it stopped")
            return exits.INTERRUPTED
        raise
    if args.json:
        print_json({"folder": args.folder, "vertices": made.n, "edges": made.n_edges, "read": made.notes})
        return 0
    notes = made.notes
    print(
        f"{args.folder}: {counted(made.n, 'vertices')}, {counted(made.n_edges, 'edges')} ({notes['edges']:,} read, "
        f"with {counted(notes['loops'], 'self-loops')} and {counted(notes['repeated'], 'repetitions')})"
    )
    if one_sided := notes.get("one_sided"):
        print(f"not symmetric: added {counted(one_sided, 'entries')} or more without a mirror image")
    return 0
