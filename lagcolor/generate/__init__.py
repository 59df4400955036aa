"""Generate graphs of families from the coloring papers, with a seed, equal on a CPU and a GPU.

Start with `families.py`, the table of families and `from_spec`. Each function returns a canonical `Graph` on the
requested device. It raises an `OptionError` if a parameter is out of range, or if int32 cannot number the vertices.
`FAMILIES` lists the functions, `from_spec` generates a graph by name, and the suites name the graphs of the measured
tables.

>>> from lagcolor import generate
>>> generate.grid2d(3, 2)
<Graph: 6 vertices, 7 edges, on cpu>
>>> generate.from_spec("queen:8")
<Graph: 64 vertices, 728 edges, on cpu>
"""

from .exact import (
    banded,
    clique,
    complete_bipartite,
    crown,
    cycle,
    grid2d,
    grid3d,
    mycielski,
    path,
    queen,
    star,
    stencil27,
)
from .families import FAMILIES, SUITE_CPU, SUITE_H200, Family, family, from_spec
from .networks import delaunay, rgg, road, social
from .random import barabasi_albert, erdos_renyi, kron_g500, planted, rmat, uniform

__all__ = [
    "FAMILIES",
    "SUITE_CPU",
    "SUITE_H200",
    "Family",
    "banded",
    "barabasi_albert",
    "clique",
    "complete_bipartite",
    "crown",
    "cycle",
    "delaunay",
    "erdos_renyi",
    "family",
    "from_spec",
    "grid2d",
    "grid3d",
    "kron_g500",
    "mycielski",
    "path",
    "planted",
    "queen",
    "rgg",
    "rmat",
    "road",
    "social",
    "star",
    "stencil27",
    "uniform",
]
