"""Milliseconds of the whole call `lagcolor.color(A)`, to compare two commits.

python -m benchmarks.whole_calls [GRAPH …] [--device cpu] [--runs N] [--real N] [--out FILE]
python -m benchmarks.whole_calls … --compare OLD.jsonl    the ratio to OLD for each graph, and geometric means

GRAPH is a name of a suite, a file or a spec. Default: the suite h200 (on a CPU: cpu), --real graphs of LAGCOLOR_DATA,
of different sizes, and graphs of 500 vertices. The small and the real ones are colored as sparse
matrices, too, which are converted in the call. The call has no options, so that it checks its result. The graphs take
turns, so that a change in the speed of the machine affects all; short calls are repeated for 2 ms. Measure both
commits on a quiet machine with the same arguments, one after the other, twice.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.graphs import Source, resolve
from benchmarks.harness.graphs import load as load_graph
from benchmarks.harness.results import Row, of_kind, read_lines

from . import report
from .experiment import facts, measurement, parser, ready, recorded

CODE = "whole_call"
SMALL = ("grid2d:20,25", "uniform:500,8", "erdos_renyi:500,0.05")
SHORTEST = 2e-3  # seconds of a measurement
SUITES = {"cpu": "cpu", "cuda": "h200"}


class Input(NamedTuple):
    """What is colored: `make` gives an object that no call has seen, outside the clock."""

    about: Row
    form: str
    make: Callable[[], Any]


def sources(names: Sequence[str], device: str, real: int) -> Iterator[tuple[Source, bool]]:
    """Graphs, and whether they are also colored as matrices."""
    if names:
        yield from ((source, True) for source in resolve(names))
        return
    yield from ((source, False) for source in resolve(suite=SUITES[device]))
    if real:
        yield from ((source, True) for source in of_different_sizes(resolve(suite="real"), real))
    yield from ((Source(spec, spec), True) for spec in SMALL)


def of_different_sizes(files: Sequence[Source], count: int) -> list[Source]:
    """At most `count` of the files, with sizes that grow by about the same factor."""
    sizes = np.array([Path(source.spec).stat().st_size for source in files])
    order = np.argsort(sizes, kind="stable")
    wanted = np.geomspace(max(sizes.min(), 1), sizes.max(), count)
    return [files[order[i]] for i in np.unique(np.searchsorted(sizes[order], wanted.round()))]


def inputs(source: Source, device: str, matrices: bool) -> list[Input]:
    """The graph in each form; nothing for a matrix that is no graph."""
    try:
        G = load_graph(source.spec, device)
    except lagcolor.GraphError as e:  # a rectangular matrix
        print(f"{source.name} is left out: {e}", file=sys.stderr)
        return []
    about = facts(G, source.name, source.spec)
    forms = [Input(about, "graph", lambda: lagcolor.Graph(G.indptr, G.indices))]
    if matrices:
        forms.append(Input(about, "matrix", matrix_of(G)))
    return forms


def matrix_of(G: lagcolor.Graph) -> Callable[[], Any]:
    """A sparse matrix of the graph, of SciPy or CuPy."""
    if not G.on_gpu:
        arrays = np.ones(G.m, np.float32), G.indices, G.indptr
        return lambda: sp.csr_array(arrays, shape=(G.n, G.n))
    import cupy
    import cupyx.scipy.sparse

    arrays = cupy.ones(G.m, np.float32), G.indices, G.indptr
    return lambda: cupyx.scipy.sparse.csr_matrix(arrays, shape=(G.n, G.n))


def waits(device: str) -> Callable[[], Any]:
    """Wait for the device."""
    if device == "cpu":
        return lambda: None
    import cupy

    return cupy.cuda.get_current_stream().synchronize


def measured(every: Sequence[Input], device: str, runs: int) -> list[Row]:
    """A line for each input: medians of its calls, after one that compiles and one that tells how long they take."""
    wait = waits(device)

    def clocked(x: Input, repeats: int) -> tuple[float, lagcolor.Coloring]:
        fresh = [x.make() for _ in range(repeats)]
        begun = time.perf_counter()
        for A in fresh:
            result = lagcolor.color(A)
        wait()
        return (time.perf_counter() - begun) / repeats, result

    repeats = []
    for x in every:
        clocked(x, 1)
        repeats.append(max(1, round(SHORTEST / clocked(x, 1)[0])))
    done: list[list[tuple[float, float, int]]] = [[] for _ in every]
    for _ in range(runs):
        for i, x in enumerate(every):
            seconds, result = clocked(x, repeats[i])
            done[i].append((seconds, result.seconds, result.n_colors))
    return [line(x, calls) for x, calls in zip(every, done, strict=True)]


def line(x: Input, calls: Sequence[tuple[float, float, int]]) -> Row:
    """What is kept of the calls with an input; `work_ms` is `seconds` of the result."""
    whole = [seconds * 1e3 for seconds, _, _ in calls]
    figures = {
        "ms": statistics.median(whole),
        "ms_all": whole,
        "work_ms": statistics.median(work * 1e3 for _, work, _ in calls),
        "colors": calls[-1][2],
    }
    return measurement(x.about, CODE, {"form": x.form}, **figures)


def table(lines: Iterable[Row]) -> list[str]:
    """Lines of a table of one file."""
    rows = [["graph", "form", "ms", "ms of the work", "colors"]]
    for (graph, form), found in keyed(lines).items():
        rows.append([graph, form, f"{found['ms']:.3f}", f"{found['work_ms']:.3f}", f"{found['colors']}"])
    return report.markdown(rows, numbers=range(2, 5))


def compare(then: Iterable[Row], now: Iterable[Row]) -> list[str]:
    """Lines of a table: each input of both files, and the geometric means of the ratios."""
    old, new = keyed(then), keyed(now)
    both = [key for key in new if key in old]
    if not both:
        return ["No graph is in both files."]
    ratios = {key: {x: new[key][x] / old[key][x] for x in ("ms", "work_ms")} for key in both}
    rows = [["graph", "form", "ms then", "ms now", "ratio", "ratio of the work", "colors"]]
    for graph, form in both:
        a, b, ratio = old[graph, form], new[graph, form], ratios[graph, form]
        colors = f"{b['colors']}" if a["colors"] == b["colors"] else f"{a['colors']} -> {b['colors']}"
        rows.append(
            [graph, form, f"{a['ms']:.3f}", f"{b['ms']:.3f}", f"{ratio['ms']:.3f}", f"{ratio['work_ms']:.3f}", colors]
        )
    for form in dict.fromkeys(form for _, form in both):
        some = [ratio for key, ratio in ratios.items() if key[1] == form]
        means = (statistics.geometric_mean(ratio[x] for ratio in some) for x in ("ms", "work_ms"))
        rows.append(["geometric mean", form, "", "", *(f"{mean:.3f}" for mean in means), ""])
    return report.markdown(rows, numbers=range(2, 7))


def keyed(lines: Iterable[Row]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Graph and form → figures."""
    those = (row for row in of_kind(list(lines), "measurement") if row["code"] == CODE)
    return {(row["graph"], row["options"]["form"]): row["figures"] for row in those}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, keep and compare; 2 where there is no GPU."""
    p = parser("benchmarks.whole_calls", __doc__, runs=7)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--real", type=int, default=20, help="so many real graphs (default %(default)s)")
    p.add_argument("--compare", type=Path, metavar="OLD.jsonl", help="what this script has written before")
    args = p.parse_args(argv)
    then = read_lines(args.compare) if args.compare else None  # before --out, which may be the same file
    if not ready(args):
        return 2
    out = recorded(args)
    found = [inputs(source, args.device, both) for source, both in sources(args.graph, args.device, args.real)]
    for row in measured([x for forms in found for x in forms], args.device, args.runs):
        out.add(row)
    print("\n".join(table(out.rows) if then is None else compare(then, out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
