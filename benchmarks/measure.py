"""The interleaved run: every code once a round, the rounds one after the other, so that drift hits all alike."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import lagcolor

from .peers import Case, Code, Peer, Sample, Session

# A visit repeats a short run and keeps its median: waking up a process costs more than a millisecond's work.
VISIT_MS = 20.0
VISIT_RUNS = 9


@dataclass
class Result:
    """All runs of one code on one graph, or why there are none."""

    code: Code
    samples: list[Sample] = field(default_factory=list)
    n_colors: int = 0
    error: str | None = None

    @property
    def ms(self) -> float:
        """Median with ordering."""
        return statistics.median(s.ms for s in self.samples)

    @property
    def color_ms(self) -> float:
        """Median of the coloring alone."""
        return statistics.median(s.color_ms for s in self.samples)

    def least(self, coloring_alone: bool = False) -> float:
        """Minimum, which a busy machine disturbs least."""
        return min(s.color_ms if coloring_alone else s.ms for s in self.samples)

    def record(self) -> dict[str, object]:
        """As plain JSON types; milliseconds."""
        c = self.code
        row: dict[str, object] = {"peer": c.peer, "method": c.method, "order": c.order, "threads": c.threads}
        if self.error is not None:
            return {**row, "error": self.error}
        total = [s.ms for s in self.samples]
        return {
            **row,
            "colors": self.n_colors,
            "ms": round(self.ms, 4),
            "ms_min": round(min(total), 4),
            "ms_max": round(max(total), 4),
            "order_ms": round(statistics.median(s.order_ms for s in self.samples), 4),
            "color_ms": round(self.color_ms, 4),
            "runs": len(self.samples),
            "valid": True,
        }


def measure(
    case: Case,
    peers: Iterable[Peer],
    *,
    repeat: int,
    budget: float,
    timeout: float = 600,
    wanted: Callable[[Code], bool] = lambda code: True,
    say: Callable[[str], None] = lambda line: None,
) -> list[Result]:
    """Time every wanted code of every peer on one graph.

    Parameters
    ----------
    repeat : int
        Rounds.
    budget : float
        Seconds a code may take in all rounds together: a slow one runs in the first few only; one that
        needs more for a single run is not run again after the check.

    timeout : float
        Seconds that a single run may take; it is an error after that.

    Returns
    -------
    list of Result
        In the order of the peers. A coloring that `lagcolor.verify` refuses, and a code that fails, is an error there.
    """
    sessions: dict[Code, Session] = {}
    opened: list[Session] = []
    try:
        for peer in peers:
            say(f"{case.name}: load {peer.name}")
            session = peer.open(case, timeout)
            opened.append(session)
            sessions |= {code: session for code in session.codes() if wanted(code)}
        results = {code: Result(code) for code in sessions}
        rounds = {code: _first(case, sessions[code], results[code], repeat, budget, say) for code in sessions}
        for i in range(repeat):
            for code in _turned([c for c in sessions if rounds[c] > i], i):
                say(f"{case.name}: round {i + 1} of {repeat}, {code}")
                _guarded(results[code], functools.partial(_round, sessions[code], results[code]))
        return list(results.values())
    finally:
        for session in opened:
            session.close()


def _first(case: Case, session: Session, result: Result, repeat: int, budget: float, say: Callable[[str], None]) -> int:
    """Run once unmeasured and check the coloring; how many rounds the code may take part in."""
    say(f"{case.name}: check {result.code}")
    took = 0.0

    def run() -> None:
        nonlocal took
        sample = session.run(result.code)
        result.n_colors = lagcolor.verify(case.G, session.colors()).n_colors
        if sample.ms / 1e3 * repeat > budget and result.code.peer == "lagcolor":
            sample = session.run(result.code)  # the first run may have compiled
        took = sample.ms / 1e3
        if took > budget:
            result.samples.append(sample)  # that has to do

    _guarded(result, run)
    if result.error is not None:
        return 0
    return min(repeat, int(budget / max(took, 1e-9)))


def _round(session: Session, result: Result) -> None:
    result.samples.append(_visit(session, result.code))


def _visit(session: Session, code: Code) -> Sample:
    runs = [session.run(code)]
    while len(runs) < VISIT_RUNS and sum(s.ms for s in runs) < VISIT_MS:
        runs.append(session.run(code))
    return sorted(runs, key=lambda s: s.ms)[len(runs) // 2]


def _guarded(result: Result, run: Callable[[], None]) -> None:
    """A failure is the end of one code, not of the benchmark."""
    if result.error is not None:
        return
    try:
        run()
    except Exception as e:
        result.error = f"{type(e).__name__}: {e}"


def _turned(codes: list[Code], by: int) -> list[Code]:
    """The same codes, starting elsewhere: no code always follows the same one."""
    by = by * 7 % len(codes) if codes else 0
    return codes[by:] + codes[:by]
