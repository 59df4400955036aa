"""Processes of `benchmarks.compare` that stay and answer line by line, and their failures."""

from __future__ import annotations

import json
import signal
import sys
from types import SimpleNamespace

import pytest
from waiting import PATIENCE

from benchmarks.harness import host
from benchmarks.harness.codes import Code, Sample
from benchmarks.harness.worker import GRACE, LateError, Worker, WorkerError
from lagcolor.base import compile_clock as compiling

SERVES = """
print('{}', flush=True)
for line in sys.stdin:
    if "die" in line: sys.exit("out of luck")
    if "sleep" in line: time.sleep(600)
    if "compile" in line:
        print('{"wait": 1000}', flush=True)
        time.sleep(1)
    if "never" in line:
        print('{"wait": 0.2}', flush=True)
        time.sleep(600)
    if "bad" in line:
        print('{"error": "bad"}', flush=True)
    elif "slow" in line:
        print('{"error": "too long", "late": true}', flush=True)
    else:
        print('words')
        print('{"order_ms": 1, "color_ms": 2, "colors": 3, "got": "%s"}' % line.strip(), flush=True)
"""


class Child(Worker):
    """A process of the program above; it counts its starts."""

    def __init__(self, timeout: float = PATIENCE) -> None:
        self.starts = 0
        super().__init__(self._words, timeout, lambda code: code.order)

    def _words(self) -> list[str]:
        self.starts += 1
        return [sys.executable, "-c", f"import sys, time\n{SERVES}"]

    def got(self, *lines: str) -> list[str]:
        return [answer["got"] for answer in self.ask_all(lines)]


@pytest.fixture
def child():
    worker = Child()
    yield worker
    worker.close()


def test_a_process_answers_and_its_chatter_is_skipped(child):
    assert child.got("one", "two") == ["one", "two"] and child.got("three") == ["three"]
    assert child.starts == 1


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (["die"], "status 1: out of luck"),
        (["a", "die", "b"], "status 1: out of luck"),
        (["bad"], "bad"),
        (["a", "bad", "b", "bad"], "bad"),
    ],
)
def test_an_error_ends_the_process_and_the_next_command_starts_it(child, lines, error):
    with pytest.raises(WorkerError, match=error):
        child.ask_all(lines)
    assert child._child is None
    assert child.got("more") == ["more"] and child.starts == 2


def test_a_process_that_does_not_start_says_why():
    worker = Worker(lambda: [sys.executable, "-c", "import sys; sys.exit('no graph')"], PATIENCE)
    with pytest.raises(WorkerError, match="status 1: no graph"):
        worker.greeting()
    assert worker._child is None


def test_a_silent_process_is_killed(child):
    child.greeting()
    child._timeout = 0.2 - GRACE
    with pytest.raises(LateError, match=r"no answer in 0\.2 s"):
        child.ask("sleep")
    assert child._child is None


def test_a_process_is_waited_for_as_long_as_it_says(child):
    child.greeting()
    child._timeout = 0.5 - GRACE
    assert child.got("compile") == ["compile"]
    child._timeout = PATIENCE
    with pytest.raises(LateError, match="no answer in"):
        child.ask("never")
    assert child._child is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of processes here")
def test_the_alarm_of_a_run_leaves_out_what_compiling_takes(monkeypatch, capsys):
    now, timers = [100.0], []
    monkeypatch.setattr(compiling, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(compiling, "_thread", compiling.Spent())
    monkeypatch.setattr(signal, "setitimer", lambda which, seconds: timers.append(seconds))

    def ring():
        signal.getsignal(signal.SIGALRM)(signal.SIGALRM, None)
        return json.loads(capsys.readouterr().out)

    with host.alarm(30.0):
        now[0] += 10
        with compiling.clocked():
            now[0] += 50
            assert ring() == {"wait": 20 + GRACE} and timers == [30, 20]  # while it compiles
            now[0] += 50
        now[0] += 15
        assert ring() == {"wait": 5 + GRACE} and timers == [30, 20, 5]
        now[0] += 5
        with pytest.raises(host.RunTooLongError):
            ring()
    assert timers == [30, 20, 5, 0]


def test_a_process_that_stopped_a_run_itself_lives_on_unless_others_were_to_follow(child):
    """Each of them may be as late; and what they say later is no answer to the next question."""
    slow, fast = (Code("p", "m", order) for order in ("slow", "fast"))
    sample = Sample(1, 2, 3)
    for times, starts in ((1, 1), (3, 2)):
        with pytest.raises(LateError, match="too long"):
            child.run(slow, times)
        assert child.run(fast, 3) == [sample] * 3 and child.starts == starts
    with pytest.raises(LateError, match="too long"):
        child.ask_all(["fast", "slow"])
    assert child.run(fast) == [sample] and child.starts == 2
