"""Colorings as frontier operators: independent sets, hashing, and advance with reduction.

Start with `gunrock_is.py`. `enactor.py` has functions that all three algorithms use. The operators are in
`lagcolor/frontier/`, for CPU and GPU. The registry imports this folder.

Source: Osama, Truong, Yang, Buluç, Owens 2019.
"""
