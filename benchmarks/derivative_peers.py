"""Colorings for Jacobians and Hessians, and derivatives with them, compared with asdex, SciPy and others.

python -m benchmarks.derivative_peers [PATTERN …] [--runs N] [--tables FOLDER] [--out FILE]

PATTERN is a file of the folder of real graphs; default: symmetric patterns, and patterns with colors in the tests of
SparseMatrixColorings.jl. --tables: the folder with these colors, smcjl_colpack_table_6_7.csv and
smcjl_what_table_31_32.csv, by first-fit in several orders. Codes run in turn in one process; times are medians of whole
calls on an existing pattern.

columns, rows, star   the coloring; lagcolor of quality "fast" in its natural order, and of its default quality
JAX                   the entries of the Jacobian of a jitted function with this pattern, by asdex's colors and ours
differences           the same function in NumPy; SciPy's `approx_derivative` has our colors
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize._numdiff import approx_derivative

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.derivatives import Compression, fd_jacobian, hessian, jacobian

from . import report
from .experiment import DATA, measurement, milliseconds, parser, recorded

PATTERNS = (
    "rectangular/lp_cre_a", "rectangular/lp_dfl001", "rectangular/lp_maros_r7", "rectangular/e40r0100", "C/bcsstk33",
    "C/copter2",
)  # fmt: skip
CODES = ("lagcolor", "lagcolor fast", "asdex", "SciPy", "SparseMatrixColorings.jl")
Calls = dict[str, Callable[[], int]]


def pattern_of(name: str) -> sp.csr_array:
    """Load a pattern of the folder of real graphs; add a full diagonal to a graph."""
    with np.load(DATA / f"{name}.npz") as file:
        symmetric = "n" in file
        shape = (int(file["n"]),) * 2 if symmetric else tuple(file["shape"].tolist())
        A = sp.csr_array((np.ones(len(file["indices"]), np.int8), file["indices"], file["indptr"]), shape)
    return sp.csr_array(A + sp.eye_array(shape[0], dtype=np.int8, format="csr")) if symmetric else A


def colorings(A: sp.csr_array) -> dict[str, Calls]:
    """Return calls by problem and code; each colors the pattern and returns the number of colors."""
    import asdex

    P = lagcolor.Pattern.of(A)
    theirs = asdex.SparsityPattern.from_coo(P.rows_of_entries().astype(np.int32), P.indices, P.shape)

    def fresh() -> lagcolor.Pattern:  # without the cached transpose of earlier calls
        return lagcolor.Pattern(P.indptr, P.indices, P.columns)

    def ours(make: Callable[..., Compression]) -> Calls:
        fast = {"quality": "fast", "order": "natural", "verify": False}
        return {
            "lagcolor": lambda: make(fresh(), verify=False).n_colors,
            "lagcolor fast": lambda: make(fresh(), **fast).n_colors,
        }

    found = {
        "columns": ours(jacobian) | {"asdex": lambda: asdex.color_cols(theirs)[1]},
        "rows": ours(lambda P, **how: jacobian(P, "rows", **how)) | {"asdex": lambda: asdex.color_rows(theirs)[1]},
    }
    if A.shape[0] == A.shape[1] and (A != A.T).nnz == 0:
        return {"star": ours(hessian) | {"asdex": lambda: asdex.color_symmetric(theirs)[1]}}
    return found


def derivatives(A: sp.csr_array) -> dict[str, Calls]:
    """Return calls by derivative and code; each returns the number of products of a Jacobian."""
    import asdex
    import jax
    import jax.numpy as jnp

    import lagcolor.derivatives.jax as sparse

    P, x = lagcolor.Pattern.of(A), np.linspace(0.1, 1.0, A.shape[1])
    rows, columns = P.rows_of_entries(), P.indices
    C = jacobian(P)
    pair, f0 = C.for_scipy(), A @ np.sin(x)
    theirs = asdex.jacobian_coloring_from_sparsity(asdex.SparsityPattern.from_coo(rows, columns, P.shape), mode="fwd")

    def f(x: Any) -> Any:
        return jax.ops.segment_sum(jnp.sin(x[columns]), rows, P.rows, indices_are_sorted=True)

    ours = jax.jit(lambda x: sparse.jacobian(f, C)(x).data)
    asdexs = jax.jit(lambda x: asdex.jacobian_from_coloring(f, theirs)(x).data)

    def differences(function: Callable[..., Any], **how: Any) -> int:
        return function(lambda x: A @ np.sin(x), x, f0=f0, method="2-point", **how).nnz and C.n_colors

    return {
        "JAX": {
            "lagcolor": lambda: ours(x).block_until_ready() is not None and C.n_colors,
            "asdex": lambda: asdexs(x).block_until_ready() is not None and int(theirs.num_colors),
        },
        "differences": {
            "lagcolor": lambda: differences(fd_jacobian, C=C),
            "SciPy": lambda: differences(approx_derivative, sparsity=pair),
        },
    }


def of_pattern(name: str, runs: int) -> Iterator[Row]:
    """A line for each problem and code."""
    A = pattern_of(name)
    about = {"graph": Path(name).name, "spec": name, "n": A.shape[0], "m": A.nnz, "device": "cpu"}
    about["max_degree"] = int(np.diff(A.indptr).max())
    for problem, calls in (colorings(A) | derivatives(A)).items():
        colors = {code: call() for code, call in calls.items()}  # compiles or loads the code
        ms: dict[str, list[float]] = {code: [] for code in calls}
        for _ in range(runs):
            for code, call in calls.items():
                ms[code].append(milliseconds(call)[1])
        for code, times in ms.items():
            yield measurement(
                about, code, {"problem": problem}, ms=statistics.median(times), ms_all=times, colors=colors[code]
            )  # fmt: skip


def references(folder: Path, name: str) -> Iterator[Row]:
    """Colors that SparseMatrixColorings.jl's tests have of a pattern: in natural order, and the fewest of several."""
    short = Path(name).name
    for table in ("smcjl_colpack_table_6_7.csv", "smcjl_what_table_31_32.csv"):
        for row in csv.DictReader((folder / table).read_text().splitlines()):
            if row["name"] != short:
                continue
            for problem, side in (("columns", "2"), ("rows", "1")):
                counts = [int(row[order + side]) for order in ("N", "SL", "ID", "LF", "DLF") if order + side in row]
                counts = counts or ([int(row["K"])] if problem == "columns" else [])
                if counts:
                    about = {"kind": "reference", "graph": short, "ms": None, "from": table}
                    yield {**about, "code": f"{CODES[-1]}, {problem}, natural", "colors": counts[0]}
                    yield {**about, "code": f"{CODES[-1]}, {problem}, fewest", "colors": min(counts)}
            return


def compared(records: Sequence[Row]) -> list[str]:
    """A sentence on the colorings of lagcolor's default and of asdex."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for r in of_kind(records, "measurement"):
        if r["options"]["problem"] in ("columns", "rows", "star"):
            found.setdefault((r["graph"], r["options"]["problem"]), {})[r["code"]] = r["figures"]
    pairs = [(each["lagcolor"], each["asdex"]) for each in found.values() if "asdex" in each]
    fewer, more = (sum(sign * (b["colors"] - a["colors"]) > 0 for a, b in pairs) for sign in (1, -1))
    faster = sum(a["ms"] < b["ms"] for a, b in pairs)
    return [
        f"The default has fewer colors than asdex in {fewer} of {len(pairs)} colorings of patterns and more in {more}. "
        f"It is faster in {faster}."
    ]


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: "milliseconds / colors" of each code, and "natural, fewest" of the last."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for r in records:
        if r["kind"] == "measurement":
            f = r["figures"]
            cells.setdefault((r["graph"], r["options"]["problem"]), {})[r["code"]] = f"{f['ms']:.3g} / {f['colors']}"
    for r in records:
        if r["kind"] == "reference":
            code, problem, _ = r["code"].split(", ")
            cell = cells[r["graph"], problem]
            cell[code] = f"{cell[code]}, {r['colors']}" if code in cell else str(r["colors"])
    rows = [["pattern", "what", "lagcolor", "fast", "asdex", "SciPy", "SMC.jl"]]
    rows += [[*key, *(each.get(code, "") for code in CODES)] for key, each in cells.items()]
    runs = records[0]["settings"]["runs"]
    return [
        *report.markdown(rows, numbers=range(2, len(rows[0]))),
        "",
        f"Milliseconds / colors, medians of {runs} runs. SMC.jl: SparseMatrixColorings.jl, colors in natural order, "
        f"fewest colors. {report.source(records)}",
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.derivative_peers", __doc__, runs=5)
    p.set_defaults(device="cpu")
    p.add_argument("pattern", nargs="*", default=PATTERNS, metavar="PATTERN")
    p.add_argument("--tables", type=Path, metavar="FOLDER", help="with the colors of SparseMatrixColorings.jl's tests")
    args = p.parse_args(argv)
    out = recorded(args)
    for name in args.pattern:
        for row in of_pattern(name, args.runs):
            print(
                f"{row['graph']}, {row['options']['problem']}, {row['code']}: {row['figures']['ms']:.3g} ms", flush=True
            )
            out.add(row)
        for row in references(args.tables, name) if args.tables else ():
            out.add(row)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
