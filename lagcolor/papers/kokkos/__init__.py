"""Speculative colorings of Kokkos Kernels: by vertices (VB, VBBIT) and by edges (EB)."""

from . import edge_based, vertex_based  # these register

__all__ = ["edge_based", "vertex_based"]
