"""Pictures: of colorings, and of measurements.

Needs matplotlib (``pip install 'lagcolor[plot]'``). Hues are those of Okabe and Ito, which people with
color-blindness can tell apart; over eight classes shade a perceptually even scale and are numbered.
"""

from .drawing import class_sizes, graph
from .overview import summary

__all__ = ["class_sizes", "graph", "summary"]
