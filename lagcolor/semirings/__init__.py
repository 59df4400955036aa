"""lagcolor.semirings: GraphBLAS-style masked linear algebra for Python, one contract on CPU and GPU.

>>> from lagcolor import semirings
>>> E = semirings.engine("cpu")
>>> A = E.matrix([0, 1, 3, 4], [1, 0, 2, 1], symmetric=True)
>>> w = E.from_numpy([5, 7, 6])
>>> E.to_numpy(E.vxm(w, A, semirings.max_times)).tolist()
[7, 6, 7]

The verbs are methods of an engine (`contract.Engine`). Operators and semirings are attributes of this module:
``semirings.gt``, ``semirings.max_times`` and so on, all that `BINARY`, `UNARY` and `SEMIRINGS` list.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..core.extras import need
from ..runtime.compile_clock import importing
from .algebra import (
    BINARY,
    MONOIDS,
    SEMIRINGS,
    UNARY,
    BinaryOp,
    Monoid,
    Semiring,
    UnaryOp,
    binary_op,
    monoid,
    semiring,
    unary_op,
)
from .contract import Engine

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


__all__ = [
    "BINARY",
    "MONOIDS",
    "SEMIRINGS",
    "UNARY",
    "BinaryOp",
    "Engine",
    "Monoid",
    "Semiring",
    "UnaryOp",
    "binary_op",
    "engine",
    "monoid",
    "semiring",
    "unary_op",
]

globals().update(SEMIRINGS | UNARY | BINARY)


@functools.cache
def engine(name: str = "cpu") -> Any:
    """The engine of a device.

    Parameters
    ----------
    name : {"cpu", "cuda", "cupyx"}
        python-graphblas (SuiteSparse), CuPy with own kernels, or plain CuPy and cupyx.

    Raises
    ------
    ValueError
        For another name.
    MissingPackageError
        For "cpu" where python-graphblas is missing.
    DeviceError
        For "cuda" and "cupyx" where CuPy or a GPU is missing.
    """
    with importing():
        if name == "cpu":
            need("graphblas", "masked linear algebra on a CPU", "graphblas")
            from .cpu import Cpu

            return Cpu()
        if name == "cuda":
            from .gpu import Gpu

            return Gpu()
        if name == "cupyx":
            from .cupyx import Cupyx

            return Cupyx()
    raise ValueError(f"unknown engine {name!r}: use 'cpu', 'cuda' or 'cupyx'")
