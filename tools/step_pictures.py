"""Shared parts of the step-by-step versions of algorithms: the graph of seven vertices, a step, the stories.

A new picture is a generator in a file `steps_*.py` in this folder. It has the name of the algorithm, takes the
neighbors and the priorities, yields `Step`s, and is registered by `@story(title)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, NamedTuple

import lagcolor

NAMES = "abcdefg"
PLACES = {"c": (17, 42), "f": (52, 42), "g": (88, 42), "a": (123, 42), "b": (35, 86), "e": (70, 86), "d": (105, 86)}
EDGES = ["fg", "ag", "be", "de", "bc", "ce", "ef", "eg", "dg", "ad"]

Near = list[list[int]]


class Step(NamedTuple):
    """A panel: colors (−1: none), the active vertices, a caption, a text at vertices, edges in conflict.

    With `paint`, the colors of edges by their ends, edges are colored instead, and the pairs in `edges` are emphasized.
    """

    colors: list[int]
    active: AbstractSet[int]
    caption: str
    labels: Mapping[int, str] = MappingProxyType({})
    edges: AbstractSet[tuple[int, int]] = frozenset()
    paint: Mapping[tuple[int, int], int] = MappingProxyType({})


class Story(NamedTuple):
    """A step-by-step version of the algorithm `name`, with the arguments of `lagcolor.color` that it follows.

    With the arguments `same`, the steps end in the colors of the library. They are for an algorithm without a
    deterministic result, whose picture shows another schedule.
    """

    name: str
    algorithm: str | None
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
    """Register a function (near, p) → steps under its name; without an order, `color` is called without one.

    The option `algorithm` names the algorithm if the function has another name.
    """

    def register(steps: Any) -> Any:
        name = steps.__name__
        algorithm = options.pop("algorithm", name)
        STORIES[name] = Story(name, algorithm, title, steps, order, seed, options, same or {})
        return steps

    return register


def graph() -> lagcolor.Graph:
    """Return the graph of all pictures."""
    return lagcolor.Graph.of([(NAMES.index(u), NAMES.index(v)) for u, v in EDGES])


def run(name: str, **changes: Any) -> list[Step]:
    """Return the steps of one algorithm, each with a copy of its state."""
    G, version = graph(), STORIES[name]
    near = [sorted(G.indices[G.indptr[v] : G.indptr[v + 1]].tolist()) for v in range(G.n)]
    p = lagcolor.Priorities.of(G, version.order or "natural", seed=version.seed).p.tolist()
    steps = version.steps(near, p, **changes)
    return [s._replace(colors=list(s.colors), active=set(s.active), paint=dict(s.paint)) for s in steps]


def result(step: Step) -> list[int]:
    """Return the colors of vertices, or of edges in the order of `Graph.edges`."""
    if not step.paint:
        return step.colors
    return [step.paint.get(pair, -1) for pair in zip(*(end.tolist() for end in graph().edges), strict=True)]


def expected(name: str) -> list[int]:
    """Return the library's colors of the graph."""
    version = STORIES[name]
    order: dict[str, Any] = {} if version.order is None else {"order": version.order, "seed": version.seed}
    options = dict(version.options)
    if of_edges := options.pop("edges", None):
        order["order"] = {pair: -i for i, pair in enumerate(edge_order(of_edges))}
    if version.algorithm:
        options["algorithm"] = version.algorithm
    return lagcolor.color(graph(), **order, **options).colors.tolist()


def edge_order(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the ends of edges with names such as "ab"."""
    return [(NAMES.index(u), NAMES.index(v)) for u, v in names]


def least_free(near: Near, colors: list[int], v: int) -> int:
    """Return the least color that no neighbor has."""
    taken = {colors[u] for u in near[v]}
    return next(x for x in range(len(near)) if x not in taken)


def spoken(vertices: AbstractSet[int]) -> str:
    """Return the names of vertices for a caption."""
    return ", ".join(NAMES[v] for v in sorted(vertices))
