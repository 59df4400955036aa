"""Multicolor smoothers and preconditioners: sweeps over the colors of a sparse matrix, for SciPy and CuPy."""

from .sor import multicolor_sor

__all__ = ["multicolor_sor"]
