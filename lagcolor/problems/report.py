"""What the verifiers of problems other than distance 1 find, and how all of them call what is at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..base import device as dev
from ..base.errors import ColoringError
from ..base.messages import counted, table

SHOWN = 5  # violations named in a report
RENUMBER = "numpy.unique(colors, return_inverse=True)[1] numbers them from 0 without gaps"
Labels = Sequence[Any] | Mapping[int, Any] | None


def called(v: Any, labels: Labels) -> str:
    """A vertex in a message: its number, and the user's name where it has another."""
    return f"{v}" if labels is None else f"{v} ({labels[v]!r})"


def with_names[R](report: R, labels: Labels) -> R:
    """A Report or Findings with the user's names of the vertices that it lists."""
    found: Any = report
    listed = [v for v, _ in found.out_of_range] + found.uncolored
    listed += [v for u, v, _ in getattr(found, "conflicts", ()) for v in (u, v)]
    if labels is None or not listed:
        return report
    return replace(found, names={v: labels[v] for v in sorted(set(listed))})


def as_table(report: Any, faulty: str, count: int) -> str:
    """A Report or Findings in a notebook; `faulty`: what is counted."""
    facts = [("colors", report.n_colors), (faulty, count), ("uncolored", report.n_uncolored)]
    faults = report.problems()
    rows = [(name, f"{number:,}") for name, number in facts]
    return table(type(report).__name__, [*rows, ("ok", "no" if faults else "yes"), *(("fault", f) for f in faults)])


@dataclass(frozen=True)
class Findings:
    """What a verifier found.

    Attributes
    ----------
    n_colors : int
        Distinct colors in use; for a bicoloring, of rows and columns together.
    n_violations : int
        Pairs, paths, cycles or entries that break the problem's rule, as its verifier counts them.
    violations : list of str
        The first of them, a sentence each that names the offenders.
    n_uncolored : int
        Vertices with color −1 where the problem knows no neutral color.
    uncolored : list of int
        The first of them.
    out_of_range : list of (vertex, color)
        The first vertices with a color under −1.
    gaps : int
        Colors under the largest that no vertex has; with rules only those that rules do not cause.
    broken : list of str
        Rules that are broken, a sentence for each that names the first offender.
    names : dict
        The user's names of the vertices listed above, where the input has names.
    """

    n_colors: int
    n_violations: int
    violations: list[str] = field(default_factory=list)
    n_uncolored: int = 0
    uncolored: list[int] = field(default_factory=list)
    out_of_range: list[tuple[int, int]] = field(default_factory=list)
    gaps: int = 0
    broken: list[str] = field(default_factory=list)
    names: Mapping[int, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, colors: Any, n_violations: int, violations: list[str], bare: Any = None) -> Findings:
        """Add what colors alone show; `bare`: which vertices lack a color, by default those of color −1."""
        xp = dev.module_of(colors)
        used, missing = xp.unique(colors[colors >= 0]), xp.flatnonzero(colors == -1 if bare is None else bare)
        gaps = int(used[-1]) + 1 - len(used) if len(used) else 0
        low = [(int(v), int(colors[v])) for v in xp.flatnonzero(colors < -1)[:SHOWN].tolist()]
        return cls(len(used), n_violations, violations, len(missing), missing[:SHOWN].tolist(), low, gaps)

    def problems(self, *, allow_uncolored: bool = False) -> list[str]:
        """A line for each kind of error; empty for a valid coloring."""
        out = []
        names = self.names or None
        if self.out_of_range:
            v, c = self.out_of_range[0]
            out.append(f"{called(v, names)} has color {c}: colors begin at 0, and -1 means none")
        if self.n_violations:
            out.append(f"{counted(self.n_violations, 'violations')}, the first: {self.violations[0]}")
        if self.n_uncolored and not allow_uncolored:
            out.append(f"{self.n_uncolored} uncolored (-1), the first {called(self.uncolored[0], names)}")
        if self.gaps:
            out.append(f"colors are not 0 … k-1: {self.gaps} below the largest are unused; {RENUMBER}")
        return out + self.broken

    @property
    def ok(self) -> bool:
        """No violation, complete, and colors exactly 0…k−1."""
        return not self.problems()

    def _repr_html_(self) -> str:
        return as_table(self, "violations", self.n_violations)

    def settled(self, allow_uncolored: bool, errors: str) -> Findings:
        """Itself, or the error that ``errors="raise"`` asks for."""
        faults = self.problems(allow_uncolored=allow_uncolored)
        if faults and errors == "raise":
            raise ColoringError("not a coloring of this problem: " + "; ".join(faults))
        return self
