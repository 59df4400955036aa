"""Distance-2, star and acyclic colorings of sparse matrices on a CPU, and decompression, compared with SciPy and asdex.

python -m benchmarks.derivatives_cpu [MATRIX …] [--runs N] [--out FILE]

MATRIX is one of lap300, lap1000 (five-point Laplacians), band100k (symmetric, half bandwidth 50, 11 entries per row),
and rect100kx50k (5 entries per row), made with fixed seeds. All codes run in turn in one process; times are medians,
with orders and the transpose that a coloring of columns needs, without the graph of a symmetric pattern.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize._numdiff import group_columns

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

from . import report
from .experiment import measurement, milliseconds, parser, recorded

SCIPY = "scipy group_columns"
BICOLORINGS = ("star_bicoloring", "acyclic_bicoloring")


def lap(width: int) -> sp.csr_array:
    """The five-point Laplacian's pattern on a square grid, with the diagonal."""
    G = lagcolor.generate.from_spec(f"grid2d:{width}")
    return _sorted(sp.csr_array(G.to_scipy() + sp.eye_array(G.n, dtype=np.int8, format="csr")))


def band(n: int, half: int, k: int, seed: int) -> sp.csr_array:
    """k random entries per row within a half bandwidth, their mirror images, and the diagonal."""
    rows = np.repeat(np.arange(n), k)
    columns = rows + np.random.default_rng(seed).integers(-half, half + 1, n * k)
    inside = (columns >= 0) & (columns < n)
    A = sp.coo_array((np.ones(inside.sum(), np.int32), (rows[inside], columns[inside])), (n, n)).tocsr()
    return _sorted(sp.csr_array((A + A.T + sp.eye_array(n, dtype=np.int32)) > 0))


def rect(rows: int, columns: int, k: int, seed: int) -> sp.csr_array:
    """k random entries per row."""
    i, j = np.repeat(np.arange(rows), k), np.random.default_rng(seed).integers(0, columns, rows * k)
    return _sorted(sp.coo_array((np.ones(len(i), np.int32), (i, j)), (rows, columns)).tocsr())


def _sorted(A: sp.csr_array) -> sp.csr_array:
    A = sp.csr_array((np.ones(A.nnz, np.int8), A.indices.astype(np.int32), A.indptr.astype(np.int32)), A.shape)
    A.sum_duplicates()
    return A


MATRICES: dict[str, Callable[[], sp.csr_array]] = {
    "lap300": lambda: lap(300),
    "lap1000": lambda: lap(1000),
    "band100k": lambda: band(100_000, 50, 5, 7),
    "rect100kx50k": lambda: rect(100_000, 50_000, 5, 8),
}


def codes(A: sp.csr_array) -> dict[str, Callable[[], int]]:
    """Return calls by name; each colors the matrix and returns the number of colors."""
    square = A.shape[0] == A.shape[1]
    P = lagcolor.Pattern.of(A)

    G = lagcolor.Graph.of(P) if square else None

    def ours(problem: str, **how: Any) -> Callable[[], int]:
        def call() -> int:
            fresh: Any = lagcolor.Pattern(
                P.indptr, P.indices, P.columns
            )  # without the cached transpose of earlier calls
            if PROBLEMS[problem].symmetric:
                fresh = lagcolor.Graph(G.indptr, G.indices)
            return lagcolor.color(fresh, problem=problem, verify=False, **how).n_colors

        return call

    problems = ("columns", *(("distance2", "star", "acyclic") if square else ("rows", *BICOLORINGS)))
    found = {}
    for problem in problems:
        threaded = TABLES[problem][PROBLEMS[problem].default].threaded
        found |= {f"{problem}, {t} threads": ours(problem, threads=t) for t in (1, 2)} if threaded else {}
        found |= {} if threaded else {problem: ours(problem)}
    found[SCIPY] = lambda: int(group_columns(A).max()) + 1
    return found | asdex_codes(P, square)


def asdex_codes(P: lagcolor.Pattern, square: bool) -> dict[str, Callable[[], int]]:
    """Return the codes of asdex."""
    import asdex

    pattern = asdex.SparsityPattern.from_coo(P.rows_of_entries().astype(np.int32), P.indices, P.shape)
    found: dict[str, Callable[[], int]] = {"asdex columns": lambda: asdex.color_cols(pattern)[1]}
    return found | ({"asdex star": lambda: asdex.color_symmetric(pattern)[1]} if square else {})


def of_matrix(name: str, A: sp.csr_array, runs: int) -> list[Row]:
    """A line per code."""
    degree = int(np.diff(A.indptr).max())
    about = {"graph": name, "spec": name, "n": A.shape[0], "m": A.nnz, "max_degree": degree, "device": "cpu"}
    every = codes(A)
    colors = {code: call() for code, call in every.items()}  # compiles or loads the code
    ms: dict[str, list[float]] = {code: [] for code in every}
    for k in range(runs):
        names = list(every)
        for code in names[k % len(names) :] + names[: k % len(names)]:
            ms[code].append(milliseconds(every[code])[1])
    lines = [
        measurement(about, code, {}, ms=statistics.median(ms[code]), ms_all=ms[code], colors=colors[code])
        for code in every
    ]
    return [*lines, *decompression(about, A, runs)]


def decompression(about: Row, A: sp.csr_array, runs: int) -> list[Row]:
    """Measure `compress` and `decompress`, with a lower bound of the bytes that `decompress` moves."""
    lines = []
    values = A.astype(np.float64)
    made = {"columns": lagcolor.derivatives.jacobian(A)}
    if A.shape[0] == A.shape[1]:
        made |= {"star": lagcolor.derivatives.hessian(A), "acyclic": lagcolor.derivatives.hessian(A, "substitution")}
    for name, C in made.items():
        B = C.compress(values)
        ms = [milliseconds(partial(C.values, B))[1] for _ in range(runs + 1)]
        moved = 8 * (C.pattern.m * 2 + B.size)  # an index and a value per entry, and the products
        lines.append(measurement(about, f"decompress, {name}", {}, ms=statistics.median(ms[1:]), bytes=moved))
    return lines


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of milliseconds (colors), a row for each code and a column for each matrix."""
    found: dict[str, dict[str, Row]] = {}
    for line in of_kind(records, "measurement"):
        code, _, threads = line["code"].partition(", ")
        if threads != "1 threads":
            name = code if threads in ("", "2 threads") else line["code"]
            found.setdefault(line["graph"], {})[name] = line["figures"]
    cells = {
        (code, graph): report.three_digits(f["ms"]) + (f" ({f['colors']})" if "colors" in f else "")
        for graph, each in found.items()
        for code, f in each.items()
    }
    ratios = [each[SCIPY]["ms"] / each["columns"]["ms"] for each in found.values() if {SCIPY, "columns"} <= set(each)]
    fewer = sum(each["columns"]["colors"] < each[SCIPY]["colors"] for each in found.values() if SCIPY in each)
    answer = (
        f"The default colors the columns of {fewer} of {len(ratios)} matrices with fewer colors than SciPy. SciPy "
        f"takes {min(ratios):.2g} to {max(ratios):.2g} times as long."
    )
    runs = records[0]["settings"]["runs"]
    caption = f"Milliseconds (colors), medians of {runs} runs."
    return [answer, "", *report.pivot(cells, "code"), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.derivatives_cpu", __doc__, runs=5)
    p.add_argument("matrix", nargs="*", default=list(MATRICES), metavar="MATRIX")
    p.set_defaults(device="cpu")
    args = p.parse_args(argv)
    if unknown := [name for name in args.matrix if name not in MATRICES]:
        p.error(f"no matrix {unknown[0]!r}; there are: {', '.join(MATRICES)}")
    out = recorded(args)
    for name in args.matrix:
        for line in of_matrix(name, MATRICES[name](), args.runs):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
