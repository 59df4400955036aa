"""Feluca: recursion colors most vertices in a few rounds; sequential spread colors the rest without a conflict.

First stage (`recursion.py`, `recursion.cu`). Every vertex draws a color from COLORS at random. Edges point from the
vertex that comes first to the one that comes later (`dag.py`), and in each round everyone who has the color of a
parent takes another: one between the least and the greatest of the parents' colors that the fixed-length array
NeighborColors does not show, drawn by a hash, else the color after the greatest of them, which may be a new one at the
end of COLORS. It ends, whatever the switch: roots never change, and once a vertex's parents are final it either takes a
color that none of them has or rises, at most to one above theirs. Rounds are synchronous, so that the colors are the
same on every run and device.

Second stage (`spread.py`, `left.cu`, `classes.cu`). The vertices still in conflict give up their colors; then each
color in turn takes, of these, all that no neighbor keeps from it, down the levels of the DAG, one block of threads per
color, the blocks in a pipeline. That is first-fit in order around what the first stage has fixed; no conflict can
arise. On a CPU, and where a GPU has few left, the first-fit engine does it, with the same colors.

Where the paper leaves a choice, docs/feluca.md names the one taken, and why.

==============  ==========================================================================
COLORS          0 … initial − 1 at first; a new color is the next number
NeighborColors  a word of bits from the least color of interest on, and the greatest color
conflicting     has the color of a parent; `active`: was conflicting before the round
left            conflicting when the stages switch
==============  ==========================================================================

Reference: Zheng, Shi, He, Jin, Wei, Dai, Peng 2020, "Feluca: A Two-Stage Graph Coloring Algorithm with Color-centric
Paradigm on GPU", IEEE TPDS 32(1), Algorithm 1 and sections 3 to 5.
"""

from __future__ import annotations

from typing import Any

from semirings.compiling import importing

from ...device import threads as cpu_threads
from ...graph import Graph
from ...orders import Priorities
from ...registry import coloring
from ...result import Log
from .dag import dag
from .options import LONGEST, plan


@coloring(
    "feluca",
    style="kernel",
    paper="Zheng et al. 2020, Algorithm 1",
    engines=("cpu", "cuda"),
    bound="initial + rounds",
    oracle=None,
    deterministic=True,
    order="natural",
    seed=0,
    needs="p",
    options={
        "alpha": "switch to the second stage once active ≤ (1 + alpha) conflicting in two rounds running; default 0.1",
        "fraction": "switch once more than this share is colored, instead; 0: second stage only, 1: first stage only",
        "length": f"of NeighborColors, 2 (as in the paper) to {LONGEST} (default)",
        "initial": "colors to draw from at first; default: mean degree + 1, at least 8, at most Δ + 1",
        "spread": "second stage: pipeline (of color classes, on a GPU), vertex (not color-centric); default: in order, "
        "but pipeline where a GPU has many left",
        "layout": "what the GPU's first rounds read: csr (default) or edges (list with virtual edges)",
        "threads": "CPU threads; default: one per core where that pays",
    },
    also_warm={"spread": "pipeline", "fraction": 0},
)
def feluca(
    G: Graph,
    p: Priorities,
    log: Log,
    alpha: float = 0.1,
    fraction: float | None = None,
    length: int = LONGEST,
    initial: int | None = None,
    spread: str | None = None,
    layout: str = "csr",
    threads: int | None = None,
) -> Any:
    """Recursion for most vertices, color-centric sequential spread for the rest."""
    if G.on_gpu and G.n:
        with importing():
            from .launch import classes

        classes(G)  # the plan wants the largest degree, which comes with them
    chosen = plan(G, alpha, fraction, length, initial, spread, layout)
    if threads is not None:
        threads = cpu_threads.for_graph(threads, G, log)
    D = dag(G, p, threads)
    if G.n == 0:
        return G.xp.full(0, -1, "int32")
    with importing():
        if G.on_gpu:
            from .gpu import color
        else:
            from .cpu import color
    return D.by_vertex(color(G, D, chosen, p, log, threads))
