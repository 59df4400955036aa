"""Classes of nearly one size: vertices move from large classes to small ones.

Start with `even.py`, which runs the steps one after the other. `lagcolor.balance` and the options ``balance=`` and
``equitable=`` of `color` call it. The colors stay proper. An equitable coloring may take more of them.

Source: Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015 (balanced coloring); Kierstead, Kostochka,
Mydlarz, Szemerédi 2010 (equitable coloring).
"""
