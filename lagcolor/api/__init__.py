"""The public functions, a file each, and what every call shares: request, session, result, files.

Start with `color.py`. `request.py` checks the options and refuses combinations, `session.py` runs the call, and
`result.py` has `Coloring`. `color_implicit.py` has the session for graphs with computed edges. `PLACES` names modules
above this folder, imported at first use. `files/` reads and writes graphs, colorings and rules.
"""

from __future__ import annotations

import importlib
from typing import Any

PLACES = {
    "folder": "lagcolor.scale.disk.coloring",
    "folder check": "lagcolor.scale.disk.check",
    "several GPUs": "lagcolor.scale.gpus",
}
PARTS = "lagcolor.scale.gpus"  # has the class of graphs in parts, `Distributed`


def place(name: str) -> Any:
    """The module of a place other than one device where graphs are colored."""
    return importlib.import_module(PLACES[name])
