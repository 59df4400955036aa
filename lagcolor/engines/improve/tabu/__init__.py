"""Tabu searches for a coloring with k colors, on CPU threads and on a GPU.

Start with `search.py`: TabuCol and PartialCol on one table of conflicts (`moves.py`). `head.py` recombines two parents
(HEAD), `population.py` many on a GPU. The quality best and the rows of `algorithms/tabu_searches.py` use this folder.

Source: Hertz, de Werra 1987; Blöchliger, Zufferey 2008; Moalic, Gondran 2018.
"""
