"""Pictures: of colorings, and of measurements.

Needs matplotlib (``pip install 'lagcolor[plot]'``). The hues are from Okabe and Ito, which people with
color-blindness can distinguish; over eight classes shade a perceptually even scale and are numbered.
"""

from .comparison import floors, fronts, pareto, speedups
from .compression import compression
from .drawing import class_sizes, graph
from .overview import summary
from .qualities import qualities
from .series import degrees, rounds, scaling
from .style import save

__all__ = [
    "class_sizes",
    "compression",
    "degrees",
    "floors",
    "fronts",
    "graph",
    "pareto",
    "qualities",
    "rounds",
    "save",
    "scaling",
    "speedups",
    "summary",
]
