r"""Time the algorithms on graphs, one after the other in this process, and check each coloring.

Every algorithm that runs on the device runs in its default order: once to load its code, then --repeat times. The table
has the median of these times, which include ordering but not reading the file. Algorithms that do not accept a graph,
or that need a missing package, are listed under the table.

example: lagcolor bench mesh.mtx rgg:16 --algorithms 'gunrock_*' greedy \
         --out results.json

In a checkout of the repository, python -m benchmarks.compare also measures other libraries, each in a process with a
time limit.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import statistics
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base import __version__
from ..base import options as names
from ..base.errors import GraphError, MissingPackageError, OptionError
from .exits import IMPROPER, OK, complain, report
from .inputs import add, for_each, load, stem
from .outputs import (
    STDIN,
    check_outputs,
    check_stdout,
    check_target,
    input_name,
    print_json,
    print_table,
    progress,
    width_of,
)
from .parser import Parser

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..problems.registry import Algorithm

COMMAND = ("bench", "time the algorithms on graphs")
REPEAT = 3
Row = dict[str, Any]


def arguments(parser: Parser) -> None:
    """Declare the options of this subcommand."""
    add(parser, "files", "format", "header", "columns", "symmetrize", "device")
    one = parser.add_argument
    one("--algorithms", "-a", nargs="+", metavar="NAME",
        help="names or patterns such as 'gunrock_*'; after FILE (default: all that run on the device)")  # fmt: skip
    one("--repeat", type=int, default=REPEAT, metavar="N", help="runs that are timed (default: %(default)s)")
    one("--out", "-o", metavar="FILE.json", help='write the rows here, as {"lagcolor": version, "rows": [...]}')


def run(args: argparse.Namespace) -> int:
    """Time, print the table, write the file, and return the exit code."""
    algorithms = _chosen(args)
    rows: list[Row] = []
    failures: list[int] = []

    def one(file: str, prefix: str) -> None:
        with progress(f"{prefix}reading {input_name(file)}") as shown:
            G = load(args, file, args.device)
            found: list[Row] = []
            for i, row in enumerate(algorithms):
                shown.say(f"{prefix}{row.name} on {input_name(file)} ({i + 1} of {len(algorithms)})")
                found.append({"graph": stem(file), "device": G.device, **_timed(G, row, args, failures)})
                if args.json:
                    print_json(found[-1])
        rows.extend(found)

    _, code = for_each(args, one)
    if not args.json:
        _show(rows, stderr=args.out == STDIN)
    if args.out is not None:
        _write(args.out, rows)
    if rows and all(row["colors"] is None for row in rows):
        complain(f"no algorithm succeeded; the first, {rows[0]['algorithm']} on {rows[0]['graph']}: {rows[0]['error']}")
        failures.append(IMPROPER)
    return code or next(iter(failures), OK)


def _chosen(args: argparse.Namespace) -> list[Algorithm]:
    """Return the algorithms to time; raise errors of options before any work."""
    from ..base.device import parse_device
    from ..problems.registry import ALGORITHMS

    if args.repeat < 1:
        raise OptionError(f"--repeat must be from 1 on, not {args.repeat}")
    if args.out is not None:
        check_target(Path(args.out), (".json",))
        check_outputs([args.out], args.files)
        check_stdout(args)
    kind = parse_device(args.device or "cpu")[0]
    patterns = [names.canonical_name(pattern, ALGORITHMS) for pattern in args.algorithms or ["*"]]
    for pattern in patterns:
        if not fnmatch.filter(ALGORITHMS, pattern):
            raise OptionError(names.unknown("algorithm", pattern, ALGORITHMS))
    found = {name for pattern in patterns for name in fnmatch.filter(ALGORITHMS, pattern)}
    rows = [row for name, row in ALGORITHMS.items() if name in found and kind in row.engines]
    if not rows:
        raise OptionError(f"--algorithms: none of {', '.join(patterns)} runs on {kind}")
    return rows


def _timed(G: Graph, row: Algorithm, args: argparse.Namespace, failures: list[int]) -> Row:
    """Return colors and times of an algorithm, or its error; append the exit code of a failure to `failures`."""
    from ..api.color import color
    from ..api.warm_up import warm_up
    from ..base.device import using
    from ..graph.graph import Graph

    out: Row = {"algorithm": row.name, "order": None, "colors": None, "ms": None, "ms_all": [], "error": None}
    try:
        with using(G.indices):
            warm_up(G, row, None, False, {})
        for _ in range(1 + args.repeat):
            # A new graph has no cached degrees or orders.
            result = color(Graph(G.indptr, G.indices), row.name, verify=True)
            if result.notes.get("interrupted"):
                raise KeyboardInterrupt
            out["ms_all"].append((result.order_seconds + result.seconds) * 1e3)
    except (GraphError, OptionError, MissingPackageError) as e:
        return {**out, "ms_all": [], "error": " ".join(str(e).split())}
    except Exception as e:
        if args.debug:
            raise
        failures.append(report(e, row.name))
        return {**out, "ms_all": [], "error": f"{type(e).__name__}: {' '.join(str(e).split())}"}
    ms = out["ms_all"][1:]
    return {**out, "order": result.order, "colors": result.n_colors, "ms": statistics.median(ms), "ms_all": ms}


def _show(rows: list[Row], stderr: bool) -> None:
    """Print a table, sorted by time within each graph, and under it the algorithms without a time."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    done = [row for row in rows if row["error"] is None]
    done.sort(key=lambda row: (graphs.index(row["graph"]), row["ms"]))
    cells = [[row["graph"], row["algorithm"], row["order"], f"{row['colors']:,}", f"{row['ms']:.3f}"] for row in done]
    if cells:
        print_table(["graph", "algorithm", "order", "colors", "ms"], cells, stderr=stderr)
    out = sys.stderr if stderr else sys.stdout
    for graph, error in dict.fromkeys((row["graph"], row["error"]) for row in rows if row["error"]):
        left = [row["algorithm"] for row in rows if (row["graph"], row["error"]) == (graph, error)]
        print(textwrap.fill(f"left out on {graph}: {', '.join(left)}: {error}", width_of(out)), file=out)


def _write(out: str, rows: list[Row]) -> None:
    """Write all rows with the version, completely or not at all."""
    from ..io.files import atomic

    with atomic(Path(out)) as f:
        f.write((json.dumps({"lagcolor": __version__, "rows": rows}, indent=1) + "\n").encode())
