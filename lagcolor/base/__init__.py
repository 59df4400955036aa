"""What all other folders use: errors, options, progress, the log of a run, clocks, caches, and devices.

Start with `errors.py` and `options.py`. `log.py` has the log and the stages of a call, `progress.py` what listeners
receive. `compile_clock.py` measures compile times. `caches.py` decides where compiled code is stored. `device/` runs
loops on CPU threads, launches CUDA kernels, and has the device library. This folder imports only `semirings`.
"""

from __future__ import annotations

from collections.abc import Callable

__version__ = "1.0.0"


def imported_from[C: type](module: str) -> Callable[[C], C]:
    """Decorate a class with the module from which users import it; tracebacks and pickles name it."""

    def named(cls: C) -> C:
        cls.__module__ = module
        return cls

    return named
