"""Calls of NetworkX, with and without lagcolor as the backend: CPU milliseconds on one thread.

python -m benchmarks.networkx_calls [--nodes N] [--runs N] [--out FILE]

Random graphs of mean degree 8, for `bipartite.color` random trees. NetworkX runs once; lagcolor is the best of --runs
after a call that loads its code, on a graph that has been converted; the conversion is timed separately. Times are CPU
times of the process, so that other work on the machine does not count.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import measurement, parser, recorded

Call = Callable[..., Any]


def calls() -> dict[str, tuple[int, Call]]:
    """Return the calls, and the size of their graph in thousandths of --nodes."""
    import networkx as nx

    def greedy(strategy: str, interchange: bool = False) -> Call:
        return lambda G, **how: nx.greedy_color(G, strategy, interchange, **how)

    return {
        "greedy_color, largest_first": (1000, greedy("largest_first")),
        "greedy_color, connected_sequential": (1000, greedy("connected_sequential")),
        "greedy_color, smallest_last": (1000, greedy("smallest_last")),
        "greedy_color, interchange": (250, greedy("largest_first", True)),
        "greedy_color, DSATUR": (50, greedy("DSATUR")),
        "greedy_color, independent_set": (50, greedy("independent_set")),
        "equitable_color": (250, lambda G, **how: nx.equitable_color(G, max(d for _, d in G.degree) + 1, **how)),
        "maximal_independent_set": (1000, lambda G, **how: nx.maximal_independent_set(G, seed=1, **how)),
        "bipartite.color": (1000, lambda G, **how: nx.bipartite.color(G, **how)),
    }


def cpu_ms(call: Callable[[], Any]) -> float:
    """Milliseconds of the process in a call."""
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1e3


def measured(nodes: int, runs: int) -> Iterator[Row]:
    """A line per call."""
    import networkx as nx

    for name, (share, call) in calls().items():
        n = nodes * share // 1000
        tree = name.startswith("bipartite")
        G = nx.random_labeled_tree(n, seed=1) if tree else nx.gnm_random_graph(n, 4 * n, seed=1)
        about = {"graph": f"n = {n}", "spec": "random tree" if tree else "gnm_random_graph", "n": n}
        about |= {"m": 2 * G.number_of_edges(), "device": "cpu"}
        call(G.copy(), backend="lagcolor")  # loads the code
        fresh = G.copy()
        first = cpu_ms(lambda call=call, fresh=fresh: call(fresh, backend="lagcolor"))
        best = min(cpu_ms(lambda call=call, fresh=fresh: call(fresh, backend="lagcolor")) for _ in range(runs))
        theirs = cpu_ms(lambda call=call, G=G: call(G, backend="networkx"))
        figures = {"networkx_ms": theirs, "conversion_ms": max(first - best, 0.0), "ms": best}
        yield measurement(about, name, {}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table."""
    rows, ratios = [["call", "nodes", "NetworkX", "conversion", "lagcolor", "ratio"]], []
    for line in of_kind(records, "measurement"):
        f = line["figures"]
        times = (report.three_digits(f[key]) for key in ("networkx_ms", "conversion_ms", "ms"))
        rows.append([f"`{line['code']}`", f"{line['n']:,}", *times, f"{f['networkx_ms'] / f['ms']:,.0f}"])
        ratios.append(f["networkx_ms"] / f["ms"])
    version = records[0]["settings"]["networkx"]
    answer = f"NetworkX takes {min(ratios):,.0f} to {max(ratios):,.0f} times as long as lagcolor for these calls."
    caption = f"CPU milliseconds on one thread; NetworkX {version}. Ratio: without the conversion."
    return [answer, "", *report.markdown(rows, numbers=range(1, 6)), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.networkx_calls", __doc__, runs=3)
    p.set_defaults(device="cpu")
    p.add_argument("--nodes", type=int, default=20_000, help="of the largest graphs (default %(default)s)")
    args = p.parse_args(argv)
    os.environ["OMP_NUM_THREADS"] = "1"
    import networkx as nx

    nx.config.warnings_to_ignore.add("cache")
    out = recorded(args, networkx=nx.__version__)
    for line in measured(args.nodes, args.runs):
        print(line["code"], {k: round(x, 3) for k, x in line["figures"].items()}, flush=True)
        out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
