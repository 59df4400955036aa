"""Pictures of graphs, colorings and compressed matrices.

Start with `drawing.py`, which draws graphs and classes. `compression.py` draws compressed matrices, `series.py` rounds
and degrees, and `overview.py` several colorings of several graphs. Users call these
functions.

Needs matplotlib (``pip install 'lagcolor[plot]'``). The hues are from Okabe and Ito, which people with
color-blindness can distinguish; over eight classes shade a perceptually even scale and are numbered.
"""

from .compression import compression
from .drawing import class_sizes, graph
from .overview import summary
from .series import degrees, rounds
from .style import save

__all__ = [
    "class_sizes",
    "compression",
    "degrees",
    "graph",
    "rounds",
    "save",
    "summary",
]
