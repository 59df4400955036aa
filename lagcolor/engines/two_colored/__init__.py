"""Star and acyclic colorings and bicolorings, which exclude paths or cycles of two colors.

`plain.py` has each loop in a dozen lines; start there, then read `first_fit.py`. `symmetric.py`, `bicoloring.py` and
`partition.py` register the algorithms, `stars.py` and `forests.py` have the data structures of the loops, and
`star_cuda.py` and `acyclic_cuda.py` run on a GPU. Hessians and Jacobians by two partitions need these colorings.

Source: Gebremedhin, Tarafdar, Manne, Pothen 2007.
"""
