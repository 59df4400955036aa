"""Places other than one device where graphs are colored: modules above this folder, imported at first use."""

from __future__ import annotations

import importlib
from typing import Any

PLACES = {
    "folder": "lagcolor.scale.disk.coloring",
    "folder check": "lagcolor.scale.disk.check",
    "several GPUs": "lagcolor.scale.gpus",
}
PARTS = "lagcolor.scale.gpus.parts"  # has the class of graphs in parts, `Distributed`


def place(name: str) -> Any:
    """The module of a place."""
    return importlib.import_module(PLACES[name])
