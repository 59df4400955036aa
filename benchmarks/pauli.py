"""Groups of Pauli strings without their graph, on a CPU or a GPU, compared with coloring the stored graph.

python -m benchmarks.pauli [STRINGS …] [--device cpu] [--runs N] [--stored N] [--commute RELATION …] [--calls CALL …]
                           [--blocks B …] [--out FILE]

STRINGS is random:N,QUBITS or two_body:ORBITALS (see lagcolor.pauli), or data:pauli/NAME.json.gz, a file of the folder
of real graphs whose keys are strings. A time is the median of whole calls of `lagcolor.pauli.group` from packed
strings that are on the device: the default call first, then CALLS. Degrees are counted again each time
(order_ms). tests: pairs of a string and an earlier group, which must be found to be in conflict; pairs: pairs of
strings, for the degrees. Up to --stored strings the graph is stored as well, and colored largest first by first_fit,
NetworkX and rustworkx, whose times exclude building the graph (edges_ms). --blocks tries other batches of strings on a
GPU than the library's own.
"""

from __future__ import annotations

import gzip
import itertools
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor import pauli
from lagcolor.engines.implicit import cuda
from lagcolor.pauli.grouping import RELATIONS

from . import report
from .experiment import measurement, milliseconds, parser, present, ready, recorded, shared_file

# Picasso (IPDPS 2024) has 8,721 strings on 12 qubits with 19.2 M conflicts, as 8,721 random strings have.
HAMILTONIANS = tuple(f"data:pauli/Pauli_ket_ccsd_{name}.json.gz" for name in ("H2_631g", "Ham1_H2O", "H6_3D_sto3g"))
STRINGS = {
    "cpu": (*HAMILTONIANS, "random:1000,12", "random:8721,12", "two_body:12", "random:100000,20", "two_body:24"),
    "cuda": (
        *HAMILTONIANS,
        "random:8721,12",
        "two_body:12",
        "random:100000,20",
        "two_body:24",
        "random:1000000,20",
        "two_body:44",
    ),
}
# Calls by the names of their lines; order_ms, first_fit_ms and tests of a table are from single passes.
CALLS: dict[str, dict[str, Any]] = {
    "": {},
    " best": {"quality": "best"},
    " largest_first": {"order": "largest_first"},
    " natural": {"order": "natural"},
    " random": {"order": "random"},
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
    options = {"batch": cuda.BLOCK} if args.blocks else {}
    return measurement(
        about, f"lagcolor.pauli.group{call}, {commute}", options, **figures, **sizes, verified=True
    ), result


def stored(spec: str, P: pauli.PauliStrings, commute: str, args: Any, groups: np.ndarray) -> list[Row]:
    """Lines of the stored graph; first_fit's colors are the groups."""
    G, edges_ms = milliseconds(partial(conflicts, P, commute))
    about = {"graph": spec, "spec": spec, "n": G.n, "m": G.m, "max_degree": G.max_degree, "device": "cpu"}
    lines = []
    for code, call in peers(G).items():
        colors, ms, every = median_ms(call, args.runs)
        if code.startswith("lagcolor"):
            assert np.array_equal(colors, groups), spec
        figures = {"ms": ms, "ms_all": every, "colors": int(np.max(colors)) + 1, "edges_ms": edges_ms}
        lines.append(measurement(about, f"{code}, {commute}", {}, **figures))
    return lines


def conflicts(P: pauli.PauliStrings, commute: str) -> lagcolor.Graph:
    """The graph of the pairs of strings that may not be in one group."""
    x, z = (np.unpackbits(w.view(np.uint8), axis=1, bitorder="little")[:, : P.qubits] for w in (P.x, P.z))
    if commute == "qubitwise":
        letters = x + 2 * z
        M = np.zeros((P.n, P.n), bool)
        for letter in letters.T:
            M |= (letter[:, None] != letter[None, :]) & (letter[:, None] > 0) & (letter[None, :] > 0)
    else:
        x, z = x.astype(np.float32), z.astype(np.float32)
        M = ((x @ z.T + z @ x.T) % 2 == 1) == (commute == "general")
    np.fill_diagonal(M, False)
    return lagcolor.Graph.of(sp.csr_array(M))


def peers(G: lagcolor.Graph) -> dict[str, Callable[[], Any]]:
    """Codes that color the stored graph largest first; the graphs of other libraries are built beforehand."""
    found: dict[str, Callable[[], Any]] = {
        "lagcolor greedy, stored": lambda: lagcolor.color(G, "greedy", "largest_first", verify=False).colors
    }
    upper = sp.triu(G.to_scipy()).tocoo()
    pairs = list(zip(upper.row.tolist(), upper.col.tolist(), strict=True))
    try:
        import networkx as nx

        H = nx.Graph(pairs)
        H.add_nodes_from(range(G.n))
        found["networkx greedy_color, stored"] = lambda: list(nx.greedy_color(H, "largest_first").values())
    except ImportError:
        pass
    try:
        import rustworkx as rx

        R = rx.PyGraph()
        R.add_nodes_from(range(G.n))
        R.add_edges_from_no_data(pairs)
        found["rustworkx graph_greedy_color, stored"] = lambda: list(rx.graph_greedy_color(R).values())
    except ImportError:
        pass
    return found


DEFAULT = "default"  # the head of the column of a call that names nothing


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of tables for each relation: milliseconds (groups) by strings and call; then codes with a stored graph."""
    ours: dict[str, dict[tuple[str, str], str]] = {}
    stored: dict[str, dict[tuple[str, str], str]] = {}
    for line in of_kind(records, "measurement"):
        f, (code, relation) = line["figures"], line["code"].rsplit(", ", 1)
        strings = line["graph"].removeprefix("data:pauli/").removesuffix(".json.gz").removeprefix("Pauli_ket_ccsd_")
        size = line["options"].get("batch")
        code = (code.removeprefix("lagcolor.pauli.group").strip() or DEFAULT) + (f", batches of {size}" if size else "")
        if code.endswith(", stored"):
            cells, code = stored.setdefault(relation, {}), code.partition(" ")[0]
        else:
            cells = ours.setdefault(relation, {})
        cells[strings, code] = f"{report.three_digits(f['ms'])} ({f['colors']:,})"
        if "edges_ms" in f:
            cells[strings, "making the graph"] = report.three_digits(f["edges_ms"])
    note = f"Milliseconds (groups), medians of calls on packed strings. {report.source(records)}"
    if {code for cells in ours.values() for _, code in cells} == {DEFAULT}:
        one = {(strings, relation): cell for relation, cells in ours.items() for (strings, _), cell in cells.items()}
        return [*report.pivot(one, "strings"), "", note]
    out = []
    for what, tables in (("", ours), (", with the stored graph", stored)):
        for relation, cells in tables.items():
            out += report.titled(f"{relation}{what}", report.pivot(cells, "strings"))
    return [*out, note]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.pauli", __doc__, runs=3)
    p.add_argument("strings", nargs="*", metavar="STRINGS", help="random:N,QUBITS or two_body:ORBITALS")
    p.add_argument("--commute", nargs="+", default=list(RELATIONS), choices=list(RELATIONS))
    p.add_argument("--calls", nargs="+", default=[], choices=list(CALLS), help="only these; the default call is ''")
    p.add_argument("--blocks", nargs="+", type=int, default=[], metavar="B", help="strings of a batch on a GPU")
    p.add_argument(
        "--stored", type=int, default=1000, help="strings up to which the graph is stored, too (%(default)s)"
    )
    args = p.parse_args(argv)
    if not ready(args, "pass --device cpu"):
        return 2
    out = recorded(args)
    for spec in filter(present, args.strings or STRINGS["cpu" if args.device == "cpu" else "cuda"]):
        P = made(spec)
        there = P.on(args.device)
        for commute, block, call in itertools.product(args.commute, args.blocks or [cuda.BLOCK], args.calls or CALLS):
            cuda.BLOCK = block
            line, result = grouped(spec, there, commute, call, args)
            print(spec, block, result, flush=True)
            out.add(line)
            is_compared = call == " largest_first" and args.stored >= P.n
            for other in stored(spec, P, commute, args, result.to_numpy()) if is_compared else ():
                out.add(other)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
