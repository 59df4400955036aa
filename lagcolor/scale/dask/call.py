"""color(edges, client): what is checked before any work, and the folder in which a run is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ...core.options import DEFAULT_SEED, Seed
from ...problems import DEFAULT
from ...progress import listened
from ..partition import refuse_others
from . import given
from .asked import Asked
from .checkpoint import clear, folder_of, free, is_done, of_before, opened, result_of
from .cluster import Cluster
from .driver import Driver
from .files import save_record
from .result import ClusterColoring


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
    by: str = "contiguous",
    core: int | None = None,
    device: str = "cpu",
    checkpoint: Any = None,
    output: Any = None,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
) -> ClusterColoring:
    """Color the vertices of a graph on a Dask cluster: the colors of ``lagcolor.color`` of the same graph, bit for bit.

    Vertices are divided among partitions, which tasks solve in rounds; in between partitions tell each other which
    colors of their boundaries have changed. All that must not be lost is in files: workers may be lost and added at any
    time.

    Parameters
    ----------
    edges : path, or list of paths, or dask.dataframe.DataFrame
        Files of edges (Parquet, .npy of shape (m, 2) or (2, m), text as `lagcolor.io` reads edge lists, perhaps
        gzipped), patterns such as ``edges/*.parquet``, a folder of such files; a graph folder (`web.csr/`); or a dask
        DataFrame with two columns, or with two whose names say that they are ends of edges. Edges are undirected, in
        one direction or both, as often as they like; loops do not count. Vertices are numbers from 0 on. Workers read
        the files under these paths.
    client : distributed.Client, optional
        Default: the current one.
    n : int, optional
        Number of vertices. Default: the largest number and 1.
    problem : {"distance1", "distance2"}
        At distance 2 a partition is built of the rows of all neighbors of its vertices, too.
    order : str or array of numbers, shape (n,), optional
        "natural", "random", "random_spread", "largest_first", "largest_first_spread" (the default at distance 1, as of
        `lagcolor.color`), "largest_log_first"; at distance 2 the first three, of which "natural" is the default; or
        your own priorities, the larger first.
    seed : int, None or "default", optional
        As for `lagcolor.color`: a number breaks ties of the order by a hash, None by vertex id, the smaller first.
        "default" is that of `first_fit`, 0 at distance 1 and None at distance 2.
    parts : int, optional
        Number of partitions. Default: one per thread of the cluster, and as many as it takes that each fits the memory
        of a worker.
    by : {"contiguous"}
        Ranges of ids are all that there is here; for METIS, or a partition of your own, number the vertices by their
        partition first.
    core : int, optional
        One worker colors the first vertices of the order for all: as many as have so many entries to earlier ones, and
        vertices, together. 0: none. Default: a quarter of what one partition has, where the largest degree is over 4
        times the mean, else none.
    device : {"cpu", "cuda", "auto"}
        Where workers color; "auto": on a GPU where CuPy and a GPU are there.
    checkpoint : path-like, optional
        A folder for the files of the run, on storage that all machines share; it is made if need be. A call with the
        same arguments goes on from what is there, on any cluster. Default: a temporary folder of this machine, for
        clusters of one machine.
    output : path-like, optional
        The folder of colors to make; it is there whole or not at all. Default: ``colors`` in `checkpoint`, or a
        temporary folder that goes with the result.
    verify : bool, optional
        Read all edges again, and compare the colors of their ends; at distance 2 also the rows that were made of
        them, and compare the colors in each. Default: up to 10 M edges. Of a run that is done it counts what that did,
        as for `trace`.
    trace : bool
        Keep a row of statistics per round.
    progress : callable, True or None
        As for `lagcolor.color`.

    Returns
    -------
    ClusterColoring
        Its colors are in files.

    Raises
    ------
    GraphError
        Edges with names or negative numbers, too few or too many columns, a vertex that is not under `n`.
    FormatError
        A file of edges, or one of the run, is malformed or damaged.
    OptionError
        An order that depends on the whole graph, or another partition; a folder that workers do not see, or that is of
        another run; too few partitions for the memory of the workers, with how many it takes.
    ClusterError
        No workers, others than a run takes, or lost too often.
    DeviceError
        A worker has no GPU, and "cuda" was asked for.
    OSError
        A file is missing, or a disk full.

    Notes
    -----
    See :doc:`/scaling` for the algorithm, what it costs, and what breaks first.

    References
    ----------
    Jones, Plassmann 1993, "A parallel graph coloring heuristic", for first-fit by priorities in parallel; Rocklin 2015,
    "Dask: parallel computation with blocked algorithms and task scheduling".

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> client = Client(n_workers=4, threads_per_worker=1)  # doctest: +SKIP
    >>> result = lagcolor.scale.dask.color("edges/*.parquet", client, checkpoint="run/")  # doctest: +SKIP
    >>> result.n_colors, result.to_dask()  # doctest: +SKIP
    (7, dask.array<concatenate, shape=(4000000,), dtype=int32, chunksize=(1000000,), chunktype=numpy.ndarray>)
    """
    begun = time.perf_counter()
    refuse_others(by, "on a cluster")
    asked = Asked.of(problem, n, order, seed, parts, core, device, verify, trace)
    source = given.of(edges)
    with folder_of(checkpoint, kept=output is None) as folder:
        run, record = opened(folder, asked, source)
        if "done" in record and is_done(run, record["done"]):
            result = of_before(record["done"], output)
            clear(run)
            return result
        target = free(folder / "colors" if output is None else Path(output))

        def keep(done: dict[str, Any]) -> None:
            done["seconds"] = time.perf_counter() - begun
            save_record(folder / "run.json", {**record, "done": done})

        done = Driver(Cluster(client), run, asked, source, target, keep).color()
        clear(run)
        result = result_of(done)
        if checkpoint is None and output is None:
            result.removed_with(folder)
        return result
