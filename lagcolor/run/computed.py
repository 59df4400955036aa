"""Colorings of graphs with computed edges: their vertices, orders, call path and results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import stopwatch

from .. import device as dev
from ..core.classes import ColorClasses
from ..core.errors import OptionError
from ..core.options import Seed, known, resolve
from ..orders import Priorities
from ..orders.by_key import by_key
from ..orders.ties import natural, random
from .session import VERIFY_UP_TO, Work, finish


class Vertices:
    """Vertices 0 … n − 1: what orders and `finish` need of a graph.

    Parameters
    ----------
    indices : array of length n
        On the device where edges are computed.
    degrees : callable
        Computes the degrees (whole numbers, shape (n,)).
    """

    def __init__(self, indices: Any, degrees: Callable[[], Any]) -> None:
        self.indices, self.degrees, self.n, self.labels = indices, degrees, len(indices), None
        self.device, self.on_gpu, self.xp = dev.device_of(indices), dev.is_cupy(indices), dev.module_of(indices)


def _largest_first(vertices: Any, seed: int | None) -> Any:
    key = vertices.degrees().astype(np.int32)
    return by_key(vertices, key, max(dev.largest(key), 0), seed)


ORDERS = {"natural": natural, "random": random, "largest_first": _largest_first}


def priorities(vertices: Any, order: Any, seed: Seed) -> Priorities:
    """The order of a call: a name in `ORDERS`, or an array of priorities."""
    seed = resolve(seed, None)
    if not isinstance(order, str):
        return Priorities.of(vertices, order, seed)
    name = known(order, ORDERS)
    if name is None:
        among = ", ".join(ORDERS)
        raise OptionError(f"unknown order {order!r}; where edges are computed there are: {among} (or pass an array)")
    return Priorities(vertices, name, seed, ORDERS[name])


def color(
    vertices: Any, order: Any, seed: Seed, first_fit: Callable[[Any], Any], made: Callable[..., Any],
    verify: bool | None, compiled: float,
) -> Any:  # fmt: skip
    """Order, color and check vertices whose edges are computed."""

    def begin() -> Work:
        passed = stopwatch()
        p = priorities(vertices, order, seed)
        sequence = p.sequence
        if vertices.on_gpu:
            dev.cupy().cuda.get_current_stream().synchronize()
        order_seconds = passed()
        return Work(
            vertices, lambda: first_fit(sequence), lambda colors: made(colors, p.name, p.seed, 0.0, order_seconds)
        )

    def check(result: Any) -> None:
        if verify or (verify is None and (result.class_sizes.astype(np.float64) ** 2).sum() <= VERIFY_UP_TO):
            result.verify()

    return finish(vertices, begin, True, compiled, check)


@dataclass(repr=False, eq=False)
class ComputedColoring(ColorClasses):
    """A coloring of a graph that is stored nowhere.

    Attributes
    ----------
    colors : array of int32, shape (n,)
        0…k−1, on the device that computed the edges.
    order : str
    seed : int or None
        None: ties are broken by id.
    seconds, order_seconds, convert_seconds, compile_seconds : float
        The coloring alone, making the order, reading the input; compiling and loading code counts in the last alone.
    verified : bool
        Whether the verifier has checked these colors.
    """

    colors: Any
    order: str
    seed: int | None = None
    seconds: float = 0.0
    order_seconds: float = 0.0
    convert_seconds: float = 0.0
    verified: bool = False
    compile_seconds: float = field(default=0.0, init=False)
    _n_colors: int | None = field(default=None, init=False)

    @property
    def prepare_seconds(self) -> float:
        """Everything before the coloring: reading and ordering."""
        return self.convert_seconds + self.order_seconds

    def provenance(self) -> dict[str, Any]:
        """Everything but the colors, as plain JSON types."""
        from .. import __version__

        return {
            "lagcolor": __version__,
            "order": self.order,
            "seed": self.seed,
            "device": self.device,
            "seconds": self.seconds,
            "order_seconds": self.order_seconds,
            "convert_seconds": self.convert_seconds,
            "verified": self.verified,
        }

    def members(self) -> list[np.ndarray]:
        """The vertices of each color, ascending: a list of `n_colors` arrays of int32 on the CPU."""
        offsets, vertices = (dev.to_device(part, "cpu") for part in self.groups())
        return np.split(vertices, offsets[1:-1]) if self.n_colors else []
