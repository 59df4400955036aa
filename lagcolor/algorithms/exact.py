"""The fewest colors, with proof: clause learning, one color less at a time (engines/exact/learning).

First-fit in the requested order and ejection give a first coloring. Then a search decides whether one color less is
enough, on the kernel of the graph for this number of colors, until no such coloring exists. This proves the number of
colors, and `lower_bound` of the result equals it. After `nodes` conflicts in total, or at the time limit, the search
ends without a proof.

With rules, the search of quality "best" (search/rules.py) runs on the whole graph. Problems at two hops are colored on
the graph of their conflicting pairs.

References
----------
Marques-Silva, Sakallah 1999, "GRASP: a search algorithm for propositional satisfiability"; Van Gelder 2008, "Another
look at graph coloring via propositional satisfiability".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.compile_clock import clock
from ..base.log import Log
from ..base.options import whole
from ..engines.exact.clique import clique_size
from ..engines.exact.proof import Proof
from ..engines.greedy.sequential import first_fit
from ..engines.improve.ejections import ejection
from ..engines.improve.lists import FOUND, NONE_EXISTS
from ..graph.graph import Graph
from ..graph.nets import Structure, pairs, refuse_large
from ..graph.pattern import unsigned
from ..graph.two_colors import bipartite
from ..orders import Priorities
from ..problems import DEFAULT, PROBLEMS
from ..problems.registry import coloring
from ..problems.rules import BY_FIRST_FIT, Rules
from ..search import COUNTS, Limit
from ..search import rules as rule_search

NODES, ALL = 20_000, 2**62
MOST_ENTRIES = 1 << 22  # largest table of vertices and colors


@coloring(
    "exact",
    problem=(DEFAULT, "columns", "rows", "distance2", "edges"),
    style="sequential",
    paper="Marques-Silva, Sakallah 1999, clause learning",
    engines=("cpu",),
    bound="Δ+1 (χ where the nodes suffice)",
    oracle=None,
    deterministic=True,
    order="largest_first",
    seed=0,
    needs="sequence",
    rules=BY_FIRST_FIT,
    limited=True,
    prepare=refuse_large,
    options={
        "nodes": f"conflicts of the search in total; None: no limit; default {NODES}, or None with a time limit",
    },
)
def exact(
    H: Structure, p: Priorities, log: Log, nodes: Any = "default", rules: Rules | None = None,
    until: float | None = None,
) -> np.ndarray:  # fmt: skip
    """Clause learning: the fewest colors, with proof, if the nodes or the time suffice."""
    if isinstance(nodes, str) and nodes == "default":
        nodes = NODES if until is None else None
    left = whole("nodes", nodes, 0, of="nodes", none=True)
    left = ALL if left is None else left
    G = pairs(H)
    if rules is None or rules.limit_number_alone:
        colors = _without_rules(G, p, log, left, until)
        return colors if rules is None else rules.within_number(colors)
    limit = COUNTS if until is None else Limit(now := clock(), until - now)
    return _with_rules(H, G, p, log, rules, limit._replace(conflicts=left))


def _with_rules(H: Structure, G: Graph, p: Priorities, log: Log, rules: Rules, limit: Limit) -> np.ndarray:
    """Run the search of quality "best", limited by conflicts; errors name labels of H."""
    colors = rule_search.first_fit(G, rules, p.sequence)
    log.round(active=G.n, colored=G.n, conflicts=0)
    colors, _ = rule_search.complete(H, rules, ("first_fit", colors), log, p.seed or 0, limit)
    return rule_search.fewer(H, rules, colors, log, p.seed or 0, limit)[0]


def _without_rules(G: Graph, p: Priorities, log: Log, left: int, deadline: float | None) -> np.ndarray:
    """Color by first-fit and ejection, then prove on kernels."""
    colors = first_fit(*unsigned(G), p.sequence.view(np.uint32))
    until = math.inf if deadline is None else deadline
    least, inner = max(log.lower_bound, PROBLEMS[DEFAULT].lower_bound(G)), Log()
    inner.stage = log.stage
    with log.best_so_far():
        colors = ejection(G, colors, deadline=deadline, seed=p.seed or 0, log=inner)
        if "interrupted" in inner.notes:
            raise KeyboardInterrupt
        if G.m and int(colors.max()) > 1:
            two = bipartite(G)
            colors, least = (colors, max(least, 3)) if two is None else (two, 2)
        least = max(least, clique_size(G, int(colors.max(initial=-1)) + 1, deadline))
        log.round(active=G.n, colored=G.n, conflicts=0)
        while (k := int(colors.max(initial=-1)) + 1) > least and left > 0 and clock() < until:
            proof = Proof(G, k - 1)
            if proof.entries > MOST_ENTRIES:
                break
            result = proof.run(until, left)
            left -= proof.conflicts
            log.round(active=0, colored=0, conflicts=0, colors=k - 1, reached=result == FOUND)
            if result == NONE_EXISTS:
                least, log.certificate = k, proof.certificate
            elif result == FOUND:
                colors = proof.colors()
    log.lower_bound = least
    return colors
