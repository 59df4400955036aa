"""Speculative colorings of Kokkos Kernels: by vertices (VB, VBBIT) and by edges (EB); by nets at distance 2 (NB)."""

from . import edge_based, net_based, vertex_based  # these register

__all__ = ["edge_based", "net_based", "vertex_based"]
