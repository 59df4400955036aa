"""The real graphs that are not shipped: by LAGCOLOR_DATA, else in ../shared/data next to the checkout; else skip."""

from __future__ import annotations

import csv
import functools
import os
from pathlib import Path

import pytest

FALLBACK = Path(__file__).parents[2] / "shared" / "data"
ABSENT = "set LAGCOLOR_DATA to the folder of real graphs"


def root() -> Path | None:
    """The folder, or None where there is none."""
    path = Path(os.environ.get("LAGCOLOR_DATA") or FALLBACK)
    return path if (path / "graphs.csv").exists() else None


def file(name: str) -> Path:
    """A file of the folder, e.g. "B/myciel3.col.gz"; skips the test where it is absent."""
    base = root()
    if base is None or not (base / name).exists():
        pytest.skip(f"no {name}: {ABSENT}")
    return base / name


@functools.cache
def rows() -> list[dict[str, str]]:
    """graphs.csv, a dict a row; empty where the folder is absent."""
    base = root()
    if base is None:
        return []
    with open(base / "graphs.csv", newline="") as f:
        return list(csv.DictReader(f))
