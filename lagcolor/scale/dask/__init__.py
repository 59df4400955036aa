"""A graph on a Dask cluster: the colors of one CPU, bit for bit, from workers that may be killed.

=============  ====================================================================================
coloring       `color`: the request, the files of a run and the checkpoint
shuffle        a Dask DataFrame of edges becomes a graph folder, by Dask's own shuffle
fixed_point    the partitions, the order, and sweeps until no color changes
sweep          the tasks: partitions are built, and swept in rounds
cluster        the workers: their versions and memory, many calls of one function, errors
=============  ====================================================================================

A task is a function of files: the graph folder, the order, and the colors after the last round. Workers keep only the
partitions that they have built. Dask computes these results again if they are lost.
"""

from ...base.extras import need

need("distributed", "lagcolor.scale.dask", "dask")  # before a module that imports it

from .coloring import color  # noqa: E402

del need
__all__ = ["color"]
