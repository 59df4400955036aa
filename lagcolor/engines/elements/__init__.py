"""Elements of a few nodes each: elements that share a node get different colors.

Start with `sequential.py`, first-fit on one core. Elements are arrays of nodes, of fixed width, and no graph is built.
`lagcolor.mesh` and `lagcolor.color_pairs` call this folder. The CUDA sources do the same on a GPU, in rounds, with the
colors of the sequential loop.
"""
