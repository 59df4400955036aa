"""Speculative colorings of Kokkos Kernels: by vertices (VB, VBBIT) and by edges (EB).

Start with `vertex_based.py`, which uses the rounds of `engines/rounds/`: vertices are colored at once, conflicts are
found, and the losers are colored again. `edge_based.py` does the same on lists of edges, with its own loops. The
registry imports this folder.

Source: Deveci, Boman, Devine, Rajamanickam 2016.
"""

from . import edge_based, vertex_based  # these register

__all__ = ["edge_based", "vertex_based"]
