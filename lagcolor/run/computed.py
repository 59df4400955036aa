"""What colorings of graphs with computed edges have in common: their vertices, orders and results."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import stopwatch

from .. import device as dev
from ..core.classes import ColorClasses
from ..core.errors import OptionError
from ..core.options import known
from ..orders.by_key import by_key
from ..orders.seeds import Seed, resolve
from ..orders.ties import tie_order
from ..orders.user import from_array

ORDERS = ("natural", "random", "largest_first")


@dataclass(frozen=True)
class Vertices:
    """Numbers 0 … n − 1 on a device: what orders need of a graph."""

    n: int
    device: str
    labels: None = None

    @property
    def on_gpu(self) -> bool:
        """Whether arrays are CuPy's."""
        return self.device != "cpu"

    @property
    def xp(self) -> ModuleType:
        """numpy or cupy."""
        return dev.cupy() if self.on_gpu else np

    @classmethod
    def at(cls, n: int, device: str) -> Vertices:
        """Those of a device by any of its names."""
        kind, index = dev.parse_device(device)
        return cls(n, f"cuda:{index}" if kind == "cuda" else "cpu")

    def here(self) -> AbstractContextManager[Any]:
        """A context in which their device is the current one."""
        return dev.cupy().cuda.Device(dev.parse_device(self.device)[1]) if self.on_gpu else nullcontext()


def sequence_of(vertices: Any, order: Any, seed: Seed, degrees: Callable[[], Any]) -> tuple[Any, str, int | None]:
    """The vertices, first colored first (int32, shape (n,)), the name of the order, and the seed of its ties.

    Parameters
    ----------
    vertices : Vertices
        Its device is the current one.
    order : {"natural", "random", "largest_first"} or array of shape (n,)
        Of an array of priorities the larger is colored earlier, as in `lagcolor.color`.
    seed : int, None or "default"
        "default" is None: ties by vertex number.
    degrees : callable
        Makes the degrees (whole numbers, shape (n,)), if they are needed.

    Raises
    ------
    OptionError
        Unknown order, or an array of the wrong shape or with NaN.
    """
    seed = resolve(seed, None)
    if not isinstance(order, str):
        return from_array(vertices, order, seed), "user", seed
    name = known(order, ORDERS)
    if name is None:
        among = ", ".join(ORDERS)
        raise OptionError(f"unknown order {order!r}; where edges are computed there are: {among} (or pass an array)")
    order = name
    if order == "largest_first":
        key = degrees().astype(np.int32)
        return by_key(vertices, key, max(dev.largest(key), 0), seed), order, seed
    if order == "random":
        return tie_order(vertices.xp, vertices.n, 0 if seed is None else seed), order, seed
    return tie_order(vertices.xp, vertices.n, None), order, seed


def clocked(vertices: Vertices, run: Callable[[], Any]) -> tuple[Any, float]:
    """What `run` returns, and the seconds until it is there."""
    passed = stopwatch()
    found = run()
    if vertices.on_gpu:
        dev.cupy().cuda.get_current_stream().synchronize()
    return found, passed()


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
    seconds, order_seconds, convert_seconds : float
        The coloring alone, making the order, and reading the input. The first call that needs some code makes or loads
        it in its time.
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
