"""Graph folders on a Dask cluster of two local workers with 2 GB each, compared with `lagcolor.color` in memory.

python -m benchmarks.cluster    the table in docs/explanations/partitions.md

Both must have the same colors. The second of two calls is measured, after workers have loaded their code: wall seconds,
and CPU seconds of the client, the scheduler and the workers. The file has the load of the machine, which affects wall
seconds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import facts, measurement, parser, recorded

SPECS = "rmat:18,16", "rmat:21,20", "uniform:500000,16", "rgg:19", "grid2d:1414"
WORKERS, MEMORY = 2, "2GB"


def seconds_of_cpu() -> float:
    """CPU seconds of this process and its children."""
    me = psutil.Process()
    return float(sum(sum(p.cpu_times()[:2]) for p in (me, *me.children(recursive=True))))


def timed(call: Any) -> tuple[Any, float, float]:
    """Return the result of the second of two calls, its wall seconds and its CPU seconds."""
    call()
    begun, cpu = time.perf_counter(), seconds_of_cpu()
    result = call()
    return result, time.perf_counter() - begun, seconds_of_cpu() - cpu


def measured(client: Any, spec: str, place: Path) -> Row:
    """A line of a run."""
    G, path = lagcolor.generate.from_spec(spec), place / "graph.csr"
    lagcolor.io.write(path, G)
    one, memory, _ = timed(lambda: lagcolor.color(path, quality="fast", verify=False))
    result, seconds, cpu = timed(lambda: lagcolor.scale.dask.color(path, client, verify=False))
    if not np.array_equal(result.colors, one.colors):
        raise SystemExit(f"{spec}: other colors than in memory")
    return measurement(
        facts(G, spec, spec), "lagcolor.scale.dask.color", {"workers": WORKERS, "memory": MEMORY},
        edges=G.n_edges, rounds=result.rounds, visited=result.notes["visited"] / G.n, bytes=result.notes["bytes"],
        seconds=seconds, cpu=cpu, memory=memory, load=os.getloadavg()[0],
    )  # fmt: skip


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table."""
    rows = [["graph", "M edges", "rounds", "colors per vertex", "s", "CPU, s", "in memory, s"]]
    for line in of_kind(records, "measurement"):
        f = line["figures"]
        rows.append([
            line["graph"], f"{f['edges'] / 1e6:.1f}", str(f["rounds"]), f"{f['visited']:.1f}",
            f"{f['seconds']:.2f}", f"{f['cpu']:.2f}", f"{f['memory']:.2f}",
        ])  # fmt: skip
    slower = [line["figures"]["seconds"] / line["figures"]["memory"] for line in of_kind(records, "measurement")]
    answer = f"Two workers take {min(slower):.1f} to {max(slower):.1f} times as long as one process with all in memory."
    caption = (
        "Colors per vertex: how many times a color was computed. CPU: seconds of all processes. The colors are the "
        "same as in memory."
    )
    return [answer, "", *report.markdown(rows, numbers=range(1, 7)), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    from distributed import Client

    p = parser("benchmarks.cluster", __doc__)
    p.set_defaults(device="cpu")
    p.add_argument("specs", nargs="*", metavar="SPEC", help=f"default: {' '.join(SPECS)}")
    args = p.parse_args(argv)
    out = recorded(args)
    with Client(n_workers=WORKERS, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=":0") as client:
        for spec in args.specs or SPECS:
            with tempfile.TemporaryDirectory() as place:
                line = measured(client, spec, Path(place))
            out.add(line)
            print(spec, line["figures"], flush=True)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
