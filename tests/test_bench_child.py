"""Processes of `lagcolor bench` that stay and answer line by line: what becomes of them when something goes wrong."""

from __future__ import annotations

import json
import signal
import sys
from types import SimpleNamespace

import pytest
from waiting import PATIENCE, until

from lagcolor.bench import host
from lagcolor.bench.codes import Code, Sample
from lagcolor.bench.remote import Remote
from lagcolor.bench.resident import GRACE, LateError, Resident, ResidentError
from semirings.runtime import compile_clock as compiling


def child(body: str) -> Resident:
    return Resident([sys.executable, "-c", f"import sys, time\n{body}"], timeout=PATIENCE)


def test_resident_answers_and_skips_chatter():
    c = child(
        'print("{}", flush=True)\nfor l in sys.stdin: print("words"); print(\'{"got": "%s"}\' % l.strip(), flush=True)'
    )
    assert c.ask("one") == {"got": "one"}
    assert c.ask("two") == {"got": "two"}
    assert c.alive
    c.close()


def test_resident_reports_death_with_its_last_words():
    c = child('print("{}", flush=True)\nsys.stdin.readline()\nsys.exit("out of luck")')
    with pytest.raises(ResidentError, match="status 1: out of luck"):
        c.ask("anything")
    with pytest.raises(ResidentError, match="status 1"):
        c.ask("more")
    assert not c.alive
    c.close()


def test_resident_kills_a_silent_child():
    c = child('print("{}", flush=True)\ntime.sleep(600)')
    with pytest.raises(LateError, match=r"no answer in 0\.2 s"):
        c.ask("anything", timeout=0.2)
    assert not c.alive


def test_resident_that_stopped_a_run_itself_lives_on():
    lines = ["{}", '{"error": "late", "late": true}', '{"ok": 1}']
    c = child(f"for x in {lines}: print(x, flush=True); sys.stdin.readline()")
    with pytest.raises(LateError, match="late"):
        c.ask("anything")
    assert c.ask("more") == {"ok": 1}
    c.close()


def test_resident_that_compiles_is_waited_for_as_long_as_it_says():
    wait = json.dumps({"wait": PATIENCE})
    body = f"""
print('{{}}', flush=True)
print('{wait}', flush=True)
sys.stdin.readline()
time.sleep(1)
print('{{"ok": 1}}', flush=True)
"""
    c = child(body)
    until(lambda: c._lines.qsize(), c._child)
    assert c.ask("anything", timeout=0.5) == {"ok": 1}
    c.close()
    c = child('print("{}", flush=True)\nsys.stdin.readline()\nprint(\'{"wait": 0.2}\', flush=True)\ntime.sleep(600)')
    with pytest.raises(LateError, match="no answer in"):
        c.ask("anything", timeout=PATIENCE)
    assert not c.alive


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


def test_commands_sent_at_once_are_all_answered_whatever_happens_to_one():
    body = """
print('{}', flush=True)
for line in sys.stdin:
    if "die" in line: sys.exit("out of luck")
    print('{"error": "bad"}' if "bad" in line else '{"got": "%s"}' % line.strip(), flush=True)
"""
    c = child(body)
    assert c.ask_all(["a", "b"]) == [{"got": "a"}, {"got": "b"}]
    with pytest.raises(ResidentError, match="bad"):
        c.ask_all(["a", "bad", "b", "bad"])
    assert c.ask("c") == {"got": "c"}
    with pytest.raises(ResidentError, match="status 1: out of luck"):
        c.ask_all(["a", "die", "b"])
    c.close()


STOPS = """
print('{}', flush=True)
for line in sys.stdin:
    late = '{"error": "too long", "late": true}'
    print(late if "slow" in line else '{"order_ms": 1, "color_ms": 2, "colors": 3}', flush=True)
"""


def test_after_a_late_answer_nobody_waits_for_the_others():
    """Each of them may be as late; and what they say later is no answer to the next question."""
    c = child(STOPS)
    with pytest.raises(LateError, match="too long"):
        c.ask_all(["fast", "slow"])
    assert c.alive and c.ask("fast")["colors"] == 3
    with pytest.raises(LateError, match="too long"):
        c.ask_all(["slow", "fast", "slow"])
    assert not c.alive
    with pytest.raises(ResidentError, match="has been ended"):
        c.ask("fast")


def test_a_host_that_stopped_one_of_several_runs_itself_is_started_anew():
    started: list[int] = []
    command = [sys.executable, "-c", f"import sys\n{STOPS}"]
    remote = Remote(lambda: started.append(1) or command, timeout=PATIENCE, word=lambda code: code.order)
    slow, fast = (Code("p", "m", order) for order in ("slow", "fast"))
    for times, processes in ((1, 1), (3, 2)):
        with pytest.raises(LateError, match="too long"):
            remote.run(slow, times)
        assert remote.run(fast, 3) == [Sample(1, 2, 3)] * 3 and len(started) == processes
    remote.close()


def test_a_late_run_is_an_error_and_the_next_one_has_a_new_process():
    body = """
print('{}', flush=True)
for line in sys.stdin:
    time.sleep(600 if "slow" in line else 0)
    print('{"order_ms": 1, "color_ms": 2, "colors": 3}', flush=True)
"""
    command = [sys.executable, "-c", f"import sys, time\n{body}"]
    started: list[int] = []
    remote = Remote(lambda: started.append(1) or command, timeout=PATIENCE, word=lambda code: code.order)
    slow, fast = (Code("p", "m", order) for order in ("slow", "fast"))
    assert remote.run(fast, 2) == [Sample(1, 2, 3)] * 2
    remote._timeout = -0.5
    with pytest.raises(LateError):
        remote.run(slow)
    remote._timeout = 300
    assert remote.run(fast) == [Sample(1, 2, 3)] and len(started) == 2
    remote.close()
