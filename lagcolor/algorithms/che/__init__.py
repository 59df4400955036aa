"""Independent sets in rounds, the hybrid with CPU-like kernels for high degrees, and work stealing.

Start with `baseline.py`. `rounds.py` has the rounds that the three rows share, `hybrid.py` changes the kernel after the
first rounds, and `work_stealing.py` uses the queues of `deque.cuh`. The registry imports this folder.

Source: Che, Rodgers, Beckmann, Reinhardt 2015.
"""

from . import baseline, hybrid, work_stealing  # these register

__all__ = ["baseline", "hybrid", "work_stealing"]
