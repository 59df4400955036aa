"""The user's own order: an array of priorities, the larger is colored earlier."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import device as dev
from ..errors import OptionError
from ..graph import Graph
from .ties import tie_order


def from_array(G: Graph, order: Any, seed: int | None) -> Any:
    """Vertices by falling priority, ties by seed.

    Parameters
    ----------
    G : Graph
    order : array-like of numbers, shape (n,)
        NumPy, CuPy, list; whole numbers, floats of up to 64 bits (infinite ones too) or booleans.
    seed : int or None

    Returns
    -------
    array of int32, shape (n,)
        First colored first, on the graph's device.

    Raises
    ------
    OptionError
        Another shape or type, or NaN.
    """
    xp = G.xp
    values = dev.to_device(_numbers(G, order), G.device)
    if values.dtype.kind == "f":
        nan = xp.flatnonzero(xp.isnan(values))
        if len(nan):
            raise OptionError(f"the order is NaN at vertex {int(nan[0])}: every vertex needs a number")
        values = values + values.dtype.type(0)  # −0.0 becomes 0.0, which a radix sort takes for another number
    ties = tie_order(xp, G.n, seed)
    # A stable rising sort of the reversed array, reversed: larger first, equal ones as they lie in `ties`.
    rising = xp.argsort(xp.ascontiguousarray(values[ties][::-1]), kind="stable")
    return xp.ascontiguousarray(ties[::-1][rising][::-1])


def _numbers(G: Graph, order: Any) -> Any:
    """`order` as an array of the right shape and a real type."""
    if not dev.is_cupy(order):
        try:
            order = np.asarray(order)
        except (TypeError, ValueError) as e:
            raise OptionError(f"the order must be a name or an array of numbers, one per vertex: {e}") from e
    if order.dtype.kind in "US":
        raise OptionError(
            f"the order must be of whole numbers or floats, not {order.dtype.str[1:]}; several orders are given as a "
            "tuple of names: order=('natural', 'smallest_last')"
        )
    if order.shape != (G.n,):
        raise OptionError(f"the order must have shape ({G.n},), one number per vertex, not {order.shape}")
    if order.dtype.kind not in "biuf" or order.dtype.itemsize > 8:
        raise OptionError(f"the order must hold whole numbers or floats of up to 64 bits, not {order.dtype}")
    native = order.dtype.newbyteorder("=")
    return order.astype(native, copy=False)
