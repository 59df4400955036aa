"""lagcolor: graph coloring on CPU and NVIDIA GPU, in three programming styles, checked.

>>> import lagcolor
>>> result = lagcolor.color(lagcolor.generate.cycle(6), order="natural")
>>> result.n_colors, result.colors
(2, array([0, 1, 0, 1, 0, 1], dtype=int32))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .graph import specs as _specs

try:
    import semirings as _semirings

    _is_own = "engine" in getattr(_semirings, "__all__", ())
except ImportError:  # it is missing, or packages that the other project needs are
    _is_own = False
if not _is_own:
    from importlib.util import find_spec as _find

    _file = getattr(_find("semirings"), "origin", None)  # None, too, for a folder that is left without its __init__.py
    _what = f"{_file} is of another project of that name" if _file else "its files are missing"
    raise ImportError(
        f"lagcolor needs its own package semirings, and {_what}: run pip uninstall semirings, then "
        "pip install --force-reinstall --no-deps lagcolor"
    )

# Public name → module, imported at first use: `import lagcolor` itself pulls in nothing.
_WHERE = {
    "__version__": "base",
    "color": "api.color",
    "color_implicit": "api.color_implicit",
    "ImplicitColoring": "api.color_implicit",
    "color_pairs": "api.color_pairs",
    "PairColoring": "api.color_pairs",
    "Graph": "graph.graph",
    "Pattern": "graph.pattern",
    "Coloring": "api.result",
    "ALGORITHMS": "problems.registry",
    "Algorithm": "problems.registry",
    "ORDERS": "orders",
    "Priorities": "orders",
    "verify": "api.verify",
    "Report": "problems.report",
    "reduce": "api.reduce",
    "balance": "api.balance",
    "equitable": "api.balance",
    "recolor": "api.recolor",
    "LagcolorError": "base.errors",
    "GraphError": "base.errors",
    "FormatError": "base.errors",
    "ColoringError": "base.errors",
    "OptionError": "base.errors",
    "DeviceError": "base.errors",
    "ClusterError": "base.errors",
    "MissingPackageError": "base.errors",
    "LagcolorWarning": "base.errors",
    "CacheWarning": "base.errors",
    "EntryPointWarning": "base.errors",
    "NumberingWarning": "base.errors",
    "PivotWarning": "base.errors",
    "has_gpu": "base.device",
    "convert": "scale.disk.convert",
}
_SUBMODULES = {
    "derivatives",
    "io",
    "generate",
    "mesh",
    "pauli",
    "plot",
    "orders",
    "problems",
    "scale",
    "semirings",
    "solvers",
}

__all__ = [
    "ALGORITHMS",
    "ORDERS",
    "Algorithm",
    "CacheWarning",
    "ClusterError",
    "Coloring",
    "ColoringError",
    "DeviceError",
    "EntryPointWarning",
    "FormatError",
    "Graph",
    "GraphError",
    "ImplicitColoring",
    "LagcolorError",
    "LagcolorWarning",
    "MissingPackageError",
    "NumberingWarning",
    "OptionError",
    "PairColoring",
    "Pattern",
    "PivotWarning",
    "Priorities",
    "Report",
    "__version__",
    "balance",
    "color",
    "color_implicit",
    "color_pairs",
    "convert",
    "derivatives",
    "equitable",
    "generate",
    "has_gpu",
    "io",
    "mesh",
    "orders",
    "pauli",
    "plot",
    "problems",
    "recolor",
    "reduce",
    "scale",
    "semirings",
    "solvers",
    "verify",
]

if TYPE_CHECKING:
    from . import derivatives, generate, io, mesh, orders, pauli, plot, problems, scale, solvers
    from .api.balance import balance, equitable
    from .api.color import color
    from .api.color_implicit import ImplicitColoring, color_implicit
    from .api.color_pairs import PairColoring, color_pairs
    from .api.recolor import recolor
    from .api.reduce import reduce
    from .api.result import Coloring
    from .api.verify import verify
    from .base import __version__
    from .base.device import has_gpu
    from .base.errors import (
        CacheWarning,
        ClusterError,
        ColoringError,
        DeviceError,
        EntryPointWarning,
        FormatError,
        GraphError,
        LagcolorError,
        LagcolorWarning,
        MissingPackageError,
        NumberingWarning,
        OptionError,
        PivotWarning,
    )
    from .graph.graph import Graph
    from .graph.pattern import Pattern
    from .orders import ORDERS, Priorities
    from .problems.registry import ALGORITHMS, Algorithm
    from .problems.report import Report
    from .scale.disk.convert import convert


def _generate(spec: str, device: str | None) -> Graph:
    from .generate.families import of_text

    return of_text(spec, device)


_specs.generator = _generate


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
