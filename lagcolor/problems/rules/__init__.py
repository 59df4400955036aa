"""Rules of a coloring: colors that are fixed, forbidden, or limited in number or in weight.

`RuleArguments` has the rules as the user passed them. `Rules` has them in canonical form for engines, results and
verifiers:

==========  ==========================================================================================================
fixed       int32, shape (n,): the color that a vertex must have, −1 if it is free
forbidden   CSR (int64 offsets, int32 colors increasing within a row): colors that a vertex must not have; a list of
            allowed colors is stored as the colors that it excludes
max_colors  only colors 0 … max_colors − 1 are allowed
capacity    largest weight of a class: a number, or an array, which also limits the number of colors
weights     weights of the vertices, int64 or float64; None: 1 each
listed      True if `max_colors` follows from lists of allowed colors
==========  ==========================================================================================================

With rules a color has a meaning, such as a slot of a timetable. Colors are therefore not renumbered, and can have gaps
that rules cause. `fixed` and `forbidden` are on the graph's device, the other arrays on the CPU.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.errors import OptionError
from ...base.messages import counted
from ...base.options import whole
from ..task import Task
from . import reading

MOST_COLORS = 2**31 - 1
# Fields of `RuleArguments` that first-fit obeys.
BY_FIRST_FIT = ("fixed", "forbidden", "max_colors", "capacity", "weights", "allowed")
ROUNDING = 1e-9  # a sum of float weights may exceed a capacity by this share of it


class RuleArguments(NamedTuple):
    """Rules of a call as the user passed them; None for a rule that is not passed."""

    fixed: Any = None
    forbidden: Any = None
    max_colors: Any = None
    capacity: Any = None
    weights: Any = None
    allowed: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rules that are passed."""
        if all(value is None for value in self):
            return ()
        return tuple([name for name, value in zip(self._fields, self, strict=True) if value is not None])


NONE = RuleArguments()


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules of a coloring in canonical form; see the table of this module."""

    fixed: Any = None
    forbidden: tuple[Any, Any] | None = None
    max_colors: int | None = None
    capacity: Any = None
    weights: Any = None
    listed: bool = False

    @classmethod
    def of(cls, requested: RuleArguments, n: int, labels: Any, device: str) -> Rules | None:
        """Convert the rules of a call; None if there are none."""
        if not requested.names:
            return None
        names = reading.NamedVertices(n, labels)
        most = whole("max_colors", requested.max_colors, 0, MOST_COLORS, of="colors", none=True)
        capacity: Any = None if requested.capacity is None else reading.capacity(requested.capacity)
        if np.ndim(capacity):
            if most is not None and most > len(capacity):
                raise OptionError(f"capacity has {len(capacity)} entries, one per color, and max_colors is {most}")
            most = len(capacity) if most is None else most
        lists, most = reading.lists(requested.forbidden, requested.allowed, most, names, device)
        return cls(
            None if requested.fixed is None else reading.fixed(requested.fixed, names, device),
            lists,
            most,
            capacity,
            None if requested.weights is None else reading.weights(requested.weights, names),
            requested.allowed is not None and requested.max_colors is None and not np.ndim(capacity),
        )

    @property
    def limit(self) -> str:
        """Name of the rule that limits the number of colors, for messages."""
        if self.listed:
            return f"allowed: lists of colors under {self.max_colors}"
        listed = np.ndim(self.capacity) and len(self.capacity) == self.max_colors
        return f"capacity of {self.max_colors} colors" if listed else f"max_colors={self.max_colors}"

    def no_coloring(self, proven: bool) -> str:
        """Beginning of messages for no coloring; with the number of colors, if this is the only rule."""
        if not self.limit_number_alone:
            return f"no coloring{'' if proven else ' found'} that keeps the rules"
        k = counted(self.max_colors or 0, "colors")
        return f"there is no coloring with {k}" if proven else f"no coloring with {k} was found"

    @property
    def limit_number_alone(self) -> bool:
        """True if `max_colors` is the only rule, so that a coloring without rules is enough if its colors are few."""
        return self.fixed is self.forbidden is self.capacity is None

    def within_number(self, colors: Any) -> Any:
        """Replace colors that `max_colors` excludes by −1, in place."""
        if self.max_colors is not None and extremes.largest(colors) >= self.max_colors:
            colors[colors >= self.max_colors] = -1
        return colors

    def on(self, device: str) -> Rules:
        """Copy the rules with `fixed` and `forbidden` on another device."""
        fixed = None if self.fixed is None else dev.to_device(self.fixed, device)
        forbidden = self.forbidden and tuple(dev.to_device(a, device) for a in self.forbidden)
        return replace(self, fixed=fixed, forbidden=forbidden)

    def task(self, degree: int) -> Task:
        """Task of an engine, without capacities; `degree`: largest number of vertices that constrain a vertex."""
        active = None if self.fixed is None else self.fixed < 0
        return Task(active, self.fixed, limit=self.max_colors, forbidden=self.within(degree))

    def within(self, degree: int) -> tuple[Any, Any] | None:
        """`forbidden` without colors that first-fit never uses, which exceed all degrees plus forbidden colors."""
        if self.forbidden is None:
            return None
        offsets, colors = self.forbidden
        xp = dev.module_of(colors)
        with dev.using(colors):
            most = degree + extremes.largest(xp.diff(offsets), 0)
            keep = colors <= (most if self.max_colors is None else min(most, self.max_colors - 1))
            before = xp.zeros(len(colors) + 1, np.int64)
            before[1:] = xp.cumsum(keep)
            return before[offsets], colors[keep]

    def weight_of(self, n: int) -> np.ndarray:
        """Weights as float64, shape (n,)."""
        return np.ones(n) if self.weights is None else self.weights.astype(np.float64)

    def capacities(self, begin: int, end: int) -> np.ndarray:
        """Largest weights of classes begin … end − 1, float64; −1 from max_colors on."""
        capacity: Any = np.inf if self.capacity is None else self.capacity
        if self.capacity is not None and self.weights is not None and self.weights.dtype.kind == "f":
            capacity = capacity * (1 + ROUNDING)
        capacities = np.full(end - begin, -1.0)
        allowed = max(min(end, MOST_COLORS if self.max_colors is None else self.max_colors) - begin, 0)
        capacities[:allowed] = capacity[begin : begin + allowed] if np.ndim(capacity) else capacity
        return capacities

    def least_colors(self, n: int) -> int:
        """Number of colors that n vertices need: their weight divided by the largest capacity; 0 without capacities."""
        most = 0.0 if self.capacity is None else float(np.max(self.capacity, initial=0)) * (1 + 2 * ROUNDING)
        with np.errstate(over="ignore"):
            least = (n if self.weights is None else float(self.weights.sum())) / most if most else 0.0
        return math.ceil(least) if least < math.inf else 0

    def free_capacity(self, colors: np.ndarray, k: int) -> np.ndarray:
        """Remaining capacities of classes 0 … k − 1 of a partial coloring, float64; on the CPU."""
        has = (colors >= 0) & (colors < k)
        return self.capacities(0, k) - np.bincount(colors[has], self.weight_of(len(colors))[has], k)

    def lists(self, n: int) -> tuple[Any, Any]:
        """`forbidden`, with empty lists if there are none; on the CPU."""
        return self.forbidden or (np.zeros(n + 1, np.int64), np.empty(0, np.int32))

    def enough(self, n: int) -> int:
        """Number of colors among which each vertex finds one, at most `max_colors`; for rules on the CPU."""
        most = MOST_COLORS if self.max_colors is None else self.max_colors
        if np.ndim(self.capacity):  # any capacity can be too small for a vertex
            return most
        return min(most, n + int(np.diff(self.lists(n)[0]).max(initial=0)))

    def summary(self) -> dict[str, Any]:
        """Summary of each kind of rule, as plain JSON types."""
        out: dict[str, Any] = {}
        if self.fixed is not None:
            out["fixed"] = int((self.fixed >= 0).sum())
        if self.forbidden is not None:
            out["forbidden"] = len(self.forbidden[1])
        if self.max_colors is not None:
            out["max_colors"] = self.max_colors
        if self.capacity is not None:
            out["capacity"] = self.capacity.tolist() if np.ndim(self.capacity) else self.capacity
        if self.weights is not None:
            out["weight"] = self.weights.sum().item()
        return out
