"""Colorings as masked linear algebra, in the verbs of `semirings`, and as ElementwiseKernels.

Start with `jones_plassmann_gb.py`, whose comments have the mathematics of each line. `adapter.py` registers algorithms
for the three engines of `semirings`. `elementwise.py` has the ElementwiseKernels, and `plain_cupyx.py` the paper's
listings in operations of cupyx. The registry imports this folder.

Source: Osama, Truong, Yang, Buluç, Owens 2019.
"""
