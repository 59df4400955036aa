"""Read and write files: a module for each kind of format, and the public functions.

Start with `formats.py`, the table of formats. `files.py` opens files, and writes each file completely or not at all.
`parse.py` and `pieces.py` read text. `graph/files.py` converts the arrays to graphs. `api/files/` has the public
functions, which this file lists. `scale/disk/convert/` reads the same formats in bounded memory.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Public name → module, imported at first use, because the functions need graphs and problems.
_WHERE = {
    "FORMATS": "lagcolor.io.formats",
    "Format": "lagcolor.io.formats",
    "read": "lagcolor.api.files.graphs",
    "read_allowed": "lagcolor.api.files.rules",
    "read_capacity": "lagcolor.api.files.rules",
    "read_coloring": "lagcolor.api.files.colorings",
    "read_forbidden": "lagcolor.api.files.rules",
    "read_weights": "lagcolor.api.files.rules",
    "write": "lagcolor.api.files.graphs",
    "write_coloring": "lagcolor.api.files.colorings",
}

__all__ = [
    "FORMATS",
    "Format",
    "read",
    "read_allowed",
    "read_capacity",
    "read_coloring",
    "read_forbidden",
    "read_weights",
    "write",
    "write_coloring",
]

if TYPE_CHECKING:
    from ..api.files.colorings import read_coloring, write_coloring
    from ..api.files.graphs import read, write
    from ..api.files.rules import read_allowed, read_capacity, read_forbidden, read_weights
    from .formats import FORMATS, Format


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
