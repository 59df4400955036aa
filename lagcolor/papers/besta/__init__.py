"""Besta et al. 2020: colorings by approximate degeneracy."""

from . import dec_adg_itr, jp_adg  # these register

__all__ = ["dec_adg_itr", "jp_adg"]
