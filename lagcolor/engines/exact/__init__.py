"""Optimal colorings and proofs: cliques, DSATUR, clause learning, and certificates of bounds.

Start with `proof.py`, which decides whether k colors are enough. `k_core.py` reduces the graph, `clique.py` and
`largest_clique.py` find lower bounds, `dsatur.py` is the heuristic (`plain.py`: in a dozen lines) and `learning/`
the solver. The qualities, rules, the algorithm `exact` and `Coloring.certificate` use this package.
"""
