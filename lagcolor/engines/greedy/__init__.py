"""First-fit in a given order on one core, on CPU threads and on a GPU, all with the colors of the sequential loop.

`plain.py` has the loop in a dozen lines; start there. Then read `first_fit.py`, which chooses an implementation,
and `sequential.py`, the loop for one core. `threads.py` chooses a method for CPU threads; `cuda*.py` run on a GPU.
`color` calls this folder for its first coloring and for rules (`rules.py`).

Source: Welsh, Powell 1967.
"""

from . import first_fit  # registers the algorithms

__all__ = ["first_fit"]
