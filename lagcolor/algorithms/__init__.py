"""Published algorithms: a module for each paper, or a folder if it takes several files.

Start with `osama_graphblas/jones_plassmann_gb.py`. The seed papers are `osama_graphblas`, `osama_gunrock`, `che`,
`ecl_gc`, `feluca` and `ipgc`. Each module registers rows in `problems/registry.py`, which imports this folder when the
table is read. `color(A, "name")` runs a row. The docstring of each module names its paper. Nothing imports a paper's
module except the registry and `reduce`.
"""
