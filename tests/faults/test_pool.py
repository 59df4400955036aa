"""The contract of loops on threads: calls at once, faults, forks, busy cores, one core. test_cpu_threads.py: Ctrl-C."""

from __future__ import annotations

import _thread
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
from waiting import PATIENCE

import lagcolor
from lagcolor.base.device.parallel import barrier, launch, parallel, pool, slots
from lagcolor.base.errors import OptionError
from lagcolor.orders import ties
from lagcolor.orders.hash_order import by_hash
from lagcolor.solvers import cpu, multicolor_ilu0, multicolor_sor

COUNTS = 1, 2, 3, 17


@parallel
def meet(t, shared, threads, out, fails):
    """Write t after all have come; thread `fails` cannot."""
    if t == fails:
        raise MemoryError
    barrier(shared, 0, threads)
    out[t] = t + 1


def met(threads: int, fails: int = -1) -> np.ndarray:
    out = np.zeros(threads, np.int64)
    launch(meet, threads, slots(1), np.int64(threads), out, np.int64(fails))
    return out


@pytest.mark.parametrize("threads", COUNTS)
def test_each_share_runs_once_and_all_at_once(threads: int) -> None:
    for _ in range(20):
        assert met(threads).tolist() == list(range(1, threads + 1))


@pytest.mark.parametrize("fails", [0, 1, 4])
def test_a_fault_ends_waiting_threads(fails: int) -> None:
    with pytest.raises(MemoryError, match="no memory"):
        met(5, fails)
    assert met(5).tolist() == [1, 2, 3, 4, 5]


def test_calls_at_once_have_threads_of_their_own() -> None:
    found: list[list[int]] = []

    def call() -> None:
        found.extend(met(4).tolist() for _ in range(50))

    callers = [threading.Thread(target=call) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [[1, 2, 3, 4]] * 300


@parallel
def write(t, shared, out, fails):
    if t == fails:
        raise MemoryError
    out[t] += t + 1


STORED = pytest.mark.skipif(not pool.HAS_SEMAPHORES, reason="threads are started for each call here")


@STORED
def test_threads_are_used_again() -> None:
    met(max(COUNTS))
    before = _thread._count()
    for threads in COUNTS:
        met(threads)
    assert _thread._count() == before


@pytest.fixture
def no_thread_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a machine whose cores are all used by other programs."""
    monkeypatch.setattr(pool, "_pool", pool._Pool())
    monkeypatch.setattr(pool, "start_new_thread", lambda *_: 0)


@STORED
@pytest.mark.usefixtures("no_thread_begins")
def test_the_caller_runs_shares_that_no_thread_begins() -> None:
    out = np.zeros(5, np.int64)
    launch(write, 5, slots(0), out, np.int64(-1))
    assert out.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(MemoryError, match="no memory"):
        launch(write, 5, slots(0), out, np.int64(3))


@STORED
@pytest.mark.usefixtures("no_thread_begins")
def test_sweeps_do_not_wait_where_no_thread_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    A = lagcolor.generate.from_spec("grid2d:30").to_scipy() * -1.0 + 5 * sp.eye_array(900)
    r, results = np.random.default_rng(0).standard_normal(900), []
    monkeypatch.setattr(cpu, "WHOLE", 200)
    for threads in (1, 4):
        x = np.zeros(900)
        multicolor_sor(A, threads=threads).sweep(x, r, iterations=3)
        results.append((multicolor_ilu0(A, threads=threads) @ r, x))
    np.testing.assert_array_equal(*results)


@STORED
def test_there_is_a_most_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no memory for the words of more."""
    monkeypatch.setattr(pool, "MOST", 3)
    monkeypatch.setattr(pool, "_pool", pool._Pool())
    with pytest.raises(OptionError, match="3 threads already run"):
        met(5)
    assert met(4).tolist() == [1, 2, 3, 4]


@STORED
@pytest.mark.parametrize(
    ("starts", "fault", "raised"), [(False, RuntimeError, OptionError), (True, KeyboardInterrupt, KeyboardInterrupt)]
)
def test_a_start_that_fails_ends_the_call(
    starts: bool, fault: type[BaseException], raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No thread can be started, or Ctrl-C comes between two starts."""
    start_new_thread = pool.start_new_thread

    def start(*args: object) -> None:
        if starts:
            start_new_thread(*args)
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(pool, "_pool", pool._Pool())
        patch.setattr(pool, "start_new_thread", start)
        with pytest.raises(raised, match="cannot start" if raised is OptionError else None):
            met(4)
        patch.setattr(pool, "start_new_thread", start_new_thread)
        assert met(4).tolist() == [1, 2, 3, 4]


@pytest.fixture
def one_core() -> Iterator[int]:
    """A core of several, the only one that this thread may use."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield min(cores)
    finally:
        os.sched_setaffinity(0, cores)


AFFINITY = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux tells threads their cores")


@AFFINITY
@pytest.mark.usefixtures("one_core")
def test_threads_that_wait_for_each_other_end_on_one_core() -> None:
    for _ in range(20):
        assert met(8).tolist() == list(range(1, 9))


@STORED
@AFFINITY
def test_threads_may_use_the_cores_of_their_caller(one_core: int) -> None:
    """The cores are set for each call: if a caller moves, its threads move."""
    for cores in (set(range(os.cpu_count() or 1)), {one_core}):
        os.sched_setaffinity(0, cores)
        cores = os.sched_getaffinity(0)
        met(4)
        assert sum(os.sched_getaffinity(int(task)) == cores for task in os.listdir("/proc/self/task")) >= 4


def test_without_semaphores_threads_are_started_for_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "HAS_SEMAPHORES", False)
    assert met(4).tolist() == [1, 2, 3, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = (
        "import os, lagcolor\n"
        "G = lagcolor.generate.from_spec('grid2d:800')\n"
        "old = lagcolor.color(G, 'first_fit', threads=4).colors\n"
        "child = os.fork()\n"
        "same = (lagcolor.color(G, 'first_fit', threads=4).colors == old).all()\n"
        "if not child: os._exit(0 if same else 1)\n"
        "raise SystemExit(os.waitpid(child, 0)[1] or not same)\n"
    )
    assert (
        subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=PATIENCE, check=False).returncode == 0
    )


def test_threads_that_wait_take_no_time() -> None:
    met(8)
    time.sleep(0.2)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.25


@pytest.mark.parametrize("spec", ["grid2d:400", "rmat:15"])
@pytest.mark.parametrize("order", ["largest_first_spread", "natural"])
def test_colors_equal_colors_of_one_thread(spec: str, order: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    one = lagcolor.color(G, "first_fit", order, threads=1, verify=False).colors
    for threads in (2, 17):
        assert np.array_equal(lagcolor.color(G, "first_fit", order, threads=threads, verify=False).colors, one)


def test_more_colors_than_a_word_has_are_found_again() -> None:
    """A clique of 70 among 10⁵ other vertices: one state of 62 colors is too narrow."""
    i, j = np.triu_indices(70, 1)
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 100_000, (2, 600_000))
    G = lagcolor.Graph.of((np.concatenate([1000 * i, u]), np.concatenate([1000 * j, v])), n=100_000)
    one = lagcolor.color(G, "first_fit", threads=1, verify=False)
    assert one.n_colors > 62
    for threads in (2, 17):
        assert np.array_equal(lagcolor.color(G, "first_fit", threads=threads, verify=False).colors, one.colors)


@pytest.mark.parametrize("n", [1, 2, 31, 4097, 70_001])
def test_ids_by_hash_are_in_the_order_of_numpy(n: int) -> None:
    seed = 12345
    inverted = ~ties.mix(np, np.arange(n, dtype=np.int32), seed)
    expected = np.argsort(inverted, kind="stable")
    for threads in COUNTS:
        assert np.array_equal(by_hash(n, ties.seed_word(seed), threads), expected)
