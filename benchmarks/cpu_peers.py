"""lagcolor beside its peers on a CPU, in one interleaved run: python -m benchmarks.cpu_peers --help

Peers: Boost Graph and ColPack (C++ drivers in peers/, compiled when their Debian packages are there), a plain C++
first-fit loop, igraph, NetworkX. Each coloring is verified once; a row is the median of all rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from . import cases, measure, report
from .peers import Case, Code, Peer, all_peers
from .provenance import provenance
from .targets import TARGETS


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.cpu_peers", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument(
        "graph", nargs="*", help="names of the suite, or files (default: the whole suite and three real graphs)"
    )
    p.add_argument(
        "--graphs", type=Path, metavar="DIR", help="take graphs from NAME.egr … in this folder where they are there"
    )
    p.add_argument(
        "--codes", action="append", metavar="PATTERN", help="only codes that match, e.g. 'boost *', '* natural*'"
    )
    p.add_argument("--repeat", type=int, default=7, help="rounds (default %(default)s)")
    p.add_argument(
        "--budget", type=float, default=15.0, help="seconds a code may take in all rounds of a graph (%(default)g)"
    )
    p.add_argument("--timeout", type=float, default=60.0, help="seconds a single run may take (%(default)g)")
    p.add_argument("--json", action="store_true", help="JSON lines on standard output instead of tables")
    p.add_argument("--out", type=Path, metavar="FILE", help="write JSON lines there")
    p.add_argument("--show", type=Path, metavar="FILE", help="print the tables of a result file and end")
    return p.parse_args(argv)


def present(peers: Sequence[Peer], sink: report.Sink) -> list[Peer]:
    """The peers that are here; the others are said to be absent."""
    here = []
    for peer in peers:
        if why := peer.absent():
            sink.add("absent", peer=peer.name, why=why)
        else:
            here.append(peer)
            sink.add("peer", peer=peer.name, version=peer.version())
    return here


def run_case(case: Case, peers: Sequence[Peer], args: argparse.Namespace, sink: report.Sink, console: Console) -> None:
    """One graph: measure, judge, record."""

    def wanted(code: Code) -> bool:
        return not args.codes or any(fnmatch.fnmatch(str(code), pattern) for pattern in args.codes)

    sink.add("graph", graph=case.name, source=case.source, n=case.G.n, m=case.G.m, max_degree=case.G.max_degree)
    with console.status(case.name) as status:
        results = measure.measure(
            case,
            peers,
            repeat=args.repeat,
            budget=args.budget,
            timeout=args.timeout,
            wanted=wanted,
            say=status.update,
        )
    for result in results:
        sink.add("result", graph=case.name, **result.record())
    for target in TARGETS:
        outcome = target.judge(case.G.m, results)
        if outcome and not (args.codes and outcome["verdict"] == "absent"):  # left out on purpose, then
            sink.add("target", graph=case.name, **outcome)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 unless a peer or an algorithm failed or a coloring was improper."""
    args = arguments(argv)
    if args.show:
        report.show(report.read(args.show), report.console())
        return 0
    console = report.console(stderr=args.json)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(args.out, "w", encoding="utf-8"))] if args.out else []
        sink = report.Sink(*files, *([sys.stdout] if args.json else []))
        sink.add("run", **provenance(), repeat=args.repeat, budget=args.budget)
        peers = present(all_peers(), sink)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for case in cases.cases(cases.sources(args.graph or None, args.graphs), scratch):
            run_case(case, peers, args, sink, console)
    report.show(sink.records, console)
    return 1 if any("error" in r for r in sink.of("result")) else 0


if __name__ == "__main__":
    sys.exit(main())
