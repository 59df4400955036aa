"""Rounds without end: Ctrl-C ends them, and a note afterwards names an algorithm without rounds."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from waiting import PATIENCE

import lagcolor
from lagcolor.orders import Priorities

PASSES = [row.name for row in lagcolor.ALGORITHMS.values() if row.passes and "cpu" in row.engines]


@functools.cache
def falling_path(n: int, seed: int = 0) -> lagcolor.Graph:
    """A path along which the hashed priorities fall."""
    alone = lagcolor.Graph(np.zeros(n + 1, np.int32), np.zeros(0, np.int32))
    order = Priorities.of(alone, "random", seed=seed).sequence
    ends = np.r_[order[:-1], order[1:]], np.r_[order[1:], order[:-1]]
    return lagcolor.Graph.of(sp.coo_array((np.ones(2 * n - 2, np.int8), ends), shape=(n, n)))


@pytest.mark.parametrize("name", PASSES)
def test_a_note_of_many_rounds(name: str) -> None:
    """On a path along the hash. csrcolor draws new hashes each round."""
    result = lagcolor.color(falling_path(2100), name)
    assert (result.rounds > 1000) == (name != "cohen_castonguay")
    if result.rounds > 1000:
        assert result.notes["rounds"] == (
            f"{name} took {result.rounds:,} rounds, each over all uncolored vertices. algorithm='greedy' takes one pass"
        )
    assert "rounds" not in lagcolor.color(falling_path(100), name).notes
    assert lagcolor.color(falling_path(2100), "greedy").rounds == 1


MOST_SIGNALS = 2  # that one coloring is sent: it must not take more
# Signals are received between "started" and the next word. All is compiled before: llvmlite dies of an interrupt.
ADVERSE = """
import signal, sys
sys.path[:0] = ["tests", "tests/faults"]
signal.signal(signal.SIGINT, signal.SIG_IGN)
import lagcolor
from test_round_bounds import PASSES, falling_path

G, small = falling_path(400_000), falling_path(100)
for name in PASSES:
    lagcolor.color(small, name)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("started", name, flush=True)
        lagcolor.color(G, name, verify=False)
        word = "colored"
    except KeyboardInterrupt:
        word = "interrupted"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(word, name, flush=True)
"""


@pytest.fixture
def adverse() -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, "-c", ADVERSE], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    deadline = threading.Timer(PATIENCE, child.kill)  # of rounds that would take hours
    deadline.start()
    yield child
    deadline.cancel()
    child.kill()
    child.wait()


def test_ctrl_c_ends_rounds_without_end(adverse: subprocess.Popen[str]) -> None:
    """On the path along the hash, in every algorithm that passes over it once a round; a destructor may swallow one."""
    ends, signals = {}, dict.fromkeys(PASSES, 0)

    def interrupt(name: str, ended: threading.Event) -> None:
        while signals[name] < MOST_SIGNALS and not ended.wait(60 if signals[name] else 0.15):
            signals[name] += 1
            adverse.send_signal(signal.SIGINT)

    for line in adverse.stdout or ():
        word, name = line.split()
        if word == "started":
            ended = threading.Event()
            threading.Thread(target=interrupt, args=(name, ended), daemon=True).start()
        else:
            ended.set()
            ends[name] = word
    # csrcolor draws new hashes each round: the path is no worse than others for it
    assert ends | {"cohen_castonguay": "interrupted"} == dict.fromkeys(PASSES, "interrupted"), signals
