r"""Measure algorithms and peers on the same graphs: time, colors, rounds, memory, every coloring verified.

Each row is appended to DIR/results.jsonl when it is measured. After an interruption, the same command continues with
the missing rows. A crash or a hang becomes a row, and the measurement continues. With `report` as the first word, the
command writes a page of the results: see `python -m benchmarks.compare report --help`.

example: python -m benchmarks.compare rgg:16 mesh.mtx --algorithms 'gunrock_*' greedy \
         --peers igraph networkx --out results
         python -m benchmarks.compare report results
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from lagcolor import cli
from lagcolor.base.errors import OptionError
from lagcolor.base.extras import need
from lagcolor.cli.exits import IMPROPER, OK, complain
from lagcolor.cli.outputs import check_outputs, print_json, width_of
from lagcolor.cli.parser import Parser, filled

from .harness.report import command as report

PROGRAM = "python -m benchmarks.compare"
SUITES = ("small", "cpu", "h200", "papers", "real")
PEERS = ("networkx", "igraph", "rustworkx", "gcol", "scipy")
MOST = 1e9  # seconds that a timer takes; rounds and threads too


def main(argv: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["report"]:
        return cli.main(words[1:], lambda: parser_of(report, f"{PROGRAM} report"))
    return cli.main(words, lambda: parser_of(sys.modules[__name__], PROGRAM))


def parser_of(module: Any, name: str) -> Parser:
    """The command line of this module, or of `report`."""
    return cli.declared(Parser(prog=name, description=filled(module.__doc__ or ""), **cli.LAYOUT), module)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("graph", nargs="*", metavar="GRAPH",
        help="files, folders, generators such as rgg:16, graphs of a suite; before the options")  # fmt: skip
    add("--suite", choices=SUITES, help="a named set of graphs (default: small, if no graph is named)")
    add("--data", metavar="DIR", help="folder of the suite 'real' (default: $LAGCOLOR_DATA, else examples/data)")
    add("--algorithms", "-a", nargs="+", metavar="NAME",
        help="names or patterns, also qualities: auto:balanced, auto:best=SECONDS, auto:best=25x (times fast); "
        "default: all that run on the device")  # fmt: skip
    add("--import", dest="modules", nargs="+", default=[], metavar="MODULE",
        help="Python modules that register algorithms or peers of your own")  # fmt: skip
    add("--curve", action="store_true",
        help="the qualities, with best at 2 to 1000 times the time of fast, and a table of colors by time")  # fmt: skip
    add("--peers", "-p", nargs="+", metavar="NAME",
        help=f"names or patterns of {', '.join(PEERS)}; all; none (default: all that run on the device)")  # fmt: skip
    add("--orders", "-r", nargs="+", default=[], metavar="ORDER", help="in addition to each algorithm's own")
    add("--seeds", "-s", nargs="+", type=int, metavar="N", help="default: the algorithm's own")
    add("--threads", nargs="+", type=int, metavar="N", help="CPU threads (default: the algorithm's own choice)")
    add("--device", "-d", default="cpu", help="cpu (default), cuda, cuda:1 …")
    add("--repeat", type=int, default=5, metavar="N", help="interleaved rounds (default %(default)s)")
    add("--budget", type=float, default=5.0, metavar="S", help="seconds per code in all rounds (%(default)g)")
    add("--timeout", type=float, default=30.0, metavar="S", help="seconds per run (default %(default)g)")
    add("--trace", action="store_true", help="one more run, which records each round")
    add("--out", "-o", default="bench", metavar="DIR", help="folder of results.jsonl (default %(default)s)")
    add("--fresh", action="store_true", help="begin a new result file")
    add("--retry", action="store_true", help="repeat runs that failed or timed out")
    add("--reference", nargs="+", default=[], metavar="CSV", help="results from elsewhere: graph, code, colors, ms")
    add("--commit", help="the measured commit, if the tree has no history")


def run(args: argparse.Namespace) -> int:
    """Measure, print a table a graph with news, and return the exit code: see `_exit_code`."""
    from .harness import curve, graphs, recorder, session

    _check(args)
    if not args.json:
        need("rich", "a table of benchmarks.compare", "cli")
    check_outputs([Path(args.out) / recorder.FILE], [*args.graph, *args.reference])
    algorithms = args.algorithms
    if args.curve:
        algorithms = list(dict.fromkeys([*curve.NAMES, *(args.algorithms or ["*"])]))
    names = ("device", "peers", "modules", "orders", "repeat", "budget", "timeout", "trace", "fresh", "retry", "commit")
    settings = session.Settings(
        graphs.resolve(args.graph, args.suite, args.data), Path(args.out), algorithms=algorithms,
        seeds=args.seeds or (None,), threads=args.threads or (None,), references=args.reference,
        **{name: getattr(args, name) for name in names},
    )  # fmt: skip
    rows: list[dict[str, Any]] = []

    def on_row(row: dict[str, Any]) -> None:
        rows.append(row)
        if args.json:
            print_json(row)

    def on_graph(name: str, known: list[dict[str, Any]]) -> None:
        if not args.json and any(row.get("graph") == name and row["kind"] in ("run", "reference") for row in rows):
            _show(name, known, args.curve)

    try:
        results = session.run(settings, on_row, on_graph)
    except KeyboardInterrupt:
        print(f"stopped: {_count(rows)} in {settings.out}; the same command goes on from there", file=sys.stderr)
        raise
    if not args.json:
        there = sum(row["kind"] == "run" for row in results.rows) - sum(row["kind"] == "run" for row in rows)
        print(f"{_count(rows)}, {there} were there before: {results.path}")
        print(f"next: python -m benchmarks.compare report {settings.out}")
    return _exit_code(rows)


def _exit_code(rows: list[dict[str, Any]]) -> int:
    """Return the exit code for the new rows: 1 if a coloring was improper, or no run succeeded."""
    tried = [row for row in rows if row["kind"] == "run" and row["status"] != "absent"]
    if tried and all(row["status"] != "ok" for row in tried):
        first = tried[0]
        complain(f"no run succeeded; the first, {first['code']} on {first['graph']}: {first['error']}")
        return IMPROPER
    return IMPROPER if any("improper" in (row.get("error") or "") for row in tried) else OK


def _check(args: argparse.Namespace) -> None:
    for name in ("repeat", "budget", "timeout", "threads"):
        value = getattr(args, name)
        for number in value if isinstance(value, list) else [value]:
            if number is not None and not 0 < number < MOST:
                raise OptionError(f"--{name} must be over 0 and under {MOST:,.0f}, not {number:g}")
    for seed in args.seeds or ():
        if not 0 <= seed < 2**64:
            raise OptionError(f"--seeds: a seed is a whole number from 0 to 2**64 - 1, not {seed}")


def _count(rows: list[dict[str, Any]]) -> str:
    kinds = [row["status"] for row in rows if row["kind"] == "run"]
    parts = [f"{kinds.count(kind)} {kind}" for kind in ("failed", "timeout", "absent") if kind in kinds]
    return f"{len(kinds)} rows" + (f" ({', '.join(parts)})" if parts else "")


def _show(name: str, rows: list[dict[str, Any]], curve: bool) -> None:
    from rich.console import Console

    from .harness.tables import curve_table, graph_table

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1

    out = Output(width=width_of(sys.stdout), highlight=False, emoji=False)
    out.print(graph_table(name, rows, out.width), "")
    if curve and (table := curve_table(name, rows)) is not None:
        out.print(table, "")


if __name__ == "__main__":
    sys.exit(main())
