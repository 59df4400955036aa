"""Pictures of graphs, colorings and compressed matrices.

Start with `drawing.py`, which draws small graphs. `series.py` draws class sizes, bounds, rounds and degrees, and
`compression.py` compressed matrices. Users call these functions.

Needs matplotlib (``pip install 'lagcolor[plot]'``). Up to eight colors have the hues of Okabe and Ito, which people
with color blindness can distinguish. More colors have a perceptually even scale and numbers.
"""

from .compression import compression
from .drawing import graph
from .series import class_sizes, degrees, rounds, summary
from .style import save

__all__ = ["class_sizes", "compression", "degrees", "graph", "rounds", "save", "summary"]
