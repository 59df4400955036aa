"""How fast graph files read: M edges a minute, parsing alone and with the conversion to a `Graph`.

    python benchmarks/read_speed.py [--edges 5] [--repeats 3] [formats …]

A line of an edge list counts as an edge, whichever way it is listed elsewhere: every format is
charged for the same undirected edges. Parsing is timed with the conversion taken out, by its own
report (`Graph.convert_seconds`). The files are random graphs of mean degree 10, in a temporary folder.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from lagcolor import Graph, io


def sample(edges: int, seed: int = 0) -> Graph:
    """A random graph with about this number of edges."""
    r = np.random.default_rng(seed)
    n = max(edges // 5, 2)
    return Graph.of((r.integers(0, n, edges), r.integers(0, n, edges)), n=n)


def measure(path: Path, repeats: int) -> tuple[float, float]:
    """Median seconds of the parsing and of everything, one warm-up apart."""
    io.read(path)
    parsing, total = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        G = io.read(path)
        total.append(time.perf_counter() - start)
        parsing.append(total[-1] - G.convert_seconds)
    return statistics.median(parsing), statistics.median(total)


def main() -> None:
    """Print one row per format."""
    names = [name for name in io.FORMATS if name != "col.b"]  # its size is quadratic
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("formats", nargs="*", default=names, metavar="FORMAT", help=", ".join(names))
    options.add_argument("--edges", type=float, default=5, metavar="M", help="millions of edges (default 5)")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--gz", action="store_true", help="packed files")
    args = options.parse_args()
    if unknown := set(args.formats) - set(names):
        options.error(f"unknown formats {sorted(unknown)}; there are: {', '.join(names)}")
    G = sample(int(args.edges * 1e6))
    print(
        f"{G}\n{'format':8} {'MB':>7} {'parse s':>8} {'total s':>8} {'parse M edges/min':>18} {'total M edges/min':>18}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in args.formats:
            path = Path(folder) / f"graph{io.FORMATS[name].extensions[0]}{'.gz' if args.gz else ''}"
            io.write(path, G)
            size = path.stat().st_size / 1e6
            parse, total = measure(path, args.repeats)
            path.unlink()
            rates = [G.n_edges / s * 60 / 1e6 for s in (parse, total)]
            print(f"{name:8} {size:7.0f} {parse:8.2f} {total:8.2f} {rates[0]:18,.0f} {rates[1]:18,.0f}", flush=True)


if __name__ == "__main__":
    main()
