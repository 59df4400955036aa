"""Hard coloring instances on a GPU: colors of ``quality="best"`` with HEAD against time, beside goals and best known.

python -m benchmarks.hard_gpu [NAME …] [--folder FOLDER] [--limit SECONDS] [--easy SECONDS] [--seed N] [--device cuda]
                             [--out FILE]

NAME is a DIMACS graph or one of benchmarks/hard_instances.py, or a generator's spec; default: GOALS there. Of those the
DIMACS graph is taken where the folder (default: LAGCOLOR_DATA, else ../shared/data) or one in it has its file,
NAME.npz, NAME.col or NAME.col.gz. Graphs whose goal is reached early are given `--easy` seconds, the others `--limit`.
Every coloring is verified.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import lagcolor
from benchmarks.harness.results import Row
from lagcolor.search import qualities as search

from . import report
from .experiment import DATA, facts, measurement, parser, ready, recorded
from .hard import reached, seconds_to
from .hard_instances import instances

MOMENTS = (5, 20, 60)  # seconds, of the table


def of_graph(G: lagcolor.Graph, about: Row, limit: float, seed: int, **more: int) -> Row:
    """The line of a graph: colors, and when each number of them was reached."""
    result = lagcolor.color(G, quality="best", time_limit=limit, seed=seed, verify=True)
    curve = reached(result)
    figures = {"colors": result.n_colors, "lower_bound": result.lower_bound, "seconds": result.seconds, **more}
    figures |= {"curve_colors": [k for k, _ in curve], "curve_seconds": [at for _, at in curve]}
    return measurement(about, "best", {"quality": "best", "time_limit": limit, "seed": seed}, **figures)


def colors_at(line: Row, moment: float) -> int | None:
    """Colors that were reached by then; None: it was not given as long."""
    if moment > line["options"]["time_limit"]:
        return None
    curve = zip(line["figures"]["curve_colors"], line["figures"]["curve_seconds"], strict=True)
    return min((k for k, at in curve if at <= moment), default=None)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of the table."""
    moments = [f"{moment} s" for moment in MOMENTS]
    lines = [["graph", "vertices", "best known", "goal", *moments, "goal, s"]]
    for row in records[1:]:
        figures = row["figures"]
        goal = figures.get("goal")
        at = None if goal is None else seconds_to([row], goal)
        cells = [f"{row['n']:,}", figures.get("best_known"), goal]
        cells += [colors_at(row, moment) for moment in MOMENTS]
        cells.append(None if at is None else f"{at:.2g}")
        lines.append([row["graph"], *("–" if cell is None else f"{cell}" for cell in cells)])
    settings = records[0]["settings"]
    return [
        *report.markdown(lines, numbers=range(1, 8)), "",
        f"Best known: of a graph of its kind. Goal, s: when it was reached. One seed; {settings['limit']:g} s, or "
        f"{settings['easy']:g} s. {report.source(records)}",
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.hard_gpu", __doc__)
    p.add_argument("name", nargs="*", help="default: all")
    p.add_argument("--folder", type=Path, default=DATA, help="where DIMACS graphs are")
    p.add_argument("--limit", type=float, default=60.0, help="seconds for a graph (default %(default)s)")
    p.add_argument("--easy", type=float, default=20.0, help="of those reached early (default %(default)s)")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--without-head", action="store_true", help="only what best does on a GPU otherwise")
    args = p.parse_args(argv)
    if not ready(args):
        return 1
    search.HEAD_ON_GPU = not args.without_head
    out = recorded(args, limit=args.limit, easy=args.easy, head=search.HEAD_ON_GPU)
    for n in (60, 500):  # loads the code; larger graphs have other kernels
        lagcolor.color(
            lagcolor.generate.erdos_renyi(n, 0.5, seed=1, device=args.device), quality="best", time_limit=3.0
        )
    for chosen in instances(args.folder, args.name):
        name, goal, G = chosen.name, chosen.goal, chosen.graph().on(args.device)
        limit = min(args.easy, args.limit) if goal and goal.easy else args.limit
        more = {"goal": goal.colors, "best_known": goal.known} if goal else {}
        line = of_graph(G, {**facts(G, name, name), "graph": name}, limit, args.seed, **more)
        out.add(line)
        report.console().print(f"{name}: {line['figures']['colors']} colors of {limit:g} s")
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
