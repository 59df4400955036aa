"""color(edges, client): the request, the files of a run, and the checkpoint.

The client has the colors and the order, 4 bytes per vertex each. It writes the colors for workers once per round. A run
may begin with any colors (fixed_point.py), so it can resume from any checkpoint.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from dask.base import tokenize

from ...api.request import Request
from ...api.result import Coloring
from ...api.session import Clock, finished, is_checked, priorities
from ...base import compile_clock
from ...base.errors import FormatError, GraphError, OptionError
from ...base.log import Log, listened, stage
from ...base.options import DEFAULT_SEED, Seed, choice, flag, seed_of, whole
from ...inputs.sizes import check_vertices
from ...inputs.sizes import whole as whole_n
from ...io.folder import Folder
from ...problems import DEFAULT
from ...problems.task import NONE
from ..disk.memory_map import mapped, unchanged
from .cluster import Cluster, Worker
from .fixed_point import ClusterRounds, bounds, check, core_limit, count
from .sweep import RunFiles

ROW, PROBLEMS = "first_fit", (DEFAULT, "distance2")


@listened
def color(
    edges: Any,
    client: Any = None,
    *,
    n: int | None = None,
    problem: str = DEFAULT,
    order: Any = None,
    rng: Any = None,
    seed: Seed = DEFAULT_SEED,
    parts: int | None = None,
    checkpoint: Any = None,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
) -> Coloring:
    """Color the vertices of a graph on a Dask cluster.

    The colors equal one pass of first-fit in memory, bit for bit. The vertices are divided into partitions. In
    each round, a task per partition updates its colors to match the other partitions. Tasks only read files,
    so workers may be killed and added at any time.

    Parameters
    ----------
    edges : path-like or dask.dataframe.DataFrame
        A graph folder that `lagcolor.convert` wrote and that all workers see under this path. Or a DataFrame with two
        columns, or with two columns whose names identify the ends of edges. Edges are undirected, in one direction or
        both, and may repeat. Self-loops do not count. Vertices are numbered from 0. Dask's shuffle writes a graph
        folder in `checkpoint`.
    client : distributed.Client, optional
        Default: the current client.
    n : int, optional
        Number of vertices. Default: the largest number plus one.
    problem : {"distance1", "distance2"}
        At distance 2, a task also reads the rows of all neighbors of its vertices.
    order : str or array of numbers, shape (n,), optional
        See `lagcolor.color`. The client computes it.
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    seed : int, None or "default", optional
        See `lagcolor.color`.
    parts : int, optional
        Number of partitions. Default: one per thread of the cluster, and more if the rows of a partition would fill
        more than half of a worker's memory.
    checkpoint : path-like, optional
        A folder that all machines share; it is created if it does not exist. After each round, the colors and the
        number of the round are written to ``colors.npz`` in it. If the file exists, a call starts from its colors, on
        any cluster. Default: a temporary folder on this machine, for clusters of one machine.
    verify : bool, optional
        Check the colors. Default: for up to 10 M edges.
    trace : bool
        Record a row of statistics per round.
    progress : callable, True or None
        See `lagcolor.color`; the stages are rounds.

    Returns
    -------
    Coloring
        The colors. `notes` has parts, core (vertices at the start of the order that every task colors), visited (colors
        computed in all rounds), bytes (the size of the colors that tasks returned) and resumed (the round after which
        the run continued, or None).

    Raises
    ------
    GraphError
        Edges have names or negative numbers, there are too few or too many columns, or a vertex is not less than `n`.
    FormatError
        The graph folder or the checkpoint is damaged.
    OptionError
        Workers do not see a folder or have too little memory (the message says how much is needed), or the checkpoint
        belongs to a graph with another number of vertices.
    ClusterError
        There are no workers, the workers do not fit the run, or too many were lost.
    OSError
        A file is missing, or a disk is full.

    See Also
    --------
    lagcolor.color : Color a graph on one machine.
    lagcolor.convert : Write a graph folder.

    Notes
    -----
    See :doc:`/explanations/partitions` for the algorithm and its cost.

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
    problem, seed = choice("problem", problem, PROBLEMS), seed_of(seed, rng)
    request = Request(problem=problem, algorithm=ROW, order=order, seed=seed)
    log = Log(flag("trace", trace))
    parts, verify = whole("parts", parts, 1, none=True), flag("verify", verify, none=True)
    n = None if n is None else _vertices(n)
    if checkpoint is not None and not (isinstance(checkpoint, (str, os.PathLike)) and os.fspath(checkpoint)):
        raise OptionError(f"checkpoint must be the path of a folder, such as 'run', not {checkpoint!r}")
    cluster = Cluster(client)
    with cluster.client.as_current(), _files(checkpoint) as (shared, files):
        passed = compile_clock.stopwatch()
        workers = cluster.workers(files)
        folder = _folder(edges, cluster, workers, shared, n)
        G, check_folder = mapped(folder), unchanged(folder)
        run = RunFiles(os.path.abspath(folder), str(files), 1 + (request.problem.name != DEFAULT))
        ranges = check(cluster, folder, run, bounds(folder, count(workers, folder, parts)))
        converted = passed()
        stage("ordering")
        p, ordered = priorities(request.problem.structure(G), request.row, request.order, request.seed, prepare=False)
        colors, number = _begin(shared / "colors.npz", folder.n)
        log.notes.update(parts=len(ranges), core=0, visited=0, bytes=0, resumed=number or None)
        rounds = ClusterRounds(cluster, run, ranges, colors, log, None if checkpoint is None else shared / "colors.npz")
        with Clock(G) as watch:
            colors = rounds.color(p, core_limit(workers))
            check_folder()
        log.rounds += number
        result = Coloring._of(colors, G, ROW, p, log, (0.0, ordered, converted), request.problem.name)
        return finished(result, watch, compiled, is_checked(verify, G))


def _vertices(n: Any) -> int:
    n = whole_n(n)
    if n < 0:
        raise GraphError(f"n must not be negative, but is {n}")
    return n


@contextmanager
def _files(checkpoint: Any) -> Iterator[tuple[Path, Path]]:
    """Yield the folder of a run, and a new folder in it for the files that tasks read, which is removed at the end."""
    shared = Path(tempfile.mkdtemp(prefix="lagcolor-") if checkpoint is None else os.path.abspath(checkpoint))
    shared.mkdir(exist_ok=True)
    files = Path(tempfile.mkdtemp(prefix="run-", dir=shared))
    files.chmod(0o755)
    try:
        yield shared, files
    finally:
        shutil.rmtree(shared if checkpoint is None else files, ignore_errors=True)


def _folder(edges: Any, cluster: Cluster, workers: list[Worker], shared: Path, n: int | None) -> Folder:
    """Return the graph folder of edges; a DataFrame is shuffled to a folder unless an earlier call has done so."""
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


def _begin(checkpoint: Path, n: int) -> tuple[np.ndarray, int]:
    """Return the colors to begin with, and the number of their round."""
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
