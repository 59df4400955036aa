"""What is a graph of this library by another name: a generator such as "rgg:16", or a graph for NetworkX's backend."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

# Makes the graph of a text and a device. The package's `__init__` sets it, since generators import `Graph`.
generator: Callable[[str, str | None], Any]


def resolve(x: Any, device: str | None) -> Any:
    """The `Graph` of a generator for a text that is no path, or of NetworkX's backend; anything else as it is."""
    if not isinstance(x, str):
        return x.graph if getattr(type(x), "__networkx_backend__", None) == "lagcolor" else x
    return x if os.path.lexists(x) else generator(x, device)  # noqa: F821
