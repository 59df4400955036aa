"""
Edges in many files, in less memory than the graph takes
========================================================

For anyone who has edges in files that together fit no memory: from the files to a folder, and from there the same
colors three times: block by block, in memory, and on a Dask cluster. Here the graph is
small, and the cluster two threads of this process; ``Client("tcp://…")`` is one of many machines.

Install: ``pip install 'lagcolor[dask]'``; without it the part on a cluster is left out.
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
# Some files of edges, as a job might have left them: a grid of 300 × 300 vertices, each file a strip of it.

vertex = np.arange(90_000).reshape(300, 300)
(place / "edges").mkdir()
for k in range(4):
    strip = vertex[75 * k : 75 * k + 76]
    across = np.stack([strip[:, :-1].ravel(), strip[:, 1:].ravel()])
    down = np.stack([strip[:-1].ravel(), strip[1:].ravel()])
    np.save(place / "edges" / f"{k}.npy", np.concatenate([across, down], axis=1).T)

# %%
# One folder of them, by external sorting: rows that the strips share are there once. ``memory`` bounds what it holds.

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
# On a cluster all workers see the folder, and each has some partitions. In each round a task makes the colors of a
# partition right for the colors of the others. When nothing changes each vertex has the least color that no earlier
# neighbor has, as on one CPU. A worker that is lost takes nothing with it.

if Client is None:
    print("no Dask here: pip install 'lagcolor[dask]', or pip install '.[dask]' in a checkout")
else:
    with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
        on_cluster = lagcolor.scale.dask.color(place / "grid.csr", client, order="random", parts=6)
    rounds, size = on_cluster.rounds, on_cluster.notes["bytes"]
    print(f"{rounds} rounds, {size:,} bytes of colors, checked: {on_cluster.verified}")
    print(f"the same colors as in memory: {bool((on_cluster.colors == in_memory.colors).all())}")

# %%
# Seen: 2 colors in the order of the folder, 5 colors in a random order, and the same colors as in memory. The six
# partitions of the cluster agree after 4 rounds and 0.7 MB of colors.
