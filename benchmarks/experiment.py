"""Shared parts of scripts that measure: arguments, graphs, interleaved runs, and lines of result files."""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.graphs import load as load_graph
from benchmarks.harness.graphs import resolve
from benchmarks.harness.provenance import hardware, meta, portable
from benchmarks.harness.results import ResultFile, Row

from . import report

DATA = Path(os.environ.get("LAGCOLOR_DATA") or Path(__file__).parents[2] / "shared" / "data")  # real graphs
SHARED = "data:"  # of a spec that names a file of that folder
ROADS = "data:A/USA-road-d.NY.npz"  # a graph of ECL-GC's paper
Codes = Mapping[str, tuple[str, Mapping[str, Any]]]  # name → algorithm, and what else `lagcolor.color` is given


def parser(module: str, doc: str | None, runs: int | None = None) -> argparse.ArgumentParser:
    """Return a parser with the options of all scripts: --device, --commit, --out and, for times, --runs."""
    p = argparse.ArgumentParser(prog=f"python -m {module}", description=(doc or "").partition("\n\n")[0])
    p.add_argument("--device", default="cuda", help="cuda or cpu (default %(default)s)")
    if runs is not None:
        p.add_argument("--runs", type=int, default=runs, help="of each, after the warm-up (default %(default)s)")
    p.add_argument("--commit", help="what was measured, if the tree has no history")
    p.add_argument("--out", type=Path, metavar="FILE", help="write JSON lines there")
    return p


def ready(args: argparse.Namespace, hint: str = "pass --device cpu to try the same path on the CPU") -> bool:
    """Whether the device is there; print a hint if it is not."""
    if args.device == "cpu" or lagcolor.has_gpu():
        return True
    report.console().print(f"[red]no GPU here: {hint}[/]")
    return False


def recorded(args: argparse.Namespace, **settings: Any) -> ResultFile:
    """Open the file --out, which begins with a line on machine, date and settings."""
    out = ResultFile(args.out, fresh=True)
    device = "cpu" if args.device == "cpu" else "cuda"
    runs = {"runs": args.runs} if "runs" in args else {}
    out.add(meta(device, hardware(args.device), sys.argv[1:], args.commit, **runs, **settings))
    return out


def milliseconds(call: Callable[[], Any], device: str = "cpu") -> tuple[Any, float]:
    """Return the result of a call and its wall time; the device is idle before and after."""
    wait = (lambda: None) if device == "cpu" else lagcolor.base.device.cupy().cuda.Device().synchronize
    wait()
    start = time.perf_counter()
    result = call()
    wait()
    return result, (time.perf_counter() - start) * 1e3


def transfers(G: lagcolor.Graph, runs: int) -> float:
    """Milliseconds that the graph takes to the GPU and the colors back, from and to pageable memory: a median."""
    if not G.on_gpu:
        return 0.0
    cp = lagcolor.base.device.cupy()
    host, colors = [cp.asnumpy(array) for array in (G.indptr, G.indices)], cp.empty(G.n, cp.int32)
    ms = [milliseconds(lambda: ([cp.asarray(a) for a in host], cp.asnumpy(colors)), "cuda")[1] for _ in range(runs + 1)]
    return statistics.median(ms[1:])  # the first one allocates


def graphs(args: argparse.Namespace, suite: str | None = None) -> Iterator[tuple[lagcolor.Graph, Row]]:
    """The graphs of the command line, else of a suite (the device's), each with its `facts`."""
    for source in resolve(args.graph, None if args.graph else suite or ("cpu" if args.device == "cpu" else "h200")):
        try:
            G = load_graph(source.spec, args.device)
        except lagcolor.GraphError as e:  # a rectangular matrix
            print(f"{source.name} is left out: {e}", file=sys.stderr)
            continue
        yield G, facts(G, source.name, source.spec)


def load(source: str, device: str) -> lagcolor.Graph:
    """A graph of a file or a spec, on the device; of "A + B" the first, with the second laid over it.

    "data:A/name.npz" is a file of the folder of real graphs.
    """
    file = shared_file(source)
    if file is not None or Path(source).exists():
        return lagcolor.Graph.of(str(file or source)).on(device)
    first, plus, second = source.partition(" + ")
    if plus:
        return laid_over(load(first, "cpu"), load(second, "cpu")).on(device)
    return lagcolor.generate.from_spec(source, device=device)


def shared_file(spec: str) -> Path | None:
    """The file of a spec "data:…"; None of any other."""
    return DATA / spec.removeprefix(SHARED) if spec.startswith(SHARED) else None


def by_cp_sat(python: str, G: lagcolor.Graph, seconds: float, workers: int, **problem: Any) -> Row:
    """What peers/cp_sat.py answers on a graph; `problem` as its file has it, `colors` as int32."""
    return by_solver(python, "cp_sat", G, str(seconds), str(workers), **problem)


def by_solver(
    python: str, name: str, G: lagcolor.Graph, *arguments: str, timeout: float | None = None, **problem: Any
) -> Row:  # fmt: skip
    """What a program of peers/ answers on a graph, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        np.savez(path, indptr=G.indptr, indices=G.indices, **problem)
        command = [python, str(Path(__file__).parent / "peers" / f"{name}.py"), str(path), *arguments]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=timeout)
    answer = json.loads(done.stdout)
    return {**answer, "colors": np.array(answer["colors"], np.int32)}


def listed() -> list[dict[str, str]]:
    """Rows of graphs.csv in the folder of real graphs; stop if there is none."""
    table = DATA / "graphs.csv"
    if not table.exists():
        raise SystemExit(f"no graphs in {DATA}: set LAGCOLOR_DATA to the folder of real graphs")
    with table.open(newline="") as f:
        return list(csv.DictReader(f))


def collection() -> dict[str, str]:
    """Name → spec of the graphs in the folder of real graphs."""
    return {row["name"]: f"{SHARED}{row['file']}" for row in listed()}


def of_collection(spec: str, device: str) -> lagcolor.Graph:
    """The graph of a spec of `collection`, or of another one; its matrix need not be symmetric."""
    return load_graph(str(shared_file(spec) or spec), device)


def present(spec: str) -> bool:
    """Whether `load` has the graph: all but files of the folder of real graphs that are not there."""
    file = shared_file(spec)
    return file is None or file.exists()


def complete(specs: Iterable[str]) -> bool:
    """Whether every graph is there; print the missing ones. No other graph replaces a missing one."""
    absent = [spec for spec in specs if not present(spec)]
    if absent:
        problem = f"not in {DATA}: {', '.join(spec.removeprefix(SHARED) for spec in absent)}"
        hint = "set LAGCOLOR_DATA to the folder of real graphs, or name the graphs to measure"
        report.console(stderr=True).print(f"[red]{problem}: {hint}[/]", soft_wrap=True)
    return not absent


def laid_over(G: lagcolor.Graph, H: lagcolor.Graph) -> lagcolor.Graph:
    """G with the edges of H as well, whose vertices are vertices of G drawn at random."""
    place = np.random.default_rng(0).choice(G.n, H.n, replace=False)
    rows = [np.repeat(np.arange(g.n), np.diff(g.indptr)) for g in (G, H)]
    i, j = np.concatenate([rows[0], place[rows[1]]]), np.concatenate([G.indices, place[H.indices]])
    return lagcolor.Graph.of((i, j), n=G.n)


def facts(G: lagcolor.Graph, name: str, spec: str) -> Row:
    """Return the fields of a line about its graph and device."""
    about = {"graph": Path(name).name, "spec": portable(spec), "n": G.n, "m": G.m, "max_degree": G.max_degree}
    return {**about, "device": "cuda" if G.on_gpu else "cpu"}


def measurement(about: Mapping[str, Any], code: str, options: Mapping[str, Any], **figures: Any) -> Row:
    """A line of figures that are no coloring's; `about`: of the graph, as `facts` has it."""
    return {"kind": "measurement", **about, "code": code, "options": dict(options), "figures": figures}


def measure(
    G: lagcolor.Graph, about: Mapping[str, Any], codes: Codes, runs: int, limit: float = float("inf")
) -> dict[str, Row]:
    """Name → line of medians; an ordering that is timed apart is left out.

    The codes run in turn, so that drift of the machine hits all alike; the warm-up is verified.

    Parameters
    ----------
    G : Graph
    about : mapping
        As `facts` has it.
    codes : mapping of str to (str, mapping)
    runs : int
        After the warm-up.
    limit : float
        Seconds; what takes longer runs once.
    """

    def color(name: str) -> lagcolor.Coloring:
        algorithm, chosen = codes[name]
        fresh = lagcolor.Graph(G.indptr, G.indices)  # a new graph has no cached data of earlier runs
        return lagcolor.color(fresh, algorithm, verify=False, **chosen)

    for name in codes:
        lagcolor.verify(G, color(name).colors)
    names = list(codes)
    done: dict[str, list[lagcolor.Coloring]] = {name: [] for name in names}
    for k in range(runs):
        for name in names[k % len(names) :] + names[: k % len(names)]:
            if not k or done[name][0].seconds <= limit:
                done[name].append(color(name))
    return {name: run_line(about, name, results, codes[name][1]) for name, results in done.items()}


def run_line(
    about: Mapping[str, Any], name: str, results: Sequence[lagcolor.Coloring], options: Mapping[str, Any]
) -> Row:
    """The line of verified runs of one algorithm with the same options; `name`: of this variant of it."""
    last = results[-1]
    ms = [r.seconds * 1e3 for r in results]
    return {
        "kind": "run",
        **about,
        "code": last.algorithm,
        "variant": name,
        "style": lagcolor.ALGORITHMS[last.algorithm].style,
        "order": last.order,
        "seed": last.seed,
        "options": {key: value for key, value in options.items() if key not in ("order", "seed")},
        "colors": statistics.median_high(r.n_colors for r in results),
        "rounds": statistics.median_high(r.rounds for r in results),
        "ms": statistics.median(ms),
        "ms_all": ms,
        "order_ms": None,
        "verified": True,
        "notes": last.notes,
    }
