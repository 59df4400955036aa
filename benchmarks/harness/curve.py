"""Colors by time: the qualities of `lagcolor.color` on a graph, with the front of all other codes measured there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .qualities import FORM, is_quality

LIMITS = (2, 5, 10, 25, 100, 1000)  # times fast
NAMES = ("auto:fast", "auto:balanced", *(f"auto:best={limit}x" for limit in LIMITS))


class Point(NamedTuple):
    """A quality on one graph, and the best of the other codes.

    The rival has the fewest colors of all other codes that took no longer than the quality or its time limit; the
    fastest of several.
    """

    quality: str  # as "auto:best=25x"
    seed: int | None
    ms: float  # its time
    times: float | None  # the ratio to the time of "auto:fast", if that was measured
    colors: int
    rival: str | None
    rival_colors: int | None

    @property
    def on_front(self) -> bool:
        """Whether no other code had fewer colors by that time."""
        return self.rival_colors is None or self.colors <= self.rival_colors


def points(name: str, rows: Iterable[Mapping[str, Any]]) -> list[Point]:
    """The qualities on a graph, by the time that they were given or took."""
    mine = [r for r in rows if r["kind"] == "run" and r.get("graph") == name and r["status"] == "ok"]
    fast = min((r["ms"] for r in mine if r["code"] == "auto:fast"), default=None)
    rivals = [r for r in mine if not is_quality(r["code"])]
    found = []
    for row in (r for r in mine if is_quality(r["code"])):
        by = max(row["ms"], allowed(row["code"], fast))
        best = min((r for r in rivals if r["ms"] <= by), key=lambda r: (r["colors"], r["ms"]), default=None)
        rival = (None, None) if best is None else (label(best), best["colors"])
        times = row["ms"] / fast if fast else None
        found.append(Point(row["code"], row["seed"], row["ms"], times, row["colors"], *rival))
    return sorted(found, key=lambda point: max(point.ms, allowed(point.quality, fast)))


def allowed(quality: str, fast: float | None) -> float:
    """The time limit in ms; return 0 if there is none, or fast was not measured."""
    match = FORM.fullmatch(quality)
    if match is None or not match["limit"]:
        return 0.0
    return float(match["limit"]) * (fast or 0.0 if match["times"] else 1e3)


def label(row: Mapping[str, Any]) -> str:
    """A code with its order and threads."""
    order = f", {row['order']}" if row["order"] else ""
    return f"{row['code']}{order}" + ("" if row["threads"] is None else f", {row['threads']} threads")
