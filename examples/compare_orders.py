"""Colors and time of greedy coloring in every order that runs on a CPU, on one of the shipped graphs or a file."""

import sys
from pathlib import Path

import lagcolor

path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data" / "debian-bookworm-deps.npz"
G = lagcolor.Graph.of(path)
print(f"{G}, largest degree {G.max_degree:,}")

print(f"{'order':28}{'colors':>7}{'order ms':>10}{'color ms':>10}")
for name, order in lagcolor.ORDERS.items():
    if "cpu" in order.engines:
        _, result = (lagcolor.color(G, "greedy", order=name) for _ in range(2))  # the first compiles or loads the code
        print(f"{name:28}{result.n_colors:7}{result.order_seconds * 1e3:10.1f}{result.seconds * 1e3:10.1f}")
