"""Rules of a coloring: colors that are fixed, forbidden, or limited in number or in weight.

`Given` has them as the user wrote them, `Rules` in one form each, which engines, results and verifiers read:

==========  ==========================================================================================================
fixed       int32, shape (n,): the color that a vertex must have, −1 where it is free
forbidden   CSR (int64 offsets, int32 colors rising within a row): what a vertex may not have; lists of allowed colors
            are kept as what they exclude
max_colors  only colors 0 … max_colors − 1
capacity    the most that a class may weigh: a number, or an array, which limits the number of colors, too
weights     of the vertices, int64 or float64; None: 1 each
listed      whether `max_colors` follows from lists of allowed colors
==========  ==========================================================================================================

A color is a number that means something here, such as a slot of a timetable: colors are not renumbered, and may have
gaps where rules cause them. Arrays of `fixed` and `forbidden` are on the graph's device, the others on the CPU.
"""

from __future__ import annotations

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
# Fields of `Given` that first-fit keeps.
BY_FIRST_FIT = ("fixed", "forbidden", "max_colors", "capacity", "weights", "allowed")
ROUNDING = 1e-9  # share of a capacity that sums of weights that are no whole numbers may be over it


class Given(NamedTuple):
    """The rules of a call, as the user wrote them; None: there is none."""

    fixed: Any = None
    forbidden: Any = None
    max_colors: Any = None
    capacity: Any = None
    weights: Any = None
    allowed: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are there."""
        if all(value is None for value in self):
            return ()
        return tuple([name for name, value in zip(self._fields, self, strict=True) if value is not None])


NONE = Given()


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a coloring in canonical form; see the table of this module."""

    fixed: Any = None
    forbidden: tuple[Any, Any] | None = None
    max_colors: int | None = None
    capacity: Any = None
    weights: Any = None
    listed: bool = False

    @classmethod
    def of(cls, given: Given, n: int, labels: Any, device: str) -> Rules | None:
        """The rules of a call; None where there are none."""
        if not given.names:
            return None
        whose = reading.NamedVertices(n, labels)
        most = whole("max_colors", given.max_colors, 0, MOST_COLORS, of="colors", none=True)
        capacity: Any = None if given.capacity is None else reading.capacity(given.capacity)
        if np.ndim(capacity):
            if most is not None and most > len(capacity):
                raise OptionError(f"capacity has {len(capacity)} entries, one per color, and max_colors is {most}")
            most = len(capacity) if most is None else most
        lists, most = reading.lists(given.forbidden, given.allowed, most, whose, device)
        return cls(
            None if given.fixed is None else reading.fixed(given.fixed, whose, device),
            lists,
            most,
            capacity,
            None if given.weights is None else reading.weights(given.weights, whose),
            given.allowed is not None and given.max_colors is None and not np.ndim(capacity),
        )

    @property
    def limit(self) -> str:
        """What limits the number of colors, for messages: `max_colors`, or lists of capacities or allowed colors."""
        if self.listed:
            return f"allowed: lists of colors under {self.max_colors}"
        listed = np.ndim(self.capacity) and len(self.capacity) == self.max_colors
        return f"capacity of {self.max_colors} colors" if listed else f"max_colors={self.max_colors}"

    def no_coloring(self, proven: bool) -> str:
        """The words of messages for no coloring: by its number of colors, if that is the only rule."""
        if not self.limit_number_alone:
            return f"no coloring{'' if proven else ' found'} that keeps the rules"
        k = counted(self.max_colors or 0, "colors")
        return f"there is no coloring with {k}" if proven else f"no coloring with {k} was found"

    @property
    def limit_number_alone(self) -> bool:
        """Whether colors without rules do, if they are few enough."""
        return self.fixed is self.forbidden is self.capacity is None

    def within_number(self, colors: Any) -> Any:
        """Complete colors, −1 in place of those that `max_colors` excludes."""
        if self.max_colors is not None and extremes.largest(colors) >= self.max_colors:
            colors[colors >= self.max_colors] = -1
        return colors

    def on(self, device: str) -> Rules:
        """The rules with `fixed` and `forbidden` on another device."""
        fixed = None if self.fixed is None else dev.to_device(self.fixed, device)
        forbidden = self.forbidden and tuple(dev.to_device(a, device) for a in self.forbidden)
        return replace(self, fixed=fixed, forbidden=forbidden)

    def task(self, degree: int) -> Task:
        """The task of an engine, without capacities; `degree` is the largest number of vertices that constrain one."""
        active = None if self.fixed is None else self.fixed < 0
        return Task(active, self.fixed, limit=self.max_colors, forbidden=self.within(degree))

    def within(self, degree: int) -> tuple[Any, Any] | None:
        """`forbidden` without colors that no first-fit takes: as many as a vertex has forbidden ones and neighbors."""
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

    def rooms(self, begin: int, end: int) -> np.ndarray:
        """What classes begin … end − 1 may weigh without any vertex fixed in them: float64; −1 from max_colors on."""
        capacity: Any = np.inf if self.capacity is None else self.capacity
        if self.capacity is not None and self.weights is not None and self.weights.dtype.kind == "f":
            capacity = capacity * (1 + ROUNDING)
        rooms = np.full(end - begin, -1.0)
        allowed = max(min(end, MOST_COLORS if self.max_colors is None else self.max_colors) - begin, 0)
        rooms[:allowed] = capacity[begin : begin + allowed] if np.ndim(capacity) else capacity
        return rooms

    def room_left(self, colors: np.ndarray, k: int) -> np.ndarray:
        """What classes 0 … k − 1 of a partial coloring may still weigh, float64; on the CPU."""
        has = (colors >= 0) & (colors < k)
        return self.rooms(0, k) - np.bincount(colors[has], self.weight_of(len(colors))[has], k)

    def lists(self, n: int) -> tuple[Any, Any]:
        """`forbidden`, also where nothing is; on the CPU."""
        return self.forbidden or (np.zeros(n + 1, np.int64), np.empty(0, np.int32))

    def enough(self, n: int) -> int:
        """Colors among which there is one for any vertex, unless `max_colors` are fewer: on the CPU."""
        most = MOST_COLORS if self.max_colors is None else self.max_colors
        if np.ndim(self.capacity):  # any of these may be too small for a vertex
            return most
        return min(most, n + int(np.diff(self.lists(n)[0]).max(initial=0)))

    def summary(self) -> dict[str, Any]:
        """How many there are of each kind, as plain JSON types."""
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
