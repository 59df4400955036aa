"""A graph divided among GPUs: each GPU has the rows of a range of ids, with the global ids of the neighbors."""

from __future__ import annotations

import bisect
import itertools
import os
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semirings.sparse import MOST_ROWS, offset_type

from ...base import device as dev
from ...base import imported_from
from ...base.compile_clock import clock
from ...base.device.several import Copies, Launch, each, link, milliseconds, numbers, together, wait
from ...base.errors import GraphError, OptionError
from ...base.messages import counted
from ...graph.graph import Graph
from ...inputs import check_vertices
from ...io.folder import Folder, is_folder

CHUNK = 1 << 26  # entries of the host that are copied at a time, because CuPy stages copies in pinned memory
RUN = 32  # consecutive ids that stay together in the order: each range begins with a run
SOURCE = dev.Source(__file__)


@imported_from("lagcolor.scale.gpus")
@dataclass(frozen=True)
class Part:
    """The rows of one GPU.

    Attributes
    ----------
    device : int
        Number of the GPU.
    first, last : int
        Its vertices are first … last − 1.
    indptr : array, shape (last − first + 1,)
        Offsets of its rows, from 0; int32 or int64, the same type on all GPUs.
    indices : array of int32
        Global ids of the neighbors.
    """

    device: int
    first: int
    last: int
    indptr: Any
    indices: Any

    @property
    def n(self) -> int:
        """Number of its vertices."""
        return self.last - self.first

    @property
    def m(self) -> int:
        """Number of its stored entries."""
        return len(self.indices)


class _Look(NamedTuple):
    """The least neighbor of a part's rows, the largest + 1, the largest degree, and the number of colors to send."""

    low: int
    high: int
    degree: int
    pushes: int


@imported_from("lagcolor.scale.gpus")
@dataclass(frozen=True, eq=False)
class Distributed:
    """A graph in parts on several GPUs, for `lagcolor.color`; `distribute` returns one.

    Attributes
    ----------
    n, m : int
        Number of vertices, and number of stored entries of all parts (twice the edges).
    parts : tuple of Part
        The parts in the order of ids; none is empty.
    home : str
        The device of the results: the device that the graph was on before.
    graph : Graph or None
        The whole graph for checks, if one device has it.
    labels : sequence or None
        The user's names of the vertices.
    seconds : float
        Seconds to divide the graph.

    Examples
    --------
    >>> lagcolor.scale.gpus.distribute("rgg:20", "cuda:*")  # doctest: +SKIP
    <Distributed: 1,048,576 vertices, 6,892,356 edges, on cuda:0 and cuda:1>
    """

    n: int
    m: int
    parts: tuple[Part, ...]
    home: str
    graph: Graph | None = None
    labels: Any = None
    seconds: float = 0.0
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def devices(self) -> tuple[int, ...]:
        """Numbers of the GPUs that have a part."""
        return tuple(part.device for part in self.parts)

    @property
    def bounds(self) -> list[int]:
        """The first vertex of each part, and n."""
        return [part.first for part in self.parts] + [self.n]

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return self.m // 2

    @property
    def offset_bits(self) -> int:
        """The number of bits of an offset, 32 or 64."""
        return 8 * self.parts[0].indptr.itemsize

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The least neighbor of each part, and the largest + 1."""
        return [(look.low, look.high) for look in self._looked_at()]

    @property
    def boundary(self) -> int:
        """The number of colors that GPUs send to others: pairs of a vertex and another GPU that has a neighbor."""
        return sum(look.pushes for look in self._looked_at())

    @property
    def max_degree(self) -> int:
        """The number of entries of the longest row; 0 without rows."""
        return max((look.degree for look in self._looked_at()), default=0)

    def _looked_at(self) -> list[_Look]:
        if "spans" not in self._cache:
            self._cache["spans"] = each(self.devices, self._look_at)
        return self._cache["spans"]

    def _look_at(self, i: int, device: int) -> _Look:
        cp, part = dev.cupy(), self.parts[i]
        found = cp.asarray(np.array([self.n, -1, 0], np.int32))
        pushes, firsts = cp.zeros(1, np.uint64), cp.asarray(np.array(self.bounds, np.int32))
        args = (np.int64(part.n), part.indptr, part.indices, len(self.parts), i, firsts, found, pushes)
        SOURCE.of(part.indptr).launch("look_at_rows", part.n, *args, most=2**16)
        low, high, degree = found.tolist()
        return _Look(low, high + 1, degree, int(pushes[0]))

    def states(self, dtype: Any) -> Copies:
        """Return the arrays of all vertices' states, allocated at first use; every coloring overwrites them."""
        key = np.dtype(dtype).name
        if key not in self._cache or self._cache[key].broken:
            link(self.devices)
            self._cache.pop("uint8" if key == "uint32" else "uint32", None)
            self._cache[key] = Copies(self.devices, self.bounds, dtype)
        return self._cache[key]

    def __repr__(self) -> str:
        names = [f"cuda:{d}" for d in self.devices] or ["no device"]
        where = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        return f"<Distributed: {counted(self.n, 'vertices')}, {counted(self.m // 2, 'edges')}, on {where}>"


class Done(NamedTuple):
    """The result of an engine."""

    colors: list[Any]  # the colors of each part: int32
    sent: int  # bytes of states that were copied before
    itemsize: int  # bytes of a state or color
    ms: list[list[float]]  # for each GPU, the milliseconds before and of the coloring


def colored(D: Distributed, begun: Sequence[Any], states: Copies, *phases: Sequence[Launch]) -> Done:
    """Send states to the GPUs that need them, launch the kernels that color, and wait; `begun`: events before."""
    sent = states.send(D.spans)
    states.meet()
    wait(D.devices)
    around = together(phases, states)
    own = [slice(part.first, part.last) for part in D.parts]
    out = each(D.devices, lambda i, device: states.arrays[i][own[i]].view(np.int32).copy())
    wait(D.devices)
    return Done(out, sent, 4, [milliseconds((a, *b)) for a, b in zip(begun, around, strict=True)])


def distribute(
    x: Any, devices: Any = "cuda:*", *, by: str = "contiguous", symmetrize: bool = False, n: int | None = None
) -> Distributed:
    """Divide a graph among GPUs by contiguous ranges of ids, with about equally many entries and vertices together.

    Parameters
    ----------
    x : object
        Anything that `Graph.of` accepts. For a folder (`lagcolor.scale.disk.Folder`, or its path) each GPU reads its
        own rows from the mapped arrays, so that neither a GPU nor the host needs memory for the whole graph.
    devices : str or list of str
        All GPUs (``"cuda:*"``, the default), or a list such as ``["cuda:0", "cuda:1"]``.
    by : {"contiguous"}
        Only ranges of ids are supported. To use METIS or another partition, number the vertices by their part first.
    symmetrize : bool
        See `Graph.of`.
    n : int, optional
        See `Graph.of`.

    Returns
    -------
    Distributed
        The divided graph. `lagcolor.color` can color it any number of times without moving it.

    Raises
    ------
    DeviceError
        A device does not exist or is named twice, or two devices cannot access each other's memory.
    GraphError
        See `Graph.of`.
    OptionError
        `by` is another partition.

    Examples
    --------
    >>> parts = lagcolor.scale.gpus.distribute(lagcolor.generate.grid2d(100))  # doctest: +SKIP
    >>> lagcolor.color(parts, order="natural").n_colors  # doctest: +SKIP
    2
    """
    if not (isinstance(by, str) and by == "contiguous"):  # type: ignore[redundant-expr]  # anything is passed
        raise OptionError(
            f"by must be 'contiguous' on several GPUs, where partitions are ranges of ids, not {reprlib.repr(by)}: "
            "number the vertices by their partition first, and pass order=priorities, the larger first, to keep the "
            "colors"
        )
    chosen = numbers(devices)
    link(chosen)
    G = _opened(x, symmetrize, n)
    begun = clock()
    with dev.using(G.indptr):
        bounds = balanced(G.indptr, len(chosen))
        ends = [int(G.indptr[b]) for b in bounds]
    widest = offset_type(max(b - a for a, b in itertools.pairwise(ends)))
    parts = []
    for i, device in enumerate(chosen):
        if bounds[i] < bounds[i + 1]:
            with dev.cupy().cuda.Device(device):
                parts.append(_part(G, device, bounds[i : i + 2], ends[i : i + 2], widest))
    graph = G if isinstance(G, Graph) else None
    wait(chosen)
    seconds = clock() - begun
    return Distributed(bounds[-1], ends[-1], tuple(parts), dev.device_of(G.indices), graph, G.labels, seconds)


def _opened(x: Any, symmetrize: bool, n: int | None) -> Any:
    """Return the graph or the opened folder of an input."""
    if isinstance(x, (str, os.PathLike)) and is_folder(Path(x)):
        x = Folder.open(x)
    if not isinstance(x, Folder):
        return Graph.of(x, symmetrize=symmetrize, n=n)
    if x.n > MOST_ROWS:
        raise GraphError(
            f"{x.path} has {x.n:,} vertices, and GPUs take ids of 32 bits, at most {MOST_ROWS:,}: color it from disk, "
            "with memory= and one device"
        )
    check_vertices(x.n, n)
    return x


def _part(G: Any, device: int, rows: Sequence[int], entries: Sequence[int], offsets: Any) -> Part:
    """Copy a range of rows of a graph to the current device."""
    indptr = _moved(G.indptr, rows[0], rows[1] + 1, device)
    indptr = (indptr - indptr[:1]).astype(offsets, copy=False)
    indices = _moved(G.indices, entries[0], entries[1], device)
    if indices.data.ptr % 16:  # rows are read 16 bytes at a time
        indices = indices.copy()
    return Part(device, rows[0], rows[1], indptr, indices)


def _moved(array: Any, begin: int, end: int, device: int) -> Any:
    """Copy elements begin … end − 1 to the current device; from the host in pieces."""
    if dev.is_cupy(array) or end - begin <= CHUNK:
        return dev.to_device(array[begin:end], f"cuda:{device}")
    cp = dev.cupy()
    out = cp.empty(end - begin, array.dtype)
    for at in range(begin, end, CHUNK):
        stop = min(at + CHUNK, end)
        out[at - begin : stop - begin] = cp.asarray(np.ascontiguousarray(array[at:stop]))
    return out


def balanced(indptr: Any, parts: int) -> list[int]:
    """Return bounds of ranges with about equal sums of entries and vertices; all but the last are multiples of 32."""
    n = len(indptr) - 1
    total = int(indptr[n]) + n
    bounds = [0]
    for i in range(1, parts):
        at = bisect.bisect_left(range(n + 1), total * i // parts, key=lambda v: int(indptr[v]) + v)
        bounds.append(max(bounds[-1], min(n, (at + RUN // 2) // RUN * RUN)))
    return [*bounds, n]
