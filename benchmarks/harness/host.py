"""The child's end of a process: a Python library that answers each line of input with a line of JSON.

python -m benchmarks.harness.host LIBRARY DEVICE SECONDS [MODULE …]    SECONDS: the limit of a run
python -m benchmarks.harness.host probe DEVICE                         what the device is and how fast it copies

MODULEs register algorithms.

Before work longer than a run, such as compiling code, it answers {"wait": SECONDS} for the next answer. Commands:
"load SOURCE" (a file or spec), then, the codes as `Code.word` writes them, "run CODE", "trace CODE", "dump FILE" (the
colors of the last run), "check [FILE]" (verify these, or a file's) and "write FILE" (the graph).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lagcolor.base import device as dev
from lagcolor.base.compile_clock import clock
from lagcolor.base.errors import ColoringError
from lagcolor.graph.graph import Graph

from . import graphs
from .codes import OURS, Code, import_algorithms
from .provenance import hardware
from .worker import GRACE, LONG

PR_SET_PDEATHSIG = 1  # of sys/prctl.h


class RunTooLongError(BaseException):
    """A run took too long; derived from BaseException so that no library catches it."""


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Interrupt a block that takes longer, without the time to compile and load code.

    Compiled code is not interrupted. The parent kills the process, and waits longer if code was compiled or loaded.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    begun = clock()

    def ring(*_: object) -> None:
        if (left := begun + seconds - clock()) <= 0:
            raise RunTooLongError
        left = max(left, GRACE / 10)
        signal.setitimer(signal.ITIMER_REAL, left)
        say(wait=left + GRACE)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def open_session(library: str, G: Graph) -> tuple[Any, dict[str, Any]]:
    """Return the library's session on a graph, and facts for the greeting."""
    if library == OURS:
        from lagcolor.plot.series import degree_bins

        from .library import Library

        return Library(G), {"degrees": degree_bins(G)}
    from .peers import PEERS

    start = time.perf_counter()
    session = PEERS[library].load(G)
    return session, {"convert_ms": (time.perf_counter() - start) * 1e3}


def inspect(G: Graph, colors: Any) -> dict[str, Any]:
    """The first fault of a coloring, None for a proper and complete one, and a checksum of it."""
    from lagcolor.api.verify import verify

    try:
        faults = verify(G, colors, errors="return").problems()
    except ColoringError as e:  # it does not fit the graph
        faults = [str(e)]
    return {"fault": next(iter(faults), None), "checksum": checksum(colors)}


def checksum(colors: Any) -> int:
    """Return a checksum that depends on each color and its vertex, computed on the device of the colors."""
    xp = dev.module_of(colors)
    with dev.using(colors):
        odd = xp.arange(len(colors), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
        return int((colors.astype(np.uint64) * odd).sum(dtype=np.uint64))


def on_cpu(colors: Any) -> np.ndarray:
    """Return colors as int32 in NumPy."""
    return np.asarray(dev.to_device(colors, "cpu"), np.int32)


class Host:
    """Answers commands about one library, one graph after the other."""

    def __init__(self, library: str, device: str, limit: float) -> None:
        self._library, self._device, self._limit = library, device, limit
        self._G: Any = None
        self._session: Any = None
        self._warm: set[Code] = set()

    def load(self, source: str) -> dict[str, Any]:
        """Load another graph, after releasing the one before."""
        self._session = self._G = None
        gc.collect()
        self._G = graphs.load(source, self._device)
        self._session, about = open_session(self._library, self._G)
        return {"n": self._G.n, "m": self._G.m, "max_degree": self._G.max_degree, **about}

    def answer(self, verb: str, rest: str) -> dict[str, Any]:
        """Return the answer to a command."""
        session = self._session
        match verb:
            case "load":
                return self.load(rest)
            case "run":
                return self._run(Code.parse(rest))
            case "trace":
                with alarm(4 * self._limit):
                    return {"trace": session.trace(Code.parse(rest))}
            case "dump":
                on_cpu(session.colors).tofile(rest)
                return {}
            case "check":
                return inspect(self._G, np.fromfile(rest, np.int32) if rest else session.colors)
            case "write":
                graphs.write_scratch(Path(rest), self._G)
                return {}
        raise ValueError(f"unknown command {verb!r}")

    def _run(self, code: Code) -> dict[str, Any]:
        """Run a code once; before its first run it colors small graphs, so that no run compiles."""
        if code not in self._warm:
            say(wait=LONG)
            self._session.warm(code)
            self._warm.add(code)
            say(wait=self._limit + GRACE)
        with alarm(self._limit):
            return self._session.run(code)

    def _synchronize(self) -> None:
        """Wait for work that a stopped run has left on the GPU; if it hangs, the parent kills this process."""
        if self._G is not None and self._G.on_gpu:
            dev.cupy().cuda.Device(self._G.indices.device.id).synchronize()

    def serve(self) -> None:
        """Greet, then answer until the input ends."""
        say(library=self._library)
        for line in sys.stdin:
            verb, _, rest = line.strip().partition(" ")
            try:
                if verb != "run":
                    say(wait=4 * self._limit + GRACE if verb == "trace" else LONG)
                say(**self.answer(verb, rest))
            except RunTooLongError:
                self._synchronize()
                say(error=f"no answer in {self._limit:g} s", late=True)
            except Exception as e:
                say(error=f"{type(e).__name__}: {e}")


def probe(device: str) -> dict[str, Any]:
    """Hardware and the bytes per second that a copy moves."""
    from .floor import bandwidth

    return {"hardware": hardware(device), "bandwidth": bandwidth(device)}


def say(**fields: Any) -> None:
    """Print one line of JSON."""
    print(json.dumps(fields, default=lambda x: x.tolist() if hasattr(x, "tolist") else str(x)), flush=True)


def end_with_parent() -> None:
    """Let Linux kill this process when its parent dies, because a hanging run does not read the end of input."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(library: str, device: str, limit: str = "0", *modules: str) -> None:
    """Probe or serve."""
    end_with_parent()
    for module in modules:
        import_algorithms(module)
    if library != "probe":
        Host(library, device, float(limit)).serve()
        return
    try:
        say(**probe(device))
    except Exception as e:
        say(error=f"{type(e).__name__}: {e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
