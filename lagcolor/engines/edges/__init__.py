"""Colors of edges, with Δ or Δ + 1 colors.

Start with `coloring.py`, and for the method with `fans.py`. `table.py` is the table of the edges at each vertex by color, which fans and alternating paths
change. `search/edges.py` calls this folder for ``problem="edges"``.

Source: Misra, Gries 1992, after Vizing 1964.
"""
