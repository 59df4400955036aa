r"""Write one HTML page of measured runs, with pictures and a sortable table, in a single file.

example: python -m benchmarks.compare report results --out page.html \
         --baseline networkx --pictures figures --format png
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from lagcolor.base.errors import OptionError
from lagcolor.cli import exits
from lagcolor.cli.outputs import check_outputs, print_json, progress
from lagcolor.io.files import atomic

from ..results import read
from . import degrees, html, pictures

ENDINGS = ("svg", "png", "pdf")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "results", nargs="+", metavar="RESULTS", type=Path,
        help="result files of benchmarks.compare, folders of them, or .csv tables of other figures",
    )  # fmt: skip
    parser.add_argument("--out", "-o", type=Path, default=Path("report.html"), metavar="FILE.html", help="the page")
    parser.add_argument("--title", default="Graph coloring", help="the heading of the page")
    parser.add_argument(
        "--baseline",
        metavar="CODE",
        help="the code or peer that speed-ups are relative to; default: the slowest code of most graphs",
    )
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="also write each picture into this folder")
    parser.add_argument("--format", choices=ENDINGS, default="svg", help="format of the pictures; default: svg")
    parser.add_argument(
        "--degrees", type=float, default=5e6, metavar="ENTRIES",
        help="if a file has no degrees, generate its graphs again, up to this number of entries; 0: none; default: 5e6",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Write the page, and the pictures if they are wanted."""
    _check(args)
    with progress("reading results") as shown:
        results = read(args.results)
        degrees(results, int(args.degrees), shown.say)
        page = html(results, title=args.title, baseline=args.baseline)
        with atomic(args.out) as f:
            f.write(page.encode())
        shown.say("drawing pictures")
        drawn = pictures(results, args.pictures, ending=args.format, baseline=args.baseline) if args.pictures else []
    if args.json:
        print_json({"page": str(args.out), "runs": len(results.runs), "pictures": [str(p) for p in drawn]})
        return exits.OK
    for note in results.notes:
        print(f"note: {note}")
    print(f"{args.out}: {_plural(len(results.runs), 'run')} on {_plural(len(results.graphs), 'graph')}")
    if drawn:
        print(f"{args.pictures}: {_plural(len(drawn), 'picture')}")
    return exits.OK


def _check(args: argparse.Namespace) -> None:
    """Before any work, that what it makes can be written."""
    if args.out.suffix.lower() not in (".html", ".htm"):
        raise OptionError(f"--out {args.out}: must end in .html")
    if args.out.is_dir():
        raise OptionError(f"--out {args.out}: is a folder")
    if not args.out.parent.is_dir():
        raise OptionError(f"--out {args.out}: there is no folder {args.out.parent}")
    if not os.access(args.out.parent, os.W_OK):
        raise OptionError(f"--out {args.out}: the folder {args.out.parent} may not be written to")
    read = [file for path in args.results for file in (path.glob("*.jsonl") if path.is_dir() else [path])]
    check_outputs([args.out], read)
    if not 0 <= args.degrees < float("inf"):
        raise OptionError(f"--degrees must be a number of stored entries, not {args.degrees:g}")
    from lagcolor.plot.style import need_matplotlib

    need_matplotlib()
    if args.pictures:
        if args.pictures.exists() and not args.pictures.is_dir():
            raise OptionError(f"--pictures {args.pictures}: is no folder")
        check_outputs(args.pictures.glob(f"*.{args.format}"), read, "--pictures")


def _plural(n: int, one: str) -> str:
    return f"{n:,} {one}" + ("" if n == 1 else "s")
