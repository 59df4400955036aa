"""Rounds that would take minutes: a warning before they start whose advice is right, and Ctrl-C all the same."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from waiting import PATIENCE

import lagcolor
from lagcolor.core.registry import VERBS
from lagcolor.orders import Priorities
from lagcolor.run import rounds_warning as round_bounds

CHAINS = [row.name for row in lagcolor.ALGORITHMS.values() if row.chain]
CHEAP = {row.name for row in lagcolor.ALGORITHMS.values() if row.cost != VERBS}
PASSES = [row.name for row in lagcolor.ALGORITHMS.values() if row.passes and "cpu" in row.engines]


@functools.cache
def falling_path(n: int, seed: int = 0) -> lagcolor.Graph:
    """A path along which the hashed priorities fall."""
    alone = lagcolor.Graph(np.zeros(n + 1, np.int32), np.zeros(0, np.int32))
    order = Priorities.of(alone, "random", seed=seed).sequence
    ends = np.r_[order[:-1], order[1:]], np.r_[order[1:], order[:-1]]
    return lagcolor.Graph.of(sp.coo_array((np.ones(2 * n - 2, np.int8), ends), shape=(n, n)))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs take too long."""
    monkeypatch.setattr(round_bounds, "LIMIT", 0.0005)


def begin(G: lagcolor.Graph, name: str, **options: Any) -> None:
    """What `color` does before it starts."""
    row = lagcolor.ALGORITHMS[name]
    round_bounds.warn(G, row, Priorities.of(G, options.get("order", row.order), seed=row.seed))


@pytest.mark.parametrize("name", CHAINS)
def test_warns_of_a_path_along_the_hash(name: str) -> None:
    with pytest.warns(lagcolor.RoundsWarning, match=name):
        begin(falling_path(280_000), name)


@pytest.mark.parametrize("name", [name for name in CHAINS if name not in {"luby_mis", *CHEAP}])
def test_warns_of_a_crown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2 × 3000 with the limit that there is; one of a tenth of the vertices takes a thousandth of the time."""
    monkeypatch.setattr(round_bounds, "LIMIT", round_bounds.LIMIT / 10**3)
    with pytest.warns(lagcolor.RoundsWarning, match=name):
        begin(lagcolor.generate.crown(300), name)


@pytest.mark.parametrize("spec", ["rmat:13", "grid2d:300", "rgg:15", "star:50000", "clique:400", "kron_g500:12"])
def test_no_false_alarm(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in CHAINS:
            begin(G, name)


@pytest.mark.parametrize("name", CHAINS)
def test_rounds_are_those_that_it_takes(name: str) -> None:
    """Exactly for maxima; else no more, but for the estimate of gunrock_hash."""
    row = lagcolor.ALGORITHMS[name]
    for G in (falling_path(300), lagcolor.generate.crown(40), lagcolor.generate.from_spec("rmat:8")):
        foretold = round_bounds.least_work(G, row, Priorities.of(G, "random", seed=0))[0]
        result = lagcolor.color(G, name)
        rounds = result.notes.get("random_rounds", result.rounds)
        if row.chain == 1 and name != "luby_mis":
            assert rounds == foretold
        elif name != "gunrock_hash":
            assert rounds >= foretold
        else:
            assert foretold <= 4 * rounds


@pytest.mark.parametrize("name", CHAINS)
def test_the_advice_is_right(name: str, impatient: None) -> None:
    G = falling_path(1100 if name in CHEAP else 500)
    with pytest.warns(lagcolor.RoundsWarning) as seen:
        slow = lagcolor.color(G, name, verify=True)
    (message,) = (str(w.message) for w in seen if w.category is lagcolor.RoundsWarning)
    instead = lagcolor.ALGORITHMS[name].instead
    assert f"algorithm={instead or 'greedy'!r}" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = lagcolor.color(G, instead or "greedy", verify=True)
    if instead:
        assert np.array_equal(other.colors, slow.colors)
        assert not lagcolor.ALGORITHMS[instead].passes


def test_the_users_order_counts(impatient: None) -> None:
    G = lagcolor.generate.from_spec("path:500")
    with pytest.warns(lagcolor.RoundsWarning):
        begin(G, "luby_is", order="natural")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begin(G, "luby_is")


MOST_SIGNALS = 2  # that one coloring is sent: it must not take more
# Signals are heard between "started" and the next word. All is compiled before: llvmlite dies of an interrupt.
ADVERSE = """
import signal, sys, warnings
sys.path[:0] = ["tests", "tests/faults"]
signal.signal(signal.SIGINT, signal.SIG_IGN)
import lagcolor
from lagcolor.run import rounds_warning as round_bounds
from test_round_bounds import PASSES, falling_path

warnings.simplefilter("ignore")
G, small, limit = falling_path(400_000), falling_path(100), round_bounds.LIMIT
for name in PASSES:
    round_bounds.LIMIT = 0
    lagcolor.color(small, name)
    round_bounds.LIMIT = limit
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
