"""Balancing: vertices move from large classes to small classes, until the sizes are nearly equal.

Start with `even.py`, which runs the steps one after the other. `lagcolor.balance` and the options ``balance=`` and
``equitable=`` of `color` call it. The coloring remains proper. An equitable coloring may need more colors.

Source: Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015 (balanced coloring); Kierstead, Kostochka,
Mydlarz, Szemerédi 2010 (equitable coloring).
"""
