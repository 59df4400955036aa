"""
Named nodes
===========

For anyone who has a NetworkX graph: the result uses its nodes as labels.

Install: ``pip install 'lagcolor[nx,plot]'``.
"""

import sys

import lagcolor

try:
    import networkx as nx
except ImportError:
    sys.exit("needs matplotlib and NetworkX: pip install 'lagcolor[nx,plot]', or '.[nx,plot]' in a checkout")

G = nx.les_miserables_graph()
result = lagcolor.color(G, "dsatur")
print(result)

# %%
# Classes by name.

colors = result.to_dict()
for color in range(result.n_colors):
    names = sorted(name for name, c in colors.items() if c == color)
    print(f"{color}: {', '.join(names[:6])}{' …' if len(names) > 6 else ''}")

assert all(colors[u] != colors[v] for u, v in G.edges)

# %%
# A drawing. Lines join characters that meet.

axes = lagcolor.plot.graph(result)
axes.set_title("The characters of Les Misérables in their colors", loc="left")

# %%
# Result: 10 colors for the 77 characters of Les Misérables. Ten of them all meet each other, so fewer colors do not
# suffice.
