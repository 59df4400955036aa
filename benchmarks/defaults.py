"""The defaults compared with other orders and other libraries, on inputs that were not used for tuning.

python -m benchmarks.defaults cpu OUT [SET or SPEC …] [--runs N] [--picasso FILE.csv] [--commit C]
python -m benchmarks.defaults gpu OUT [SET or SPEC …] [--runs N] [--commit C]
python -m benchmarks.defaults markdown FILE …

OUT is a file of JSON lines. `benchmarks.default_inputs` has the sets and specs. A time is the median of whole calls
without the check, on a Graph, Pattern or PauliStrings that no call has seen. The codes take turns, short calls are
repeated for 2 ms, and calls of a second or more run once. The first result of each code is verified. Boost, ColPack and
igraph run in processes of their own (see benchmarks/peers). The groups of Picasso in --picasso were measured by others.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import itertools
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize._numdiff import group_columns

import lagcolor
from benchmarks.harness.graphs import SCRATCH, Source, write_scratch
from benchmarks.harness.peers import Library
from benchmarks.harness.results import Row, read_lines
from benchmarks.harness.worker import Worker, WorkerError, Workers
from lagcolor import pauli
from lagcolor.base import compile_clock
from lagcolor.derivatives import Compression, jacobian
from lagcolor.orders import TWO_HOPS
from lagcolor.pauli.grouping import RELATIONS

from . import default_inputs as inputs
from .default_tables import markdown
from .experiment import facts, measurement, milliseconds, ready, recorded
from .peers import PEERS

DEFAULT = "default"
SHORTEST, LONGEST = 2.0, 1000.0  # ms: shorter calls are repeated, longer ones run once
PATIENCE = 60.0  # seconds that a peer may take
DSATUR_UP_TO = 6_000_000  # stored entries
ORDERS = ("natural", "largest_first", "smallest_last")
BEST = {"best 0.1 s": 0.1, "best 1 s": 1.0}
TIMED = ("small", "cpu")  # sets on which "best" is tried
RIVALS = ("boost32", "colpack", "igraph")


class Code(NamedTuple):
    """A call to time: `run` makes a number of calls, and returns the milliseconds of each and the last result."""

    run: Callable[[int], tuple[float, Any]]
    figures: Callable[[Any], dict[str, Any]]
    check: Callable[[Any], Any]  # raises if the result is wrong
    once: bool = False
    work: bool = False  # whether to record the seconds of the result, as "work_ms"


def own(prepare: Callable[[], Any], call: Callable[[Any], Any], device: str = "cpu") -> Callable[[int], Any]:
    """`run` of a call in this process; `prepare` gives an object that no call has seen, outside the clock."""

    def run(times: int) -> tuple[float, Any]:
        fresh, compiled = [prepare() for _ in range(times)], compile_clock.seconds()
        results, ms = milliseconds(lambda: [call(x) for x in fresh], device)
        return (ms - (compile_clock.seconds() - compiled) * 1e3) / times, results[-1]

    return run


def turns(codes: Mapping[str, Code], runs: int, compiles: bool = False) -> dict[str, dict[str, Any]]:
    """Measure the codes in turn. A peer that fails or is late is left out, as is a first call that compiles kernels."""
    figures, ms, times = {}, dict[str, list[float]](), dict[str, int]()
    work = dict[str, list[float]]()
    for name, code in codes.items():
        try:
            first, result = code.run(1)
        except WorkerError as e:
            print(f"{name} is left out: {e}", file=sys.stderr)
            continue
        code.check(result)
        figures[name], ms[name] = code.figures(result), [first]
        if not code.once and (compiles or first < LONGEST):
            ms[name] = [code.run(1)[0]]
        if not code.once and ms[name][0] < LONGEST:
            times[name] = max(1, round(SHORTEST / ms[name].pop()))
    for k in range(runs):
        names = list(times)
        for name in names[k % len(names) :] + names[: k % len(names)] if names else ():
            took, result = codes[name].run(times[name])
            ms[name].append(took)
            if codes[name].work:
                work.setdefault(name, []).append(1e3 * (result.seconds + result.order_seconds))
    for name, times_of_work in work.items():
        figures[name]["work_ms"] = float(f"{statistics.median(times_of_work):.5g}")
    short = {name: [float(f"{x:.5g}") for x in ms[name]] for name in figures}  # otherwise the file has 2 MB
    return {name: {"ms": statistics.median(short[name]), "ms_all": short[name], **figures[name]} for name in figures}


# ---- graphs --------------------------------------------------------------------------------------------------------


def graph_codes(G: lagcolor.Graph, group: str) -> dict[str, Code]:
    """Codes of the library: the default, fast, best, three orders and DSATUR."""
    device = "cuda" if G.on_gpu else "cpu"

    def code(once: bool = False, **how: Any) -> Code:
        call = partial(lagcolor.color, verify=False, **how)
        run = own(lambda: lagcolor.Graph(G.indptr, G.indices), call, device)
        return Code(run, lambda r: {"colors": r.n_colors}, lambda r: lagcolor.verify(G, r.colors), once)

    found = {DEFAULT: code(), "fast": code(quality="fast")}
    if G.on_gpu:
        return found
    found |= {order: code(algorithm="greedy", order=order) for order in ORDERS}
    found |= {"dsatur": code(algorithm="dsatur")} if G.m <= DSATUR_UP_TO else {}
    best = BEST if group in TIMED else {}
    return found | {name: code(True, quality="best", time_limit=limit) for name, limit in best.items()}


@functools.cache
def installed(*names: str) -> tuple[Library, ...]:
    """Return the installed ones of these peers."""
    return tuple(PEERS[name] for name in names if PEERS[name].absent() is None)


def rival_codes(workers: Workers, m: int) -> Iterator[tuple[str, Code]]:
    """Codes of the peers that are installed, with the graph that `workers` have."""
    for peer in installed(*RIVALS):
        if peer.name != "igraph" or m <= DSATUR_UP_TO:
            worker = peer.open(workers)
            for code in peer.codes():
                if code.method != "colored_neighbors":  # igraph's other heuristic
                    yield (
                        f"{peer.name} {code.order}",
                        Code(partial(sampled, worker, code), dict, partial(checked, worker)),
                    )


def sampled(worker: Worker, code: Any, times: int) -> tuple[float, Any]:
    samples = worker.run(code, times)
    return statistics.fmean(sample.ms for sample in samples), {"colors": samples[-1].colors}


def checked(worker: Worker, result: Any) -> None:
    fault, _checksum = worker.check()
    if fault:
        raise WorkerError(f"{fault} ({result})")


def of_graph(name: str, spec: str, group: str, args: argparse.Namespace, workers: Workers) -> Iterator[Row]:
    """A line for each code on a graph."""
    try:
        G = inputs.graph(spec, "cpu")
    except lagcolor.GraphError as e:  # a rectangular matrix
        print(f"{name} is left out: {e}", file=sys.stderr)
        return
    about = facts(G, name, spec)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"graph{SCRATCH}"
        write_scratch(file, G)
        with workers.graph(Source(name, str(file))):
            codes = {**graph_codes(G, group), **dict(rival_codes(workers, G.m))}
            yield from _lines(about, group, turns(codes, args.runs))


# ---- matrices and strings ------------------------------------------------------------------------------------------


def element_codes(A: sp.csr_array) -> dict[str, Code]:
    """Colorings of elements without a common node, and the stored graph of those that have one."""
    P = lagcolor.Pattern.of(A)
    fresh = partial(lagcolor.Pattern, P.indptr, P.indices, P.columns)
    square = lagcolor.Graph.of(A @ A.T)

    def figures(result: Any) -> dict[str, Any]:
        sizes = np.bincount(result.to_numpy())
        return {"colors": len(sizes), "largest": int(sizes.max()), "smallest": int(sizes.min())}

    def code(**how: Any) -> Code:
        run = own(fresh, partial(lagcolor.color, problem="rows", verify=False, **how))
        return Code(run, figures, lambda r: lagcolor.verify(P, r.colors, problem="rows"))

    stored = partial(lagcolor.color, quality="best", verify=False)
    best = Code(own(lambda: square, stored), figures, lambda r: lagcolor.verify(square, r.colors), True)
    orders = {order: code(order=order) for order in TWO_HOPS}
    return {DEFAULT: code(), "fast": code(quality="fast"), **orders, "stored graph, best": best}


def jacobian_codes(A: sp.csr_array) -> dict[str, Code]:
    """The default and "auto", each partition in each order, SciPy and asdex."""
    P = lagcolor.Pattern.of(A)
    fresh = partial(lagcolor.Pattern, P.indptr, P.indices, P.columns)
    values = np.random.default_rng(0).random(A.nnz)
    C = sp.csc_array(A)

    def recovered(c: Compression) -> None:
        found = c.values(c.compress(sp.csr_array((values, A.indices, A.indptr), A.shape)))
        np.testing.assert_allclose(found, values, rtol=1e-9)

    def code(*how: str, once: bool = False, **more: Any) -> Code:
        run = own(fresh, lambda P: jacobian(P, *how, verify=False, **more))
        return Code(run, lambda c: {"products": c.n_colors}, recovered, once)

    def columns(call: Callable[[], Any]) -> Code:
        check = partial(lagcolor.verify, P, problem="columns")
        return Code(own(lambda: None, lambda _: call()), lambda c: {"products": int(c.max()) + 1}, check)

    found = {DEFAULT: code(), "auto": code("auto"), "scipy": columns(lambda: group_columns(C))}
    with contextlib.suppress(ImportError):
        import asdex

        pattern = asdex.SparsityPattern.from_coo(P.rows_of_entries().astype(np.int32), P.indices, P.shape)
        found["asdex"] = columns(lambda: np.asarray(asdex.color_cols(pattern)[0]))
    singles = itertools.product(("columns", "rows", "both"), TWO_HOPS)
    return found | {f"{part}, {order}": code(part, once=True, order=order) for part, order in singles}


def pauli_codes(P: pauli.PauliStrings) -> dict[str, Code]:
    """The default and three orders of each relation."""

    def code(commute: str, **how: Any) -> Code:
        run = own(lambda: P, partial(pauli.group, commute=commute, verify=False, **how))
        return Code(run, lambda r: {"colors": r.n_groups}, lambda r: r.verify())

    every = {commute: code(commute) for commute in RELATIONS}
    orders = itertools.product(RELATIONS, ("natural", "random", "largest_first"))
    return every | {f"{commute}, {order}": code(commute, order=order) for commute, order in orders}


def of_matrix(name: str, spec: str, group: str, args: argparse.Namespace) -> Iterator[Row]:
    """A line for each code on a matrix, or on the nodes of elements."""
    A = inputs.matrix(spec)
    codes = (element_codes if group == "elements" else jacobian_codes)(A)
    yield from _lines(_about(name, spec, A.shape[0], A.nnz), group, turns(codes, args.runs))


def of_strings(name: str, spec: str, group: str, args: argparse.Namespace) -> Iterator[Row]:
    """A line for each code on a Hamiltonian, and Picasso's fewest groups of anticommuting strings."""
    hamiltonian = spec.partition(":")[2]
    P = inputs.hamiltonian(hamiltonian)
    yield from _lines(_about(name, spec, P.n, 0), group, turns(pauli_codes(P), args.runs))
    if args.picasso:
        with args.picasso.open(newline="") as f:
            for row in csv.DictReader(f):
                if row["hamiltonian"] == hamiltonian:
                    found = {"colors": int(row["fewest_colors"]), "ms": 1e3 * float(row["seconds_of_that_run"])}
                    yield {"kind": "reference", "graph": name, "code": "Picasso", **found, "from": args.picasso.name}


def _about(name: str, spec: str, n: int, m: int) -> Row:
    return {"graph": name, "spec": spec, "n": n, "m": m, "max_degree": 0, "device": "cpu"}


def _lines(about: Row, group: str, figures: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    """A line for each code."""
    for code, values in figures.items():
        yield measurement(about, code, {"set": group}, **values, verified=True)


# ---- a GPU ---------------------------------------------------------------------------------------------------------


def device_codes(G: lagcolor.Graph, group: str) -> dict[str, Code]:
    """The default call of a set of the GPU, in other orders, and on the CPU of that machine."""
    if group == "h200":
        return graph_codes(G, group)

    def code(H: lagcolor.Graph, once: bool = False, **how: Any) -> Code:
        device = "cuda" if H.on_gpu else "cpu"
        fresh = partial(lagcolor.Graph, H.indptr, H.indices)
        if group == "hessian":
            run = own(fresh, partial(lagcolor.derivatives.hessian, verify=False, **how), device)
            return Code(run, lambda c: {"colors": c.n_colors}, lambda c: c.coloring.verify(), once)
        run = own(fresh, partial(lagcolor.color, problem="distance2", verify=False, **how), device)
        return Code(run, lambda r: {"colors": r.n_colors}, lambda r: r.verify(), once)

    orders = {order: code(G, order=order) for order in ("natural", "random", "largest_first")}
    return {DEFAULT: code(G), **orders, "cpu": code(G.on("cpu"), once=True)}


def default_colors(G: lagcolor.Graph, group: str) -> np.ndarray:
    """The colors of the default call of a set."""
    if group == "hessian":
        return lagcolor.derivatives.hessian(G, verify=False).coloring.to_numpy()
    problem = "distance2" if group == "distance2" else "distance1"
    return lagcolor.color(G, problem=problem, verify=False).to_numpy()


def on_gpu(name: str, spec: str, group: str, args: argparse.Namespace, device: str = "cuda") -> Iterator[Row]:
    """A line for each code, and whether a CPU gives the default the same colors."""
    G = inputs.graph(spec, device)
    figures = turns(device_codes(G, group), args.runs, compiles=True)
    figures[DEFAULT]["same_as_cpu"] = bool(np.array_equal(default_colors(G, group), default_colors(G.on("cpu"), group)))
    yield from _lines(facts(G, name, spec), group, figures)


# ---- the command line ----------------------------------------------------------------------------------------------


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("what", choices=("cpu", "gpu", "markdown"))
    p.add_argument("file", type=Path, metavar="OUT|FILE", help="where lines are written, or are read from")
    p.add_argument("words", nargs="*", metavar="SET|SPEC|FILE")
    p.add_argument("--runs", type=int, default=3, help="of each, after the warm-up (default %(default)s)")
    p.add_argument("--commit", help="what was measured, if the tree has no history")
    p.add_argument("--picasso", type=Path, metavar="FILE.csv", help="groups of Picasso by Hamiltonian")
    args = p.parse_args(argv)
    args.device, args.out = ("cpu" if args.what == "cpu" else "cuda"), args.file
    return args


def measured(args: argparse.Namespace) -> Iterator[Row]:
    """Yield all lines of the inputs on the command line."""
    with contextlib.closing(Workers("cpu", PATIENCE)) as workers:
        for group, name, spec in inputs.chosen(args.words, args.device):
            if args.device != "cpu":
                yield from on_gpu(name, spec, group, args)
            elif group == "pauli":
                yield from of_strings(name, spec, group, args)
            elif group in ("elements", "random", "structured", "rectangular"):
                yield from of_matrix(name, spec, group, args)
            else:
                yield from of_graph(name, spec, group, args, workers)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, or print the tables; return 2 without a GPU."""
    args = arguments(argv)
    if args.what == "markdown":
        print("\n".join(markdown([row for file in (args.file, *args.words) for row in read_lines(file)])))
        return 0
    if not ready(args, "measure cpu"):
        return 2
    out = recorded(args, peers=[peer.name for peer in installed(*RIVALS)])
    for row in measured(args):
        out.add(row)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
