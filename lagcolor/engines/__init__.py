"""Shared implementations, a folder for each idea. Searches, algorithms, the API and its uses call them.

Start with `greedy/plain.py`, the loop of the default call in a dozen lines; each folder has a `plain.py`. `greedy` is
first-fit of a graph in an order, `two_hop` colors through nets, `two_colored` has star and acyclic colorings,
`rounds` is speculative coloring, `improve` finds fewer colors from a coloring, `exact` proves optima, `balance` evens
out classes, and `change` colors a changed graph again. `edges`, `elements` and `implicit` color edges, elements of
meshes, and graphs whose edges are computed.
"""
