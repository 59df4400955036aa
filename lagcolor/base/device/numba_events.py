"""A listener to numba's events: what loading and compiling take is counted, and Ctrl-C does not interrupt them.

numba takes its compiler lock to load or to compile a function. An exception inside numba or llvmlite would leave types
and objects of LLVM that later calls cannot use.
"""

from __future__ import annotations

import gc
import threading
from contextlib import ExitStack
from typing import Any

from numba.core import event

from semirings.interrupts import deferred

from .. import compile_clock

LOCK, COMPILE = "numba:compiler_lock", "numba:compile"
OURS = "lagcolor"  # whose functions are worth a line on a terminal


class CompileListener(event.Listener):
    """Clocks the outermost lock of each thread, which defers Ctrl-C and garbage collection."""

    def __init__(self) -> None:
        self._thread = threading.local()

    def on_start(self, event: Any) -> None:
        if event.kind == COMPILE:
            function = event.data["dispatcher"]
            module = getattr(function, "__module__", None) or ""  # none if code comes from exec
            if module.partition(".")[0] == OURS:
                compile_clock.line.begin(function.__name__.lstrip("_"))
            return
        self._thread.depth = depth = getattr(self._thread, "depth", 0) + 1
        if depth == 1:
            self._thread.stack = stack = ExitStack()
            try:
                stack.enter_context(deferred())
                stack.enter_context(compile_clock.clocked())
                if gc.isenabled():
                    gc.disable()
                    stack.callback(_collect)
            except BaseException:  # numba then takes no lock, and no end follows
                self._thread.depth = 0
                stack.close()
                raise

    def on_end(self, event: Any) -> None:
        if event.kind == LOCK:
            self._thread.depth -= 1
            if not self._thread.depth:
                self._thread.stack.close()  # may raise KeyboardInterrupt


def _collect() -> None:
    """What numba made is looked through for garbage while the clock stands still, and not in the time of a call."""
    gc.enable()
    if gc.get_count()[0] > gc.get_threshold()[0]:
        gc.collect(1)


listener: CompileListener = CompileListener()
event.register(LOCK, listener)
event.register(COMPILE, listener)
