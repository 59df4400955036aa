"""A graph on a Dask cluster: the colors of one CPU, bit for bit, from workers that may be killed.

=============  ====================================================================================
coloring       `color`: the request, the rounds and the checkpoint
sweep          the tasks: one pass over the vertices of a partition; files of a run
shuffle        a Dask DataFrame of edges to a graph folder, by Dask's own shuffle
cluster        the workers: what they have, many calls of one function, errors
=============  ====================================================================================

A task is a function of files: the graph folder, the order, and the colors after the round before. Workers keep nothing
that must not be lost.
"""

try:
    import distributed
except ImportError as error:
    raise ImportError("lagcolor.scale.dask takes Dask: pip install 'lagcolor[dask]'") from error

from .coloring import color

del distributed
__all__ = ["color"]
