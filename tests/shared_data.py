"""The real graphs that are not shipped: found by LAGCOLOR_DATA, else beside the checkout; absent → skip."""

from __future__ import annotations

import csv
import functools
import os
from pathlib import Path

import pytest

FALLBACK = Path(__file__).parents[2] / "shared" / "data"


def root() -> Path | None:
    """The folder, or None where there is none."""
    path = Path(os.environ.get("LAGCOLOR_DATA", FALLBACK))
    return path if (path / "graphs.csv").exists() else None


def file(name: str) -> Path:
    """A file of the folder, e.g. "B/myciel3.col.gz"; skips the test where it is absent."""
    base = root()
    if base is None or not (base / name).exists():
        pytest.skip(f"no {name}: set LAGCOLOR_DATA to the folder of real graphs")
    return base / name


@functools.cache
def rows() -> list[dict[str, str]]:
    """graphs.csv, a dict a row; empty where the folder is absent."""
    base = root()
    if base is None:
        return []
    with open(base / "graphs.csv", newline="") as f:
        return list(csv.DictReader(f))
