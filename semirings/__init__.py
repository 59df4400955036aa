"""semirings: masked sparse linear algebra after GraphBLAS, one contract on CPU and GPU.

An engine multiplies vectors and matrices over semirings, with masks and accumulators: on a CPU by SuiteSparse
(python-graphblas), on an NVIDIA GPU by kernels of this package, and on any GPU of CuPy by `cupyx.scipy.sparse` and
ElementwiseKernels. Start with `contract.py`, which describes the verbs, then read `algebra.py`. The package is part of
lagcolor, whose colorings of Osama et al. use it, and imports nothing of lagcolor.

>>> import semirings
>>> E = semirings.engine("cpu")
>>> A = E.matrix([0, 1, 3, 4], [1, 0, 2, 1], symmetric=True)
>>> w = E.from_numpy([5, 7, 6])
>>> E.to_numpy(E.vxm(w, A, semirings.max_times)).tolist()
[7, 6, 7]

The verbs are methods of an engine (`contract.Engine`). Operators and semirings are attributes of this module:
``semirings.gt``, ``semirings.max_times`` and so on; `BINARY`, `UNARY` and `SEMIRINGS` list them.

Reference: Buluç, Mattson, McMillan, Moreira, Yang 2017, "Design of the GraphBLAS API for C".
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .devices import DeviceError

    def __getattr__(name: str) -> Any: ...


__all__ = [
    "BINARY",
    "MONOIDS",
    "SEMIRINGS",
    "UNARY",
    "BinaryOp",
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

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Public name; the first one imports NumPy."""
        if name.startswith("__"):
            raise AttributeError(name)
        modules = (".algebra", ".contract", ".devices")
        algebra, contract, devices = (importlib.import_module(module, __name__) for module in modules)
        space = globals()
        space.update(algebra.SEMIRINGS | algebra.UNARY | algebra.BINARY)
        space.update({x: getattr(algebra, x) for x in __all__ if hasattr(algebra, x)})
        space.update(Engine=contract.Engine, DeviceError=devices.DeviceError)
        if name not in space:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return space[name]


@functools.cache
def engine(name: str = "cpu") -> Any:
    """Return an engine.

    Parameters
    ----------
    name : {"cpu", "cuda", "cupyx"}
        "cpu": python-graphblas (SuiteSparse). "cuda": CuPy and kernels of this package. "cupyx": cupyx and
        ElementwiseKernels.

    Raises
    ------
    ValueError
        The name is unknown.
    ImportError
        The name is "cpu" and python-graphblas is missing.
    DeviceError
        The name is "cuda" or "cupyx", and CuPy or a GPU is missing.
    """
    if name == "cpu":
        try:
            from .cpu import Cpu
        except ModuleNotFoundError as e:
            if e.name != "graphblas":  # installed, but one of its dependencies is missing
                raise
            raise ImportError("engine 'cpu' needs python-graphblas: pip install 'lagcolor[graphblas]'") from e
        return Cpu()
    if name == "cuda":
        from .gpu import Gpu

        return Gpu()
    if name == "cupyx":
        from .cupyx import Cupyx

        return Cupyx()
    raise ValueError(f"unknown engine {name!r}: use 'cpu', 'cuda' or 'cupyx'")
