"""Coloring of edges, with Δ or Δ + 1 colors.

Start with `coloring.py`. `fans.py` has the method, and `table.py` the table of the edges at each vertex by color, which
fans and alternating paths change. `search/edges.py` uses this package for ``problem="edges"``,
and `engines/balance/` for even classes.

Source: Misra, Gries 1992, after Vizing 1964.
"""
