"""Time to solution of multicolor preconditioners, Jacobi, SciPy's and cuSPARSE's ILU, and PyAMG.

python -m benchmarks.solvers [PROBLEM …] [--real FOLDER] [--device cpu] [--codes CODE …] [--runs N] [--out FILE]

PROBLEM is NAME:WIDTH, as poisson:128 (solver_problems.py says which there are); default: the device's suite. --real:
also the matrices of a folder of real graphs. The solver is the same for all: SciPy's cg, cupyx's on a GPU; where the
matrix or SuperLU's factors are not symmetric their gmres, with a restart after 30 steps; until the residual is 10⁻⁸ of
the right-hand side. Milliseconds are medians, by the clock of the host after waiting for the device: of the setup (of
ours with coloring and structure, which `coloring_ms` and `numeric_ms`, new values alone, are parts of), and of the
solution.
--iterations: instead, iterations by number of colors.
"""

from __future__ import annotations

import inspect
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor import solvers
from lagcolor.base import device as dev

from . import report
from .experiment import measurement, milliseconds, parser, ready, recorded
from .solver_problems import SUITES, Problem, made, real

TOLERANCE, RESTART = 1e-8, 30
MOST = 5000  # iterations
LIMIT, AGAIN = 8.0, 1.0  # seconds: of a solution at most, and of one that is run again
OURS = {"ssor": "multicolor_sor", "ilu0": "multicolor_ilu0"}
OURS_FIRST = "lagcolor ssor"
SHOWN = ("jacobi", *OURS, "cuSPARSE ilu0", "scipy spilu", "pyamg gauss_seidel", "pyamg amg", "pyamg amg, our smoother")
CUSPARSE_MOST = 100_000_000  # entries of a matrix that cuSPARSE's ILU is tried on


class Stopped(Exception):  # noqa: N818, no error
    """A solution takes too long."""


# ---- preconditioners -----------------------------------------------------------------------------------------------


def modules(P: Problem) -> tuple[Any, Any]:
    """NumPy or CuPy, and the module of linear operators and solvers that goes with it."""
    if dev.is_cupy(P.b):
        import cupyx.scipy.sparse.linalg as linalg

        return dev.cupy(), linalg
    import scipy.sparse.linalg as linalg

    return np, linalg


def jacobi(P: Problem) -> Any:
    _, linalg = modules(P)
    inverse = 1 / P.A.diagonal()
    return linalg.LinearOperator(P.A.shape, lambda r: inverse * r.ravel(), dtype=P.A.dtype)


def spilu(P: Problem, **how: Any) -> Any:
    """SciPy's SuperLU, with its defaults; on a GPU, with a fill factor of 1, cuSPARSE's ILU(0) in natural order."""
    xp, linalg = modules(P)
    factors = linalg.spilu(P.A.tocsc() if xp is np else P.A, **how)
    M = linalg.LinearOperator(P.A.shape, lambda r: factors.solve(r.ravel()), dtype=P.A.dtype)
    M.for_cg = xp is not np  # SuperLU drops entries of L and U apart, so that their product is not symmetric
    return M


def gauss_seidel(P: Problem) -> Any:
    """PyAMG's loop over the rows, forward and backward."""
    from pyamg.relaxation.relaxation import gauss_seidel as relax

    _, linalg = modules(P)

    def apply(r: Any) -> Any:
        z = np.zeros(r.size)
        relax(P.A, z, r.ravel(), sweep="symmetric")
        return z

    return linalg.LinearOperator(P.A.shape, apply, dtype=P.A.dtype)


def multigrid(P: Problem, smoother: str | None) -> Any:
    """PyAMG's smoothed aggregation, with its own smoother or with ours on each level, as a preconditioner."""
    import pyamg
    import scipy.sparse as sp

    A = sp.csr_matrix(P.A) if P.block_size == 1 else sp.csr_matrix(P.A).tobsr((P.block_size,) * 2)
    M = pyamg.smoothed_aggregation_solver(A, symmetry="symmetric" if P.definite else "nonsymmetric")
    if smoother is not None:
        for level in M.levels[:-1]:
            own = solvers.multicolor_sor(level.A, block_size=level.A.blocksize[0] if level.A.format == "bsr" else 1)
            level.presmoother = level.postsmoother = lambda _, x, b, own=own: own.sweep(x, b)
    return M.aspreconditioner()


def ours(P: Problem, method: str, coloring: Any = None) -> Any:
    return getattr(solvers, method)(P.A, coloring=coloring, block_size=P.block_size)


def codes(P: Problem) -> dict[str, Callable[[], Any]]:
    """Name → a call that makes a preconditioner of the problem."""
    found: dict[str, Callable[[], Any]] = {"jacobi": partial(jacobi, P)}
    found |= {f"lagcolor {name}": partial(ours, P, method) for name, method in OURS.items()}
    if dev.is_cupy(P.b):
        if P.A.nnz <= CUSPARSE_MOST:
            found["cuSPARSE ilu0"] = partial(spilu, P, fill_factor=1)
        return found
    found["scipy spilu"] = partial(spilu, P)
    try:
        import pyamg  # noqa: F401
    except ImportError:
        return found
    found["pyamg gauss_seidel"] = partial(gauss_seidel, P)
    found["pyamg amg"] = partial(multigrid, P, None)
    found["pyamg amg, our smoother"] = partial(multigrid, P, "sor")
    return found


# ---- solutions -----------------------------------------------------------------------------------------------------


class Counted:
    """A preconditioner that counts how often it is applied, and stops a solution that takes too long."""

    def __init__(self, M: Any, limit: float, most: int) -> None:
        self._M, self.count, self._most = M, 0, most
        self._until = time.perf_counter() + limit

    def __call__(self, r: Any) -> Any:
        self.count += 1
        if self.count > self._most or time.perf_counter() > self._until:
            raise Stopped
        return self._M.matvec(r.ravel())


def solve(P: Problem, M: Any, limit: float = LIMIT, most: int = MOST) -> tuple[Any, int]:
    """The solution, None if it takes too long, and how often the preconditioner was applied."""
    _, linalg = modules(P)
    counted = Counted(M, limit, most)
    operator = linalg.LinearOperator(P.A.shape, counted, dtype=P.A.dtype)
    with_cg = P.definite and getattr(M, "for_cg", True)
    method = linalg.cg if with_cg else linalg.gmres
    how = {"rtol" if "rtol" in inspect.signature(method).parameters else "tol": TOLERANCE}
    if not with_cg:
        how["restart"] = RESTART
    try:
        x, info = method(P.A, P.b, M=operator, maxiter=most, atol=0.0, **how)
    except Stopped:
        return None, counted.count
    return (x if info == 0 else None), counted.count


def residual(P: Problem, x: Any) -> float:
    """‖b − A x‖ / ‖b‖."""
    xp, _ = modules(P)
    return float(xp.linalg.norm(P.b - P.A @ x) / xp.linalg.norm(P.b))


def clock(P: Problem, call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its milliseconds."""
    return milliseconds(call, "cuda" if dev.is_cupy(P.A.data) else "cpu")


def facts(P: Problem) -> Row:
    """What a line says of its problem."""
    degree = int((P.A.indptr[1:] - P.A.indptr[:-1]).max())
    device = "cuda" if dev.is_cupy(P.b) else "cpu"
    return {
        "graph": P.name,
        "spec": P.spec,
        "n": P.A.shape[0],
        "m": int(P.A.nnz),
        "max_degree": degree,
        "device": device,
    }


def of_code(P: Problem, make: Callable[[], Any], runs: int, limit: float, compiles: bool = True) -> Row:
    """Figures of a preconditioner: medians of the runs after one that compiles or loads the code.

    What compiles nothing and takes long to set up is set up once.
    """
    first, first_ms = clock(P, make)
    solve(P, first, limit, 3)
    reused = not compiles and first_ms > AGAIN * 1e3
    setups: list[float] = []
    solutions: list[float] = []
    for _ in range(runs):
        M, ms = (first, first_ms) if reused else clock(P, make)
        setups.append(ms)
        (x, count), ms = clock(P, partial(solve, P, M, limit))
        solutions.append(ms)
        if x is None or ms > AGAIN * 1e3:
            break
    figures: Row = {"setup_ms": statistics.median(setups), "iterations": count}
    if hasattr(M, "coloring"):
        figures["colors"] = M.coloring.n_colors
        figures["numeric_ms"] = statistics.median(clock(P, lambda: M.update(P.A))[1] for _ in range(runs))
        figures["coloring_ms"] = (M.coloring.seconds + M.coloring.order_seconds) * 1e3
    if x is None:
        return figures | {"stopped_ms": solutions[-1]}
    totals = [a + b for a, b in zip(setups, solutions, strict=True)]
    times = {"ms": statistics.median(totals), "ms_all": totals, "solve_ms": statistics.median(solutions)}
    return figures | times | {"residual": residual(P, x)}


def of_problem(P: Problem, wanted: Sequence[str], runs: int, limit: float) -> Iterator[Row]:
    """A line per code; what a code raises is in its line."""
    about = facts(P)
    for name, make in codes(P).items():
        if wanted and not any(word in name for word in wanted):
            continue
        try:
            figures = of_code(P, make, runs, limit, compiles="lagcolor" in name or "our" in name)
        except (lagcolor.GraphError, ArithmeticError, AttributeError, MemoryError, RuntimeError, ValueError) as e:
            print(f"{P.name}: {name}: {type(e).__name__}: {e}", flush=True)
            continue
        yield measurement(about, name, {}, **figures)


# ---- iterations by number of colors --------------------------------------------------------------------------------


def colorings(P: Problem) -> dict[str, Any]:
    """Return colorings by name: one color per row in natural order, lattice colors of cubes, and first-fit."""
    xp, _ = modules(P)
    n = P.A.shape[0]
    width = round(n ** (1 / 3))
    node = np.arange(n)
    named = {"natural order": node}
    if P.spec.startswith(("poisson:", "convection:")):
        x, y, z = node % width, node // width % width, node // width**2
        named |= {
            "2 colors": (x + y + z) % 2,
            "4 colors": (x + 2 * (y + z)) % 4,
            "8 colors": x % 2 + 2 * (y % 2) + 4 * (z % 2),
            "27 colors": x % 3 + 3 * (y % 3) + 9 * (z % 3),
        }
    colors = {name: xp.asarray(c.astype(np.int32)) for name, c in named.items()}
    G = lagcolor.Graph.of(lagcolor.Pattern.of(P.A), symmetrize=True)
    greedy = lagcolor.color(G, "first_fit", "random", seed=1)
    colors["first_fit, natural order"] = lagcolor.color(G, "first_fit", "natural")
    return colors | {"first_fit, random order": greedy, "the same, balanced": lagcolor.balance(G, greedy)}


def iterations(P: Problem) -> Iterator[Row]:
    """A line per method and coloring."""
    about = facts(P)
    for name, method in OURS.items():
        for coloring, colors in colorings(P).items():
            M = ours(P, method, colors)
            x, count = solve(P, M, 1e9)
            if x is None:
                continue
            figures = {"iterations": count, "colors": M.coloring.n_used, "residual": residual(P, x)}
            yield measurement(about, f"{name}, {coloring}", {}, **figures)


# ---- tables --------------------------------------------------------------------------------------------------------


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: times to solution, a row per problem and a column per code."""
    found: dict[str, dict[str, Row]] = {}
    for line in of_kind(records, "measurement"):
        if short(line["code"]) in SHOWN:
            found.setdefault(line["graph"], {})[line["code"]] = line
    cells: dict[tuple[str, str], str] = {}
    faster = 0
    for graph, row in found.items():
        first = row[OURS_FIRST]
        cells[graph, "colors"] = f"{first['figures'].get('colors', '')}"
        cells[graph, "setup of ssor"] = f"{first['figures']['setup_ms']:.3g}"
        best = min(line["figures"].get("ms", np.inf) for line in row.values())
        for code in sorted(row, key=lambda code: SHOWN.index(short(code))):
            cells[graph, short(code)] = cell(row[code], best)
        faster += first["figures"].get("ms", np.inf) < row["jacobi"]["figures"].get("ms", np.inf)
    runs = records[0]["settings"]["runs"]
    answer = f"The Krylov method with SSOR takes less time than with Jacobi on {faster} of {len(found)} problems."
    caption = (
        "Milliseconds of setup and solution together (iterations); the fastest in bold. cg, but gmres(30) for "
        f"convection and for spilu, until the residual is 10⁻⁸ of the right-hand side. Medians of {runs} runs, but of "
        "one where a solution takes over a second."
    )
    return [answer, "", *report.pivot(cells, "problem", 6), "", f"{caption} {report.source(records)}"]


def short(code: str) -> str:
    """Return a code as the head of a column; codes of other libraries are unchanged."""
    return code.removeprefix("lagcolor ")


def cell(line: Row, best: float) -> str:
    """Milliseconds and iterations of a code on a problem."""
    f = line["figures"]
    if "ms" not in f:
        return f"over {f['setup_ms'] + f['stopped_ms']:,.0f}"
    note = report.three_digits(f["ms"])
    return f"{f'**{note}**' if f['ms'] == best else note} ({f['iterations']:,})"


def iterations_markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of iterations: a column per method."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for line in of_kind(records, "measurement"):
        method, _, coloring = line["code"].partition(", ")
        if method in OURS:
            found.setdefault((line["graph"], coloring), {})[method] = line["figures"]
    methods = list(dict.fromkeys(name for row in found.values() for name in row))
    rows = [["problem", "coloring", "colors", *methods]]
    for (graph, coloring), row in found.items():
        colors = next(iter(row.values()))["colors"]
        rows.append([graph, coloring, f"{colors:,}", *(str(row[m]["iterations"]) if m in row else "" for m in methods)])
    return [*report.markdown(rows, numbers=range(2, 3 + len(methods))), "", f"Iterations. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.solvers", __doc__, runs=3)
    p.add_argument("problem", nargs="*", metavar="PROBLEM")
    p.add_argument("--real", type=Path, metavar="FOLDER", help="also the matrices of a folder of real graphs")
    p.add_argument("--codes", nargs="+", default=[], metavar="CODE", help="those alone whose names have this in them")
    p.add_argument("--limit", type=float, default=LIMIT, help="seconds of a solution (default %(default)s)")
    p.add_argument("--iterations", action="store_true", help="iterations by number of colors")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    out = recorded(args, tolerance=TOLERANCE)
    specs = args.problem or SUITES[args.device.partition(":")[0]]
    for make in [*(partial(made, spec) for spec in specs), *(real(args.real) if args.real else [])]:
        P = make(args.device)
        lines = iterations(P) if args.iterations else of_problem(P, args.codes, args.runs, args.limit)
        for line in lines:
            print(P.name, line["code"], {k: v for k, v in line["figures"].items() if k != "ms_all"}, flush=True)
            out.add(line)
    table = iterations_markdown if args.iterations else markdown
    print("\n".join(table(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
