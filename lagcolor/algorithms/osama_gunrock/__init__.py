"""Colorings as frontier operators: independent sets, hashing, and advance with reduction.

Start with `gunrock_is.py`. `enactor.py` has what the three rows share. The operators are in
`lagcolor/frontier/`, for CPU and GPU. The registry imports this folder.

Source: Osama, Truong, Yang, Buluç, Owens 2019.
"""
