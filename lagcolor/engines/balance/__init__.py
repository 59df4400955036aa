"""Classes of nearly one size: vertices move from large classes to small ones.

Start with `even.py`, which runs all steps. `lagcolor.balance`, `lagcolor.equitable` and the option ``balance=`` call
it. The colors stay proper, and their number does not rise.

Source: Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015 (balanced coloring); Kierstead, Kostochka,
Mydlarz, Szemerédi 2010 (equitable coloring).
"""
