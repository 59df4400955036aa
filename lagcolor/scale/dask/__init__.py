"""A graph in partitions on a Dask cluster: the colors of one CPU, bit for bit, from workers that may be lost.

The files, in the order to read them in:

=============  ====================================================================================
call           `color`: what is checked before any work
asked          its arguments
checkpoint     the folder of a run from call to call
driver         stages, one after the other, and the loop over rounds
memory         what tasks take, and how many partitions that makes
given          what edges are: files, a DataFrame, a graph folder
sources        edges in files, in pieces
shuffle        from pieces to the rows of each partition
rows           these, and the order, as tasks read them
tasks          what workers run
held           partitions that a worker keeps, for as long as it lives
board          colors that partitions tell each other, in files
run, files     the folder of a run
cluster        Dask, as the driver uses it
result         colors in files
=============  ====================================================================================

Nothing is lost with a worker: rows and colors of boundaries are in files, each written once. A task of a round is a
function of these; what a worker keeps in memory saves time, and nothing depends on it.
"""

try:
    import distributed
except ImportError as error:
    raise ImportError("lagcolor.scale.dask takes Dask: pip install 'lagcolor[dask]'") from error

from .call import color
from .result import ClusterColoring

del distributed
__all__ = ["ClusterColoring", "color"]
