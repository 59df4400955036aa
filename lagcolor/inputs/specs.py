"""What is a graph of this library by another name: a generator such as "rgg:16", or a graph for NetworkX's backend."""

from __future__ import annotations

import errno
import importlib
import os
from typing import Any

from ..core.options import hint, known


def made(x: Any, device: str | None) -> Any:
    """The `Graph` that a generator makes, where a text is its specification and no path of a file, or that of a graph
    for NetworkX's backend; anything else as it is.

    Raises
    ------
    FileNotFoundError
        A text names neither a file nor a generator.
    """
    if not isinstance(x, str):
        return x.graph if getattr(type(x), "__networkx_backend__", None) == "lagcolor" else x
    if os.path.lexists(x):
        return x
    # By name: generators make graphs, so they are below this in the order of imports.
    generate = importlib.import_module("..generate", __package__)
    family = x.partition(":")[0].strip()
    if known(family, generate.FAMILIES) is None:
        like = hint(family, generate.FAMILIES) or " ('rgg:16' is one; lagcolor.generate.FAMILIES lists them)"
        raise FileNotFoundError(errno.ENOENT, f"no such file, and no generator of that name{like}", x)
    return generate.from_spec(x, device=device or "cpu")
