"""The parts of the documentation site: its settings, its pages, and the public names that it has to explain."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from stability import rows

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = ("gallery", "generated")  # folders that the build makes
PAGES = sorted(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] not in MADE)
ENTRY = re.compile(r"^\s+([\w.]+)$|^\.\. (?:py:data|automodule):: (\S+)$|^\.\. currentmodule:: (\S+)$", re.MULTILINE)
# Public modules and their public names; an empty list: those in the `__all__` of the module.
MODULES: dict[str, list[str]] = {
    "lagcolor": [],
    "lagcolor.derivatives": [],
    "lagcolor.derivatives.jax": ["jacobian", "hessian"],
    "lagcolor.derivatives.asdex": ["pattern_of", "to_asdex", "from_asdex"],
    "lagcolor.generate": [],
    "lagcolor.io": [],
    "lagcolor.mesh": [],
    "lagcolor.networkx": [],
    "lagcolor.orders": [],
    "lagcolor.pauli": [],
    "lagcolor.plot": [],
    "lagcolor.problems": [],
    "lagcolor.scale": [],
    "lagcolor.scale.dask": [],
    "lagcolor.scale.disk": [],
    "lagcolor.solvers": [],
    "lagcolor.frontier.operators": [],
    "semirings": [],
}


def site() -> ModuleType:
    """docs/conf.py."""
    spec = importlib.util.spec_from_file_location("docs_conf", DOCS / "conf.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public() -> Iterator[tuple[str, Any]]:
    """Public names with what they stand for."""
    for module, names in MODULES.items():
        holder = importlib.import_module(module)
        for name in names or getattr(holder, "__all__", []):
            yield f"{module}.{name}", getattr(holder, name)


def stable_functions() -> dict[str, Any]:
    """Functions that docs/reference/stability.md lists as stable, by dotted name."""
    modules = json.loads((ROOT / "tests/contract/public.json").read_text(encoding="utf-8"))
    return {
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module, name, kind, state in rows(modules)
        if (kind, state) == ("function", "stable")
    }
