"""
A graph that changes
====================

For anyone who colors again after a few edges were added or removed: an interference graph after an edit, a mesh after a
local refinement, a timetable after a new exam. `lagcolor.recolor` visits only vertices whose color may change.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/changing_graph.svg"
import numpy as np
import scipy.sparse as sp

import lagcolor

rng = np.random.default_rng(0)
G = lagcolor.generate.rgg(14, seed=0)
old = lagcolor.color(G, order="random", seed=0)
print(f"{G.n:,} vertices, {G.n_edges:,} edges: {old.n_colors} colors")

# %%
# Remove twenty edges, and add twenty between vertices at distance two.

edges = sp.coo_array(sp.triu(G.to_scipy()))
edges = np.stack(edges.coords)
gone = rng.choice(edges.shape[1], 20, replace=False)
two_steps = sp.coo_array(sp.triu(G.to_scipy() @ G.to_scipy(), k=1))
come = np.stack(two_steps.coords)[:, rng.choice(two_steps.nnz, 20, replace=False)]
H = lagcolor.Graph.of(np.concatenate([np.delete(edges, gone, axis=1), come], axis=1), n=G.n)

# %%
# Exact recoloring. The colors equal a new coloring of the new graph, in an order that does not depend on
# degrees: "natural", "random" or your own. Passing the changed edges avoids a comparison of the two graphs.

changed = np.concatenate([edges[:, gone], come], axis=1)
new = lagcolor.recolor(H, old, changed)
assert (new.colors == lagcolor.color(H, order="random", seed=0).colors).all()
print(f"exact: {new.notes['visited']} vertices visited, {(new.colors != old.colors).sum()} have another color")

# %%
# Recoloring with few changes. After any coloring, `keep=True` changes only vertices that must change.

new = lagcolor.recolor(H, lagcolor.color(G), keep=True)
print(f"keep: {new.notes['recolored']} have another color; {new.n_colors} colors, verified: {new.verified}")

# %%
# Result: of 16,384 vertices, exact recoloring visits 157, and `keep=True` changes one color.
