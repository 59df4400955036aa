"""The graphs of README.md's table on this CPU, next to the committed figures: `make reproduce`.

python -m benchmarks.reproduce [--runs N]

The graphs are files of the folder LAGCOLOR_DATA, and their names begin with the graph's. The script stops if one is
absent, and says where it is from. It takes about a minute. A library that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.results import read_lines
from benchmarks.harness.worker import Workers

from . import report
from .experiment import DATA
from .loss_codes import PATIENCE, RIVALS
from .losses import measured
from .peers import PEERS
from .real_graphs import DEFAULT, FIRST, STEP, Codes, best, cell, found, large, others, quickest, theirs

COMMITTED = max((Path(__file__).parent / "results").glob("losses-cpu-*.jsonl"))
METIS = "METIS 5.1.0, https://packages.debian.org/source/bookworm/metis, graphs/"
WALSHAW = "https://github.com/Skantz/expander-decomposition, graphs/"
SOURCES = {
    "uk": f"{WALSHAW}uk.graph",
    "DSJC250.5": "https://github.com/Cyril-Grelier/gc_instances, original_graphs/DSJC250.5.col",
    "4elt": f"{METIS}4elt.graph",
    "vibrobox": f"{WALSHAW}vibrobox.graph",
    "mdual": f"{METIS}mdual.graph",
}


def cells(codes: Codes) -> list[str]:
    """The default, and other libraries with the fewest colors and in the least time."""
    chosen = [theirs(*best(codes)), theirs(*quickest(codes))] if others(codes) else ["", ""]
    return [cell(codes[DEFAULT]), *chosen]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; 2 if a graph is absent."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.reproduce", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("--runs", type=int, default=5, help="of each code (default %(default)s)")
    args = p.parse_args(argv)
    committed = large(read_lines(COMMITTED))
    files = {name: sorted(DATA.rglob(f"{name}.*"))[:1] for name in list(committed)[FIRST::STEP]}
    if absent := [f"{name} ({SOURCES.get(name, 'see its name')})" for name, file in files.items() if not file]:
        advice = "download them there, or set LAGCOLOR_DATA to their folder"
        print(f"not in {DATA}: {'; '.join(absent)}: {advice}", file=sys.stderr)
        return 2
    for peer in RIVALS:
        if why := PEERS[peer].absent():
            print(f"without {peer}: {why}", file=sys.stderr)
    with contextlib.closing(Workers("cpu", PATIENCE)) as workers:
        rows = [row for name, (file,) in files.items() for row in measured("real", name, str(file), workers, args.runs)]
    head = ("default", "others: fewest colors", "others: least time")
    lines = [["graph", *head, *(f"committed {name}" for name in head)]]
    lines += [[name, *cells(codes), *cells(committed[name])] for name, codes in found(rows, "real").items()]
    print("\n".join([*report.markdown(lines), "", f"Milliseconds (colors). Committed: {COMMITTED.name}."]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
