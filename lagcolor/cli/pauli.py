"""Partition the Pauli strings of a text file, one per line, into groups whose members commute.

example: lagcolor pauli strings.txt --commute general --out groups.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .inputs import add
from .outputs import check_outputs, check_target, print_json, print_table, progress

COMMAND = ("pauli", "group Pauli strings that commute")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("file", metavar="FILE", help="a string such as XIZ first in each line; # begins a comment")
    parser.add_argument("--commute", "-c", default="qubitwise", help="qubitwise (default), general or anti")
    parser.add_argument("--order", "-r", help="natural, random or largest_first (default: all three are tried)")
    parser.add_argument("--quality", "-q", help="balanced (default), best, or fast (default with --order)")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="for --quality best (default: 1)")
    add(parser, "seed", "device", "verify")
    parser.add_argument("--out", "-o", help="write the groups here, as .json, .csv or .txt (optionally with .gz)")


def run(args: argparse.Namespace) -> int:
    """Group, print, write, and return the exit code."""
    from ..pauli.grouping import ENDINGS, group, read_strings

    if args.out is not None:
        check_target(Path(args.out), ENDINGS)
        check_outputs([args.out], [args.file])
    with progress(f"reading {args.file}") as shown:
        strings = read_strings(args.file)
        shown.say(f"grouping {len(strings):,} strings")
        how = {"quality": args.quality, "time_limit": args.time_limit, "device": args.device, "verify": args.verify}
        result = group(strings, args.commute, args.order, seed=args.seed, **how)
        if args.out is not None:
            result.save(args.out)
    if args.json:
        print_json({"input": args.file, **result.provenance(), **({"out": args.out} if args.out else {})})
        return 0
    sizes = result.class_sizes
    largest = f"{int(sizes.max()):,}" if len(sizes) else "0"
    ms, prepared = (f"{seconds * 1e3:.3g}" for seconds in (result.seconds, result._prepare_seconds))
    row = [f"{len(strings):,}", f"{result.strings.qubits:,}", f"{result.n_groups:,}", largest, ms, prepared]
    print_table(["strings", "qubits", "groups", "largest", "ms", "prepare ms"], [row])
    if result.notes.get("interrupted"):
        print("\ninterrupted")
    return 0
