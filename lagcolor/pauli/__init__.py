"""Pauli strings in groups whose members commute.

Start with `grouping.py`, which has `group`. `strings.py` reads strings, and `check.py` verifies groups. The colorings
are in `engines/implicit/`. Users and `lagcolor pauli` call this package.

>>> from lagcolor import pauli
>>> groups = pauli.group(["ZZI", "ZIZ", "XXI", "IIX", "IZZ"])
>>> groups.labeled()
[['ZZI', 'ZIZ', 'IZZ'], ['XXI', 'IIX']]
"""

from .generators import random, two_body
from .grouping import Grouping, group
from .strings import PauliStrings

__all__ = ["Grouping", "PauliStrings", "group", "random", "two_body"]
