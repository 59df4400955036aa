"""Speculative coloring in rounds: color at once, find conflicts, color the losers again.

Start with `first_fit.py`. `repair.py` colors once and repairs conflicts on one thread. `worklists.py` has worklists by
degree that rounds and other algorithms share. `independent_sets.py` finds the independent sets of all rounds of an
order. Published algorithms (`algorithms/kokkos`, `chen`, `ipgc`) use the headers here.

Source: Gebremedhin, Manne 2000; Çatalyürek, Feo, Gebremedhin, Halappanavar, Pothen 2012.
"""
