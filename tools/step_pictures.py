"""What the step-by-step versions of algorithms share: the graph of seven vertices, a step, and the table of stories.

A new picture is a generator in a file `steps_*.py` beside this one: it has the name of the algorithm, takes the
neighbors and the priorities, yields `Step`s, and is registered by `@story(title)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, NamedTuple

import lagcolor

NAMES = "abcdefg"
PLACES = {"c": (17, 42), "f": (52, 42), "g": (88, 42), "a": (123, 42), "b": (35, 86), "e": (70, 86), "d": (105, 86)}
EDGES = ["fg", "ag", "be", "de", "bc", "ce", "ef", "eg", "dg", "ad"]

Near = list[list[int]]


class Step(NamedTuple):
    """A panel: colors (−1: none), the active vertices, a caption, a text beside vertices, edges in conflict."""

    colors: list[int]
    active: AbstractSet[int]
    caption: str
    labels: Mapping[int, str] = MappingProxyType({})
    edges: AbstractSet[tuple[int, int]] = frozenset()


class Story(NamedTuple):
    """A step-by-step version of the algorithm `name`, with the arguments of `lagcolor.color` that it follows.

    With the arguments `same`, the steps end in the colors of the library. They are for an algorithm without a
    deterministic result, whose picture shows another schedule.
    """

    name: str
    title: str
    steps: Callable[..., Iterator[Step]]
    order: str | None
    seed: int | None
    options: dict[str, Any]
    same: dict[str, Any]


STORIES: dict[str, Story] = {}


def story(
    title: str, order: str | None = "random", seed: int | None = 0, same: dict[str, Any] | None = None, **options: Any
) -> Callable[..., Any]:
    """Register a function (near, p) → steps under its name, which is the algorithm's. No order: `color` has none."""

    def register(steps: Any) -> Any:
        STORIES[steps.__name__] = Story(steps.__name__, title, steps, order, seed, options, same or {})
        return steps

    return register


def graph() -> lagcolor.Graph:
    """The graph of all pictures."""
    return lagcolor.Graph.of([(NAMES.index(u), NAMES.index(v)) for u, v in EDGES])


def run(name: str, **changes: Any) -> list[Step]:
    """The steps of one algorithm, each with a copy of what it shows."""
    G, told = graph(), STORIES[name]
    near = [sorted(G.indices[G.indptr[v] : G.indptr[v + 1]].tolist()) for v in range(G.n)]
    p = lagcolor.Priorities.of(G, told.order or "natural", told.seed).p.tolist()
    return [Step(list(s.colors), set(s.active), *s[2:]) for s in told.steps(near, p, **changes)]


def expected(name: str) -> list[int]:
    """The library's colors of the graph."""
    told = STORIES[name]
    order = {} if told.order is None else {"order": told.order, "seed": told.seed}
    return lagcolor.color(graph(), name, **order, **told.options).colors.tolist()


def least_free(near: Near, colors: list[int], v: int) -> int:
    """The least color that no neighbor has."""
    taken = {colors[u] for u in near[v]}
    return next(x for x in range(len(near)) if x not in taken)


def spoken(vertices: AbstractSet[int]) -> str:
    """Names in a caption."""
    return ", ".join(NAMES[v] for v in sorted(vertices))
