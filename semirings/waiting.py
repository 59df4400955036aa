"""How the threads of SuiteSparse wait for each other: asleep, where it is loaded here.

OpenMP's default is to spin. With other busy processes, waiting threads then occupy the cores of the threads that
they wait for, and a product on two threads takes three times as long as on one.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

POLICY = "OMP_WAIT_POLICY"
SHORT = 1 << 21  # entries of a matrix, of a product of about a millisecond


def load() -> bool:
    """Loads SuiteSparse; whether its threads sleep while they wait.

    OpenMP reads its policy when the library is loaded: who sets it, or has loaded the library before, decides.
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
    """In this context a product of this number of entries uses one thread if it is short and threads wait actively."""
    if ASLEEP or entries >= SHORT:
        return nullcontext()
    if not hasattr(_of_thread, "one"):
        import graphblas as gb

        _of_thread.one = gb.ss.Context(engage=False, stack=False, nthreads=1)
    return _of_thread.one
