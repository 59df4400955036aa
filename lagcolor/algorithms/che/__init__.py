"""Independent sets in rounds, the hybrid of two labellings, and work stealing.

Start with `local_maxima.py`, the baseline, whose rounds the three rows share. `hybrid.py` labels by degree first and at
random later, and `work_stealing.py` uses the queues of `deque.cuh`. The registry imports this folder.

Source: Che, Rodgers, Beckmann, Reinhardt 2015.
"""

from . import hybrid, local_maxima, work_stealing  # these register

__all__ = ["hybrid", "local_maxima", "work_stealing"]
