"""
A graph of 100 million edges
============================

For anyone who has a graph of hundreds of millions of entries and one machine: what to call, and how much memory and
time that takes. Without arguments the graph is small; ``python examples/large_graph.py rmat:24,6`` runs the full
size, and a file or another spec can stand there, too.

Measured at the full size, 2**24 vertices and 100 million edges, on a server with 2 cores: 56 s of CPU time to
generate it, 7.5 s to color and check it (13 colors), and 2.5 GB of memory at most.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/large_graph.svg"
import resource
import sys
import time

import lagcolor

source = sys.argv[1] if len(sys.argv) > 1 else "rmat:12,6"

# %%
# Convert once. A file is read by `lagcolor.Graph.of(path)`: .npz and .egr hold the arrays as they are and are read
# fastest, text formats are parsed. Here the graph is generated, and has the same arrays: 4 bytes for each of its
# entries (two per edge), 4 or 8 for each vertex.

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
# The operating system knows the most memory that the process had at once.

peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(f"most memory at once: {peak / 1e9:.1f} GB")

# %%
# Seen at the full size: generating takes seven times as long as coloring and checking, and the peak of memory, less
# than three times the graph itself, occurs while generating.
