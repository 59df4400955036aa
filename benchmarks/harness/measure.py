"""The interleaved run of one graph: every code once per round, so that drift of the machine affects all equally."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .codes import Code, Sample
from .worker import LateError, Worker

# A visit repeats a short run without a pause, and records the median. After a sleep, a process, its core and its GPU
# are slow for longer than a millisecond.
VISIT_MS = 20.0
VISIT_RUNS = 25


@dataclass
class Plan:
    """Time budget and number of rounds.

    A slow code takes part in the first rounds only, in one at least. The run that is checked first may have loaded code
    or fetched memory, and does not count.
    """

    repeat: int = 5  # rounds
    budget: float = 5.0  # seconds that a code may take in all rounds
    trace: bool = False  # one more run at the end, for its rounds


@dataclass
class Result:
    """All runs of one code on one graph, or the reason that there are none."""

    code: Code
    samples: list[Sample] = field(default_factory=list)
    status: str = "ok"
    error: str | None = None
    same_colors: bool | None = None
    trace: list[dict[str, Any]] | None = None
    partial: bool = False

    @property
    def ms(self) -> float:
        """Median with ordering."""
        return statistics.median(s.ms for s in self.samples)

    @property
    def order_ms(self) -> float:
        """Median of the ordering."""
        return statistics.median(s.order_ms for s in self.samples)

    def measured(self) -> dict[str, Any]:
        """Return the measured part of a row, in milliseconds."""
        if self.status != "ok":
            nothing = dict.fromkeys(("colors", "rounds", "ms", "order_ms", "convert_ms", "memory_bytes", "same_colors"))
            return {"status": self.status, "error": self.error, **nothing, "ms_all": [], "verified": False}
        last = self.samples[-1]
        row = {
            "status": "ok",
            "error": None,
            "colors": last.colors,
            "rounds": last.more.get("rounds"),
            "ms": round(self.ms, 5),
            "ms_all": [round(s.ms, 5) for s in self.samples],
            "order_ms": round(self.order_ms, 5),
            "convert_ms": last.more.get("convert_ms"),
            "memory_bytes": last.more.get("memory_bytes"),
            "verified": True,
            "same_colors": self.same_colors,
        }
        row |= {"trace": self.trace} if self.trace is not None else {}
        return row | ({"partial": True} if self.partial else {})


def measure(
    processes: Mapping[Code, Worker],
    plan: Plan,
    done: Callable[[Result], None],
    say: Callable[[str, int], None] = lambda text, visits: None,
) -> None:
    """Time every code."""
    results = {code: Result(code) for code in processes}
    reported: set[Code] = set()

    def report(result: Result) -> None:
        reported.add(result.code)
        done(result)

    try:
        rounds, first = {}, {}
        for code, process in processes.items():
            say(f"first run of {code}", 0)
            rounds[code], first[code] = _first(process, results[code], plan)
            say(str(code), 1 + plan.repeat - rounds[code])
            if results[code].status != "ok":
                report(results[code])
        for i, code in _turns(rounds, plan.repeat):
            say(f"round {i + 1} of {plan.repeat}, {code}", 0)
            if results[code].status == "ok":
                _round(processes[code], results[code], first[code] if i == rounds[code] - 1 else None)
                if results[code].status != "ok":
                    report(results[code])
            say(str(code), 1)
        for result in results.values():
            if result.code not in reported:
                if plan.trace:
                    _trace(processes[result.code], result)
                report(result)
    except KeyboardInterrupt:
        for result in results.values():
            if result.samples and result.status == "ok" and result.code not in reported:
                result.partial = True
                done(result)
        raise


def _first(process: Worker, result: Result, plan: Plan) -> tuple[int, int | None]:
    """Run once and check the coloring; return the number of rounds for this code, and the checksum."""
    mark: int | None = None
    took = 0.0
    with _guarded(result):
        (sample,) = process.run(result.code)
        fault, mark = process.check()
        _judge(result, fault)
        took = sample.ms / 1e3
    if result.status != "ok":
        return 0, mark
    return min(plan.repeat, max(1, int(plan.budget / max(took, 1e-9)))), mark


def _round(process: Worker, result: Result, expected: int | None) -> None:
    """Make one visit; after the last one, check the colors again. `expected`: the first checksum."""
    with _guarded(result):
        result.samples.append(_visit(process, result.code))
        if expected is not None:
            fault, mark = process.check()
            _judge(result, fault)
            result.same_colors = mark == expected


def _visit(process: Worker, code: Code) -> Sample:
    runs = process.run(code)
    while len(runs) < VISIT_RUNS and (left := VISIT_MS - sum(s.ms for s in runs)) > 0:
        quickest = min(s.ms for s in runs)
        runs += process.run(code, max(1, min(VISIT_RUNS - len(runs), int(left / max(quickest, 1e-9)))))
    return sorted(runs, key=lambda s: s.ms)[len(runs) // 2]


def _judge(result: Result, fault: str | None) -> None:
    if fault is not None:
        result.status, result.error = "failed", f"improper coloring: {fault}"


def _trace(process: Worker, result: Result) -> None:
    """Trace a run; if this fails, only the trace is missing."""
    with contextlib.suppress(Exception):
        result.trace = process.trace(result.code) or None


@contextlib.contextmanager
def _guarded(result: Result) -> Iterator[None]:
    """Turn a failure into the result of one code."""
    try:
        yield
    except LateError as e:
        result.status, result.error = "timeout", str(e)
    except Exception as e:
        result.status, result.error = "failed", str(e) or type(e).__name__


def _turns(rounds: Mapping[Code, int], repeat: int) -> Iterable[tuple[int, Code]]:
    """Yield the codes round after round; rounds start at different codes, so that predecessors vary."""
    for i in range(repeat):
        codes: Sequence[Code] = [code for code, count in rounds.items() if count > i]
        by = i * 7 % len(codes) if codes else 0
        for code in (*codes[by:], *codes[:by]):
            yield i, code
