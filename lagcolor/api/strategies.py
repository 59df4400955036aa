"""Names of NetworkX's strategies, and the orders and algorithms that they select."""

from __future__ import annotations

from typing import Any

from ..base import options as names
from ..base.errors import OptionError
from ..orders import ORDERS

# Strategy → order; the other strategies are DSATUR.
ORDERS_OF = {
    "largest_first": "largest_first",
    "random_sequential": "random",
    "smallest_last": "smallest_last",
    "independent_set": "independent_set",
    "connected_sequential": "connected_sequential_bfs",
    "connected_sequential_bfs": "connected_sequential_bfs",
    "connected_sequential_dfs": "connected_sequential_dfs",
}
DSATUR = ("saturation_largest_first", "DSATUR")
_STRATEGIES = ("auto", *ORDERS_OF, *DSATUR)


def algorithm_and_order(algorithm: str, order: Any) -> tuple[str, Any]:
    """Resolve the algorithm and the order of a call; each may be the name of a strategy.

    The name of an order in place of an algorithm selects the algorithm "auto".
    """
    algorithm = names.canonical_name(algorithm, _STRATEGIES)
    if algorithm in ORDERS_OF:
        if order is not None:
            raise OptionError(f"{algorithm!r} is an order, and another is given: leave one of them out")
        algorithm, order = "auto", algorithm
    if algorithm in DSATUR:
        algorithm = "dsatur"
    if isinstance(order, str):
        order = names.canonical_name(order, (*ORDERS_OF, *DSATUR))
        if order in DSATUR and algorithm in ("auto", "dsatur"):
            return "dsatur", None
        order = names.canonical_name(ORDERS_OF.get(order, order), ORDERS)
    return algorithm, order
