"""Wait policy of the threads of SuiteSparse: they sleep if this package loads it.

OpenMP threads spin by default. With other busy processes, spinning threads occupy the cores of the threads that they
wait for, and a product on two threads takes three times as long as on one.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

POLICY = "OMP_WAIT_POLICY"
SHORT = 1 << 21  # entries of a matrix with a product of about a millisecond


def load() -> bool:
    """Load SuiteSparse; return True if its threads sleep while they wait.

    OpenMP reads the policy when the library is loaded. A policy of the user, or of an earlier import, has precedence.
    """
    policy = os.environ.get(POLICY)
    if policy is not None or "suitesparse_graphblas" in sys.modules:
        return policy is not None and policy.lower() == "passive"
    os.environ[POLICY] = "passive"
    try:
        import suitesparse_graphblas  # noqa: F401
    finally:
        del os.environ[POLICY]
    return True


ASLEEP = load()
_of_thread = threading.local()


def threads_for(entries: int) -> AbstractContextManager[Any]:
    """Context in which a product of `entries` entries uses one thread, if it is short and threads spin."""
    if ASLEEP or entries >= SHORT:
        return nullcontext()
    if not hasattr(_of_thread, "one"):
        import graphblas as gb

        _of_thread.one = gb.ss.Context(engage=False, stack=False, nthreads=1)
    return _of_thread.one
