"""Frontier operators after Gunrock: advance, filter, compute and reduce over the neighbors of a frontier.

`operators.py` has the public names; start there, then read `base.py`, which defines the operators. `cpu.py` and
`cuda.py` are the two engines; `functor.py` has the functions that operators apply. The colorings with these operators
are in `algorithms/osama_gunrock`.

Source: Wang, Davidson, Pan, Wu, Riffel, Owens 2016.
"""
