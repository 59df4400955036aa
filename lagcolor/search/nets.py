"""Qualities of problems whose vertices conflict within nets: columns, rows, distance 2."""

from __future__ import annotations

from typing import Any

from ..core.nets import Nets
from ..core.registry import Algorithm
from ..core.result import Log
from ..orders import Priorities
from . import Limit


def run(H: Nets, p: Priorities, log: Log, quality: str, seed: int, limit: Limit, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring, which `row` makes."""
    return row.run(H, p, log)
