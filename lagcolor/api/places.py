"""Places other than one device where graphs are colored: modules above this folder, imported at first use."""

from __future__ import annotations

import importlib
import sys
from typing import Any

PLACES = {
    "folder": "lagcolor.scale.disk.coloring",
    "folder check": "lagcolor.scale.disk.check",
    "several GPUs": "lagcolor.scale.gpus",
}


def is_in_parts(x: Any) -> bool:
    """Whether a graph is in parts on several GPUs. Nothing is imported for the test."""
    module = sys.modules.get(f"{PLACES['several GPUs']}.parts")
    return module is not None and isinstance(x, module.Distributed)


def place(name: str) -> Any:
    """The module of a place."""
    return importlib.import_module(PLACES[name])
