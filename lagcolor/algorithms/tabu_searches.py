"""TabuCol, PartialCol and HEAD: local searches that remove one color at a time from a first-fit coloring.

First-fit in the requested order gives the first coloring. A search (engines/improve/tabu) then drops its smallest class
and looks for a coloring with one color less, on the core of the graph for this number of colors. Searches continue
until one fails after `steps` iterations. No clock is read, so the colors are the same on every run.

References
----------
Hertz, de Werra 1987, "Using tabu search techniques for graph coloring"; Galinier, Hao 1999, "Hybrid evolutionary
algorithms for graph coloring" (TabuCol with its tenure, GPX).
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme" (PartialCol
with dynamic tenure, and FOO).
Moalic, Gondran 2018, "Variations on memetic algorithms for graph coloring problems" (HEAD).
Goudet, Grelier, Hao 2022, "A deep learning guided memetic framework for graph coloring problems" (many searches at once
on a GPU).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import threads_for, threads_for_graph
from ..base.errors import OptionError
from ..base.log import Log
from ..base.options import flag, whole
from ..engines.exact.clique import clique_size
from ..engines.greedy.sequential import first_fit
from ..engines.improve.tabu.descent import Descent, GpuDescent
from ..engines.improve.tabu.search import MOVES
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..graph.two_colors import bipartite
from ..orders import Priorities
from ..problems.registry import coloring

STEPS = 100_000
PAIRS, BROOD = 16, 4  # on a GPU
OPTIONS = {
    "steps": f"iterations of a local search for each number of colors; default {STEPS}",
    "colors": "stop at this number of colors; default: when a search fails",
}
ROW: dict[str, Any] = {
    "style": "sequential", "engines": ("cpu",), "bound": "Δ+1", "oracle": None, "deterministic": True,
    "order": "largest_first", "seed": 0, "needs": "sequence",
}  # fmt: skip


@coloring(
    "tabucol", paper="Hertz and de Werra 1987, TabuCol; Galinier and Hao 1999", options=OPTIONS,
    **ROW,
)  # fmt: skip
def tabucol(G: Graph, p: Priorities, log: Log, steps: Any = STEPS, colors: Any = 1) -> np.ndarray:
    """TabuCol: removes conflicts one recoloring at a time; the reverse move is forbidden for a while."""
    return _descend("tabucol", G, p, log, steps, colors, partial(Descent, pairs=0, moves=MOVES[0]))


@coloring(
    "partialcol", paper="Blöchliger and Zufferey 2008, PartialCol",
    options={**OPTIONS, "reactive": "reactive tenure (FOO) in place of the dynamic one"},
    **ROW,
)  # fmt: skip
def partialcol(
    G: Graph, p: Priorities, log: Log, steps: Any = STEPS, colors: Any = 1, reactive: Any = False
) -> np.ndarray:
    """PartialCol: uncolored vertices take a color and eject neighbors; the reverse move is forbidden for a while."""
    moves = MOVES[2] if flag("reactive", reactive) else MOVES[1]
    return _descend("partialcol", G, p, log, steps, colors, partial(Descent, pairs=0, moves=moves))


@coloring(
    "head", paper="Moalic and Gondran 2018, HEAD",
    options={**OPTIONS, "pairs": "number of independent pairs of parents; default 1"}, threaded=True,
    **ROW,
)  # fmt: skip
def head(
    G: Graph, p: Priorities, log: Log, steps: Any = STEPS, colors: Any = 1, pairs: Any = 1, threads: int | None = None
) -> np.ndarray:
    """HEAD: a memetic search of two parents; TabuCol improves each child."""
    pairs = whole("pairs", pairs, 1)
    if threads is None:  # a slice of moves takes milliseconds on a graph of any size
        threads = min(threads_for(None, 2**62), 2 * pairs)
    workers = threads_for_graph(threads, G, log, 2 * pairs)
    return _descend("head", G, p, log, steps, colors, partial(Descent, pairs=pairs, threads=workers))


@coloring(
    "memetic", paper="Moalic and Gondran 2018, HEAD; Goudet, Grelier and Hao 2022, on GPU",
    options={
        **OPTIONS,
        "pairs": f"number of independent pairs of parents; default {PAIRS}",
        "brood": f"local searches for each child, which takes the best result; default {BROOD}",
    },
    **ROW | {"engines": ("cuda",)},
)  # fmt: skip
def memetic(
    G: Graph, p: Priorities, log: Log, steps: Any = STEPS, colors: Any = 1, pairs: Any = PAIRS, brood: Any = BROOD
) -> Any:
    """HEAD with many pairs of parents at once on a GPU, a local search per block."""
    make = partial(GpuDescent, pairs=whole("pairs", pairs, 1), brood=whole("brood", brood, 1))
    return dev.to_device(_descend("memetic", G.on("cpu"), p.on("cpu"), log, steps, colors, make), G.device)


def _descend(
    name: str, G: Graph, p: Priorities, log: Log, steps: Any, colors: Any, make: Callable[..., Descent]
) -> np.ndarray:
    """Color by first-fit, then remove one color at a time; `G` is on the CPU."""
    steps, least = whole("steps", steps, 1), whole("colors", colors, 1, of="colors")
    found = first_fit(*unsigned(G), p.sequence.view(np.uint32))
    log.round(active=G.n, colored=G.n, conflicts=0)
    descent = make(G, found, p.seed or 0)
    log.lower_bound = clique_size(G, descent.k)
    least = max(least, log.lower_bound)
    with log.best_so_far():
        while descent.k > least:
            k = descent.k - 1
            if k == 2:  # decided without a search
                two = bipartite(G)
                return descent.colors if two is None else two
            if why := descent.refused():
                raise OptionError(f"{name} {why}: take quality='best', which has searches for such graphs")
            reached = descent.run(most=steps)
            log.round(active=0, colored=0, conflicts=0, colors=k, reached=reached)
            if not reached:
                break
    return descent.colors
