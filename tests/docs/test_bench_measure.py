"""The interleaved run of `benchmarks.compare`: whose turn it is, what is kept, and codes that fail."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchmarks.harness import measure
from benchmarks.harness.codes import Code, Sample
from benchmarks.harness.worker import LateError


class Scripted:
    """A process whose milliseconds are given by order; it records in which order it was asked."""

    def __init__(self, ms: dict[str, Sequence[float]], fault: str | None = None) -> None:
        self._ms, self._fault = {k: list(v) for k, v in ms.items()}, fault
        self.codes = [Code("peer", "greedy", order) for order in ms]
        self.log: list[str] = []
        self.asked: list[int] = []
        self.mark = 1

    def run(self, code: Code, times: int = 1) -> list[Sample]:
        self.asked.append(times)
        return [self._run(code) for _ in range(times)]

    def _run(self, code: Code) -> Sample:
        self.log.append(code.order)
        queue = self._ms[code.order]
        ms = queue.pop(0) if len(queue) > 1 else queue[0]
        if ms == -1:
            raise RuntimeError("scripted failure")
        if ms == -2:
            raise LateError("no answer in 9 s")
        if ms == -3:
            raise KeyboardInterrupt
        return Sample(ms / 4, ms * 3 / 4, 2, {"rounds": 7})

    def check(self) -> tuple[str | None, int]:
        self.log.append("check")
        return self._fault, self.mark

    def trace(self, code: Code) -> list[dict[str, int]]:
        return [{"round": 1}]


def rows(process: Scripted, **plan) -> dict[str, measure.Result]:
    out: list[measure.Result] = []
    measure.measure(dict.fromkeys(process.codes, process), measure.Plan(**{"budget": 1e9, **plan}), out.append)
    assert len({r.code for r in out}) == len(out)
    return {r.code.order: r for r in out}


def test_rows_are_medians_of_interleaved_rounds():
    peer = Scripted({"x": [999, 50, 40, 90], "y": [999, 100]})
    done = rows(peer, repeat=3)
    row = done["x"].measured()
    assert row["ms_all"] == [50, 40, 90]
    assert (row["ms"], row["order_ms"], row["rounds"], row["colors"]) == (50, 12.5, 7, 2)
    assert row["verified"] and row["same_colors"] and row["status"] == "ok" and "partial" not in row
    assert done["y"].measured()["ms"] == 100
    first, rounds = peer.log[:4], [e for e in peer.log[4:] if e != "check"]
    assert first == ["x", "check", "y", "check"]
    assert [sorted(rounds[i : i + 2]) for i in (0, 2, 4)] == [["x", "y"]] * 3
    assert rounds[0:2] != rounds[2:4]  # each round starts elsewhere
    assert peer.log[4:].count("check") == 2  # the last coloring of each


def test_a_visit_repeats_short_runs_and_keeps_their_median():
    peer = Scripted({"x": [1, 9, 4, 3, 6, 5]})
    assert rows(peer, repeat=1)["x"].measured()["ms_all"] == [6]  # 9, 4, 3 and 6: 20 ms are full
    assert peer.log == ["x", "check", *"xxxx", "check"]
    quick = Scripted({"x": [0.1]})
    rows(quick, repeat=1)
    assert quick.asked == [1, 1, measure.VISIT_RUNS - 1]  # with no pause after the first


def test_a_slow_code_takes_part_in_fewer_rounds():
    done = rows(Scripted({"x": [4000], "y": [100]}), repeat=5, budget=9)
    assert (len(done["x"].samples), len(done["y"].samples)) == (2, 5)
    peer = Scripted({"x": [10_000, 100]})  # the first run may have compiled something
    assert rows(peer, repeat=5, budget=9)["x"].measured()["ms_all"] == [100]
    assert peer.log == ["x", "check", "x", "check"]
    peer = Scripted({"x": [40_000, 100]})
    assert rows(peer, repeat=5, budget=9)["x"].measured()["ms_all"] == [40_000]
    assert peer.log == ["x", "check"]


def test_an_improper_coloring_is_a_failure_without_a_time():
    row = rows(Scripted({"x": [50]}, "2 conflicting edges"), repeat=2)["x"].measured()
    assert row["status"] == "failed" and row["error"] == "improper coloring: 2 conflicting edges"
    assert row["ms"] is row["colors"] is None and row["ms_all"] == [] and not row["verified"]


def test_a_first_coloring_that_is_improper_is_found_though_later_ones_are_not():
    """Also where it takes so long that it is the only one."""
    for ms in (50, 40_000):
        peer = Scripted({"x": [ms, 50], "y": [50]})
        peer.check = lambda peer=peer: ("bad" if peer.log[-1:] == ["x"] and peer.log.count("x") == 1 else None, 1)
        done = rows(peer, repeat=3, budget=9)
        assert (done["x"].status, done["x"].error) == ("failed", "improper coloring: bad")
        assert done["y"].status == "ok"
        assert peer.log.count("x") == 1  # it takes no part any more


def test_a_coloring_that_turns_improper_later_is_found():
    peer = Scripted({"x": [50]})
    run = peer.run
    peer.run = lambda *args: (setattr(peer, "_fault", "bad" if len(peer.log) > 2 else None), run(*args))[1]
    assert rows(peer, repeat=3)["x"].error == "improper coloring: bad"


def test_colors_that_differ_between_runs_are_said():
    peer = Scripted({"x": [50]})
    peer.check = lambda: (None, len(peer.log))
    assert rows(peer, repeat=2)["x"].measured()["same_colors"] is False


def test_a_failing_code_does_not_end_the_others():
    done = rows(Scripted({"x": [50, -1], "y": [50]}), repeat=2)
    assert (done["x"].status, done["x"].error) == ("failed", "scripted failure")
    assert done["y"].status == "ok" and len(done["y"].samples) == 2


def test_a_late_run_ends_its_code():
    peer = Scripted({"x": [-2, 50], "y": [50]})
    done = rows(peer, repeat=1)
    assert (done["x"].status, done["x"].error) == ("timeout", "no answer in 9 s") and done["y"].status == "ok"
    assert peer.log.count("x") == 1


def test_ctrl_c_keeps_what_is_there():
    peer = Scripted({"x": [50], "y": [50, 50, -3], "z": [-1]})
    out: list[measure.Result] = []
    with pytest.raises(KeyboardInterrupt):
        measure.measure(dict.fromkeys(peer.codes, peer), measure.Plan(repeat=5, budget=1e9), out.append)
    done = {r.code.order: r.measured() for r in out}
    assert done["x"]["partial"] and done["y"]["partial"] and done["z"]["status"] == "failed"
    assert len(out) == 3


def test_traces_come_at_the_end_where_asked_for():
    assert rows(Scripted({"x": [50]}), repeat=1, trace=True)["x"].measured()["trace"] == [{"round": 1}]
    assert "trace" not in rows(Scripted({"x": [50]}), repeat=1)["x"].measured()


@pytest.mark.parametrize(("budget", "script"), [(1e9, [50]), (9, [4000]), (1, [4000]), (1e9, [-1]), (1e9, [50, -1])])
def test_visits_add_up_whatever_happens(budget, script):
    peer = Scripted({"x": script, "y": [30]})
    said: list[int] = []
    plan = measure.Plan(repeat=5, budget=budget)
    measure.measure(dict.fromkeys(peer.codes, peer), plan, lambda r: None, lambda text, visits: said.append(visits))
    assert sum(said) == 2 * (1 + 5)
