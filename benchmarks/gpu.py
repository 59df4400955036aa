"""Every registered GPU algorithm on the ten graphs of the GPU table: python -m benchmarks.gpu --help

Each graph and algorithm runs in a child process: a crash, a hang or an improper coloring is a row of the result,
not its end. `--device cpu --small` goes the same way on a machine without a GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lagcolor

from . import report
from .peers.resident import Resident, ResidentError
from .provenance import ROOT, provenance

BANDWIDTH = 4.3e12  # bytes a second of the GPU that the reference table was measured on
SMALL = {
    "grid2d-small": "grid2d:64",
    "rmat-small": "rmat:12",
    "kron-small": "kron_g500:10",
    "uniform-small": "uniform:4096,4",
    "rgg-small": "rgg:12",
    "delaunay-small": "delaunay:12",
    "road-small": "road:40",
    "stencil27-small": "stencil27:12",
    "grid3d-small": "grid3d:16",
    "social-small": "social:4000,10",
}


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("graph", nargs="*", help="names of the suite, or specs such as rgg:18 (default: the whole suite)")
    p.add_argument("--small", action="store_true", help="a small graph of each family instead")
    p.add_argument("--device", default="cuda", help="cuda or cpu (default %(default)s)")
    p.add_argument("--generate-on", default=None, help="device that generates the graphs (default: the same)")
    p.add_argument("--algorithms", nargs="+", metavar="NAME", help="only these")
    p.add_argument("--orders", nargs="+", default=[], metavar="ORDER", help="besides each algorithm's default order")
    p.add_argument("--runs", type=int, default=5, help="after the warm-up (default %(default)s)")
    p.add_argument("--budget", type=float, default=10.0, help="seconds of runs a row (default %(default)g)")
    p.add_argument("--timeout", type=float, default=60.0, help="seconds until a row is given up (default %(default)g)")
    p.add_argument("--reference", type=Path, metavar="FILE", help="table of peers (graph, code, colors, ms, valid)")
    p.add_argument("--commit", help="what was measured, where the tree has no history")
    p.add_argument("--out", type=Path, metavar="DIR", help="write gpu.jsonl there")
    return p.parse_args(argv)


def sources(args: argparse.Namespace) -> dict[str, str]:
    """Name → spec of the graphs asked for."""
    suite = SMALL if args.small else dict(lagcolor.generate.SUITE_H200)
    return {name: suite.get(name, name) for name in args.graph} if args.graph else suite


def pairs(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Algorithm and order ("-": its default) of each row."""
    kind = args.device.partition(":")[0]
    for name, row in lagcolor.ALGORITHMS.items():
        if kind in row.engines and (not args.algorithms or name in args.algorithms):
            yield name, "-"
            yield from ((name, order) for order in args.orders if order != row.order)


def floor_ms(n: int, m: int) -> float:
    """Milliseconds to read the graph once and write the colors once, at full bandwidth."""
    return (4 * (n + 1) + 4 * m + 4 * n) / BANDWIDTH * 1e3


def best_peers(path: Path | None) -> dict[str, dict[str, Any]]:
    """Graph → the fastest row of the reference table whose coloring was valid."""
    best: dict[str, dict[str, Any]] = {}
    if path is None:
        return best
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            ms = float(row["ms"])
            if row["valid"] == "yes" and ms < best.get(row["graph"], {"ms": float("inf")})["ms"]:
                best[row["graph"]] = {"code": row["code"], "colors": int(row["colors"]), "ms": ms}
    return best


class Worker:
    """The child process of one graph, started when needed and again after each failure."""

    def __init__(self, spec: str, device: str, generate_on: str, timeout: float) -> None:
        self._spec, self._device, self._on, self._timeout = spec, device, generate_on, timeout
        self._child: Resident | None = None

    def child(self) -> Resident:
        """Running; generates on the CPU where the device cannot."""
        if self._child is None:
            try:
                self._child = self._start()
            except ResidentError:
                if self._on == "cpu":
                    raise
                self._on = "cpu"
                self._child = self._start()
        return self._child

    def run(self, line: str) -> dict[str, Any]:
        """An answer, or {"error": …}; the process is not trusted after one: a CUDA error stays in its context."""
        try:
            return self.child().ask(line, self._timeout)
        except ResidentError as e:
            self.close()
            return {"error": str(e)}

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _start(self) -> Resident:
        command = [sys.executable, "-m", "benchmarks.gpu_worker", self._spec, self._device, self._on]
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        return Resident(command, timeout=600, env={**os.environ, "PYTHONPATH": path})


def run_graph(name: str, spec: str, args: argparse.Namespace, peers: dict[str, Any], sink: report.Sink) -> None:
    """All rows of one graph."""
    worker = Worker(spec, args.device, args.generate_on or args.device, args.timeout)
    with contextlib.closing(worker):
        try:
            facts = worker.child().greeting
        except ResidentError as e:
            sink.add("graph", graph=name, source=spec, error=str(e))
            return
        floor = floor_ms(facts["n"], facts["m"])
        sink.add("graph", graph=name, source=spec, **facts, floor_ms=floor, best_peer=peers.get(name))
        for algorithm, order in pairs(args):
            answer = worker.run(f"run {algorithm} {order} {args.runs} {args.budget}")
            row = {"algorithm": algorithm, "order": lagcolor.ALGORITHMS[algorithm].order if order == "-" else order}
            if "ms" in answer:
                answer["floors"] = round(answer["ms"] / floor, 2)
                if name in peers:
                    answer["of_best_peer"] = round(answer["ms"] / peers[name]["ms"], 3)
            sink.add("result", graph=name, **{**row, **answer})


def nvidia_smi() -> str | None:
    """GPU and driver, as the driver's own tool names them."""
    try:
        asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=60).stdout.strip() or None
    except (OSError, subprocess.TimeoutExpired):
        return None


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 where every row is there and valid, 2 where there is no GPU."""
    args = arguments(argv)
    console = report.console()
    if args.device != "cpu" and not lagcolor.has_gpu():
        console.print("[red]no GPU here: pass --device cpu --small to try the same path on the CPU[/]")
        return 2
    peers = best_peers(args.reference)
    with contextlib.ExitStack() as stack:
        files = []
        if args.out:
            args.out.mkdir(parents=True, exist_ok=True)
            files.append(stack.enter_context(open(args.out / "gpu.jsonl", "w", encoding="utf-8")))
        sink = report.Sink(*files)
        sink.add("run", **provenance(args.commit), device=args.device, nvidia_smi=nvidia_smi(), runs=args.runs)
        for name, spec in sources(args).items():
            run_graph(name, spec, args, peers, sink)
            graph = sink.of("graph")[-1]
            console.print(report.gpu_table(graph, [r for r in sink.of("result") if r["graph"] == name]))
    bad = [r for r in sink.records if "error" in r or r.get("valid") is False]
    console.print(f"{len(sink.of('result'))} rows, {len(bad)} failed or improper")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
