"""What a verifier reports, and how verifiers name vertices in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.errors import ColoringError
from ..base.messages import counted, table

SHOWN = 5  # offenders named in a report
SLICE = 1 << 17  # entries that NumPy looks at or sorts at a time: they fit in a cache
RENUMBER = "numpy.unique(colors, return_inverse=True)[1] numbers them from 0 without gaps"
Labels = Sequence[Any] | Mapping[int, Any] | None
NONE = "colors begin at 0, and -1 means none"
Edge = tuple[int, int, int]  # its ends, and their color


def called(v: Any, labels: Labels) -> str:
    """A vertex in a message: its number, and the user's name where it has another."""
    return f"{v}" if labels is None else f"{v} ({labels[v]!r})"


def both(u: Any, v: Any, color: Any, labels: Labels) -> str:
    """The sentence on an edge whose ends share a color."""
    return f"edge ({called(u, labels)}, {called(v, labels)}): both have color {color}"


def fitting(colors: Any, n: int, one: str = "vertex") -> Any:
    """The colors as an array of integers, shape (n,), on their device; `one`: what has a color."""
    from ..inputs.arrays import array_like
    from ..inputs.checks import no_graph, unmasked

    colors = getattr(colors, "colors", colors)
    no_graph(colors, "colors", ColoringError)
    array = array_like(colors)
    unmasked(array, "colors", ColoringError)
    if array.shape != (n,):
        raise ColoringError(f"colors must have shape ({n},), one per {one}, not {tuple(array.shape)}")
    if array.dtype.kind not in "iu" and n:
        raise ColoringError(f"colors must be integers, not {array.dtype}")
    return array if n else array.astype(np.int32)  # an empty list has no type


def narrowed(colors: np.ndarray) -> np.ndarray:
    """Colors as int32 under their number n, equal where they are and negative where they are."""
    n = len(colors)
    low, high = (int(colors.min()), int(colors.max())) if n else (0, -1)
    if low < -n - 1 or high >= n:
        values, rank = np.unique(colors, return_inverse=True)
        colors = rank.reshape(-1) - int((values < 0).sum())  # values that are no colors come first
    return np.ascontiguousarray(colors, np.int32)


def by_color(colors: np.ndarray) -> np.ndarray:
    """The numbers of vertices in the order of colors, those with negative colors first."""
    few = colors.max(initial=0) < 2**15  # NumPy sorts 16 bits by radix
    return np.argsort(np.maximum(colors, -1).astype(np.int16) if few else colors, kind="stable")


def slices(sums: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of groups of about `SLICE` entries; `sums`: entries up to the end of each group."""
    if len(sums):
        cuts = np.searchsorted(sums, np.arange(SLICE, int(sums[-1]), SLICE)) + 1
        yield from pairwise(np.unique(np.concatenate([[0], cuts, [len(sums)]])).tolist())


def _in_use(colors: np.ndarray, n: int) -> tuple[int, int]:
    """How many different ones there are of colors from 0 on, and the largest, or −1."""
    top = int(colors.max()) if len(colors) else -1
    if top >= n:  # perhaps far over their number
        return len(np.unique(colors)), top
    used = np.zeros(top + 1, bool)
    used[colors] = True
    return int(np.count_nonzero(used)), top


@dataclass(frozen=True)
class Report:
    """What a verifier found.

    Attributes
    ----------
    n_colors : int
        Distinct colors in use; for a bicoloring, of rows and columns together.
    n_violations : int
        Edges, pairs, paths, cycles or entries that break the problem's rule, as its verifier counts them.
    violations : list of str
        The first of them, a sentence each that names the offenders.
    n_uncolored : int
        Vertices with color −1 where the problem knows no neutral color.
    uncolored : list of int
        The first of them.
    out_of_range : list of (vertex, color)
        The first vertices with a color under −1; for distance 1 also over n − 1.
    gaps : int
        Colors under the largest that no vertex has; with rules only those that rules do not cause.
    broken : list of str
        Rules that are broken, a sentence for each that names the first offender.
    names : dict
        The user's names of the vertices listed above, where the input has names.
    conflicts : list of (u, v, color) or None
        For distance 1 the first edges whose ends share a color, by u then v. None for other problems.
    n_conflicts : int
        `n_violations`.

    Examples
    --------
    >>> report = lagcolor.verify([(0, 1), (1, 2)], [0, 0, 1], errors="return")
    >>> report.ok, report.n_conflicts
    (False, 1)
    >>> report.problems()
    ['1 conflicting edge, the first (0, 1): both have color 0']
    """

    __module__ = "lagcolor"
    n_colors: int
    n_violations: int = 0
    violations: list[str] = field(default_factory=list)
    n_uncolored: int = 0
    uncolored: list[int] = field(default_factory=list)
    out_of_range: list[tuple[int, int]] = field(default_factory=list)
    gaps: int = 0
    broken: list[str] = field(default_factory=list)
    names: Mapping[int, Any] = field(default_factory=dict)
    conflicts: list[Edge] | None = None

    @classmethod
    def of(
        cls, colors: Any, n_violations: int = 0, violations: Sequence[str] = (), bare: Any = None, *,
        labels: Labels = None, conflicts: Sequence[Edge] | None = None,
    ) -> Report:  # fmt: skip
        """Add what colors alone show; `bare`: which vertices lack a color. Default: vertices with color −1."""
        colors = dev.to_device(colors, "cpu")
        missing = np.flatnonzero(colors == -1 if bare is None else dev.to_device(bare, "cpu"))
        outside = colors < -1
        if conflicts is not None:
            outside |= colors >= len(colors)
        n_colors, top = _in_use(colors[(colors >= 0) & ~outside], len(colors))
        found = cls(
            n_colors=n_colors,
            n_violations=n_violations,
            violations=list(violations),
            n_uncolored=len(missing),
            uncolored=missing[:SHOWN].tolist(),
            out_of_range=[(int(v), int(colors[v])) for v in np.flatnonzero(outside)[:SHOWN]],
            gaps=top + 1 - n_colors,
            conflicts=None if conflicts is None else list(conflicts),
        )
        return with_names(found, labels)

    @property
    def n_conflicts(self) -> int:
        """`n_violations`."""
        return self.n_violations

    def problems(self, *, allow_uncolored: bool = False) -> list[str]:
        """A line for each kind of error; empty for a valid coloring."""
        if not (self.n_violations or self.n_uncolored or self.gaps or self.out_of_range):
            return [*self.broken]
        names, edges = self.names or None, self.conflicts is not None
        out: list[str] = []
        if self.out_of_range:
            v, c = self.out_of_range[0]
            who = f"{'vertex ' * edges}{called(v, names)} has color {c}"
            out.append(f"{who}: {'colors go from 0 to n - 1, and -1 means uncolored' if edges else NONE}")
        if self.n_violations:
            many, first = counted(self.n_violations, "conflicting edges" if edges else "violations"), self.violations[0]
            out.append(f"{many}, the first {first.removeprefix('edge ')}" if edges else f"{many}, the first: {first}")
        if self.n_uncolored and not allow_uncolored:
            bare = counted(self.n_uncolored, "uncolored vertices") if edges else f"{self.n_uncolored} uncolored"
            out.append(f"{bare} (-1), the first {called(self.uncolored[0], names)}")
        if self.gaps:
            out.append(f"colors are not 0 … k-1: {self.gaps} below the largest are unused; {RENUMBER}")
        return out + self.broken

    @property
    def ok(self) -> bool:
        """Whether nothing is violated, all is colored, and the colors are exactly 0…k−1."""
        return not self.problems()

    def _repr_html_(self) -> str:
        faulty = "violations" if self.conflicts is None else "conflicting edges"
        facts = [("colors", self.n_colors), (faulty, self.n_violations), ("uncolored", self.n_uncolored)]
        faults = self.problems()
        rows = [(name, f"{number:,}") for name, number in facts]
        return table("Report", [*rows, ("ok", "no" if faults else "yes"), *(("fault", f) for f in faults)])

    def settled(self, allow_uncolored: bool, errors: str, what: str = "") -> Report:
        """Itself, or the error that ``errors="raise"`` asks for; `what` it is not."""
        faults = self.problems(allow_uncolored=allow_uncolored)
        if faults and errors == "raise":
            what = what or ("a coloring of this problem" if self.conflicts is None else "a valid coloring")
            raise ColoringError(f"not {what}: {'; '.join(faults)}")
        return self


def with_names(report: Report, labels: Labels) -> Report:
    """A report with the user's names of the vertices that it lists."""
    listed = [v for v, _ in report.out_of_range] + report.uncolored
    listed += [v for edge in report.conflicts or () for v in edge[:2]]
    names = {} if labels is None else {v: labels[v] for v in sorted(set(listed))}
    if report.conflicts is None:
        return replace(report, names=names)
    return replace(report, names=names, violations=[both(u, v, c, labels) for u, v, c in report.conflicts])
