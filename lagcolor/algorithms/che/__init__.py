"""Independent sets in rounds, the hybrid of two labellings, and work stealing.

Start with `baseline.py`. `local_maxima.py` has the rounds that the three rows share, `hybrid.py` labels by degree first
and at random later, and `work_stealing.py` uses the queues of `deque.cuh`. The registry imports this folder.

Source: Che, Rodgers, Beckmann, Reinhardt 2015.
"""

from . import baseline, hybrid, work_stealing  # these register

__all__ = ["baseline", "hybrid", "work_stealing"]
