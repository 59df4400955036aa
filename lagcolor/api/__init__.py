"""The public functions, one file each, and the modules that they share: request, session, result and files.

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
PARTS = "lagcolor.scale.gpus"  # the public module of `Distributed`, the class of graphs in parts


def place(name: str) -> Any:
    """Import the module that colors graphs in a place other than one device."""
    return importlib.import_module(PLACES[name])
