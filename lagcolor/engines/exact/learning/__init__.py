"""Clause learning for list colorings: finds one coloring after another, or proves that there is none.

Start with `Learning` (solver.py), the search, which proofs, rules and lists call. A Boolean variable, a *pair*, means
that a vertex has a color: pair v·k + c for vertex v and color c. propagation.py derives implied pairs, analysis.py
turns conflicts into clauses and stores them, and cliques.py finds the cliques that need every color.

References
----------
Marques-Silva, Sakallah 1999, "GRASP: a search algorithm for propositional satisfiability"; Moskewicz et al. 2001,
"Chaff" (watched literals, activities); Audemard, Simon 2009, "Predicting learnt clauses quality" (LBD).
"""

from .solver import Learning as Learning
