"""Hard coloring instances: colors of ``quality="best"`` against time, the best known colors, and times of HEAD.

python -m benchmarks.hard [GRAPH …] [--limit SECONDS] [--easy SECONDS] [--seed N] [--jobs N] [--out FILE]

GRAPH is a name of a DIMACS graph, one of benchmarks/hard_instances.py or a generator's spec; default: all DIMACS graphs
in the folder of real graphs (LAGCOLOR_DATA, else ../shared/data), and RANDOM. --jobs processes run at once, each on
CORES cores; a single one takes all cores. A graph gets `--easy` seconds, and then `--limit` seconds if the first run
found neither the best known colors nor a proof of optimality. A line has the time at which each number of colors was
reached, from the beginning of the search on. Every coloring is verified.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import lagcolor
from benchmarks.harness.results import Row

from . import report
from .experiment import DATA, facts, listed, load, measurement, parser, recorded
from .hard_instances import MAKERS, instance

# Other graphs with the sizes and densities of DSJC1000.5 and DSJC500.9, which the folder does not have.
RANDOM = ("erdos_renyi:1000,0.5,seed=1", "erdos_renyi:500,0.9,seed=1")
CORES = 2  # of a job
# Colors and seconds of HEAD on one core, with one seed, on a busy machine; for RANDOM, figures of the DSJC graphs.
HEAD: dict[str, tuple[tuple[int, float], ...]] = {
    "DSJC125.5": ((17, 0.6),),
    "DSJC250.5": ((28, 2.0),),
    "DSJC500.5": ((49, 22.0), (48, 113.0)),
    "flat300_28_0": ((31, 2.5),),
    RANDOM[0]: ((86, 146.0),),
    RANDOM[1]: ((126, 62.0),),
}


def known() -> dict[str, tuple[Path, int | None]]:
    """File and best known colors of each DIMACS graph in the folder."""
    rows = [row for row in listed() if row["file"].startswith("B/")]
    return {row["name"]: (DATA / row["file"], int(row["best_known_colors"] or 0) or None) for row in rows}


def reached(result: lagcolor.Coloring) -> list[tuple[int, float]]:
    """Colors, falling, and the second of the search in which each was reached."""
    out: list[tuple[int, float]] = []
    before = 0.0
    for row in result.notes["tried"]:
        steps = row.get("reached") or ([(row["colors"], row["ms"])] if row["colors"] else [])
        for colors, ms in steps:
            if not out or colors < out[-1][0]:
                out.append((colors, (before + ms) / 1e3))
        before += row["ms"]
    return out


def of_graph(G: lagcolor.Graph, about: Row, best_known: int | None, easy: float, limit: float, seed: int) -> list[Row]:
    """A line for each limit that the graph was given."""
    lines = []
    for seconds in (easy, limit):
        result = lagcolor.color(G, quality="best", time_limit=seconds, seed=seed, verify=True)
        curve = reached(result)
        figures = {"colors": result.n_colors, "lower_bound": result.lower_bound, "seconds": result.seconds}
        figures |= {"curve_colors": [k for k, _ in curve], "curve_seconds": [at for _, at in curve]}
        figures |= {"best_known": best_known} if best_known else {}
        options = {"quality": "best", "time_limit": seconds, "seed": seed}
        lines.append(measurement(about, "best", options, **figures))
        goal = best_known or min((colors for colors, _ in HEAD.get(about["graph"], ())), default=None)
        if result.optimal or (goal is not None and result.n_colors <= goal):
            break
    return lines


def seconds_to(lines: Sequence[Row], colors: int) -> float | None:
    """Return the time of a number of colors in the last run that reached it; None: in none."""
    for line in reversed(lines):
        for k, at in zip(line["figures"]["curve_colors"], line["figures"]["curve_seconds"], strict=True):
            if k <= colors:
                return float(at)
    return None


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of two tables: HEAD's goals, and the graphs that are not done within the shorter limit."""
    graphs: dict[str, list[Row]] = {}
    for row in records[1:]:
        graphs.setdefault(row["graph"], []).append(row)
    settings = records[0]["settings"]
    easy, limit = settings["easy"], settings["limit"]
    goals = [["graph", "colors", "HEAD, s", "`best`, s"]]
    for name, pairs in HEAD.items():
        for colors, seconds in pairs if name in graphs else ():
            at = seconds_to(graphs[name], colors)
            goals.append([name, f"{colors}", f"{seconds:g}", "–" if at is None else f"{at:.2g}"])
    hard = [
        ["graph", "vertices", "edges", "best known", "lower bound", f"{easy:g} s", f"{limit:g} s", "reached after, s"]
    ]
    counts = [0, 0, 0]
    for name, lines in graphs.items():
        best = lines[-1]["figures"].get("best_known")
        if best is None:
            continue
        found = min(line["figures"]["colors"] for line in lines)
        counts[0] += 1
        counts[1] += lines[0]["figures"]["colors"] <= best
        counts[2] += found <= best + 1
        if len(lines) > 1:
            proved = max(line["figures"]["lower_bound"] for line in lines)
            cells = [f"{line['figures']['colors']}" for line in lines]
            at = seconds_to(lines, found)
            hard.append(
                [name, f"{lines[0]['n']:,}", f"{lines[0]['m'] // 2:,}", f"{best}", f"{proved}", *cells, f"{at:.2g}"]
            )
    all_, quick, near = counts
    answer = (
        f"Of {all_} DIMACS graphs {quick} have the best known colors or fewer within {easy:g} s, and {near} at most "
        f"one more within {limit:g} s."
    )
    return [
        answer, "", *report.markdown(goals, numbers=range(1, 4)), "", *report.markdown(hard, numbers=range(1, 8)), "",
        f"The second table has the graphs that took longer than {easy:g} s. {report.source(records)}",
    ]  # fmt: skip


def arguments(argv: Sequence[str] | None = None) -> Any:
    """Parse the command line."""
    p = parser("benchmarks.hard", __doc__)
    p.add_argument("graph", nargs="*", help="default: all")
    p.add_argument("--limit", type=float, default=60.0, help="seconds for a hard graph (default %(default)s)")
    p.add_argument("--easy", type=float, default=2.0, help="seconds that every graph is given (default %(default)s)")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--jobs", type=int, default=1, help="graphs at once, on two cores each (default %(default)s)")
    p.set_defaults(device="cpu")
    return p.parse_args(argv)


def graph_of(name: str) -> tuple[lagcolor.Graph, int | None]:
    """The graph of a name, and its best known colors."""
    path, best_known = (None, None) if ":" in name else known().get(name, (None, None))
    if path is not None:
        return lagcolor.io.read(path, symmetrize=True), best_known
    return instance(name) if name.partition(":")[0] in MAKERS else load(name, "cpu"), None


def measured(name: str, easy: float, limit: float, seed: int) -> list[Row]:
    """The lines of a graph."""
    G, best_known = graph_of(name)
    return of_graph(G, {**facts(G, name, name), "graph": name}, best_known, easy, limit, seed)


def ready(pairs: Any = None) -> None:
    """Load the code, in a process of its own on the next of these cores."""
    if pairs is not None:
        os.sched_setaffinity(0, pairs.get())
    lagcolor.color(lagcolor.generate.erdos_renyi(60, 0.5, seed=1), quality="best", time_limit=3.0)


def measure_all(names: Sequence[str], jobs: int, *settings: Any) -> Iterator[list[Row]]:
    """The lines of each graph, in the order in which they are done."""
    if jobs == 1:
        ready()
        yield from (measured(name, *settings) for name in names)
        return
    cores = sorted(os.sched_getaffinity(0))
    if jobs * CORES > len(cores):
        raise SystemExit(f"{jobs} jobs take {jobs * CORES} cores, and here are {len(cores)}")
    context = multiprocessing.get_context("spawn")
    pairs = context.Queue()
    for i in range(jobs):
        pairs.put(cores[i * CORES : (i + 1) * CORES])
    with ProcessPoolExecutor(jobs, context, ready, (pairs,)) as pool:
        for done in as_completed([pool.submit(measured, name, *settings) for name in names]):
            yield done.result()


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    args = arguments(argv)
    out = recorded(args, easy=args.easy, limit=args.limit, jobs=args.jobs)
    for lines in measure_all(args.graph or [*known(), *RANDOM], args.jobs, args.easy, args.limit, args.seed):
        for line in lines:
            out.add(line)
            figures = line["figures"]
            report.console().print(
                f"{line['graph']}: {figures['colors']} colors, at least {figures['lower_bound']}, best known "
                f"{figures.get('best_known')}, of {line['options']['time_limit']:g} s"
            )
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
