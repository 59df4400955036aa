"""Independent sets in rounds, the hybrid of two labellings, and work stealing.

Start with `local_maxima.py`, the baseline; all three algorithms use its rounds. `hybrid.py` labels by degree and later
at random, and `work_stealing.py` uses the queues of `deque.cuh`. The registry imports this folder.

Source: Che, Rodgers, Beckmann, Reinhardt 2015.
"""

from . import hybrid, local_maxima, work_stealing  # these register

__all__ = ["hybrid", "local_maxima", "work_stealing"]
