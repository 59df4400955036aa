"""Exact first-fit in an order: sequential, by CPU threads, and on a GPU."""

from . import first_fit, sequential  # these register

__all__ = ["first_fit", "sequential"]
