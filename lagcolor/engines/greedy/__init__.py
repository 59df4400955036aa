"""First-fit in an order, with the colors of the sequential loop: on one core, on CPU threads, and on a GPU.

`plain.py` has the loop in a dozen lines; start there. Then read `first_fit.py`, which chooses an implementation,
and `sequential.py`, the loop of one core. `threads.py` chooses one for a CPU, and `cuda*.py` run on a GPU. `color`
calls this folder for its first coloring, and for rules (`rules.py`).

Source: Welsh, Powell 1967.
"""

from . import first_fit  # it registers

__all__ = ["first_fit"]
