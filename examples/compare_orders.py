"""
Orders compared
===============

For anyone who wonders which order to take: colors and time of greedy coloring in every order that runs on a CPU, on
one of the graphs in ``examples/data``, or on a file that is named.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/compare_orders.svg"
import sys
from pathlib import Path

import lagcolor

path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data" / "debian-bookworm-deps.npz"
G = lagcolor.Graph.of(path)
print(f"{G}, largest degree {G.max_degree:,}")

# %%
# The same algorithm in each order; times are of a second run, since the first loads compiled code.

print(f"{'order':28}{'colors':>7}{'order ms':>10}{'color ms':>10}")
colors = {}
for name, order in lagcolor.ORDERS.items():
    if "cpu" in order.engines:
        _, result = (lagcolor.color(G, "greedy", order=name) for _ in range(2))  # the first loads the code
        colors[name] = result.n_colors
        print(f"{name:28}{result.n_colors:7}{result.order_seconds * 1e3:10.1f}{result.seconds * 1e3:10.1f}")
assert colors["incidence_degree"] < colors["largest_first"] < colors["natural"]

# %%
# Seen on the packages of Debian: 17 colors in `incidence_degree`, 18 in the orders by degree, 23 in the order of the
# file; each takes a few milliseconds, but for `independent_set`.
