"""Distance-2, star and acyclic colorings of sparse matrices on a CPU, and decompression, compared with SciPy and asdex.

python -m benchmarks.derivatives_cpu [MATRIX …] [--runs N] [--peers FILE.csv] [--out FILE]

MATRIX is one of lap300, lap1000 (five-point Laplacians), band100k (symmetric, half bandwidth 50, 11 entries per row),
and rect100kx50k (5 entries per row), made with fixed seeds. All codes run in turn in one process; times are medians,
with orders and the transpose that a coloring of columns needs, without the graph of a symmetric pattern. --peers:
a table of other codes' times from elsewhere; the result has the fastest code with as few colors.
"""

from __future__ import annotations

import csv
import re
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize._numdiff import group_columns

import lagcolor
from benchmarks.harness.results import Row
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

from . import report
from .experiment import measurement, milliseconds, parser, recorded

BICOLORINGS = ("star_bicoloring", "acyclic_bicoloring")
# A part of the names of peers' codes, by problem.
KINDS = {
    "columns": ("COLS", "COLUMN", "casadi:uni", "group_columns", "asdex:cols", "petsc"),
    "distance2": (" D2_", "DISTANCE_TWO", "SMP:D2"),
    "star": ("STAR:", ":star"),
    "acyclic": ("ACYCLIC",),
}


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
    found["scipy group_columns"] = lambda: int(group_columns(A).max()) + 1
    return found | asdex_codes(P, square)


def asdex_codes(P: lagcolor.Pattern, square: bool) -> dict[str, Callable[[], int]]:
    """Return the codes of asdex, if it is installed."""
    try:
        import asdex
    except ImportError:
        return {}

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


def references(file: Path, matrix: str) -> list[Row]:
    """Return the rows of a table of peers for a matrix, without improper colorings."""
    rows = [row for row in csv.DictReader(file.read_text().splitlines()) if row["matrix"] == matrix]
    return [
        {"kind": "reference", "graph": matrix, "code": f"{row['code']}, {row['threads']} threads",
         "colors": int(row["colors"]), "ms": float(row["ms"]), "from": file.name}
        for row in rows if row["valid"] == "yes"
    ]  # fmt: skip


def fastest(peers: Sequence[Row], matrix: str, code: str, colors: int) -> str:
    """The fastest reference for the same problem with as few colors: milliseconds, colors and code."""
    problem = code.partition(",")[0]
    fitting = [
        row for row in peers
        if row["graph"] == matrix and row["colors"] <= colors
        and any(word in row["code"] for word in KINDS.get(problem, ())) and "RESTRICTED" not in row["code"]
        and (problem == "columns" or not any(word in row["code"] for word in ("COLS", "COLUMN")))
    ]  # fmt: skip
    if not fitting:
        return ""
    best = min(fitting, key=lambda row: row["ms"])
    return f"{report.three_digits(best['ms'])} ({best['colors']}), {peer_name(best['code'])}"


def peer_name(code: str) -> str:
    """The library of a code of another machine, the last part of its method, and its threads if there are several."""
    library, _, method = re.split("([ :])", code.removesuffix(", 1 threads"), maxsplit=1)
    name = {"colpack": "ColPack", "kokkos": "Kokkos", "casadi": "CasADi"}.get(library, library)
    method = method.rpartition(":")[2].removeprefix("COLS_").removeprefix("D2_").replace("_", " ").lower()
    return f"{name} {method}".removesuffix(" star")


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of milliseconds and colors for each matrix."""
    peers = [r for r in records if r["kind"] == "reference"]
    tables: dict[str, list[list[str]]] = {}
    for line in (r for r in records if r["kind"] == "measurement"):
        f, head = line["figures"], ["code", "ms", "colors", "fastest peer elsewhere: ms (colors)"]
        peer = fastest(peers, line["graph"], line["code"], int(f["colors"])) if "colors" in f else ""
        rows = tables.setdefault(line["graph"], [head])
        rows.append([line["code"], report.three_digits(f["ms"]), str(f.get("colors", "")), peer])
    runs = records[0]["settings"]["runs"]
    parts = [line for name, rows in tables.items() for line in report.titled(name, report.markdown(rows, (1, 2)))]
    return [*parts, f"Medians of {runs} runs. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.derivatives_cpu", __doc__, runs=5)
    p.add_argument("matrix", nargs="*", default=list(MATRICES), metavar="MATRIX")
    p.add_argument("--peers", type=Path, metavar="FILE.csv", help="times of other codes, measured elsewhere")
    p.set_defaults(device="cpu")
    args = p.parse_args(argv)
    if unknown := [name for name in args.matrix if name not in MATRICES]:
        p.error(f"no matrix {unknown[0]!r}; there are: {', '.join(MATRICES)}")
    out = recorded(args)
    for name in args.matrix:
        for line in [
            *of_matrix(name, MATRICES[name](), args.runs),
            *(references(args.peers, name) if args.peers else []),
        ]:
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
