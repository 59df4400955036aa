"""The targets of the project, each measured against peers on one graph: a ratio of medians and a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .measure import Result
from .peers import Code

Match = Callable[[Code], bool]


def is_(peer: str, method: str | None = None, order: str | None = None, threads: int | None = None) -> Match:
    """Codes with these fields; None matches all."""
    want = {"peer": peer, "method": method, "order": order, "threads": threads}
    return lambda code: all(getattr(code, k) == v for k, v in want.items() if v is not None)


def any_of(*matches: Match) -> Match:
    """Codes that one of the matches takes."""
    return lambda code: any(match(code) for match in matches)


@dataclass(frozen=True)
class Target:
    """Our fastest code of `ours` takes at most `limit` × the time of the fastest of `rivals`.

    Attributes
    ----------
    name : str
    ours, rivals : callable
        Which codes are meant.
    limit : float or None
        None: shown, not judged.
    over : int
        Only for graphs with more stored entries than this.
    coloring_alone : bool
        Leave the ordering out, which both sides do alike.
    no_more_colors : bool
        Ours must also not use more colors.
    """

    name: str
    ours: Match
    rivals: Match
    limit: float | None
    over: int = 0
    coloring_alone: bool = False
    no_more_colors: bool = False

    def judge(self, m: int, results: Iterable[Result]) -> dict[str, object] | None:
        """The outcome on a graph of m stored entries, None where the target is not about it."""
        if m <= self.over:
            return None
        done = [r for r in results if r.error is None]
        time = (lambda r: r.color_ms) if self.coloring_alone else (lambda r: r.ms)
        ours = min((r for r in done if self.ours(r.code)), key=time, default=None)
        rival = min((r for r in done if self.rivals(r.code)), key=time, default=None)
        row: dict[str, object] = {"target": self.name, "limit": self.limit}
        if ours is None or rival is None:
            return {**row, "verdict": "absent", "absent": "lagcolor" if ours is None else "peer"}
        ratio = time(ours) / time(rival)
        row |= {"ours": str(ours.code), "ours_ms": round(time(ours), 4), "rival": str(rival.code)}
        row |= {"rival_ms": round(time(rival), 4), "ratio": round(ratio, 4)}
        row |= {"ratio_of_minima": round(ours.least(self.coloring_alone) / rival.least(self.coloring_alone), 4)}
        row |= {"ours_colors": ours.n_colors, "rival_colors": rival.n_colors}
        if self.limit is None:
            return {**row, "verdict": "shown"}
        good = ratio <= self.limit and not (self.no_more_colors and ours.n_colors > rival.n_colors)
        return {**row, "verdict": "PASS" if good else "MISS"}


def _greedy(order: str) -> Match:
    return is_("lagcolor", "greedy", order, 1)


def _parallel(order: str) -> Match:
    return lambda c: c.peer == "lagcolor" and c.threads == 2 and c.order == order


def _rivals(order: str, *peers: str) -> Match:
    return any_of(*(is_(peer, "greedy", order) for peer in peers))


BIG = 5_000_000
FASTER = round(1 / 1.4, 4)  # 1.4 × as fast
TARGETS = [
    # "boost" is Boost with the integer types it takes by itself, "boost32" the same with 32-bit ones.
    Target("natural / boost", _greedy("natural"), _rivals("natural", "boost"), 0.7),
    Target("natural / boost32", _greedy("natural"), _rivals("natural", "boost32"), 0.7),
    Target("natural / ref bits", _greedy("natural"), is_("ref", "bits"), None),
    *(
        Target(f"{order} / {boost}, colpack", _greedy(order), _rivals(order, boost, "colpack"), 0.7)
        for order in ("largest_first", "smallest_last")
        for boost in ("boost", "boost32")
    ),
    Target("dsatur / igraph", is_("lagcolor", "dsatur"), is_("igraph", "dsatur"), 0.3, no_more_colors=True),
    Target("2 threads / 1, natural", _parallel("natural"), _greedy("natural"), FASTER, BIG),
    *(
        Target(f"2 threads / 1, {order} made before", _parallel(order), _greedy(order), FASTER, BIG, True)
        for order in ("largest_first", "random")
    ),
]
