"""The table of docs/reference/stability.md: public names by module, with their stability."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Modules and names that may change in a minor version.
PROVISIONAL = (
    "lagcolor.Algorithm", "lagcolor.derivatives.asdex", "lagcolor.derivatives.jax", "lagcolor.frontier.operators",
    "lagcolor.generate.Family", "lagcolor.io.Format", "lagcolor.orders.Order", "lagcolor.problems.Problem",
    "lagcolor.scale.dask", "semirings",
)  # fmt: skip


def stability(words: Sequence[str]) -> str:
    """Return a table row per name of a file such as tests/contract/public.json."""
    (file,) = words
    modules: dict[str, dict[str, Any]] = json.loads((ROOT / file).read_text(encoding="utf-8"))
    listed = list(rows(modules))
    known = {*modules, *(f"{module}.{name}" for module, name, *_ in listed)}
    if unknown := set(PROVISIONAL) - known:
        raise ValueError(f"not public: {', '.join(sorted(unknown))}")
    head = ["| Module | Name | Kind | Stability |", "| --- | --- | --- | --- |"]
    return (
        "\n".join([*head, *(f"| {module} | `{name}` | {kind} | {state} |" for module, name, kind, state in listed)])
        + "\n"
    )


def rows(modules: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield module, name, kind and stability of each name."""
    for module, names in modules.items():
        for name, what in names.items():
            provisional = module in PROVISIONAL or f"{module}.{name}" in PROVISIONAL
            yield module, name, _kind(what), "provisional" if provisional else "stable"


def _kind(what: Any) -> str:
    """Return the kind in a description of tests/contract/public.py."""
    if isinstance(what, dict):
        return "class"
    if isinstance(what, list):
        return "table"
    return "function" if what.startswith("(") else "object"
