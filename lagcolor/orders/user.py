"""Orders from the user: priorities in an array or by the labels of the vertices; larger is colored earlier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import device as dev
from ..base.errors import OptionError
from ..graph.graph import Graph
from ..inputs.arrays import values_of
from .ties import tie_order


def from_array(G: Graph, order: Any, seed: int | None) -> Any:
    """Vertices by decreasing priority, ties by seed."""
    xp = G.xp
    values = dev.to_device(numbers(G, order), G.device)
    if values.dtype.kind == "f":
        nan = xp.flatnonzero(xp.isnan(values))
        if len(nan):
            raise OptionError(f"the order is NaN at vertex {int(nan[0])}: every vertex needs a number")
        values = values + values.dtype.type(0)  # −0.0 becomes 0.0, because a radix sort distinguishes them
    ties = tie_order(xp, G.n, seed)
    # Reversing a stable increasing sort of the reversed array: larger first, equal priorities in the order of `ties`.
    rising = xp.argsort(xp.ascontiguousarray(values[ties][::-1]), kind="stable")
    return xp.ascontiguousarray(ties[::-1][rising][::-1])


def _by_label(G: Graph, order: Any) -> list[Any]:
    """List of the priorities of all vertices, by their labels."""
    labels = range(G.n) if G.labels is None else G.labels
    if not isinstance(order, Mapping):
        return [order(label) for label in labels]
    if hasattr(labels, "numbers"):  # edges have several names
        order, values = {}, order
        for v, x in zip(labels.numbers(list(values)).tolist(), values.values(), strict=True):
            if order.setdefault(v, x) != x:
                raise OptionError(f"the order has the priorities {order[v]!r} and {x!r} for edge {labels[v]!r}")
        if absent := set(range(G.n)) - order.keys():
            raise OptionError(f"the order has no priority for edge {labels[min(absent)]!r}: every edge needs a number")
        return [order[v] for v in range(G.n)]
    for v, label in enumerate(labels):
        if label not in order:
            name = f"vertex {v}" if label == v else f"vertex {v} ({label!r})"
            raise OptionError(f"the order has no priority for {name}: every vertex needs a number")
    return [order[label] for label in labels]


def numbers(G: Graph, order: Any) -> Any:
    """`order` as an array of shape (n,) and a real type; OptionError for other inputs, except for NaN."""
    if isinstance(order, Mapping) or callable(order):
        order = _by_label(G, order)
    order = values_of(order, "order", OptionError, "the order must be a name or an array of numbers, one per vertex")
    if order.dtype.kind in "US":
        raise OptionError(
            f"the order must have whole numbers or floats, not {order.dtype.str[1:]}; pass several orders as a "
            "tuple of names: order=('natural', 'smallest_last')"
        )
    if order.shape != (G.n,):
        raise OptionError(f"the order must have shape ({G.n},), one number per vertex, not {order.shape}")
    if order.dtype.kind not in "biuf" or order.dtype.itemsize > 8:
        raise OptionError(f"the order must have whole numbers or floats of up to 64 bits, not {order.dtype}")
    native = order.dtype.newbyteorder("=")
    return order.astype(native, copy=False)
