"""Shared implementations, a folder per method. Searches, algorithms and the API call them.

Start with `greedy/plain.py`, the loop of the default call in a dozen lines; each folder has a `plain.py`. `greedy` is
first-fit of a graph in an order, `two_hop` colors through nets, `two_colored` has star and acyclic colorings,
`rounds` is speculative coloring, `improve` reduces the colors of a coloring, `exact` proves optima, `balance` makes
classes more equal, and `change` recolors a changed graph. `edges`, `elements` and `implicit` color edges, elements of
meshes, and graphs with computed edges.
"""
