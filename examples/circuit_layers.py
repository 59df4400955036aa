"""
Layers of a quantum circuit
===========================

For anyone who runs a two-qubit gate on each coupler of a device: gates on couplers with a common qubit cannot run at
once. Couplers are edges, and the colors are layers.

Install: ``pip install 'lagcolor[nx,plot]'``.
"""

import sys

import lagcolor

try:
    import matplotlib.pyplot as plt
    import networkx as nx
except ImportError:
    sys.exit("needs matplotlib and NetworkX: pip install 'lagcolor[nx,plot]', or '.[nx,plot]' in a checkout")

# %%
# A heavy-hexagonal device: qubits on the corners and sides of hexagons. No qubit has more than three couplers.

corners = nx.hexagonal_lattice_graph(3, 3)
device = nx.Graph()
for a, b in corners.edges:
    device.add_edges_from([(a, (a, b)), ((a, b), b)])
device = nx.convert_node_labels_to_integers(device)
result = lagcolor.color(device, problem="edges")
print(f"{device.number_of_nodes()} qubits, {device.number_of_edges()} couplers: {result.n_colors} layers")
assert result.n_colors == max(d for _, d in device.degree)

# %%
# The layers, as lists of pairs of qubits.

u, v = result.edges
for c in range(result.n_colors):
    layer = [(int(u[e]), int(v[e])) for e in (result.edge_colors == c).nonzero()[0]]
    print(f"layer {c}: {len(layer)} gates, {layer[:4]} …")
    assert len({qubit for pair in layer for qubit in pair}) == 2 * len(layer)

# %%
# Layers of one size: fewer gates at once mean less crosstalk.

even = lagcolor.color(device, problem="edges", equitable=True)
print(f"sizes {result.class_sizes.tolist()}, even: {even.class_sizes.tolist()}")
assert even.class_sizes.max() - even.class_sizes.min() <= 1

# %%
# The device, with its couplers in the colors of their layers.

plt.suptitle("Couplers in the colors of their layers")
hues = plt.get_cmap("Set1")(result.edge_colors)
place = nx.kamada_kawai_layout(device)
pairs = list(zip(u, v, strict=True))
nx.draw(device, place, node_size=20, node_color="gray", edgelist=pairs, edge_color=hues, width=3)

# %%
# Result: three layers. Some qubits have three couplers, so no circuit of these gates has fewer layers.
