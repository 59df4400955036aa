"""Optional packages: each is imported where it is needed, and one that is missing is an error that names its extra."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingPackageError


def need(module: str, what: str, extra: str) -> Any:
    """The module of an optional package; `what` needs it, and `extra` of this package installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name != module.partition(".")[0]:  # it is installed, and misses something itself
            raise
        raise MissingPackageError(f"{what} needs {module.partition('.')[0]}: {advice(extra)}") from e


def advice(extra: str) -> str:
    """How to install an extra, from an index and from a checkout."""
    return f"pip install 'lagcolor[{extra}]', or pip install '.[{extra}]' in a checkout"
