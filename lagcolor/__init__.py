"""lagcolor: graph coloring on CPU and NVIDIA GPU, in three programming styles, checked.

>>> import lagcolor
>>> result = lagcolor.color(lagcolor.generate.cycle(6), order="natural")
>>> result.n_colors, result.colors
(2, array([0, 1, 0, 1, 0, 1], dtype=int32))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name → module, imported at first use: `import lagcolor` itself pulls in nothing.
_WHERE = {
    "color": "api",
    "color_implicit": "implicit",
    "Graph": "graph",
    "Pattern": "pattern",
    "Coloring": "result",
    "ALGORITHMS": "registry",
    "Algorithm": "registry",
    "ORDERS": "orders",
    "Priorities": "orders",
    "verify": "problems",
    "Report": "problems.distance1",
    "reduce": "recoloring",
    "balance": "balancing",
    "equitable": "balancing",
    "recolor": "changes",
    "LagcolorError": "errors",
    "GraphError": "errors",
    "FormatError": "errors",
    "ColoringError": "errors",
    "OptionError": "errors",
    "DeviceError": "errors",
    "ClusterError": "errors",
    "LagcolorWarning": "errors",
    "AmbiguityWarning": "errors",
    "CacheWarning": "errors",
    "NumberingWarning": "errors",
    "PivotWarning": "errors",
    "RoundsWarning": "errors",
    "has_gpu": "device",
    "convert": "scale.disk.convert",
}
_SUBMODULES = {"derivatives", "io", "generate", "pauli", "plot", "orders", "problems", "scale", "solvers"}

__all__ = [
    "ALGORITHMS",
    "ORDERS",
    "Algorithm",
    "AmbiguityWarning",
    "CacheWarning",
    "ClusterError",
    "Coloring",
    "ColoringError",
    "DeviceError",
    "FormatError",
    "Graph",
    "GraphError",
    "LagcolorError",
    "LagcolorWarning",
    "NumberingWarning",
    "OptionError",
    "Pattern",
    "PivotWarning",
    "Priorities",
    "Report",
    "RoundsWarning",
    "__version__",
    "balance",
    "color",
    "color_implicit",
    "convert",
    "derivatives",
    "equitable",
    "generate",
    "has_gpu",
    "io",
    "orders",
    "pauli",
    "plot",
    "recolor",
    "reduce",
    "scale",
    "solvers",
    "verify",
]

if TYPE_CHECKING:
    from . import derivatives, generate, io, orders, pauli, plot, scale, solvers
    from .api import color
    from .balancing import balance, equitable
    from .changes import recolor
    from .device import has_gpu
    from .errors import (
        AmbiguityWarning,
        CacheWarning,
        ClusterError,
        ColoringError,
        DeviceError,
        FormatError,
        GraphError,
        LagcolorError,
        LagcolorWarning,
        NumberingWarning,
        OptionError,
        PivotWarning,
        RoundsWarning,
    )
    from .graph import Graph
    from .implicit import color_implicit
    from .orders import ORDERS, Priorities
    from .pattern import Pattern
    from .problems import verify
    from .problems.distance1 import Report
    from .recoloring import reduce
    from .registry import ALGORITHMS, Algorithm
    from .result import Coloring
    from .scale.disk.convert import convert


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
