"""Star and acyclic colorings and bicolorings, which bar paths or cycles of two colors.

`plain.py` has each loop in a dozen lines; start there, then read `first_fit.py`. `symmetric.py`, `bicoloring.py` and
`partition.py` are rows of the registry, `stars.py` and `forests.py` have the structures that a loop keeps, and
`star_cuda.py` and `acyclic_cuda.py` run on a GPU. Hessians and Jacobians by two partitions need these colorings.

Source: Gebremedhin, Tarafdar, Manne, Pothen 2007.
"""
