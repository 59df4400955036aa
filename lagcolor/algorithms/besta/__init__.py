"""Colorings in the order of approximate degeneracy: JP-ADG and DEC-ADG-ITR.

Start with `jp_adg.py`, which is Jones–Plassmann in that order. `dec_adg_itr.py` colors one partition after the other.
The registry imports this folder. The order itself is `orders/approximate_degeneracy.py`.

Source: Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020.
"""

from . import dec_adg_itr, jp_adg  # these register

__all__ = ["dec_adg_itr", "jp_adg"]
