"""
Edges in many files, in less memory than the graph takes
========================================================

For anyone whose edges do not fit in memory: convert files to a folder, and color the folder in three ways with the same
colors: block by block, in memory, and on a Dask cluster. This graph is small, and the cluster consists of two threads
of this process. ``Client("tcp://…")`` connects to a cluster of many machines.

Install: ``pip install 'lagcolor[dask]'``. Without it, the script skips the cluster.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/edges_in_many_files.svg"
import tempfile
from pathlib import Path

import numpy as np

import lagcolor

try:
    from distributed import Client
except ImportError:
    Client = None

removed_at_the_end = tempfile.TemporaryDirectory()
place = Path(removed_at_the_end.name)

# %%
# Some files of edges, as a job might write them: a grid of 300 × 300 vertices, one file per strip.

vertex = np.arange(90_000).reshape(300, 300)
(place / "edges").mkdir()
for k in range(4):
    strip = vertex[75 * k : 75 * k + 76]
    across = np.stack([strip[:, :-1].ravel(), strip[:, 1:].ravel()])
    down = np.stack([strip[:-1].ravel(), strip[1:].ravel()])
    np.save(place / "edges" / f"{k}.npy", np.concatenate([across, down], axis=1).T)

# %%
# Convert them to a folder by external sorting, which removes edges that are in two strips. ``memory`` is a limit.

folder = lagcolor.convert(place / "edges", place / "grid.csr", memory="100MB")
print(f"{folder.n:,} vertices, {folder.n_edges:,} edges, {folder.nbytes / 1e6:.1f} MB; {folder.notes}")

# %%
# Colors stay in memory, 4 bytes per vertex, and rows are read from the folder in the order of coloring.

for order in ("natural", "random"):
    by_blocks = lagcolor.color(place / "grid.csr", order=order, memory="16MB")
    print(f"{order}: {by_blocks.n_colors} colors")
    in_memory = lagcolor.color(place / "grid.csr", order=order)
    print(f"the same colors as in memory: {bool((by_blocks.colors == in_memory.colors).all())}")
    assert by_blocks.n_colors == {"natural": 2, "random": 5}[order]

# %%
# On a cluster, all workers read the folder, and each one has some partitions. In each round, a task corrects the colors
# of a partition for the current colors of the others. When no color changes, each vertex has the least color that no
# earlier neighbor has, as on one CPU. If a worker is lost, the others repeat its tasks.

if Client is None:
    print("no Dask here: pip install 'lagcolor[dask]', or pip install '.[dask]' in a checkout")
else:
    with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
        on_cluster = lagcolor.scale.dask.color(place / "grid.csr", client, order="random", parts=6)
    rounds, size = on_cluster.rounds, on_cluster.notes["bytes"]
    print(f"{rounds} rounds, {size:,} bytes of colors, checked: {on_cluster.verified}")
    print(f"the same colors as in memory: {bool((on_cluster.colors == in_memory.colors).all())}")

# %%
# Result: 2 colors in the order of the folder, 5 colors in a random order, and the same colors as in memory. The six
# partitions of the cluster agree after 4 rounds and 0.7 MB of colors.
