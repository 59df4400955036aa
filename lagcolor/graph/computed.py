"""Graphs whose edges are computed: the structure that orders, searches and sessions read in place of a `Graph`."""

from __future__ import annotations

from typing import Any, ClassVar

from ..base import device as dev
from ..base.device import extremes
from .graph import Graph


class ComputedGraph:
    """Vertices 0 … n − 1. A subclass computes their edges."""

    hops: ClassVar[int] = 0  # of the orders, see `lagcolor.orders`
    labels: ClassVar[None] = None

    def __init__(self, indices: Any, most: int = 0) -> None:
        """`indices` is an array of length n, on the device that computes the edges."""
        self.indices, self.n, self.most = indices, len(indices), most
        self.device, self.on_gpu, self.xp = dev.device_of(indices), dev.is_cupy(indices), dev.module_of(indices)

    @property
    def degrees(self) -> Any:
        """Conflicts of each vertex, int32, shape (n,); computed at first use."""
        raise NotImplementedError

    @property
    def graph(self) -> Graph | None:
        """The stored graph, on the CPU; None if it takes more than `most` bytes."""
        raise NotImplementedError

    @property
    def max_degree(self) -> int:
        """The largest degree, 0 without vertices."""
        return max(extremes.largest(self.degrees), 0)

    def first_fit(self, sequence: Any) -> Any:
        """Colors of first-fit, int32, shape (n,); `sequence`: all vertices, in the order of coloring."""
        raise NotImplementedError
