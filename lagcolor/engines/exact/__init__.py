"""Optimal colorings and proofs: cliques, DSATUR, clause learning, and certificates of bounds.

Start with `proof.py`, which decides whether k colors are enough. `k_core.py` makes the graph smaller, `clique.py` and
`largest_clique.py` give lower bounds, `dsatur.py` is the heuristic (`plain.py` has it in a dozen lines) and `learning/`
the solver. The qualities, rules, the algorithm `exact` and `Coloring.certificate` use them.
"""
