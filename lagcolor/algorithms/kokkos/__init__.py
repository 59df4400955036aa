"""Speculative colorings of Kokkos Kernels: by vertices (VB, VBBIT) and by edges (EB).

Start with `vertex_based.py`. `edge_based.py` works on lists of edges. Both use `engines/rounds/`: vertices are colored
at once, conflicts are found, and the losers are colored again. The registry imports this folder.

Source: Deveci, Boman, Devine, Rajamanickam 2016.
"""

from . import edge_based, vertex_based  # these register

__all__ = ["edge_based", "vertex_based"]
