"""Where the default loses: small graphs, graphs on a GPU and first calls. Other libraries run on the same machine.

python -m benchmarks.losses measure FILE.jsonl [PART …] [--limit SECONDS] [--runs N] [--commit C]
python -m benchmarks.losses markdown FILE.jsonl …

`measure` goes on where FILE stops, and ends before the first graph after the limit with exit code 3. PART, by default
all that the machine can measure:

    real    the graphs of LAGCOLOR_DATA on the CPU: the default, `fast`, Boost, ColPack and igraph
    first   first calls, each in processes with an empty cache
    tiny    a call on the edges of Petersen's graph
    gpu     the graphs of LAGCOLOR_DATA on the GPU: the default, `fast`, the default on the CPU, and ECL-GC
    large   larger graphs on the GPU, distance 2 and a small Hessian

A time is a median of whole calls, as `benchmarks.loss_codes` says. "work_ms" and the times of ECL-GC are device times.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import lagcolor
from benchmarks.harness.graphs import SCRATCH, Source, write_scratch
from benchmarks.harness.provenance import git_commit, hardware, meta
from benchmarks.harness.results import ResultFile, Row, read_lines
from benchmarks.harness.worker import Workers

from . import experiment, first_calls
from .experiment import facts, measurement, of_collection
from .loss_codes import (
    PATIENCE,
    RIVALS,
    Code,
    checked,
    device_codes,
    graph_codes,
    installed,
    own,
    rival_codes,
    sampled,
    turns,
)
from .loss_table import OTHERS, markdown
from .real_graphs import DEFAULT, ENTRIES, RIVAL

PARTS = {"real": "cpu", "first": "cpu", "tiny": "cpu", "gpu": "cuda", "large": "cuda"}  # with the device
LARGE = {"larger": ("grid2d:1000", "delaunay:18"), "distance2": ("delaunay:18", "rmat:20"), "hessian": ("grid2d:30",)}
FIRST = ("color(A)", *OTHERS)
UNFINISHED = 3  # exit code
MACHINE = ("cpu", "cores", "gpu")  # what tells machines apart


def to_measure(part: str) -> Iterator[tuple[str, str, str]]:
    """Set, name and spec of the inputs of a part; a first call's name is the call."""
    if part in ("real", "gpu"):
        yield from ((part, name, spec) for name, spec in experiment.collection().items())
    elif part == "large":
        yield from ((group, spec, spec) for group, specs in LARGE.items() for spec in specs)
    elif part == "tiny":
        yield part, "petersen", "petersen"
    else:
        yield from (("first", call, first_calls.SPEC) for call in FIRST)
        if lagcolor.has_gpu():
            yield "first gpu", "color(x)", first_calls.ON_GPU


def measured(group: str, name: str, spec: str, workers: Workers, runs: int) -> Iterator[Row]:
    """The lines of an input."""
    if group.startswith("first"):
        yield first_call(group, name, spec)
        return
    G = petersen() if group == "tiny" else of_collection(spec, "cpu" if group == "real" else "cuda")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        if group in ("real", "gpu"):
            write_scratch(file := Path(folder) / f"graph{SCRATCH}", G)
            stack.enter_context(workers.graph(Source(name, str(file))))
        figures = turns(codes(G, group, workers), runs, compiles=G.on_gpu)
    for code, found in figures.items():
        yield measurement(facts(G, name, spec), code, {"set": group}, **found, verified=True)


def codes(G: lagcolor.Graph, group: str, workers: Workers) -> dict[str, Code]:
    """The codes of a set."""
    mine = graph_codes(G)
    if group == "real":
        called = {"call": call(G)} if G.m < ENTRIES else {}
        return {**mine, **called, **dict(rival_codes(workers, G.m))}
    if group == "tiny":
        run = own(lambda: lagcolor.Graph(G.indptr, G.indices), partial(lagcolor.color, problem="edges"))
        return {DEFAULT: Code(run, lambda r: {"colors": r.n_colors}, lambda r: r.verify())}
    host = G.on("cpu")
    if group in ("distance2", "hessian"):
        on_cpu = {"cpu": device_codes(host, group)[DEFAULT]} if group == "hessian" else {}
        return {**device_codes(G, group), **on_cpu}
    mine = {name: code._replace(work=True) for name, code in mine.items()}
    return {**mine, **({"cpu": graph_codes(host)[DEFAULT], **ecl_gc(workers)} if group == "gpu" else {})}


def call(G: lagcolor.Graph) -> Code:
    """The call that users write, with its check, and whether it is proved that no coloring has fewer colors."""
    run = own(lambda: lagcolor.Graph(G.indptr, G.indices), lagcolor.color)
    return Code(run, lambda r: {"colors": r.n_colors, "optimal": bool(r.optimal)}, lambda r: r.verify())


def ecl_gc(workers: Workers) -> Mapping[str, Code]:
    """ECL-GC, if it is."""
    found = {}
    for peer in installed(RIVAL):
        worker, (code,) = peer.open(workers), peer.codes()
        found[peer.name] = Code(partial(sampled, worker, code), dict, partial(checked, worker))
    return found


def petersen() -> lagcolor.Graph:
    """Two rings of five vertices, the inner one with steps of two, and five spokes."""
    ring = range(5)
    edges = [(v, (v + 1) % 5) for v in ring] + [(5 + v, 5 + (v + 2) % 5) for v in ring] + [(v, 5 + v) for v in ring]
    return lagcolor.Graph.of(edges, n=10)


def first_call(group: str, name: str, spec: str) -> Row:
    """The line of a call in two processes: the first one compiles."""
    device = "cuda" if group == "first gpu" else "cpu"
    before, words = first_calls.GPU[name] if device == "cuda" else first_calls.PAGE[name]
    with tempfile.TemporaryDirectory() as folder:
        about = {**first_calls.inputs(Path(folder), spec), "device": device}
        moved = first_calls.MOVE if device == "cuda" else ""
        found = first_calls.clock(moved + before, words, Path(folder), spec=spec)
    if "error" in found:
        raise RuntimeError(f"{name}: {found['error']}")
    return measurement({**about, "graph": name}, DEFAULT, {"set": group}, **found)


# ---- the command line ----------------------------------------------------------------------------------------------


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.losses", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("what", choices=("measure", "markdown"))
    p.add_argument("file", type=Path, metavar="FILE.jsonl")
    p.add_argument("words", nargs="*", metavar="PART|FILE.jsonl")
    p.add_argument("--limit", type=float, default=float("inf"), metavar="SECONDS", help="begin no graph after these")
    p.add_argument("--runs", type=int, default=5, help="of each code (default %(default)s)")
    p.add_argument("--commit", help="what is measured, if the tree has no history")
    return p.parse_args(argv)


def continued(args: argparse.Namespace) -> ResultFile:
    """The file, with a new session of the same commit.

    Raises
    ------
    SystemExit
        The file is of another commit or machine.
    """
    out, commit, device = ResultFile(args.file), args.commit or git_commit(), "cuda" if lagcolor.has_gpu() else "cpu"
    here = hardware(device)
    for r in out.of("meta"):
        if r["commit"] != commit:
            raise SystemExit(f"{args.file} is of commit {r['commit']}, not {commit}: name another file")
        if any(r["hardware"][part] != here[part] for part in MACHINE):
            raise SystemExit(f"{args.file} is of another machine: name another file")
    peers = {peer.name: peer.version() for peer in installed(*RIVALS, RIVAL)}
    out.add(meta(device, here, sys.argv[1:], commit, peers, runs=args.runs))
    return out


def measure(args: argparse.Namespace) -> int:
    """Measure what the file lacks; return 3 if the limit ends it."""
    begun, left = time.monotonic(), 0
    out = continued(args)
    parts = args.words or [part for part, device in PARTS.items() if device == "cpu" or lagcolor.has_gpu()]
    done = {(r["options"]["set"], r["graph"]) for r in out.of("measurement")}
    with contextlib.closing(Workers("cpu", PATIENCE)) as workers:
        for group, name, spec in (item for part in parts for item in to_measure(part)):
            if (group, name) in done:
                continue
            if time.monotonic() - begun > args.limit:
                left += 1
                continue
            try:
                rows = list(measured(group, name, spec, workers, args.runs))
            except lagcolor.GraphError as e:  # a rectangular matrix
                print(f"{name} is left out: {e}", file=sys.stderr)
                continue
            for row in rows:
                out.add(row)
            print(f"{time.monotonic() - begun:6.1f} s  {group}: {name}", flush=True)
    print(f"{left} inputs are left: the same command goes on" if left else "All inputs are measured.")
    return UNFINISHED if left else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, or print the table."""
    args = arguments(argv)
    if args.what == "measure":
        return measure(args)
    print("\n".join(markdown([read_lines(file) for file in (args.file, *map(Path, args.words))])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
