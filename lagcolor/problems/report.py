"""The report of a verifier, and names of vertices in its messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..base import device as dev
from ..base import imported_from
from ..base.errors import ColoringError
from ..base.messages import counted, table

SHOWN = 5  # violations named in a report
SLICE = 1 << 17  # entries that NumPy reads or sorts at a time, so that they fit in a cache
RENUMBER = "numpy.unique(colors, return_inverse=True)[1] numbers them from 0 without gaps"
Labels = Sequence[Any] | Mapping[int, Any] | None
NONE = "colors begin at 0, and -1 means none"
Edge = tuple[int, int, int]  # its ends, and their color


def called(v: Any, labels: Labels) -> str:
    """Name of a vertex in a message: its number, and its label if there are labels."""
    return f"{v}" if labels is None else f"{v} ({labels[v]!r})"


def both(u: Any, v: Any, color: Any, labels: Labels) -> str:
    """Message about an edge whose ends share a color."""
    return f"edge ({called(u, labels)}, {called(v, labels)}): both have color {color}"


def fitting(colors: Any, n: int, one: str = "vertex") -> Any:
    """Convert colors to an array of integers, shape (n,), on their device; `one` names a colored part in errors."""
    from ..inputs.arrays import values_of
    from ..inputs.checks import no_graph

    colors = getattr(colors, "colors", colors)
    no_graph(colors, "colors", ColoringError)
    array = values_of(colors, "colors", ColoringError)
    if array.shape != (n,):
        file = isinstance(colors, str) or hasattr(colors, "__fspath__")
        more = "; read a file with lagcolor.io.read_coloring(path)" if file else ""
        raise ColoringError(f"colors must have shape ({n},), one per {one}, not {tuple(array.shape)}{more}")
    if array.dtype.kind not in "iu" and n:
        raise ColoringError(f"colors must be integers, not {array.dtype}: if they are whole, pass colors.astype(int)")
    return array if n else array.astype(np.int32)  # an empty list has no type


def narrowed(colors: np.ndarray) -> np.ndarray:
    """Colors as int32 less than n, with the same classes and the same vertices negative."""
    n = len(colors)
    low, high = (int(colors.min()), int(colors.max())) if n else (0, -1)
    if low < -n - 1 or high >= n:
        values, rank = np.unique(colors, return_inverse=True)
        colors = rank.reshape(-1) - int((values < 0).sum())  # negative values come first
    return np.ascontiguousarray(colors, np.int32)


def by_color(colors: np.ndarray) -> np.ndarray:
    """Vertices sorted by color, vertices with negative colors first."""
    few = colors.max(initial=0) < 2**15  # NumPy sorts 16 bits by radix
    return np.argsort(np.maximum(colors, -1).astype(np.int16) if few else colors, kind="stable")


def slices(sums: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield ranges of groups with about `SLICE` entries; `sums`: number of entries up to the end of each group."""
    if len(sums):
        cuts = np.searchsorted(sums, np.arange(SLICE, int(sums[-1]), SLICE)) + 1
        yield from pairwise(np.unique(np.concatenate([[0], cuts, [len(sums)]])).tolist())


def _in_use(colors: np.ndarray, n: int) -> tuple[int, int]:
    """Number of distinct colors from 0 on, and the largest color, or −1."""
    top = int(colors.max()) if len(colors) else -1
    if top >= n:  # may be far over n, so use no table
        return len(np.unique(colors)), top
    used = np.zeros(top + 1, bool)
    used[colors] = True
    return int(np.count_nonzero(used)), top


@imported_from("lagcolor")
@dataclass(frozen=True)
class Report:
    """Findings of the verification of a coloring.

    Attributes
    ----------
    n_colors : int
        Number of distinct colors in use; for a bicoloring, of rows and columns together.
    n_violations : int
        Number of violations: edges, pairs, paths, cycles or entries, depending on the problem.
    violations : list of str
        A sentence for each of the first violations.
    n_uncolored : int
        Number of vertices with color −1, if the problem has no neutral color.
    uncolored : list of int
        The first uncolored vertices.
    out_of_range : list of (vertex, color)
        The first vertices with a color under −1; for distance 1 also over n − 1.
    gaps : int
        Number of unused colors under the largest; with rules, without gaps that rules cause.
    broken : list of str
        A sentence for each broken rule, with the first vertex or class that breaks it.
    names : dict
        Labels of the vertices listed above, if the input has labels.
    conflicts : list of (u, v, color) or None
        For distance 1, the first edges whose ends share a color, sorted by u, then v. None for other problems.
    n_conflicts : int
        Equal to `n_violations`.

    Examples
    --------
    >>> report = lagcolor.verify([(0, 1), (1, 2)], [0, 0, 1], errors="return")
    >>> report.ok, report.n_conflicts
    (False, 1)
    >>> report.problems()
    ['1 conflicting edge, the first (0, 1): both have color 0']
    """

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
        """Create a report; `bare` is a mask of vertices without a color, by default vertices with color −1."""
        colors = dev.to_device(colors, "cpu")
        missing = np.flatnonzero(colors == -1 if bare is None else dev.to_device(bare, "cpu"))
        outside = colors < -1
        if conflicts is not None:
            outside |= colors >= len(colors)
        inside = (colors >= 0) & ~outside
        n_colors, top = _in_use(colors if inside.all() else colors[np.flatnonzero(inside)], len(colors))
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
        """Equal to `n_violations`."""
        return self.n_violations

    def problems(self, *, allow_uncolored: bool = False) -> list[str]:
        """Return a line for each kind of error; an empty list for a valid coloring."""
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
        """True if nothing is violated, all vertices are colored, and the colors are 0 … k−1 without gaps."""
        return not self.problems()

    def _repr_html_(self) -> str:
        faulty = "violations" if self.conflicts is None else "conflicting edges"
        facts = [("colors", self.n_colors), (faulty, self.n_violations), ("uncolored", self.n_uncolored)]
        faults = self.problems()
        rows = [(name, f"{number:,}") for name, number in facts]
        return table("Report", [*rows, ("ok", "no" if faults else "yes"), *(("fault", f) for f in faults)])

    def or_raise(self, allow_uncolored: bool, errors: str, what: str = "") -> Report:
        """Return the report, or raise a ColoringError for its faults if ``errors="raise"``."""
        faults = self.problems(allow_uncolored=allow_uncolored)
        if faults and errors == "raise":
            what = what or ("a coloring of this problem" if self.conflicts is None else "a valid coloring")
            raise ColoringError(f"not {what}: {'; '.join(faults)}")
        return self


def with_names(report: Report, labels: Labels) -> Report:
    """Add the labels of the listed vertices to a report."""
    listed = [v for v, _ in report.out_of_range] + report.uncolored
    listed += [v for edge in report.conflicts or () for v in edge[:2]]
    names = {} if labels is None else {v: labels[v] for v in sorted(set(listed))}
    if report.conflicts is None:
        return replace(report, names=names)
    return replace(report, names=names, violations=[both(u, v, c, labels) for u, v, c in report.conflicts])
