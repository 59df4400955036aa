"""Patterns and graphs: `Pattern`, its symmetric case `Graph`, `Nets`, and graphs derived from them.

Start with `pattern.py` and `graph.py`. `nets.py` has vertices that constrain each other through nets, `conflicts.py`
makes their graph, and `powers.py` makes the graph of vertices within k edges. `files.py` reads a graph of a file. All
folders above use these classes. They are canonical CSR structures and do not change (docs/design.md).
"""
