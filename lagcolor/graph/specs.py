"""Inputs that stand for a `Graph`: the name of a generator such as "rgg:16", or a graph of NetworkX's backend."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

# Makes a graph from a text and a device. The package's `__init__` sets it, because generators import `Graph`.
generator: Callable[[str, str | None], Any]


def resolve(x: Any, device: str | None) -> Any:
    """Return the `Graph` of a generator, for a text that is not a path, or of NetworkX's backend; or x unchanged."""
    if not isinstance(x, str):
        return x.graph if getattr(type(x), "__networkx_backend__", None) == "lagcolor" else x
    return x if os.path.lexists(x) else generator(x, device)  # noqa: F821
