"""Draw the pictures of docs/ from the result files in benchmarks/results: time against colors, of every code.

A picture keeps a digest of the figures that it shows; tests fail where the result files have moved on.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PICTURES = ROOT / "docs" / "pictures"
DEVICES = {"pareto-cpu.svg": "cpu", "pareto-gpu.svg": "cuda"}
CODES = 5  # a graph with fewer codes is no comparison


def shown(device: str) -> tuple[Any, list[str]]:
    """The newest results of a device, and the graphs on which enough codes ran."""
    from lagcolor import measurements

    every = measurements.read(RESULTS)
    results = every.only(r for r in every.runs if r.device == device and r.style != "reference")
    graphs = [g for g in results.graphs if len({r.code for r in results.on(g)}) >= CODES]
    return results, graphs


def digest(device: str) -> str:
    """Of all figures in the picture of a device."""
    results, graphs = shown(device)
    rows = sorted((g, results.label(r), str(r.seed), r.colors, r.ms, r.order_ms) for g in graphs for r in results.on(g))
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def drawn(picture: Path) -> str:
    """The digest that a picture keeps; "" where there is none."""
    found = re.search("shows ([0-9a-f]{64})", picture.read_text()) if picture.exists() else None
    return found[1] if found else ""


def main() -> int:
    """Draw the pictures that are stale."""
    from lagcolor import plot

    PICTURES.mkdir(exist_ok=True)
    for name, device in DEVICES.items():
        now = digest(device)
        if drawn(PICTURES / name) != now or "--all" in sys.argv:
            results, graphs = shown(device)
            plot.save(plot.fronts(results, graphs), PICTURES / name, f"shows {now}")
            print(f"drew docs/pictures/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
