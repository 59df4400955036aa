"""Colorings of the elements, nodes, edges and facets of meshes, for loops that add to shared entries in parallel.

Start with `coloring.py`, the public functions. `blocks.py` reads meshes. The loops are in `engines/elements/`. Users
call this package.

>>> import numpy as np
>>> from lagcolor.mesh import color_elements
>>> line = np.stack((np.arange(9), np.arange(1, 10)), axis=1)
>>> color_elements(line).colors
array([0, 1, 0, 1, 0, 1, 0, 1, 0], dtype=int32)
"""

from .coloring import color_edges, color_elements, color_facets, color_nodes, edges, facets

__all__ = ["color_edges", "color_elements", "color_facets", "color_nodes", "edges", "facets"]
