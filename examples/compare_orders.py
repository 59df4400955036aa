"""
Orders compared
===============

For anyone who selects an order: colors and time of greedy coloring in every order that runs on a CPU, for one of the
graphs in ``examples/data``, or for the file on the command line.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/compare_orders.svg"
import sys
from pathlib import Path

import lagcolor

path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data" / "debian-bookworm-deps.npz"
G = lagcolor.Graph.of(path)
print(f"{G}, largest degree {G.max_degree:,}")

# %%
# The same algorithm in each order. Each time is from the second run; the first run loads compiled code.

print(f"{'order':28}{'colors':>7}{'order ms':>10}{'color ms':>10}")
colors = {}
for name, order in lagcolor.ORDERS.items():
    if "cpu" in order.engines:
        _, result = (lagcolor.color(G, "greedy", order=name) for _ in range(2))  # the first loads the code
        colors[name] = result.n_colors
        print(f"{name:28}{result.n_colors:7}{result.order_seconds * 1e3:10.1f}{result.seconds * 1e3:10.1f}")
assert colors["incidence_degree"] < colors["largest_first"] < colors["natural"]

# %%
# Result on the packages of Debian: 17 colors in `incidence_degree`, 18 in the orders by degree, 23 in the order of the
# file. Each order takes a few milliseconds, except `independent_set`.
