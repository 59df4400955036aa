"""
A graph of 100 million edges
============================

For anyone who has a graph of hundreds of millions of entries and one machine: the calls, and their memory and time.
Without arguments the graph is small. ``python examples/large_graph.py rmat:24,6`` runs the full size; the argument may
also be a file or another generator.

Measured at the full size, 2**24 vertices and 100 million edges, on a server with 2 cores: 56 s of CPU time to
generate the graph, 7.5 s to color and check it (13 colors), and at most 2.5 GB of memory.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/large_graph.svg"
import resource
import sys
import time

import lagcolor

source = sys.argv[1] if len(sys.argv) > 1 else "rmat:12,6"

# %%
# Convert once. `lagcolor.Graph.of(path)` reads a file. Files .npz and .egr contain the arrays and are read fastest;
# text formats are parsed. This graph is generated, with the same arrays: 4 bytes for each entry (two per edge), and 4
# or 8 bytes for each vertex.

start = time.process_time()
G = lagcolor.generate.from_spec(source) if ":" in source else lagcolor.Graph.of(source)
made = time.process_time() - start
size = (G.indptr.nbytes + G.indices.nbytes) / 1e9
print(f"{G.n:,} vertices, {G.n_edges:,} edges, largest degree {G.max_degree:,}")
print(f"{size:.3f} GB, {made:.1f} s of CPU time")

# %%
# Color it. Graphs of over 10 million edges are checked only with ``verify=True``. The colors are an int32 array.

start = time.process_time()
result = lagcolor.color(G, verify=True)
assert result.verified
print(f"{result.n_colors} colors, checked: {result.verified}; {time.process_time() - start:.1f} s of CPU time")
print(f"the coloring {result.seconds:.2f} s, its order {result.order_seconds:.2f} s")

# %%
# The operating system reports the peak memory of the process.

peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(f"most memory at once: {peak / 1e9:.1f} GB")

# %%
# Result at the full size: generating takes seven times as long as coloring and checking, and the peak of memory, less
# than three times the graph itself, occurs while generating.
