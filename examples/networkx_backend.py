"""
NetworkX, faster without a change
=================================

For anyone who has code that calls NetworkX: lagcolor is a *backend* that runs NetworkX's functions. Here a call names
the backend. ``nx.config.backend_priority = ["lagcolor"]`` selects it for all calls, without a change of the code.

Install: ``pip install 'lagcolor[nx]'``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/networkx_backend.svg"
import sys
import time

import lagcolor.networkx

try:
    import networkx as nx
except ImportError:
    sys.exit("needs NetworkX: pip install 'lagcolor[nx]', or '.[nx]' in a checkout")

G = nx.gnp_random_graph(250, 0.2, seed=7)
start = time.perf_counter()
by_networkx = nx.greedy_color(G, "DSATUR")
print(f"DSATUR: {max(by_networkx.values()) + 1} colors, NetworkX {time.perf_counter() - start:.3f} s")

# %%
# The same call with the backend. The first call loads compiled code and converts the graph.

if "lagcolor" not in nx.config.backends:  # an installation older than the backend
    print("this installation has no backend: install lagcolor anew")
    raise SystemExit

nx.config.warnings_to_ignore.add("cache")  # NetworkX warns that it keeps the converted graph
for _ in range(2):
    start = time.perf_counter()
    colors = nx.greedy_color(G, "DSATUR", backend="lagcolor")
    seconds, same = time.perf_counter() - start, "the same" if colors == by_networkx else "other"
    print(f"lagcolor {seconds:.3f} s, {same} colors")
    assert colors == by_networkx

# %%
# A graph can be converted once for several calls.

H = lagcolor.networkx.from_networkx(G)
groups = nx.coloring.equitable_color(H, num_colors=80)
sizes = [list(groups.values()).count(color) for color in range(80)]
print(f"equitable: {len(sizes)} groups of {min(sizes)} or {max(sizes)}")

# %%
# Result: both use 16 colors, and each node has the same color. The first call of lagcolor loads its code. The second
# call takes less than a millisecond; NetworkX takes some tenths of a second.
