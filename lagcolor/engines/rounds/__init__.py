"""Speculative coloring in rounds: color at once, find conflicts, color the losers again.

Start with `first_fit.py`. `repair.py` repairs the conflicts of given colors, `worklists.py` has the worklists by degree
that rounds and other algorithms share, and `independent_sets.py` finds the sets of all rounds of one order. Published
algorithms (`algorithms/kokkos`, `chen`, `ipgc`) use the headers here.

Source: Gebremedhin, Manne 2000; Çatalyürek, Feo, Gebremedhin, Halappanavar, Pothen 2012.
"""
