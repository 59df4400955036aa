"""Elements of a few nodes each: elements that share a node get different colors.

`plain.py` has the loop in a dozen lines; start there. `sequential.py` is first-fit on one core. The CUDA sources do
the same on a GPU, in rounds, with the colors of the sequential loop. Elements are arrays of nodes, of fixed width, and
no graph is built. `lagcolor.mesh` and `lagcolor.color_pairs` call this folder.
"""
