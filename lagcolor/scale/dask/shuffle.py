"""Convert a Dask DataFrame of edges to a graph folder: Dask shuffles both directions of each edge to ranges of ids.

1. `survey`: the numbers of vertices in each partition of the DataFrame are checked, and a sample is returned;
2. `directed`: Dask's `set_index` sorts both directions of each edge by the first end, with ranges from the sample;
3. `rows`: repeated entries of a range are dropped; the client writes the ranges to the folder, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from dask import delayed

from ...base.errors import GraphError
from ...inputs.ends import Ends
from ...inputs.sizes import OCCUR, check_most, warn_of_first
from ...inputs.tables import ends_among, from_pandas, undecided
from ...io.folder import Writer
from .cluster import Cluster, Worker

SAMPLE = 1000  # most vertices in the sample of a partition
PER_EDGE = 200  # bytes to sort an edge, with Dask's copies
SPARSE, SPARSE_FROM = 256, 1 << 20  # vertices per edge, and vertices, over which too few vertices have edges


class PartitionSummary(NamedTuple):
    """Edges of a partition of a DataFrame, the smallest and the largest vertex, and a sample of all ends."""

    edges: int
    smallest: int
    largest: int
    sample: np.ndarray


def shuffle(edges: Any, cluster: Cluster, workers: list[Worker], path: Path, n: int | None) -> None:
    """Write the graph folder of a DataFrame."""
    names = columns(edges)
    frame = edges[list(names)]
    surveys = [delayed(survey)(partition, names) for partition in frame.to_delayed()]
    futures = {future: k for k, future in enumerate(cluster.client.compute(surveys))}
    found = list(cluster.results("reading", futures).values())
    largest, count = max(s.largest for s in found), sum(s.edges for s in found)
    n, counted = (largest + 1, True) if n is None else (n, False)
    _check_size(n, largest, count)
    available = min(worker.available for worker in workers)
    parts = max(sum(worker.threads for worker in workers), -(-PER_EDGE * count // max(available, 1)))
    bounds = _bounds(found, n, parts)
    with Writer(path, n) as out:
        joined = _write(out, cluster, frame, names, bounds) if n else 0
        out.publish()
    if counted and min(s.smallest for s in found) == 1 and joined >= OCCUR * (n - 1):
        warn_of_first(n, joined)


def columns(edges: Any) -> tuple[Any, Any]:
    """Return the names of the columns with the ends of edges, which must have numbers."""
    names = list(edges.columns)
    places = (0, 1) if len(names) == 2 else ends_among(names)
    if places is None:
        raise GraphError(
            f"the DataFrame: {undecided(names)} Pass edges[[{names[0]!r}, {names[1]!r}]], or name them so"
            if len(names) > 2
            else f"the DataFrame has {len(names)} column{'s' * (len(names) != 1)}: edges take two, for their ends"
        )
    first, second = (names[k] for k in places)
    for name in (first, second):
        kind = getattr(edges.dtypes[name], "kind", "O")
        if kind not in "iuf" and str(edges.dtypes[name]) != "object":
            raise GraphError(
                f"column {name!r} holds {edges.dtypes[name]}, and vertices are numbered from 0 on here. Number "
                "names first: names = dask.dataframe.concat([edges[a], edges[b]]).unique().compute(), "
                "then edges[a].map({name: k for k, name in enumerate(names)}, meta=(a, 'int64')) and the same of b"
            )
    return first, second


def ends(frame: Any, names: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of the edges of a partition (pandas or cuDF), int64, checked."""
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    called = [f"column {name!r}" for name in names]
    try:
        found: Any = from_pandas(frame.set_axis([str(name) for name in names], axis=1).reset_index(drop=True))
        found = Ends.of(found.u, found.v)
    except GraphError as e:
        raise GraphError(str(e).replace("Graph.of(x.dropna())", "edges.dropna()")) from e
    for a, name in zip((found.u, found.v), called, strict=True):
        if isinstance(a, list):
            example = next((x for x in a if not isinstance(x, int)), None)
            raise GraphError(f"{name} has {example!r}, which is no number of a vertex: numbers begin with 0")
        floats = a.dtype.kind == "f"  # whole and exact ones are integers here
        wrong = (a < 0) | (a >= (2.0 ** (np.finfo(a.dtype).nmant + 1) if floats else 2**63 - 1))
        wrong |= floats and a != np.floor(a)
        if wrong.any():
            at = int(wrong.argmax())
            raise GraphError(f"{name} has {a[at]} in row {at}, which is no number of a vertex: numbers begin with 0")
    return np.asarray(found.u).astype(np.int64, copy=False), np.asarray(found.v).astype(np.int64, copy=False)


def survey(frame: Any, names: tuple[Any, Any]) -> PartitionSummary:
    """Check a partition, and return its summary."""
    u, v = ends(frame, names)
    every = np.concatenate([u, v])
    if not len(every):
        return PartitionSummary(0, 1, -1, every)
    sample = every[:: -(-len(every) // SAMPLE)]
    return PartitionSummary(len(u), int(every.min()), int(every.max()), sample)


def directed(frame: Any, names: tuple[Any, Any]) -> Any:
    """Return both directions of each edge of a partition, without self-loops."""
    import pandas as pd

    u, v = ends(frame, names)
    u, v = (x[u != v].astype(np.int32) for x in (u, v))
    return pd.DataFrame({"row": np.concatenate([u, v]), "column": np.concatenate([v, u])})


def rows(frame: Any, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    """Return lengths and columns of the rows `low` … `high` − 1, from their entries."""
    pairs = np.sort((frame.index.to_numpy().astype(np.int64) - low) << 32 | frame["column"].to_numpy())
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # six times faster than np.unique, which hashes
    return np.bincount(pairs >> 32, minlength=high - low), (pairs & (2**32 - 1)).astype(np.int32)


def _check_size(n: int, largest: int, edges: int) -> None:
    """Raise an error if a vertex is out of range, or if there are far too few edges."""
    if n <= largest:
        raise GraphError(f"n = {n}, but there is a vertex {largest}: pass n={largest + 1} or more, or leave n out")
    if n > max(SPARSE_FROM, SPARSE * edges):
        raise GraphError(
            f"there are {n} vertices, the largest with an edge is {largest}, and at most {edges} edges: number the "
            "vertices that have edges from 0 on, as `numpy.unique(edges, return_inverse=True)` does"
        )
    check_most(n)


def _bounds(found: Iterable[PartitionSummary], n: int, parts: int) -> np.ndarray:
    """Return the bounds of at most `parts` ranges of ids with about equally many ends."""
    samples = np.concatenate([s.sample for s in found])
    weights = np.concatenate([np.full(len(s.sample), 2 * s.edges / max(len(s.sample), 1)) for s in found])
    by_id = np.argsort(samples, kind="stable")
    passed = np.cumsum(weights[by_id])
    at = np.searchsorted(passed, np.arange(1, parts) * (passed[-1] if len(passed) else 0) / parts)
    inner = np.unique(samples[by_id][np.minimum(at, len(samples) - 1)]) if len(samples) else samples
    return np.concatenate([[0], inner[(inner > 0) & (inner < n)], [n]]).astype(np.int64)


def _write(out: Writer, cluster: Cluster, frame: Any, names: tuple[Any, Any], bounds: np.ndarray) -> int:
    """Shuffle, write the rows, and return the number of vertices with edges."""
    pairs = frame.map_partitions(directed, names, meta={"row": "int32", "column": "int32"})
    divided = pairs.set_index("row", divisions=bounds.tolist())
    ranges = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
    jobs = [delayed(rows)(part, *r) for part, r in zip(divided.to_delayed(), ranges, strict=True)]
    joined = 0
    for lengths, found in cluster.in_turn("shuffling", cluster.client.compute(jobs)):
        out.append(lengths, found)
        joined += int(np.count_nonzero(lengths))
    return joined
