"""Optimistic coloring at distance 2 by vertices and by nets, after Taş, Kaya and Saule (2017)."""

from . import coloring  # this registers

__all__ = ["coloring"]
