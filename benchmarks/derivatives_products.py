"""How many products Jacobians and Hessians need by default, beside single orders, SciPy and asdex, on a CPU.

python -m benchmarks.derivatives_products [MATRIX …] [--runs N] [--out FILE]

MATRIX is a name of `MATRICES`, made with fixed seeds, or data:PATH, an .npz file of the folder of real graphs with
`indptr`, `indices` and `shape`, or of a graph, whose diagonal is added. Times are medians of whole calls without a
check.
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
from lagcolor.bench.results import Row
from lagcolor.derivatives import hessian, jacobian
from lagcolor.orders import ORDERS, TWO_HOPS

from . import report
from .derivatives_cpu import band, lap
from .experiment import load, measurement, milliseconds, parser, recorded, shared_file

LAPLACIAN, TETRAHEDRA = 60, 10  # nodes along a side
Matrix = Callable[[], Any]


def permuted(A: Any, seed: int = 1) -> sp.csr_array:
    """Rows and columns in one random order."""
    p = np.random.default_rng(seed).permutation(A.shape[0])
    return sp.csr_array(sp.csr_array(A)[p][:, p])


def tetrahedra(unknowns: int) -> sp.csr_array:
    """Nodes of cubes of six tetrahedra each, with some unknowns per node."""
    w = TETRAHEDRA
    ids, ends = np.arange(w**3).reshape(w, w, w), []
    for x, y, z in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)):
        ends.append((ids[: w - x, : w - y, : w - z].ravel(), ids[x:, y:, z:].ravel()))
    i, j = (np.concatenate(side) for side in zip(*ends, strict=True))
    A = sp.coo_array((np.ones(len(i), np.int8), (i, j)), (w**3, w**3)).tocsr()
    return sp.csr_array(sp.kron(A + A.T + sp.eye_array(w**3, dtype=np.int8), np.ones((unknowns, unknowns), np.int8)))


def arrow(n: int, entries: int) -> sp.csr_array:
    """Two dense rows, two dense columns, the diagonal, and as many random entries per row."""
    A = sp.lil_array(sp.random_array((n, n), density=entries / n, rng=1) + sp.eye_array(n))
    A[:2] = 1
    A[:, :2] = 1
    return sp.csr_array(A)


def random(rows: int, columns: int, density: float, seed: int) -> sp.csr_array:
    """Entries at random places."""
    return sp.csr_array(sp.random_array((rows, columns), density=density, rng=seed))


MATRICES: dict[str, Matrix] = {
    **{f"random, seed {seed}": partial(random, 1000, 1000, 0.005, seed) for seed in range(4)},
    "random, wide": partial(random, 300, 900, 0.01, 5),
    "random, tall": partial(random, 900, 300, 0.01, 5),
    "grid": partial(lap, LAPLACIAN),
    "grid, permuted": lambda: permuted(lap(LAPLACIAN)),
    "band": partial(band, 3000, 20, 5, 7),
    "band, permuted": lambda: permuted(band(3000, 20, 5, 7)),
    "arrow": partial(arrow, 1000, 3),
    **{f"tetrahedra, {k} unknowns": partial(tetrahedra, k) for k in (1, 3, 6)},
    "tetrahedra, 3 unknowns, permuted": lambda: permuted(tetrahedra(3)),
}


def real(spec: str) -> sp.csr_array:
    """A matrix of the folder of real graphs, or a graph of it with the diagonal."""
    file = shared_file(spec)
    if file is not None and file.suffix == ".npz" and "shape" in (arrays := np.load(file)):
        ones = np.ones(len(arrays["indices"]), np.int8)
        return sp.csr_array((ones, arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
    G = load(spec, "cpu")
    return sp.csr_array(G.to_scipy() + sp.eye_array(G.n, dtype=np.int8))


def fewest(call: Callable[[str], Any], orders: Sequence[str]) -> int:
    """The fewest products in one order."""
    return min(call(order).n_colors for order in orders)


def codes(P: lagcolor.Pattern) -> dict[str, Callable[[], int]]:
    """Name → a call that gives the number of products."""
    how: dict[str, Any] = {"verify": False}
    found: dict[str, Callable[[], int]] = {
        "columns": lambda: jacobian(P, **how).n_colors,
        "columns, best single order": lambda: fewest(lambda name: jacobian(P, order=name, **how), list(TWO_HOPS)),
        "columns, SciPy": lambda: int(group_columns(P.to_scipy()).max()) + 1,
        "auto": lambda: jacobian(P, "auto", **how).n_colors,
        "auto, substitution": lambda: jacobian(P, "auto", "substitution", **how).n_colors,
    }
    symmetric = P.rows == P.columns and (P.to_scipy() != P.to_scipy().T).nnz == 0
    for name, way in (("star", "direct"), ("acyclic", "substitution")) if symmetric else ():
        found[name] = lambda way=way: hessian(P, way, **how).n_colors  # type: ignore[misc]
        found[f"{name}, best single order"] = lambda way=way: fewest(  # type: ignore[misc]
            lambda order: hessian(P, way, order=order, **how), list(ORDERS)
        )
    return found | asdex_codes(P, symmetric)


def asdex_codes(P: lagcolor.Pattern, symmetric: bool) -> dict[str, Callable[[], int]]:
    """Those of asdex, where it is installed."""
    try:
        import asdex
    except ImportError:
        return {}
    pattern = asdex.SparsityPattern.from_coo(P.rows_of_entries().astype(np.int32), P.indices, P.shape)
    found: dict[str, Callable[[], int]] = {"columns, asdex": lambda: asdex.color_cols(pattern)[1]}
    return found | ({"star, asdex": lambda: asdex.color_symmetric(pattern)[1]} if symmetric else {})


def of_matrix(name: str, A: sp.csr_array, runs: int) -> list[Row]:
    """A line per code."""
    P = lagcolor.Pattern.of(A)
    about = {"graph": name, "spec": name, "n": P.rows, "m": P.m, "max_degree": P.max_degree, "device": "cpu"}
    lines = []
    for code, call in codes(P).items():
        products = call()  # compiles or loads the code
        ms = [milliseconds(call)[1] for _ in range(1 if "single" in code else runs)]
        lines.append(measurement(about, code, {}, ms=statistics.median(ms), ms_all=ms, colors=products))
    return lines


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of products, and of milliseconds of what is no single order."""
    lines = [row for row in records if row["kind"] == "measurement"]
    names = list(dict.fromkeys(row["code"] for row in lines))
    table = [["matrix", "entries", *names]]
    for matrix in dict.fromkeys(row["graph"] for row in lines):
        those = {row["code"]: row for row in lines if row["graph"] == matrix}
        entries = next(iter(those.values()))["m"]
        table.append([matrix, f"{entries:,}", *(_cell(those.get(name)) for name in names)])
    runs = records[0]["settings"]["runs"]
    where = report.source(records)
    text = f"Products, and milliseconds but for single orders. Medians of {runs} runs. {where}"
    return [*report.markdown(table, numbers=range(1, len(table[0]))), "", text]


def _cell(line: Row | None) -> str:
    if line is None:
        return ""
    figures = line["figures"]
    return f"{figures['colors']}" if "single" in line["code"] else f"{figures['colors']} ({figures['ms']:.3g})"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.derivatives_products", __doc__, runs=3)
    p.add_argument("matrix", nargs="*", default=list(MATRICES), metavar="MATRIX")
    p.set_defaults(device="cpu")
    args = p.parse_args(argv)
    if unknown := [name for name in args.matrix if name not in MATRICES and shared_file(name) is None]:
        p.error(f"no matrix {unknown[0]!r}; there are: {', '.join(MATRICES)}")
    out = recorded(args)
    for name in args.matrix:
        for line in of_matrix(name, MATRICES[name]() if name in MATRICES else real(name), args.runs):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
