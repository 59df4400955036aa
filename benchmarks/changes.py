"""`lagcolor.recolor` after edges were added and removed, compared with coloring the whole graph.

python -m benchmarks.changes [GRAPH …] [--edges K] [--device cpu] [--runs N] [--out FILE]

GRAPH is a name of GRAPHS or a spec. K random edges of each graph are removed, and K are added. Times are medians of
whole calls, interleaved: `color` on the new graph, and `recolor` with the changed vertices, or without them, so that it
compares the graphs. The colors of both are compared.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.generate import SUITE_H200

from . import report
from .experiment import facts, measurement, milliseconds, parser, ready, recorded

GRAPHS = {name: SUITE_H200[name] for name in ("rgg_n_2_22", "road-24M", "rmat22")}
ON_CPU = {"uniform:2**22,8": "uniform:2**22,8", "grid2d:4000": "grid2d:4000", "rmat:20": "rmat:20"}
ORDERS: tuple[tuple[str, int | None], ...] = (("natural", None), ("random", 0))


def changed(G: lagcolor.Graph, k: int, seed: int = 0) -> tuple[lagcolor.Graph, Any]:
    """Return the graph with other edges, and the ends of removed and added edges."""
    xp, r = G.xp, np.random.default_rng(seed)
    rows = G.rows_of_entries()
    gone = xp.asarray(r.integers(0, G.m, k))
    u, v = rows[gone], G.indices[gone]
    upper = rows < G.indices
    # Remove both directions of an edge; only the upper triangle is used.
    low, high = xp.minimum(u, v).astype(np.int64), xp.maximum(u, v).astype(np.int64)
    key = rows.astype(np.int64) * G.n + G.indices
    upper &= ~xp.isin(key, low * G.n + high)
    new = xp.asarray(r.integers(0, G.n, (2, k)).astype(np.int32))
    new = new[:, new[0] != new[1]]
    pairs = xp.concatenate([xp.stack([rows[upper], G.indices[upper]]), new], axis=1)
    ends = xp.unique(xp.concatenate([u, v, new[0], new[1]]))
    return lagcolor.Graph.of((pairs[0], pairs[1]), n=G.n), ends


def of_graph(G: lagcolor.Graph, about: Row, edges: int, runs: int) -> list[Row]:
    """A line per order."""
    H, ends = changed(G, edges)
    lines = []
    for order, seed in ORDERS:
        old = lagcolor.color(G, "first_fit", order, seed=seed, verify=False)
        ways = {
            "color": lambda order=order, seed=seed: lagcolor.color(
                lagcolor.Graph(H.indptr, H.indices), "first_fit", order, seed=seed, verify=False
            ),
            "recolor": partial(lagcolor.recolor, H, old, ends, verify=False),
            "compare": partial(lagcolor.recolor, H, old, verify=False),
        }
        wanted = ways["color"]()
        ms: dict[str, list[float]] = {name: [] for name in ways}
        for k in range(runs + 1):  # the first warms up
            for name, call in ways.items():
                result, took = milliseconds(call, about["device"])
                assert bool((result.colors == wanted.colors).all()), (about["graph"], order, name)
                if k:
                    ms[name].append(took)
                if name == "recolor":
                    visited, rounds = result.notes["visited"], result.rounds
        figures = {f"{name}_ms": statistics.median(times) for name, times in ms.items()}
        more = {"visited": visited, "rounds": rounds, **{f"{name}_ms_all": times for name, times in ms.items()}}
        lines.append(measurement(about, "recolor", {"edges": edges, "order": order}, **figures, **more))
        print(about["graph"], order, figures, visited, rounds, flush=True)
    return lines


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of milliseconds."""
    rows = [["graph", "order", "color, ms", "recolor, ms", "share", "without `changed=`, ms"]]
    shares = []
    for line in of_kind(records, "measurement"):
        f = line["figures"]
        shares.append(100 * f["recolor_ms"] / f["color_ms"])
        times = f"{f['color_ms']:.3g}", f"{f['recolor_ms']:.3g}", f"{shares[-1]:.0f} %", f"{f['compare_ms']:.3g}"
        rows.append([line["graph"], line["options"]["order"], *times])
    answer = f"`recolor` takes {min(shares):.0f} to {max(shares):.0f} % of the time of `color`."
    caption = "Share: `recolor` over `color`. Without `changed=` it compares both graphs. Medians."
    return [answer, "", *report.markdown(rows, numbers=range(2, 6)), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.changes", __doc__, runs=5)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--edges", type=int, default=500, help="number of removed and of added edges (default %(default)s)")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    out = recorded(args)
    known = ON_CPU if args.device == "cpu" else GRAPHS
    for name in args.graph or known:
        spec = known.get(name, name)
        G = lagcolor.generate.from_spec(spec, device=args.device)
        for line in of_graph(G, facts(G, name, spec), args.edges, args.runs):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
