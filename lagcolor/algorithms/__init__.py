"""Published algorithms: a module or a folder for each paper, as a rule.

Start with `osama_graphblas/jones_plassmann_gb.py`. The five papers that the project began with are in
`osama_graphblas` and `osama_gunrock` (one paper), `che`, `ecl_gc`, `feluca` and `ipgc`. Modules register rows in
`problems/registry.py`, which imports this folder when the table is read, and ``color(A, "name")`` runs a row. The
docstring of each module names its paper. Apart from one method of `reduce`, no other folder of the library imports a
module of this one.
"""
