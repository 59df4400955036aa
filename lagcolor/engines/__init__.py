"""Shared implementations, a folder for each idea. Algorithms, searches and problems use them.

Start with `greedy/plain.py`, the loop of the default call in a dozen lines; most folders have a `plain.py`. `greedy` is
first-fit in an order, `two_hop` and `two_colored` are the other structures, `rounds` is speculative coloring, `improve`
finds fewer colors from a coloring, `exact` proves optima, `balance` evens out classes, and `change` colors a changed
graph again. `edges`, `elements` and `implicit` color edges, elements of meshes, and graphs whose edges are computed.
"""
