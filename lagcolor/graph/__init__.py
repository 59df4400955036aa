"""Patterns and graphs: `Pattern`, its symmetric case `Graph`, `Nets`, and graphs derived from them.

Start with `pattern.py` and `graph.py`. `nets.py` has vertices that constrain each other through nets, `conflicts.py`
builds their graph, and `powers.py` builds the graph of vertices within k edges. `files.py` reads a graph from a file.
All higher folders use these classes. They are canonical CSR structures and immutable (docs/design.md).
"""
