"""Hard coloring instances on a GPU: colors of ``quality="best"`` with HEAD against time, beside goals and best known.

python -m benchmarks.hard_gpu [NAME …] [--limit SECONDS] [--seed N] [--device cuda] [--out FILE]

NAME is one of benchmarks/hard_instances.py or a generator's spec; default: GOALS there. Every coloring is verified.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import lagcolor
from lagcolor import search
from lagcolor.bench.results import Row

from . import report
from .experiment import facts, measurement, parser, ready, recorded
from .hard import reached, seconds_to
from .hard_instances import GOALS, instance


def of_graph(G: lagcolor.Graph, about: Row, limit: float, seed: int) -> Row:
    """The line of a graph: colors, and when each number of them was reached."""
    result = lagcolor.color(G, quality="best", time_limit=limit, seed=seed, verify=True)
    curve = reached(result)
    figures = {"colors": result.n_colors, "lower_bound": result.lower_bound, "seconds": result.seconds}
    figures |= {"curve_colors": [k for k, _ in curve], "curve_seconds": [at for _, at in curve]}
    return measurement(about, "best", {"quality": "best", "time_limit": limit, "seed": seed}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of the table."""
    lines = [["graph", "vertices", "edges", "best known of its kind", "goal", "`best`", "after, s"]]
    for row in records[1:]:
        goal, known = GOALS.get(row["graph"], ("–", "–"))
        found = row["figures"]["colors"]
        at = seconds_to([row], found)
        sizes = [f"{row['n']:,}", f"{row['m'] // 2:,}"]
        lines.append([row["graph"], *sizes, f"{known}", f"{goal}", f"{found}", "–" if at is None else f"{at:.2g}"])
    limit = records[0]["settings"]["limit"]
    return [
        *report.markdown(lines, numbers=range(1, 7)), "",
        f"One seed, {limit:g} s. {report.source(records)}",
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.hard_gpu", __doc__)
    p.add_argument("name", nargs="*", help="default: all")
    p.add_argument("--limit", type=float, default=60.0, help="seconds for a graph (default %(default)s)")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--without-head", action="store_true", help="only what best does on a GPU otherwise")
    args = p.parse_args(argv)
    if not ready(args):
        return 1
    search.HEAD_ON_GPU = not args.without_head
    out = recorded(args, limit=args.limit, head=search.HEAD_ON_GPU)
    small = lagcolor.generate.erdos_renyi(60, 0.5, seed=1, device=args.device)
    lagcolor.color(small, quality="best", time_limit=3.0)  # loads the code
    for name in args.name or GOALS:
        G = instance(name).on(args.device)
        line = of_graph(G, {**facts(G, name, name), "graph": name}, args.limit, args.seed)
        out.add(line)
        report.console().print(f"{name}: {line['figures']['colors']} colors of {args.limit:g} s")
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
