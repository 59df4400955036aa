"""Pauli strings in groups whose members commute.

>>> from lagcolor import pauli
>>> groups = pauli.group(["ZZI", "ZIZ", "XXI", "IIX", "IZZ"])
>>> groups.labeled()
[['ZZI', 'ZIZ', 'IZZ'], ['XXI', 'IIX']]
"""

from .generators import random, two_body
from .grouping import Grouping, group
from .strings import PauliStrings

__all__ = ["Grouping", "PauliStrings", "group", "random", "two_body"]
