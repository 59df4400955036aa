"""semirings: GraphBLAS-style masked linear algebra for Python, one contract on CPU and GPU.

>>> import semirings
>>> E = semirings.engine("cpu")
>>> A = E.matrix([0, 1, 3, 4], [1, 0, 2, 1], symmetric=True)
>>> w = E.from_numpy([5, 7, 6])
>>> E.to_numpy(E.vxm(w, A, semirings.max_times)).tolist()
[7, 6, 7]

The verbs are methods of an engine (`semirings.contract.Engine`). Operators and semirings are attributes of this
module: ``semirings.gt``, ``semirings.max_times`` and so on, all that `BINARY`, `UNARY` and `SEMIRINGS` list.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import TYPE_CHECKING, Any

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
from .contract import CacheWarning, DeviceError, Engine
from .runtime.compile_clock import importing

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


__all__ = [
    "BINARY",
    "MONOIDS",
    "SEMIRINGS",
    "UNARY",
    "BinaryOp",
    "CacheWarning",
    "DeviceError",
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
    ImportError
        For "cpu" where python-graphblas is missing.
    DeviceError
        For "cuda" and "cupyx" where CuPy or a GPU is missing.
    """
    with importing():
        if name == "cpu":
            return _cpu()
        if name == "cuda":
            from .gpu import Gpu

            return Gpu()
        if name == "cupyx":
            from .cupyx import Cupyx

            return Cupyx()
    raise ValueError(f"unknown engine {name!r}: use 'cpu', 'cuda' or 'cupyx'")


def _cpu() -> Any:
    """The engine on python-graphblas, or an error that says how to install it."""
    if importlib.util.find_spec("graphblas") is None:
        raise ImportError(
            "the CPU engine needs python-graphblas and Python 3.13 or older: pip install 'lagcolor[graphblas]', or "
            "pip install '.[graphblas]' in a checkout"
        )
    from .cpu import Cpu

    return Cpu()
