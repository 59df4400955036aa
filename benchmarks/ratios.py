"""Ratios of codes, graph by graph, for geometric means of papers: from measured runs and from tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import lagcolor
from benchmarks.harness.reference import read_reference
from benchmarks.harness.results import Results, Run, geometric_mean, of_lines

from . import outcome, report
from .experiment import facts, load, measure, parser, recorded

Ratios = Mapping[str, float]  # by graph
HEAD = ("", "paper", "their own codes (graphs)", "outcome", "here (graphs)", "outcome")


class Code(NamedTuple):
    """A code of result files or tables, in one order of it and on one device; "": on any, the fastest counts."""

    name: str
    order: str = ""
    device: str = ""


def fastest(results: Results, code: Code) -> dict[str, Run]:
    """Graph → the code's fastest usable run."""
    out: dict[str, Run] = {}
    for run in results.usable:
        mine = run.code == code.name and code.order in ("", run.order) and code.device in ("", run.device)
        if mine and (run.graph not in out or run.time() < out[run.graph].time()):
            out[run.graph] = run
    return out


def times(results: Results, code: Code | None, base: Code) -> Ratios:
    """Return times of a code over times of the base, on each graph that both colored; empty without the code."""
    pairs = _pairs(results, code, base)
    return {graph: a.time() / b.time() for graph, (a, b) in pairs.items()}


def colors(results: Results, code: Code | None, base: Code) -> Ratios:
    """Return colors of a code over colors of the base."""
    pairs = _pairs(results, code, base)
    return {graph: (a.colors or 0) / (b.colors or 1) for graph, (a, b) in pairs.items()}


def speeds(results: Results, base: Code, code: Code | None, kin: Mapping[str, str]) -> Ratios:
    """Vertices a second of the base over a code's, by the base's graphs; `kin`: another of the family for the code."""
    bases, codes = fastest(results, base), fastest(results, code) if code else {}
    pairs = {g: (bases[g], codes.get(h) or codes.get(g)) for g, h in kin.items() if g in bases}
    return {
        g: _speed(results, mine) / _speed(results, other)
        for g, (mine, other) in pairs.items()
        if other and results.graphs[other.graph].n
    }


def line(what: str, paper: float, *sides: Ratios) -> list[str]:
    """A line under `HEAD`: the paper's ratio, and of each side the geometric mean with its outcome."""
    cells = [what, f"{paper:.2f}"]
    for ratios in sides:
        if ratios:
            mean = geometric_mean(ratios.values())
            cells += [f"{mean:.2f} ({len(ratios)})", outcome.of_ratio(mean, paper)]
        else:
            cells += ["", ""]
    return cells


def table(lines: Iterable[Sequence[str]]) -> list[str]:
    """Markdown of the lines that say anything of a side."""
    return report.markdown([HEAD, *(cells for cells in lines if any(cells[2:]))])


def arguments(module: str, doc: str | None, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line of a script that compares codes with a paper's."""
    p = parser(module, doc, runs=5)
    p.add_argument("graph", nargs="*", help="names of the GPU table, specs such as rgg:18, or files (default: all ten)")
    p.add_argument("--limit", type=float, default=0.5, help="seconds of a run beyond which one is enough (%(default)g)")
    p.add_argument("--reference", type=Path, metavar="CSV", help="table of peers: graph, code, colors, ms")
    return p.parse_args(argv)


def measured(args: argparse.Namespace, codes: Sequence[Code]) -> Results:
    """Runs of these codes as `arguments` has it, recorded in its file, with the rows of its table."""
    out = recorded(args, limit=args.limit)
    for row in read_reference(args.reference) if args.reference else []:
        out.add(row)
    options = {_label(c): (c.name, {"order": c.order} if c.order else {}) for c in codes}
    for name in args.graph or lagcolor.generate.SUITE_H200:
        spec = lagcolor.generate.SUITE_H200.get(name, name)
        G = load(spec, args.device)
        for c, line in zip(
            codes, measure(G, facts(G, name, spec), options, args.runs, args.limit).values(), strict=True
        ):
            # Select by its own name and the requested order.
            out.add({**line, "variant": c.name, "order": c.order or line["order"]})
    return of_lines(out.rows)


def _label(code: Code) -> str:
    return f"{code.name} {code.order}".strip()


def _pairs(results: Results, code: Code | None, base: Code) -> dict[str, tuple[Run, Run]]:
    ours, bases = fastest(results, code) if code else {}, fastest(results, base)
    return {graph: (run, bases[graph]) for graph, run in ours.items() if graph in bases}


def _speed(results: Results, run: Run) -> float:
    return (results.graphs[run.graph].n or 0) / run.time()
