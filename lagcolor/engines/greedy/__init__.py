"""Exact first-fit in an order: sequential, by CPU threads, and on a GPU."""

from . import sequential  # registers greedy

__all__ = ["sequential"]
