"""Qualities of star and acyclic colorings and of bicolorings."""

from __future__ import annotations

from typing import Any

from ..core.registry import Algorithm
from ..core.result import Log
from ..orders import Priorities
from . import Limit


def run(H: Any, p: Priorities, log: Log, quality: str, seed: int, limit: Limit, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring, which `row` makes."""
    return row.run(H, p, log)
