"""Multicolor SOR, with ω = 1 Gauss–Seidel: forward, backward, or both, which is SSOR."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OptionError
from ..core.options import number
from .cpu_values import take
from .operators import Multicolor, create
from .pivots import check_scale, inverse, out_of_range

TURNED = {"symmetric": "symmetric", "forward": "backward", "backward": "forward"}


def multicolor_sor(
    A: Any,
    omega: float = 1.0,
    sweep: str = "symmetric",
    *,
    coloring: Any = None,
    block_size: int | None = None,
    balance: bool = False,
    storage: Any = None,
    threads: int | None = None,
) -> MulticolorSOR:
    """A multicolor SOR preconditioner and smoother; with ω = 1 Gauss–Seidel, with a symmetric sweep SSOR.

    Rows are visited color by color, those of one color at the same time: a Gauss–Seidel sweep in that order, exactly,
    not a mixture with Jacobi.

    Parameters
    ----------
    A : sparse matrix of scipy.sparse or cupyx.scipy.sparse, shape (n, n)
        Any format; float32, float64, complex64 or complex128 (integers and bools become float64). Stored entries
        count, also zeros. Vectors are of its type.
    omega : float
        ω, over 0 and under 2.
    sweep : {"symmetric", "forward", "backward"}
        The order of rows: up, down, or up and then down, which is symmetric positive definite with A, as CG needs it.
    coloring : Coloring, array of integers, shape (n / b,), or mapping, optional
        A proper coloring of the graph of A ∪ Aᵀ (of its blocks); it is checked. Default: two colors
        where two do, else those of first-fit, the same on each run.
    block_size : int, optional
        b unknowns after each other are one block, as the components of a displacement: blocks are colored, and each is
        solved for as a whole. Default: the block size of a BSR matrix with square blocks, else 1.
    balance : bool
        Make the classes of nearly one size first, as `lagcolor.balance` does.
    storage : {"float32", "float64"} or type of NumPy, optional
        Keep the factors in 32 bits per real number, with vectors as they are: half of the bytes of values, to which
        columns come. As a preconditioner that is about as good, and as a smoother it solves with the rounded matrix.
    threads : int, optional
        On a CPU; default: one per core for large matrices.

    Returns
    -------
    MulticolorSOR
        A `LinearOperator`, of SciPy or CuPy like A, to be the ``M`` of cg, gmres, bicgstab.

    Raises
    ------
    GraphError
        A is not square or no sparse matrix; a row has a zero or nothing on its diagonal, or an entry that is not finite
        (with blocks: a singular diagonal block). The message names the row.
    ColoringError
        The coloring given is improper; the message names an edge.
    OptionError
        ω out of range, an unknown sweep or storage, a block size that does not divide n, entries of another type, a
        number of threads under 1.

    References
    ----------
    Adams, Ortega 1982, "A multi-color SOR method for parallel computation"; Saad 2003, "Iterative methods for sparse
    linear systems", sections 4.1 and 12.4.
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return create(MulticolorSOR, A, omega=omega, sweep=sweep, **how)


class MulticolorSOR(Multicolor):
    """What `multicolor_sor` returns.

    Attributes
    ----------
    omega : float
        ω.
    """

    omega: float

    def __init__(self, A: Any, *, omega: float, sweep: str, **how: Any) -> None:
        self.omega = relaxation(omega)
        self._begin(A, sweep, **how)

    def _load(self, values: Any) -> None:
        if self._engine.load_sor(values, self.omega, self._stored):
            return
        S = self._symbolic  # each step by itself, so that the error says what is wrong where
        diagonal = take(values, S.diagonal)
        scale = inverse(S.xp, diagonal) * values.dtype.type(self.omega)
        check_scale(S, scale, diagonal, no_inverse)
        self._hand_over(take(values, S.lower.source), take(values, S.upper.source), scale, 2 - self.omega)

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"omega": self.omega, "sweep": self._sweep}

    def _turned(self) -> dict[str, Any]:
        return self._options() | {"sweep": TURNED[self._sweep]}

    def _improve(self, x: Any, b: Any, iterations: int) -> None:
        self._engine.smooth(x, b, self.omega, self._sweep, iterations)


def no_inverse(block: np.ndarray) -> str:
    """What is wrong with a block of the diagonal, and the remedy."""
    if len(block) > 1:
        return "a singular diagonal block: sweeps divide by it; permute rows, or take blocks of another size"
    if block.any():
        return out_of_range(block)
    return "a zero on the diagonal: sweeps divide by it; permute rows so that it has none"


def relaxation(omega: Any) -> float:
    """A factor with which SOR can converge."""
    omega = number("omega", omega, 0.0, over=True)
    if omega >= 2:
        raise OptionError(f"omega must be over 0 and under 2, not {omega:g}: SOR converges for no other (Kahan 1958)")
    return float(omega)
