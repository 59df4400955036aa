"""Hardware counters of the kernels that a script launches, by Nsight Compute: `ncu` must be on the path."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Iterable, Sequence

TIME = "gpu__time_duration.sum"  # nanoseconds


def profiled(module: str, arguments: Sequence[str], metrics: Sequence[str], kernels: str) -> list[dict[str, float]]:
    """The metrics of each launch of the kernels that `python -m MODULE ARGUMENTS` makes, in their order.

    Clocks and caches are left as a run without the profiler has them.

    Raises
    ------
    RuntimeError
        `ncu` is not there, failed, or saw no launch.
    """
    as_run = ["--clock-control", "none", "--cache-control", "none"]
    ncu = ["ncu", "--csv", "--print-units", "base", *as_run, "--metrics", ",".join(metrics), "--kernel-name", kernels]
    try:
        done = subprocess.run([*ncu, sys.executable, "-m", module, *arguments], capture_output=True, text=True)
    except FileNotFoundError as e:
        raise RuntimeError("ncu is not on the path") from e
    if done.returncode:
        raise RuntimeError(f"ncu ended with exit code {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return launches(done.stdout.splitlines())


def launches(lines: Iterable[str]) -> list[dict[str, float]]:
    """The metrics of each launch in ncu's CSV output; one that the GPU does not have is left out."""
    lines = list(lines)
    found: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(io.StringIO("\n".join(line for line in lines if line.startswith('"')))):
        metrics = found.setdefault(row["ID"], {})
        try:
            metrics[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
        except ValueError:  # n/a
            continue
    if not found:
        raise RuntimeError("ncu profiled no kernel; its output is:\n" + "\n".join(lines))
    return list(found.values())
