"""Graphs that `color` colors in parts: functions of `lagcolor.scale`, imported by name when a call asks for one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

COLOR = {"disk": "lagcolor.scale.disk.coloring:color"}
VERIFY = {"disk": "lagcolor.scale.disk.check:verify"}


def transport(name: str, table: dict[str, str] = COLOR) -> Callable[..., Any]:
    """The function of a transport."""
    module, _, function = table[name].partition(":")
    return getattr(importlib.import_module(module), function)
