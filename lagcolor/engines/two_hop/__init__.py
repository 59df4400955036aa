"""First-fit of vertices that constrain each other through nets: distance 2, columns, rows and edges.

`plain.py` has the loop in a dozen lines; start there. `first_fit.py` chooses an implementation:
`windows.py` on a CPU, `cuda.py` on a GPU. It also has first-fit with rules. `color` calls this folder for
these problems; derivatives call it through `color`. The graph of conflicting pairs is not built.
"""
