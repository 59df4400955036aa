"""Compiled loops on several threads of a CPU. `threads.py` says on how many.

    @parallel
    def double(t, shared, threads, x):
        for i in share(t, threads, x.size):
            x[i] *= 2

    launch(double, threads, slots(0), np.int64(threads), x)

`launch` calls the loop once for each t from 0 to `threads` − 1, at the same time, and returns when all have ended.
`shared` has words (int64) for what the threads tell each other. This holds for each call:

- **Several Python threads** may call at the same time. Each call has threads of its own.
- **After a fork** the child starts threads of its own.
- **Ctrl-C** is raised in the calling thread between two calls. All threads of a call have ended then.
- **A core that another program keeps busy** does not delay a call: the caller runs the shares that no thread has begun.
  Threads of a BLAS, for example, keep cores busy for milliseconds after a product. A `barrier` needs all threads, so
  steps of a sweep use `take_part` instead.
- **On one core** a call with several threads ends, too: a thread that waits offers its core to others.
- **If a thread fails**, the threads that wait for it end, and the call raises an error.

Start with `pool.py`, which has `launch`. `parts.py` has what loops call to divide work and to wait, and `python.py`
runs Python functions on threads.
"""

from .parts import barrier as barrier
from .parts import end_part as end_part
from .parts import even_ranges as even_ranges
from .parts import look_again as look_again
from .parts import most_parts as most_parts
from .parts import row_ranges as row_ranges
from .parts import run_ranges as run_ranges
from .parts import share as share
from .parts import stage_slots as stage_slots
from .parts import stage_table as stage_table
from .parts import stop_all as stop_all
from .parts import take_part as take_part
from .parts import take_range as take_range
from .pool import launch as launch
from .pool import parallel as parallel
from .python import LINE as LINE
from .python import SELDOM as SELDOM
from .python import AbandonedError as AbandonedError
from .python import run as run
from .python import slots as slots
