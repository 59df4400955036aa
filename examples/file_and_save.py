"""Color a graph file, save the colors with where they came from, read them back and check them."""

import sys
from pathlib import Path

import lagcolor

source = Path(__file__).parent / "data" / "copter2.npz"
target = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "copter2.json"

result = lagcolor.color(source, order="smallest_last")
result.save(target)
print(result)

colors = lagcolor.io.read_coloring(target)
report = lagcolor.verify(source, colors)
print(f"{target.name}: {report.n_colors} colors, {report.n_conflicts} conflicts")
