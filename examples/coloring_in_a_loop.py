"""
Many colorings: convert once
============================

For anyone who calls `lagcolor.color` in a loop: over orders or seeds of one graph, or over many small graphs. Most
of the time is then spent on reading the input, which `lagcolor.Graph.of` does once.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/coloring_in_a_loop.svg"
import time

import numpy as np
import scipy.sparse as sp

import lagcolor

rng = np.random.default_rng(0)
A = sp.random_array((20_000, 20_000), density=3e-4, format="csr", rng=rng)
A = A + A.T


def timed(what, calls):
    start = time.process_time()
    results = [call() for call in calls]
    print(f"{what}: {(time.process_time() - start) / len(calls) * 1e3:.1f} ms of CPU time per coloring")
    return results


# %%
# The same matrix with ten seeds. With `A`, each call checks that the matrix is symmetric, sorts its rows and removes
# its diagonal. `G` has been checked once.

lagcolor.color(A)  # loads compiled code, once per process
G = lagcolor.Graph.of(A)
from_matrix = timed("color(A)", [lambda s=s: lagcolor.color(A, seed=s) for s in range(10)])
from_graph = timed("color(G)", [lambda s=s: lagcolor.color(G, seed=s) for s in range(10)])
assert all((a.colors == b.colors).all() for a, b in zip(from_matrix, from_graph, strict=True))
print("colors by seed:", [r.n_colors for r in from_graph])

# %%
# Many small graphs: a call has a fixed cost of less than a millisecond. Many graphs can also be joined into one graph
# of many parts, with consecutive vertex numbers. One call colors all parts, because no edge joins two of them, and
# ``np.split`` returns the colors of each part.

small = [rng.integers(0, 30, (2, 60)) for _ in range(200)]
small = [np.unique(np.sort(pairs[:, pairs[0] != pairs[1]], axis=0), axis=1) for pairs in small]
each = timed("one call per graph", [lambda e=e: lagcolor.color(lagcolor.Graph.of(e, n=30)) for e in small])

start = time.process_time()
joined = np.concatenate([pairs + 30 * i for i, pairs in enumerate(small)], axis=1)
together = lagcolor.color(lagcolor.Graph.of(joined, n=30 * len(small)), order="natural")
parts = np.split(together.colors, len(small))
print(f"one call for all: {(time.process_time() - start) / len(small) * 1e3:.3f} ms of CPU time per graph")
for pairs, colors in zip(small, parts, strict=True):
    lagcolor.verify(lagcolor.Graph.of(pairs, n=30), colors)  # an error if it is improper

# %%
# Result: coloring the matrix takes about twice as long as coloring the graph. One call for 200 small graphs takes less
# than a tenth of the time of 200 calls.
