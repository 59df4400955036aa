"""Algorithms that fail, for tests of `benchmarks.compare`: registered where this is imported as sitecustomize."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from lagcolor.base.compile_clock import clocked
from lagcolor.problems.registry import coloring

ROW = {
    "style": "sequential", "paper": "none", "engines": ("cpu",), "bound": "none", "oracle": None, "deterministic": True,
}  # fmt: skip


COMPILED = []


def begun(name):
    """Tell the test that a run on the graph of 101 vertices has begun, by a file in the folder BENCH_FAULTS."""
    if folder := os.environ.get("BENCH_FAULTS"):
        Path(folder, name).touch()


@coloring("faulty_crash", **ROW)
def crash(G, p, log):
    """Ends the process, on graphs of 101 vertices."""
    if G.n == 101:
        os.kill(os.getpid(), signal.SIGKILL)
    return np.arange(G.n, dtype=np.int32)


@coloring("faulty_hang", **ROW)
def hang(G, p, log):
    """Never ends, deaf to the alarm, as compiled code is."""
    if G.n == 101:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        begun("hang")
        time.sleep(600)
    return np.arange(G.n, dtype=np.int32)


@coloring("faulty_slow", **ROW)
def slow(G, p, log):
    """Never ends, but hears the alarm."""
    for _ in range(6000 if G.n == 101 else 0):
        time.sleep(0.1)
    return np.arange(G.n, dtype=np.int32)


@coloring("faulty_compile", **ROW)
def compiles(G, p, log):
    """Compiles for longer than the time limit of the tests, once in a process, on graphs of 101 vertices."""
    if G.n == 101 and not COMPILED:
        COMPILED.append(True)
        with clocked():
            time.sleep(4)
    return np.arange(G.n, dtype=np.int32)


@coloring("faulty_colors", **ROW)
def improper(G, p, log):
    """One color for all."""
    return np.zeros(G.n, np.int32)


@coloring("faulty_error", **ROW)
def error(G, p, log):
    """Raises, on graphs of 101 vertices."""
    if G.n == 101:
        raise ValueError("out of luck")
    return np.arange(G.n, dtype=np.int32)


@coloring("faulty_later", **ROW)
def later(G, p, log):
    """Ends when a file "go on" is there, so that Ctrl-C finds it at work, on graphs of 101 vertices."""
    if G.n == 101 and (folder := os.environ.get("BENCH_FAULTS")):
        begun("later")
        while not Path(folder, "go on").exists():
            time.sleep(0.01)
    return np.arange(G.n, dtype=np.int32)
