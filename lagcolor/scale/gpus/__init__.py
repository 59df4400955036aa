"""Several GPUs of one host color one graph: each the rows of a range of ids, all at the same time, without rounds.

Each GPU runs the kernels of first-fit on its own vertices in their order, and keeps an array of the states of all
vertices. A vertex that gets its color stores it to the array of each GPU that has a neighbor, over the link
(``base/device/include/peers.cuh``); a vertex that waits for it polls its own memory. The earliest vertex without a
color can always continue, so that no vertex waits for ever; every color is computed once, and equals the color on one
device.

============  =======================================================================
parts         a graph divided: `distribute`
spread        the default order: sorted and colored on each GPU
sequence      any other order
coloring      which of these; notes and times; the result for `lagcolor.color`
check         colors of a divided graph verified where they are
meshes        meshes whose rows each GPU generates: no GPU ever holds all
============  =======================================================================
"""

from .coloring import color
from .meshes import mesh
from .parts import Distributed, Part, distribute

__all__ = ["Distributed", "Part", "color", "distribute", "mesh"]
