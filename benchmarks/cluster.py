"""Graphs in partitions on a Dask cluster of processes, beside what the simulator and the model of docs/scaling.md say.

python -m benchmarks.cluster [SPEC …] [--parts P …] [--processes K …] [--out FILE]

Each graph is written to a folder and colored from there by clusters of K processes with one thread each; colors are
those of one CPU, or the script ends with an error. Rounds of the model: a line through what the simulator takes on
smaller graphs of the family, in the logarithms of partitions and vertices. Simulated rounds, messages and bytes: of the
run's own partitions. Memory: the most that building a partition takes, by the model and as NumPy counts it. CPU time:
of this process, which has the client and the scheduler, and of all workers, per task.
"""

from __future__ import annotations

import functools
import math
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from lagcolor.bench.results import Row, of_kind

from . import report
from .experiment import facts, measurement, parser, recorded
from .simulator import simulate

SPECS = "rmat:12", "rmat:15", "rgg:13", "rgg:16", "grid2d:100"
PARTS, PROCESSES = (8, 32), (2, 4, 8)
FITTED = {"rmat": ("rmat:9", "rmat:11"), "rgg": ("rgg:10", "rgg:12"), "grid2d": ("grid2d:32", "grid2d:64")}
FITTED_PARTS = (4, 16, 64)


@functools.cache
def fitted(family: str) -> np.ndarray:
    """Coefficients of 1, log₂ of partitions and log₂ of vertices, for the rounds of a family."""
    rows, rounds = [], []
    for spec in FITTED[family]:
        G = lagcolor.generate.from_spec(spec)
        for parts in FITTED_PARTS:
            rows.append([1, math.log2(parts), math.log2(G.n)])
            rounds.append(simulate(G, parts).rounds)
    return np.linalg.lstsq(np.array(rows), np.array(rounds), rcond=None)[0]


def building(folder: Path, G: lagcolor.Graph, bounds: Sequence[int]) -> tuple[int, int]:
    """Bytes to build the partition that takes most: by the model, and the peak as NumPy counts it."""
    from lagcolor.scale.dask import held, memory
    from lagcolor.scale.dask.run import Plan, Run

    ends = np.asarray(G.indptr)[list(bounds)]
    need = memory.PER_ENTRY * np.diff(ends) + memory.PER_VERTEX * np.diff(bounds)
    k = int(np.argmax(need))
    with tempfile.TemporaryDirectory() as place:
        run = Run(place, f"{folder}, {len(bounds)}")
        run.write_plan(Plan(np.array(bounds, np.int64), "largest_first_spread", 0, str(folder)))
        held.partition(run, k, "cpu")  # loads code
        tracemalloc.start()
        held.partition(run, k, "cpu")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return int(need[k]), peak


def seconds_of_process() -> float:
    """Of CPU."""
    import psutil

    return float(sum(psutil.Process().cpu_times()[:2]))


def on_cluster(client: Any, folder: Path, parts: int) -> tuple[Any, dict[str, Any]]:
    """A coloring, and the tasks and CPU time that it took."""
    tasks: dict[str, float] = {}

    def listen(progress: lagcolor.progress.Progress) -> None:
        if progress.unit == "tasks":
            tasks[progress.stage] = max(tasks.get(progress.stage, 0.0), progress.total or 0.0)

    def workers() -> float:
        return sum(client.run(seconds_of_process).values())

    here, there = seconds_of_process(), workers()
    result = lagcolor.scale.dask.color(folder, client, parts=parts, trace=True, progress=listen)
    here, there = seconds_of_process() - here, workers() - there
    tasks.pop("coloring", None)
    count = sum(tasks.values()) + sum(row["partitions"] for row in result.trace)
    return result, {"tasks": int(count), "client_ms": 1e3 * here / count, "worker_ms": 1e3 * there / count}


def measured(client: Any, processes: int, spec: str, parts: int, place: Path) -> Row:
    """A line of a run, whose colors are those of one CPU."""
    from lagcolor.scale.dask.result import Colors

    G, path = lagcolor.generate.from_spec(spec), place / f"{spec.replace(':', '-')}.csr"
    if not path.exists():
        lagcolor.io.write(path, G)
    result, taken = on_cluster(client, path, parts)
    if not np.array_equal(result.colors, lagcolor.color(G).colors):
        raise SystemExit(f"{spec}: other colors than on one CPU")
    bounds = Colors(result.folder).bounds
    owner = np.repeat(np.arange(parts), np.diff(bounds))
    same = simulate(G, parts, owner=owner)
    at = [1, math.log2(parts), math.log2(G.n)]
    planned, peak = building(path, G, bounds)
    return measurement(
        facts(G, spec, spec), "lagcolor.scale.dask.color", {"processes": processes, "parts": parts},
        rounds_model=float(fitted(spec.partition(":")[0]) @ at), rounds_simulated=same.rounds, rounds=result.rounds,
        messages_simulated=same.notes["messages"], messages=result.notes["messages"],
        bytes_simulated=same.notes["bytes"], bytes=result.notes["bytes"],
        bytes_planned=planned, bytes_built=peak, colors=result.n_colors, verified=result.verified, **taken,
    )  # fmt: skip


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table."""
    head = ["graph", "partitions", "processes", "rounds: model", "simulated", "run", "messages: simulated", "run",
            "bytes: simulated", "run", "MB to build one: planned", "taken", "tasks",
            "ms of CPU per task: client and scheduler", "workers"]  # fmt: skip
    rows = [head]
    for line in of_kind(records, "measurement"):
        f, o = line["figures"], line["options"]
        counts = [f"{f[key]:,}" for key in ("messages_simulated", "messages", "bytes_simulated", "bytes")]
        memory = [f"{f[key] / 1e6:.2f}" for key in ("bytes_planned", "bytes_built")]
        rounds = [f"{f['rounds_model']:.1f}", str(f["rounds_simulated"]), str(f["rounds"])]
        cpu = [f"{f[key]:.0f}" for key in ("client_ms", "worker_ms")]
        where = [line["graph"], str(o["parts"]), str(o["processes"])]
        rows.append([*where, *rounds, *counts, *memory, str(f["tasks"]), *cpu])
    said = "All colors are those of one CPU. One run each."
    return [*report.markdown(rows, numbers=range(1, len(head))), "", f"{said} {report.source(records)}"]


def arguments(argv: Sequence[str] | None = None) -> Any:
    """The command line."""
    p = parser("benchmarks.cluster", __doc__)
    p.set_defaults(device="cpu")
    p.add_argument("specs", nargs="*", metavar="SPEC", help=f"default: {' '.join(SPECS)}")
    p.add_argument("--parts", nargs="+", type=int, default=list(PARTS), metavar="P")
    p.add_argument("--processes", nargs="+", type=int, default=list(PROCESSES), metavar="K")
    args = p.parse_args(argv)
    for spec in args.specs:
        if spec.partition(":")[0] not in FITTED:
            p.error(f"the model is fitted to {', '.join(FITTED)}, not to {spec}")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    from distributed import Client

    args = arguments(argv)
    out = recorded(args)
    with tempfile.TemporaryDirectory() as place:
        for processes in args.processes:
            with Client(n_workers=processes, threads_per_worker=1, dashboard_address=":0") as client:
                lagcolor.scale.dask.color(_small(Path(place)), client)  # workers load their code
                for spec in args.specs or SPECS:
                    for parts in args.parts if processes == min(args.processes) else args.parts[:1]:
                        line = measured(client, processes, spec, parts, Path(place))
                        out.add(line)
                        print(spec, processes, parts, line["figures"], flush=True)
    print("\n".join(markdown(out.rows)))
    return 0


def _small(place: Path) -> Path:
    path = place / "small.csr"
    if not path.exists():
        lagcolor.io.write(path, "rmat:6")
    return path


if __name__ == "__main__":
    sys.exit(main())
