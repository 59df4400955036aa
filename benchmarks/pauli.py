"""Groups of Pauli strings without their graph, on a CPU or a GPU.

python -m benchmarks.pauli [STRINGS …] [--device cpu] [--runs N] [--commute RELATION …] [--calls CALL …] [--out FILE]

STRINGS is random:N,QUBITS or two_body:ORBITALS (see lagcolor.pauli), or data:pauli/NAME.json.gz, a file of the folder
of real graphs whose keys are strings. A time is the median of whole calls of `lagcolor.pauli.group` from packed
strings that are on the device: the default call first, then CALLS. Degrees are counted anew each time
(order_ms). tests: pairs of a string and a group before its own, whose conflict each is computed; pairs: of strings, for
the degrees.
"""

from __future__ import annotations

import gzip
import itertools
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.harness.results import Row, of_kind
from lagcolor import pauli
from lagcolor.pauli.grouping import RELATIONS

from . import report
from .experiment import measurement, milliseconds, parser, present, ready, recorded, shared_file

# Picasso (IPDPS 2024) has 8,721 strings on 12 qubits with 19.2 M conflicts, as 8,721 random strings have.
HAMILTONIANS = tuple(f"data:pauli/Pauli_ket_ccsd_{name}.json.gz" for name in ("H2_631g", "Ham1_H2O", "H6_3D_sto3g"))
STRINGS = (*HAMILTONIANS, "random:1000,12", "random:8721,12", "two_body:12", "random:100000,20", "two_body:24")
# Calls by what their lines are called; order_ms, first_fit_ms and tests of a table are of single passes.
CALLS: dict[str, dict[str, Any]] = {
    "": {},
    " best": {"quality": "best"},
    " largest_first": {"order": "largest_first"},
}


def made(spec: str) -> pauli.PauliStrings:
    """Strings by name."""
    if (file := shared_file(spec)) is not None:
        with gzip.open(file, "rt") as text:
            return pauli.PauliStrings.of(list(json.load(text)))
    family, _, numbers = spec.partition(":")
    return getattr(pauli, family)(*(int(number) for number in numbers.split(",")))


def median_ms(call: Callable[[], Any], runs: int, device: str = "cpu") -> tuple[Any, float, list[float]]:
    """The last result, the median of milliseconds and all of them, after a warm-up."""
    result, ms = call(), []
    for _ in range(runs):
        result, took = milliseconds(call, device)
        ms.append(took)
    return result, statistics.median(ms), ms


def grouped(spec: str, P: pauli.PauliStrings, commute: str, call: str, args: Any) -> tuple[Row, pauli.Grouping]:
    """A line of `lagcolor.pauli.group`, called as `CALLS` says, whose groups are checked."""
    how = {"verify": False, **CALLS[call]}
    result, ms, every = median_ms(lambda: pauli.group(P, commute, **how), args.runs, args.device)
    result.verify()
    figures = {"ms": ms, "ms_all": every, "order_ms": result.order_seconds * 1e3}
    if result.quality == "fast":
        tests = int(result.to_numpy().astype(np.int64).sum())
        figures |= {"first_fit_ms": result.seconds * 1e3, "tests": tests}
    sizes = {"colors": result.n_groups, "pairs": P.n * (P.n - 1) // 2, "qubits": P.qubits}
    name = spec.rpartition("/")[2].removesuffix(".json.gz")
    about = {"graph": name, "spec": spec, "n": P.n, "m": 0, "max_degree": 0, "device": args.device}
    return measurement(about, f"lagcolor.pauli.group{call}, {commute}", {}, **figures, **sizes, verified=True), result


DEFAULT = "default"  # the head of the column of a call that names nothing


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of tables for each relation: milliseconds (groups) by strings and call."""
    found: dict[str, dict[str, dict[str, Row]]] = {}
    for line in of_kind(records, "measurement"):
        code, relation = line["code"].rsplit(", ", 1)
        code = code.removeprefix("lagcolor.pauli.group").strip() or DEFAULT
        strings = line["graph"].removeprefix("Pauli_ket_ccsd_")
        if code in (DEFAULT, *(call.strip() for call in CALLS)):
            found.setdefault(relation, {}).setdefault(strings, {})[code] = line["figures"]
    pairs = [
        (of[DEFAULT], of["largest_first"])
        for each in found.values()
        for of in each.values()
        if {DEFAULT, "largest_first"} <= set(of)
    ]
    answer = []
    if pairs:
        times, more = [a["ms"] / b["ms"] for a, b in pairs], sum(a["colors"] > b["colors"] for a, b in pairs)
        answer = [
            f"In {len(pairs) - more} of {len(pairs)} cases the default has at most as many groups as the order "
            f"`largest_first`. It takes {min(times):.0f} to {max(times):.0f} times as long.", "",
        ]  # fmt: skip
    out = []
    for relation, each in found.items():
        cells = {
            (strings, code): f"{report.three_digits(f['ms'])} ({f['colors']:,})"
            for strings, of in each.items()
            for code, f in of.items()
        }
        out += report.titled(relation, report.pivot(cells, "strings"))
    return [*answer, *out, f"Milliseconds (groups), medians of calls on packed strings. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.pauli", __doc__, runs=3)
    p.add_argument("strings", nargs="*", metavar="STRINGS", help="random:N,QUBITS or two_body:ORBITALS")
    p.add_argument("--commute", nargs="+", default=list(RELATIONS), choices=list(RELATIONS))
    p.add_argument("--calls", nargs="+", default=[], choices=list(CALLS), help="only these; the default call is ''")
    args = p.parse_args(argv)
    if not ready(args, "pass --device cpu"):
        return 2
    out = recorded(args)
    for spec in filter(present, args.strings or STRINGS):
        P = made(spec)
        there = P.on(args.device)
        for commute, call in itertools.product(args.commute, args.calls or CALLS):
            line, result = grouped(spec, there, commute, call, args)
            print(spec, result, flush=True)
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
