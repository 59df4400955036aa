"""What scripts that measure share: arguments, a graph, interleaved runs, a result file that says where it is from."""

from __future__ import annotations

import argparse
import contextlib
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import lagcolor
from lagcolor.bench.provenance import machine, nvidia_driver, provenance

from . import report

Codes = Mapping[str, tuple[str, Mapping[str, Any]]]  # name → algorithm, and what else `lagcolor.color` is given


def parser(module: str, doc: str | None, runs: int | None = None) -> argparse.ArgumentParser:
    """With the options of all scripts: --device, --commit, --out and, where anything is timed, --runs."""
    p = argparse.ArgumentParser(prog=f"python -m {module}", description=(doc or "").partition("\n\n")[0])
    p.add_argument("--device", default="cuda", help="cuda or cpu (default %(default)s)")
    if runs is not None:
        p.add_argument("--runs", type=int, default=runs, help="of each, after the warm-up (default %(default)s)")
    p.add_argument("--commit", help="what was measured, where the tree has no history")
    p.add_argument("--out", type=Path, metavar="FILE", help="write JSON lines there")
    return p


def ready(args: argparse.Namespace, hint: str = "pass --device cpu to try the same path on the CPU") -> bool:
    """Whether the device is there; says what to do where it is not."""
    if args.device == "cpu" or lagcolor.has_gpu():
        return True
    report.console().print(f"[red]no GPU here: {hint}[/]")
    return False


@contextlib.contextmanager
def recorded(args: argparse.Namespace, **fields: Any) -> Iterator[report.Sink]:
    """A sink into --out, which begins with where, when and with what it is made."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(args.out, "w", encoding="utf-8"))] if args.out else []
        sink = report.Sink(*files)
        runs = {"runs": args.runs} if "runs" in args else {}
        about = {"device": args.device, "driver": nvidia_driver(), **runs}
        sink.add("run", **provenance(args.commit), **about, **fields)
        yield sink


def load(source: str, device: str) -> lagcolor.Graph:
    """A graph of a file or a spec, on the device."""
    if Path(source).exists():
        return lagcolor.Graph.of(source).on(device)
    return lagcolor.generate.from_spec(source, device=device)


def facts(G: lagcolor.Graph, source: str) -> dict[str, Any]:
    """What a record says of its graph."""
    return {"source": source, "n": G.n, "m": G.m, "max_degree": G.max_degree, "machine": machine(G)}


def measure(G: lagcolor.Graph, codes: Codes, runs: int, limit: float = float("inf")) -> dict[str, dict[str, Any]]:
    """Name → median and extremes of milliseconds, colors, rounds and notes; ordering that is timed apart is left out.

    The codes run in turn, so that drift of the machine hits all alike; the warm-up is verified.

    Parameters
    ----------
    G : Graph
    codes : mapping of str to (str, mapping)
    runs : int
        After the warm-up.
    limit : float
        Seconds; what takes longer runs once.
    """

    def color(name: str) -> lagcolor.Coloring:
        algorithm, given = codes[name]
        fresh = lagcolor.Graph(G.indptr, G.indices)  # or a run finds what those before have made of it
        return lagcolor.color(fresh, algorithm, verify=False, **given)

    for name in codes:
        lagcolor.verify(G, color(name).colors)
    names = list(codes)
    done: dict[str, list[lagcolor.Coloring]] = {name: [] for name in names}
    for k in range(runs):
        for name in names[k % len(names) :] + names[: k % len(names)]:
            if not k or done[name][0].seconds <= limit:
                done[name].append(color(name))
    return {name: _summary(results) for name, results in done.items()}


def _summary(results: list[lagcolor.Coloring]) -> dict[str, Any]:
    ms = [r.seconds * 1e3 for r in results]
    return {
        "ms": statistics.median(ms),
        "ms_min": min(ms),
        "ms_max": max(ms),
        "colors": statistics.median_high(r.n_colors for r in results),
        "rounds": statistics.median_high(r.rounds for r in results),
        "notes": results[-1].notes,
    }
