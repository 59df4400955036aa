"""Exam timetables with rules: slots and seconds of Carter's sets, compared with CP-SAT.

python -m benchmarks.timetables [SET …] [--limit SECONDS] [--peers PYTHON] [--out FILE]

SET is a name in the folder `toronto` of the real graphs (LAGCOLOR_DATA, else ../shared/data), a student per line;
default: all. Exams are vertices, and two that a student takes are neighbors. Each set is colored

- without rules: the fewest slots;
- with seats: no slot has more students than `SEATS`, or a tenth more than they need on average;
- with all rules, in as many slots as before: seats, a twentieth of the exams fixed, a fifth of the slots forbidden to
  each exam. A timetable exists, since the rules keep one of the run before.

PYTHON is an interpreter with OR-tools. CP-SAT gets as long and as many threads.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import DATA, by_cp_sat, facts, measurement, parser, recorded

SEATS = {"car-f-92": 2000, "tre-s-92": 655}  # of the capacitated problem; the third has none
THREADS = 2


def load(path: Path) -> tuple[lagcolor.Graph, np.ndarray]:
    """The conflicts of a set, and how many students take each exam."""
    with gzip.open(path, "rt") as f:
        taken = [sorted({int(exam) for exam in line.split()}) for line in f]
    exams = sorted({exam for some in taken for exam in some})
    number = {exam: i for i, exam in enumerate(exams)}
    pairs = {(number[a], number[b]) for some in taken for a, b in combinations(some, 2)}
    students = np.bincount([number[exam] for some in taken for exam in some], minlength=len(exams))
    return lagcolor.Graph.of(sorted(pairs), n=len(exams)), students


def rules_of(name: str, students: np.ndarray, slots: int) -> dict[str, Any]:
    """Return seats that suffice for a number of slots."""
    seats = SEATS.get(name) or max(int(1.1 * students.sum() / slots), int(students.max()))
    return {"capacity": seats, "weights": students}


def all_rules(rules: dict[str, Any], colors: np.ndarray, slots: int, seed: int = 1) -> dict[str, Any]:
    """Return the rules, and fixed and forbidden slots that a timetable obeys."""
    r, n = np.random.default_rng(seed), len(colors)
    fixed = np.where(r.random(n) < 0.05, colors, -1)
    forbidden = r.random((n, slots)) < 0.2
    forbidden[np.arange(n), colors] = False
    return {**rules, "fixed": fixed, "forbidden": forbidden, "max_colors": slots}


def of_lagcolor(G: lagcolor.Graph, rules: dict[str, Any], limit: float) -> Row:
    """Slots (0: none found), their lower bound, seconds and colors."""
    begun = time.perf_counter()
    try:
        result = lagcolor.color(G, quality="best", time_limit=limit, **rules)
    except lagcolor.ColoringError as e:
        print(f"none found: {e.reason}", file=sys.stderr)
        return {"slots": 0, "bound": 0, "seconds": time.perf_counter() - begun, "colors": None}
    seconds = time.perf_counter() - begun
    return {"slots": result.n_colors, "bound": result.lower_bound, "seconds": seconds, "colors": result.colors}


def of_cp_sat(python: str, G: lagcolor.Graph, rules: dict[str, Any], slots: int, limit: float) -> Row:
    """Run CP-SAT: find the fewest slots, or any timetable if their number is fixed."""
    allowed = ~rules["forbidden"] if "forbidden" in rules else np.ones((G.n, slots), bool)
    if "fixed" in rules:
        fixed = np.flatnonzero(rules["fixed"] >= 0)
        allowed[fixed] = False
        allowed[fixed, rules["fixed"][fixed]] = True
    more = {"weights": rules["weights"], "rooms": np.full(slots, rules["capacity"])} if "capacity" in rules else {}
    aim = "any" if "max_colors" in rules else "colors"
    answer = by_cp_sat(python, G, limit, THREADS, allowed=allowed, aim=aim, **more)
    colors = answer["colors"]
    found = answer["status"] in ("OPTIMAL", "FEASIBLE")
    if found:
        lagcolor.verify(G, colors, **rules)
    proved = int(answer["status"] in ("OPTIMAL", "INFEASIBLE"))
    return {"slots": int(colors.max()) + 1 if found else 0, "proved": proved, "seconds": answer["seconds"]}


def of_set(path: Path, args: Any) -> list[Row]:
    """Lines of a set."""
    name = path.name.split(".")[0]
    G, students = load(path)
    lines, rules, slots = [], dict[str, Any](), 0
    for kind in ("none", "seats", "all"):
        if kind == "seats":
            rules = rules_of(name, students, slots)
        elif kind == "all":
            rules = all_rules(rules, colors, slots)  # noqa: F821 (of the turn before)
        ours = of_lagcolor(G, rules, args.limit)
        colors = ours.pop("colors")
        slots = ours["slots"] or slots
        peer = of_cp_sat(args.peers, G, rules, slots, args.limit) if args.peers else {}
        figures = {**ours, **{f"cp_sat_{key}": value for key, value in peer.items()}}
        lines.append(measurement(facts(G, name, name), kind, {"time_limit": args.limit}, **figures))
        if colors is None:
            break
    return lines


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table, and where they come from."""
    head = ["set", "exams", "rules", "slots / lower bound", "s", "CP-SAT: slots / proved", "s"]
    rows = [head]
    for line in of_kind(records, "measurement"):
        f = line["figures"]
        ours = f"{f['slots']} / {f['bound']}" if f["slots"] else "none found"
        peer = ["", ""]
        if "cp_sat_seconds" in f:
            found = str(f["cp_sat_slots"] or "none found")
            peer = [f"{found}{' / proved' if f['cp_sat_proved'] else ''}", f"{f['cp_sat_seconds']:.2f}"]
        rows.append([line["graph"], f"{line['n']:,}", line["code"], ours, f"{f['seconds']:.2f}", *peer])
    found = sum(line["figures"]["slots"] > 0 for line in of_kind(records, "measurement"))
    peers = sum((line["figures"].get("cp_sat_slots") or 0) > 0 for line in of_kind(records, "measurement"))
    answer = f"lagcolor finds a timetable in {found} of {len(rows) - 1} cases, CP-SAT in {peers}."
    limit = f"At most {records[0]['settings']['limit']:g} s, {records[0]['settings']['threads']} threads. "
    return [answer, "", *report.markdown(rows, numbers=(1, 4, 6)), "", limit + report.source(records)]


def main(argv: Sequence[str] | None = None) -> int:
    args_parser = parser("benchmarks.timetables", __doc__)
    args_parser.add_argument("sets", nargs="*", metavar="SET")
    args_parser.add_argument("--limit", type=float, default=5.0, help="seconds (default %(default)s)")
    args_parser.add_argument("--peers", metavar="PYTHON", help="an interpreter with OR-tools")
    args_parser.set_defaults(device="cpu")
    args = args_parser.parse_args(argv)
    paths = sorted((DATA / "toronto").glob("*.stu.gz"))
    paths = [path for path in paths if not args.sets or path.name.split(".")[0] in args.sets]
    if not paths:
        args_parser.error(f"no timetables in {DATA / 'toronto'}: set LAGCOLOR_DATA to the folder of real graphs")
    out = recorded(args, limit=args.limit, threads=THREADS)
    for path in paths:
        for line in of_set(path, args):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
