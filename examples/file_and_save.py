"""
Files in, files out
===================

For anyone who works with files: color a graph file, save the colors with their algorithm, read them back and check
them.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/file_and_save.svg"
import sys
from pathlib import Path

import lagcolor

source = Path(__file__).parent / "data" / "copter2.npz"
target = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "copter2.json"

# %%
# The ending of a file name selects the format, for graphs and for colorings.

result = lagcolor.color(source, order="smallest_last")
result.save(target)
print(result)

# %%
# Any coloring can be checked, also a coloring by another tool.

colors = lagcolor.io.read_coloring(target)
report = lagcolor.verify(source, colors)
assert report.ok and report.n_colors == result.n_colors
print(f"{target.name}: {report.n_colors} colors, {report.n_conflicts} conflicts")

# %%
# Result: a mesh of 55,476 vertices, 9 colors, no conflicts. The JSON file also names the algorithm, order, seed and
# version.
