"""color(edges, client): a graph folder, colored in rounds by the workers of a Dask cluster.

First-fit in a fixed order is the only solution of c(v) = mex of the colors of v's earlier neighbors. In a round each
partition is made right for the colors of the others after the round before. When a round changes no color, every
equation holds, and the colors are those of one CPU. So a round may begin with any colors: with those of a checkpoint,
whatever wrote them, and again after any loss.

The client has the colors and the order, 4 bytes per vertex each; it writes them for workers once per round.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dask.base import tokenize

from semirings.runtime import compile_clock

from ...core.errors import FormatError, GraphError, OptionError
from ...core.options import DEFAULT_SEED, Seed, choice, flag, whole
from ...core.result import Coloring, Log
from ...core.task import NONE
from ...inputs.sizes import check_vertices
from ...inputs.sizes import whole as whole_n
from ...io.files import atomic
from ...io.folder import Folder
from ...orders import Priorities
from ...problems import DEFAULT
from ...progress import listened, stage
from ...run.request import Request
from ...run.session import Work, finish, priorities
from ..disk import mapped
from .cluster import Cluster, Worker
from .sweep import Part, Run, Step, build, check, sweep

PROBLEMS = (DEFAULT, "distance2")
PER_VERTEX = 16  # bytes that a task takes per vertex of the graph: order, colors before and after, what has changed
ROW, ENTRY = 12, 4  # bytes per row of a partition, and per entry
PAGE = 8192  # bytes of a folder that a short row maps at most


@listened
def color(
    edges: Any,
    client: Any = None,
    n: int | None = None,
    *,
    problem: str = DEFAULT,
    order: Any = None,
    seed: Seed = DEFAULT_SEED,
    parts: int | None = None,
    checkpoint: Any = None,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
) -> Coloring:
    """Color the vertices of a graph on a Dask cluster: the colors of ``lagcolor.color`` of the same graph, bit for bit.

    The vertices are divided into partitions. In each round a task per partition makes its colors right for those of the
    other partitions. Tasks read files alone, so that workers may be killed and added at any time.

    Parameters
    ----------
    edges : path-like or dask.dataframe.DataFrame
        A graph folder, as `lagcolor.convert` makes it, that all workers see under this path. Or a DataFrame with two
        columns, or with two whose names say that they are ends of edges: edges are undirected, in one direction or
        both, and may repeat; self-loops do not count; vertices are numbers from 0 on. Dask's shuffle makes a graph
        folder of it in `checkpoint`.
    client : distributed.Client, optional
        Default: the current one.
    n : int, optional
        Number of vertices. Default: the largest number plus one.
    problem : {"distance1", "distance2"}
        At distance 2 a task also reads the rows of all neighbors of its vertices.
    order : str or array of numbers, shape (n,), optional
        As for `lagcolor.color`. It is made by the client.
    seed : int, None or "default", optional
        As for `lagcolor.color`.
    parts : int, optional
        Number of partitions. Default: one per thread of the cluster, and more where their rows would fill more than
        half of a worker's memory.
    checkpoint : path-like, optional
        A folder that all machines share; it is made if need be. After each round the colors and the number of the round
        are written to ``colors.npz`` in it, and a call that finds such a file begins with its colors, on any cluster.
        Default: a temporary folder of this machine, for clusters of one machine.
    verify : bool, optional
        Check the colors. Default: up to 10 M edges.
    trace : bool
        Keep a row of statistics per round.
    progress : callable, True or None
        As for `lagcolor.color`; stages are rounds.

    Returns
    -------
    Coloring
        Its `notes` have parts, core (vertices at the beginning of the order that every task colors), visited (colors
        computed in all rounds), bytes (of colors that tasks returned) and resumed (the round after which the run went
        on, or None).

    Raises
    ------
    GraphError
        Edges with names or negative numbers, too few or too many columns, a vertex that is not under `n`.
    FormatError
        The graph folder or the checkpoint is damaged.
    OptionError
        Workers do not see a folder or have too little memory; the message says how much it takes. The checkpoint is of
        another number of vertices.
    ClusterError
        No workers, or others than a run takes, or they were lost too often.
    OSError
        A file is missing, or a disk is full.

    Notes
    -----
    See :doc:`/scaling` for the algorithm and its cost.

    References
    ----------
    Jones, Plassmann 1993, "A parallel graph coloring heuristic", for first-fit by priorities in parallel; Rocklin 2015,
    "Dask: parallel computation with blocked algorithms and task scheduling".

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> client = Client(n_workers=4, threads_per_worker=1)  # doctest: +SKIP
    >>> lagcolor.scale.dask.color("web.csr", client, checkpoint="run/").n_colors  # doctest: +SKIP
    7
    """
    compiled = compile_clock.seconds()
    chosen = {"problem": choice("problem", problem, PROBLEMS), "algorithm": "first_fit", "order": order, "seed": seed}
    request, log = Request.of(chosen), Log(flag("trace", trace))
    parts, verify = whole("parts", parts, 1, none=True), flag("verify", verify, none=True)
    n = None if n is None else _vertices(n)
    cluster = Cluster(client)
    with _files(checkpoint) as (shared, files):
        passed = compile_clock.stopwatch()
        workers = cluster.workers(files)
        folder = _folder(edges, cluster, workers, shared, n)
        G = mapped(folder)
        run = Run(os.path.abspath(folder), str(files), 1 + (request.problem.name != DEFAULT))
        bounds = _bounds(folder, _count(workers, folder, parts))
        ranges = _checked(cluster, folder, run, bounds)
        converted = passed()
        stage("ordering")
        p, ordered = priorities(request.problem.structure(G), request.row, request.order, request.seed, prepare=False)
        colors, number = _begin(shared / "colors.npz", folder.n)
        log.notes.update(parts=len(ranges), core=0, visited=0, bytes=0, resumed=number or None)
        rounds = Rounds(cluster, run, ranges, colors, log, None if checkpoint is None else shared / "colors.npz")

        def coloring(colors: Any) -> Coloring:
            log.rounds += number
            return Coloring.of(
                colors, G, request.row.name, p, log, (0.0, ordered, converted), request.problem.name
            )  # fmt: skip

        return finish(G, lambda: Work(G, lambda: rounds.color(p, bounds, _core_limit(workers)), coloring), verify, compiled)  # type: ignore[no-any-return]


@dataclass
class Rounds:
    """The rounds of a run.

    Attributes
    ----------
    cluster : Cluster
    run : Run
    parts : list of Part
    colors : array of int32, shape (n,)
        The present ones.
    log : Log
    checkpoint : Path or None
    """

    cluster: Cluster
    run: Run
    parts: list[Part]
    colors: np.ndarray
    log: Log
    checkpoint: Path | None

    def color(self, p: Priorities, bounds: np.ndarray, most: int) -> np.ndarray:
        """Rounds until no color changes."""
        place, core = self._write_order(p, bounds, most)
        self.cluster.build(build, {k: (self.run, part) for k, part in enumerate(self.parts)})
        active, begin, number, changed = list(range(len(self.parts))), 0, 0, np.zeros(1)
        while len(changed):
            self.run.save(f"colors-{number}", self.colors)
            step = Step(number, number == 0, begin)
            changed = self._round(step, active)
            # Of what is before the first change in the order nothing can change any more.
            begin = max(core, int(place[changed].min(initial=len(place)))) + (number > 0)
            self.run.remove(f"colors-{number - 1}")
            active = [k for k, part in enumerate(self.parts) if _concerns(part, changed)]
            number += 1
        return self.colors

    def _write_order(self, p: Priorities, bounds: np.ndarray, most: int) -> tuple[np.ndarray, int]:
        """Write the order; the place of each vertex, and how many vertices are in the core."""
        n, sequence = len(self.colors), p.sequence
        place = np.empty(n, np.int32)
        place[sequence] = np.arange(n, dtype=np.int32)
        owner = np.searchsorted(bounds[1:-1], sequence, side="right").astype(np.int32)
        core = 0
        if self.run.hops == 1 and len(self.parts) > 1:
            cost = np.cumsum(np.diff(p.G.indptr)[sequence], dtype=np.int64)
            core = int(np.searchsorted(cost, p.G.m // len(self.parts)))
            core = core if p.G.indices.nbytes <= most else min(core, most // PAGE)
        for name, array in (("place", place), ("sequence", sequence[np.argsort(owner, kind="stable")]),
                            ("core", sequence[:core])):  # fmt: skip
            self.run.save(name, array)
        self.log.notes["core"] = core
        return place, core

    def _round(self, step: Step, active: list[int]) -> np.ndarray:
        """Sweep partitions; the vertices that have changed, rising."""
        number = (self.log.notes["resumed"] or 0) + self.log.rounds + 1
        jobs = {k: (self.run, self.parts[k], step) for k in active}
        found = [swept for _, swept in sorted(self.cluster.sweep(f"round {number}", sweep, jobs).items())]
        changed = np.concatenate([np.zeros(0, np.int32), *(swept.vertices for swept in found)])
        self.colors[changed] = np.concatenate([np.zeros(0, np.int32), *(swept.colors for swept in found)])
        visited, nbytes = sum(swept.visited for swept in found), 8 * len(changed)
        self.log.round(active=visited, colored=len(changed), bytes=nbytes, partitions=len(active))
        self.log.notes["visited"] += visited
        self.log.notes["bytes"] += nbytes
        if self.checkpoint is not None:
            with atomic(self.checkpoint) as out:
                np.savez(out, colors=self.colors, round=number)
        return changed


def _vertices(n: Any) -> int:
    n = whole_n(n)
    if n < 0:
        raise GraphError(f"n must not be negative, but is {n}")
    return n


@contextmanager
def _files(checkpoint: Any) -> Iterator[tuple[Path, Path]]:
    """The folder of a run, and a new one in it for the files that tasks read, which is removed at the end."""
    shared = Path(tempfile.mkdtemp(prefix="lagcolor-") if checkpoint is None else os.path.abspath(checkpoint))
    shared.mkdir(exist_ok=True)
    files = Path(tempfile.mkdtemp(prefix="run-", dir=shared))
    files.chmod(0o755)
    try:
        yield shared, files
    finally:
        shutil.rmtree(shared if checkpoint is None else files, ignore_errors=True)


def _folder(edges: Any, cluster: Cluster, workers: list[Worker], shared: Path, n: int | None) -> Folder:
    """The graph folder of edges, made of a DataFrame unless an earlier call has made it."""
    if hasattr(edges, "to_delayed") and hasattr(edges, "columns"):
        from .shuffle import shuffle

        path = shared / f"{tokenize(edges, n)}.csr"
        if not path.exists():
            shuffle(edges, cluster, workers, path, n)
        return Folder.open(path)
    if not isinstance(edges, (str, os.PathLike)):
        raise GraphError(
            f"edges of {type(edges).__module__}.{type(edges).__qualname__} are not read by a cluster: pass a graph "
            "folder, as lagcolor.convert or lagcolor.io.write makes it, or a dask DataFrame with two columns"
        )
    folder = Folder.open(edges)
    check_vertices(folder.n, n)
    cluster.workers(folder.path.absolute())
    return folder


def _count(workers: list[Worker], folder: Folder, parts: int | None) -> int:
    """How many partitions there are to be, so that the memory of each worker is enough."""
    least = min(workers, key=lambda worker: worker.room)
    largest = max((int(np.diff(folder.indptr[a : b + 1]).max()) for a, b in folder.blocks()), default=0)
    fixed = PER_VERTEX * folder.n + 2 * ENTRY * largest
    room = least.room - fixed
    if room <= 0:
        raise OptionError(
            f"a task takes {_mb(fixed)} for {folder.n:,} vertices, and a worker has {_mb(max(least.room, 0))} per "
            f"thread, of {_mb(least.limit)}: give workers more memory, or fewer threads"
        )
    wanted = -(-2 * (ENTRY * folder.entries + ROW * folder.n) // room)  # as much is read for the core
    if parts is None:
        return int(max(min(max(sum(worker.threads for worker in workers), wanted), folder.n), 1))
    if parts < wanted:
        raise OptionError(
            f"rows in {parts} partition{'s' * (parts != 1)} are too large for the {_mb(room)} that a worker has for "
            f"them per thread: pass parts={wanted} or more, or give workers more memory"
        )
    return parts


def _core_limit(workers: list[Worker]) -> int:
    """Bytes of the folder that tasks may map for the core, of rows that lie anywhere in it."""
    return min(worker.room for worker in workers) // 2


def _mb(nbytes: float) -> str:
    """Bytes in a message, as Dask writes them."""
    return f"{int(-(-nbytes // 2**20))} MiB"


def _bounds(folder: Folder, parts: int) -> np.ndarray:
    """Of ranges of rows with about equally many entries and vertices together, by bisection in the file."""
    n, indptr = folder.n, folder.indptr
    aims = (folder.entries + n) * np.arange(1, parts) // parts
    low, high = np.zeros(parts - 1, np.int64), np.full(parts - 1, n, np.int64)
    while (low < high).any():  # each range halves
        middle = (low + high) // 2
        less = indptr[middle] + middle < aims
        low, high = np.where(less, middle + 1, low), np.where(less, high, middle)
    return np.concatenate([[0], low, [n]]).astype(np.int64)


def _checked(cluster: Cluster, folder: Folder, run: Run, bounds: np.ndarray) -> list[Part]:
    """The partitions, with rows that are sound."""
    key = int.from_bytes(os.urandom(8), "little")
    ranges = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    found = cluster.each("checking", check, {k: (run.graph, *low_high, key) for k, low_high in enumerate(ranges)})
    if sum(total for _, total in found.values()) % 2**64:
        raise FormatError(f"{folder.path}: an entry has no mirror image: Folder.check() of the folder names it")
    parts = [found[k][0] for k in range(len(found))]
    if run.hops == 1:
        return parts
    near = [[q for q in parts if q.low <= p.last and q.high > p.first] for p in parts]
    return [p._replace(first=min(q.first for q in those), last=max(q.last for q in those))
            for p, those in zip(parts, near, strict=True)]  # fmt: skip


def _concerns(part: Part, changed: np.ndarray) -> bool:
    """Whether vertices have changed that neighbors of a partition may be, but for its own."""
    around = np.searchsorted(changed, [part.first, part.last + 1])
    own = np.searchsorted(changed, [part.low, part.high])
    return bool(np.diff(around)[0] > np.diff(own)[0])


def _begin(checkpoint: Path, n: int) -> tuple[np.ndarray, int]:
    """The colors to begin with, and the number of the round that made them."""
    if not checkpoint.exists():
        return np.full(n, NONE, np.int32), 0
    try:
        with np.load(checkpoint) as file:
            colors, number = file["colors"], int(file["round"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as e:
        raise FormatError(f"{checkpoint}: damaged ({e}): delete it, and color the graph anew") from e
    if colors.shape != (n,) or colors.dtype != np.int32:
        raise OptionError(
            f"{checkpoint} has colors of {colors.size} vertices, and the graph has {n}: pass a new folder as checkpoint"
        )
    return colors, number
