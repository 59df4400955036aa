"""Residuals of conjugate gradients by preconditioner: docs/pictures/convergence-poisson-64.svg and another picture.

python -m benchmarks.solver_convergence [PROBLEM …] [--out FILE]

PROBLEM as for benchmarks.solvers. On the CPU; a line per problem and preconditioner has ‖b − A x‖ / ‖b‖ after each
iteration, and `work`, the entries that an iteration reads, in products with A: one for the product itself, one for
both passes of SSOR, in any order of the rows, and of incomplete factors, and per level of a multigrid cycle five: a
loop over all rows up and down before and after, and a residual.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg

from benchmarks.harness.results import Row, of_kind
from lagcolor import solvers

from . import report
from .experiment import measurement, parser, recorded
from .solver_problems import Problem, made
from .solvers import MOST, TOLERANCE, facts, gauss_seidel, jacobi

PROBLEMS = ("poisson:64", "tetrahedra:35")
PER_LEVEL = 5.0


def multigrid(P: Problem, ours: bool) -> tuple[Any, float]:
    """PyAMG's smoothed aggregation with its Gauss–Seidel loops, or ours on each level, and its work."""
    import pyamg

    M = pyamg.smoothed_aggregation_solver(sp.csr_matrix(P.A))
    for level in M.levels[:-1] if ours else ():
        own = solvers.multicolor_sor(level.A, block_size=1)
        level.presmoother = level.postsmoother = lambda _, x, b, own=own: own.sweep(x, b)
    return M.aspreconditioner(), PER_LEVEL * M.operator_complexity()


def preconditioners(P: Problem) -> dict[str, Callable[[], tuple[Any, float]]]:
    """Name → a call that makes one, with the work of an application."""
    return {
        "Jacobi": lambda: (jacobi(P), 0.0),
        "multicolor SSOR": lambda: (solvers.multicolor_sor(P.A), 1.0),
        "multicolor IC(0)": lambda: (solvers.multicolor_ic0(P.A), 1.0),
        "SSOR in natural order": lambda: (gauss_seidel(P), 1.0),  # PyAMG's loop reads twice, which it need not
        "AMG (PyAMG)": partial(multigrid, P, False),
        "AMG with multicolor smoother": partial(multigrid, P, True),
    }


def history(P: Problem, M: LinearOperator) -> list[float]:
    """Relative residuals before the first iteration and after each."""
    found, norm = [1.0], np.linalg.norm(P.b)

    def note(x: np.ndarray) -> None:
        found.append(float(np.linalg.norm(P.b - P.A @ x) / norm))

    cg(P.A, P.b, M=M, rtol=TOLERANCE, atol=0.0, maxiter=MOST, callback=note)
    return found


def lines(P: Problem) -> Iterator[Row]:
    """A line per preconditioner."""
    for name, make in preconditioners(P).items():
        M, work = make()
        residuals = [float(f"{x:.4g}") for x in history(P, M)]
        colors = {"colors": M.coloring.n_colors} if hasattr(M, "coloring") else {}
        yield measurement(facts(P), name, {}, work=round(1 + work, 3), residuals=residuals, **colors)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: the entries that all iterations read, as products with A."""
    cells = {}
    for line in of_kind(records, "measurement"):
        steps = len(line["figures"]["residuals"]) - 1
        cells[line["code"], line["graph"]] = f"{steps * line['figures']['work']:,.0f}"
    legend = "Entries that were read until the residual is 10⁻⁸ of the right-hand side, as a number of products with A."
    return [*report.pivot(cells, "preconditioner"), "", f"{legend} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print iterations and work."""
    p = parser("benchmarks.solver_convergence", __doc__)
    p.set_defaults(device="cpu")
    p.add_argument("problem", nargs="*", metavar="PROBLEM")
    args = p.parse_args(argv)
    if args.device != "cpu":
        p.error("residuals are from the CPU: leave --device out")
    out = recorded(args, tolerance=TOLERANCE)
    for spec in args.problem or PROBLEMS:
        for line in lines(made(spec, "cpu")):
            f = line["figures"]
            steps = len(f["residuals"]) - 1
            print(f"{line['graph']}: {line['code']}: {steps} iterations, {steps * f['work']:,.0f} products", flush=True)
            out.add(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
