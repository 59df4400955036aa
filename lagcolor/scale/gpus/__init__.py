"""Several GPUs of one host color one graph: each colors the rows of a range of ids, at the same time, without rounds.

Each GPU runs the kernels of first-fit on its own vertices in their order, and has an array of the states of all
vertices. When a vertex is colored, its color is stored over the link in the array of each GPU that has a neighbor
(``base/device/include/peers.cuh``). A vertex that waits for the color polls its own GPU's memory. The earliest vertex
without a color can always continue, so that no vertex waits for ever. Every color is computed once, and equals the
color on one device.

============  =======================================================================
parts         a divided graph: `distribute`
spread        the default order: each GPU sorts and colors its vertices
sequence      any other order
coloring      the choice of the engine, notes and times, the result for `lagcolor.color`
check         the verifier of a divided graph, on its GPUs
meshes        meshes in parts: each GPU generates its own rows
============  =======================================================================
"""

from .coloring import color
from .meshes import mesh
from .parts import Distributed, Part, distribute

__all__ = ["Distributed", "Part", "color", "distribute", "mesh"]
