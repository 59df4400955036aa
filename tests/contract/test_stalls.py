"""Calls end: at a limit of no time, by a listener that raises, with other calls that fail, and on adverse inputs.

A stall ends with the time limit of the test, which prints the stacks of all threads. Work is counted in seconds of
the processor, of a second call: the first one compiles.
"""

from __future__ import annotations

import importlib
import inspect
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor

from . import public
from .allocations import Count
from .test_allocations import Case, check, contacts, graph

pytestmark = pytest.mark.timeout(900)  # seconds; compiling takes most of them
NO_TIME, SLACK = 1e-9, 5.0  # seconds: a limit, and what a call may take all the same
PROBLEMS = lagcolor.problems.PROBLEMS


def work(call: Callable[[], Any]) -> float:
    """Seconds of the processor of a call whose code is compiled."""
    call()
    begun = time.process_time()
    call()
    return time.process_time() - begun


# ---- limits ----------------------------------------------------------------------------------------------------------


def hard(problem: str = "distance1") -> Any:
    """A random graph whose fewest colors no search proves in a second."""
    G = lagcolor.generate.erdos_renyi(125 if problem == "distance1" else 60, 0.5, seed=1)
    return G if PROBLEMS[problem].symmetric else lagcolor.Pattern.of(G.to_scipy())


def differ(us: Any, vs: Any) -> Any:
    """An edge between numbers whose product leaves an odd rest by 97."""
    return (us[:, None] * vs) % 97 % 2 == 1


LIMITED: dict[str, Callable[..., Any]] = {
    **{f"color | {p}": lambda p=p, **how: lagcolor.color(hard(p), problem=p, **how) for p in PROBLEMS},
    "color | max_colors": lambda **how: lagcolor.color(hard(), max_colors=8, **how),
    "color | partial": lambda **how: lagcolor.color(hard(), max_colors=8, partial="fewest", **how),
    "color | exact": lambda **how: lagcolor.color(hard(), "exact", **how),
    "color | equitable": lambda **how: lagcolor.color(hard(), equitable=True, **how),
    **{
        f"reduce | {m}": lambda m=m, **how: lagcolor.reduce(hard(), np.arange(125), method=m, **how)
        for m in ("ejection", "iterated_greedy", "heuristics")
    },
    "color_implicit": lambda **how: lagcolor.color_implicit(differ, 60, **how),
    "pauli.group": lambda **how: lagcolor.pauli.group(lagcolor.pauli.random(60, 5), "general", **how),
    "derivatives.jacobian": lambda **how: lagcolor.derivatives.jacobian(hard("columns"), **how).coloring,
    "derivatives.hessian": lambda **how: lagcolor.derivatives.hessian(hard(), **how).coloring,
    "mesh.color_nodes": lambda **how: lagcolor.mesh.color_nodes(np.argwhere(hard().to_scipy().toarray()), **how),
}
OTHERS = ("scale.",)  # workers of a cluster have no limit


def having(parameter: str) -> set[str]:
    """Public functions with this parameter."""
    return {
        f"{module}.{name}".removeprefix("lagcolor.")
        for module, name in public.listed()
        if not module.startswith("lagcolor.derivatives.")
        and inspect.isfunction(thing := getattr(importlib.import_module(module), name))
        and parameter in inspect.signature(thing).parameters
    }


def test_every_limit_is_tried() -> None:
    there = {name.partition(" | ")[0] for name in LIMITED}
    assert [name for name in having("time_limit") - there if not name.startswith(OTHERS)] == []


@pytest.mark.parametrize("name", LIMITED)
def test_a_call_without_time_returns(name: str) -> None:
    """A coloring that is checked, or the error that there is none with so few colors."""

    def call() -> None:
        with suppress(lagcolor.ColoringError):
            assert LIMITED[name](time_limit=NO_TIME, verify=True).verified

    assert work(call) < SLACK


# ---- listeners -------------------------------------------------------------------------------------------------------


class Stop(Exception):  # noqa: N818, no error
    """The exception that a listener raises."""


class Listener:
    """Raises at the report after `left` others, if that is not negative."""

    def __init__(self) -> None:
        self.left, self.received = -1, 0

    def __call__(self, _: Any) -> None:
        self.received += 1
        self.left -= 1
        if self.left == -1:
            raise Stop


LISTENER = Listener()


@contextmanager
def raising(k: int) -> Iterator[Count]:
    LISTENER.left, LISTENER.received, count = k, 0, Count()
    try:
        yield count
    finally:
        LISTENER.left, count.asked = -1, LISTENER.received


def read(_: Any, folder: Path) -> Any:
    path = folder.parent / "g.mtx"
    if not path.exists():
        lagcolor.io.write(path, graph())
    return lagcolor.io.read(path, progress=LISTENER)


def converted(_: Any, folder: Path) -> None:
    edges = folder.parent / "e.npy"
    if not edges.exists():
        np.save(edges, contacts())
    lagcolor.convert(edges, folder / "g.csr", n=14, progress=LISTENER)


def both() -> tuple[Any, Any]:
    return graph(), np.arange(14)


STAGED: dict[str, Case] = {
    **{
        f"color | {p}": Case(lambda p=p: hard(p), lambda x, _, p=p: lagcolor.color(x, problem=p, progress=LISTENER))
        for p in PROBLEMS
    },
    "color | rounds": Case(graph, lambda x, _: lagcolor.color(x, "jpl", progress=LISTENER)),
    "color | max_colors": Case(graph, lambda x, _: lagcolor.color(x, max_colors=3, progress=LISTENER)),
    "balance": Case(both, lambda x, _: lagcolor.balance(*x, progress=LISTENER)),
    "recolor": Case(both, lambda x, _: lagcolor.recolor(*x, progress=LISTENER)),
    "reduce": Case(both, lambda x, _: lagcolor.reduce(*x, progress=LISTENER)),
    "io.read": Case(lambda: None, read),
    "convert": Case(lambda: None, converted),
}


def test_every_listener_is_tried() -> None:
    there = {name.partition(" | ")[0] for name in STAGED}
    assert [name for name in having("progress") - there if not name.startswith(OTHERS)] == []


@pytest.mark.parametrize("name", STAGED)
def test_a_listener_that_raises_leaves_nothing(name: str, tmp_path: Path) -> None:
    """At its first report, its second … until there are no more."""
    check(STAGED[name], tmp_path, raising, Stop)


# ---- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("busy", [False, True])
def test_calls_at_once_of_which_some_fail(busy: bool) -> None:
    """The others have their colors; also where threads of Python keep the interpreter busy."""
    G = lagcolor.generate.grid2d(60)
    A = sp.csr_array(G.to_scipy().astype(float) + 9 * sp.eye_array(G.n))
    expected = lagcolor.color(G, "first_fit", "random", threads=1).to_numpy()
    swept = lagcolor.solvers.multicolor_sor(A, threads=1) @ np.ones(G.n)
    ended, over = list[str](), threading.Event()

    def right() -> None:
        for _ in range(5):
            assert np.array_equal(lagcolor.color(G, "first_fit", "random", threads=3).to_numpy(), expected)
            assert np.array_equal(lagcolor.solvers.multicolor_sor(A, threads=3) @ np.ones(G.n), swept)
        ended.append("right")

    def fails() -> None:
        for _ in range(5):
            listener = Listener()
            listener.left = 2
            with pytest.raises(Stop):
                lagcolor.color(G, "first_fit", "random", threads=3, verify=True, progress=listener)
        ended.append("failed")

    def spins() -> None:
        while not over.is_set():
            pass

    spinning = [threading.Thread(target=spins, daemon=True) for _ in range(2 * busy)]
    callers = [threading.Thread(target=f, daemon=True) for f in (right, fails, right, fails)]
    for thread in (*spinning, *callers):
        thread.start()
    for thread in callers:
        thread.join()
    over.set()
    assert sorted(ended) == ["failed", "failed", "right", "right"]


# ---- adverse inputs --------------------------------------------------------------------------------------------------

UNEVEN = ["star:3000", "clique:60", "crown:40", "complete_bipartite:3,90", "path:2", "mycielski:5"]


@pytest.mark.parametrize("spec", UNEVEN)
def test_balancing_ends(spec: str) -> None:
    """Balancing ends, even if no class can become even, at the narrowest ratio."""
    G = lagcolor.generate.from_spec(spec)
    for colors in (lagcolor.color(G).to_numpy(), np.arange(G.n)):
        assert work(lambda c=colors: lagcolor.balance(G, c, ratio=1.0, verify=True)) < SLACK
    assert work(lambda: lagcolor.color(G, balance=1.0, verify=True)) < SLACK
    assert work(lambda: lagcolor.equitable(G, verify=True)) < SLACK


TOO_FEW = {"cycle:65": 2, "mycielski:5": 4, "clique:60": 59, "queen:6": 6, "planted:80,6,20": 5}


@pytest.mark.parametrize("how", [{}, {"quality": "fast"}, {"quality": "best", "time_limit": 0.1}], ids=str)
@pytest.mark.parametrize("spec", TOO_FEW)
def test_too_few_colors_end(spec: str, how: dict[str, Any]) -> None:
    """Fewer than any coloring has, by an error, whether it is proved or not; some vertices stay without, as asked."""
    G = lagcolor.generate.from_spec(spec)

    def fails() -> None:
        with pytest.raises(lagcolor.ColoringError):
            lagcolor.color(G, max_colors=TOO_FEW[spec], **how)

    assert work(fails) < SLACK
    assert work(lambda: lagcolor.color(G, max_colors=TOO_FEW[spec], partial="fewest", verify=True, **how)) < SLACK


ORDERED = [name for name, row in lagcolor.ALGORITHMS.items() if row.reads_order and "cpu" in row.engines]


@pytest.mark.parametrize("name", ORDERED)
def test_a_chain_takes_a_round_for_each_vertex_at_most(name: str) -> None:
    """A path by ids, where each vertex waits for the one before, takes at most one round per vertex and a last one.

    Equal priorities give this order.
    """
    G = lagcolor.generate.path(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lagcolor.LagcolorWarning)
        chain, tied = (lagcolor.color(G, name, p, seed=None, verify=True) for p in ("natural", np.zeros(60)))
    assert max(chain.rounds, tied.rounds) <= G.n + 1
    assert np.array_equal(chain.colors, tied.colors) or not lagcolor.ALGORITHMS[name].deterministic
