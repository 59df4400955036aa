"""What workers run: each a function of the run's folder, which may be called again, anywhere, and gives the same.

Results are a few numbers, for the client; data is in files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...core.errors import GraphError
from ...io.files import atomic
from ...io.folder import Folder
from .. import core as dense_core
from ..keys import Keys
from ..local import Partition
from . import board
from .files import load, save
from .held import CACHE, Held, partition, up_to_date
from .result import Colors
from .rows import rows_of
from .run import Run
from .shuffle import Sorted, merge, sort
from .sources import Piece, checked


class Solved(NamedTuple):
    """What a task of a round did.

    Attributes
    ----------
    part : int
    receivers : list of int
        Who was sent colors.
    colors, nbytes : int
        How many, and what was written.
    visited : int
        Colors computed.
    built : bool
        Whether the partition had to be built.
    """

    part: int
    receivers: list[int]
    colors: int
    nbytes: int
    visited: int
    built: bool


class Finished(NamedTuple):
    """What is known of a partition's colors: `sizes` of the classes, int64."""

    part: int
    sizes: np.ndarray
    built: bool


def read_piece(run: Run, index: int, piece: Piece) -> Sorted:
    """Make a run of a piece of a file."""
    return _known(run, index) or _keep(run, index, sort(run, index, *piece.read()))


def read_frame(run: Run, index: int, frame: Any, names: tuple[Any, Any]) -> Sorted:
    """Make a run of a partition of a DataFrame."""
    return _known(run, index) or _keep(run, index, sort(run, index, *frame_ends(frame, names)))


def frame_ends(frame: Any, names: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the edges of a frame of pandas (or cuDF), int64."""
    from ...inputs.tables import from_pandas

    frame = frame[list(names)]
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    frame = frame.set_axis([str(name) for name in names], axis=1).reset_index(drop=True)
    try:
        ends: Any = from_pandas(frame)
    except GraphError as e:
        raise GraphError(str(e).replace("Graph.of(x.dropna())", "edges.dropna()")) from e
    u, v = checked(ends.u, ends.v, (f"column {names[0]!r}", f"column {names[1]!r}"))
    return u, v


def _known(run: Run, index: int) -> Sorted | None:
    """What an earlier task found of a run that it wrote."""
    path = run.about(index)
    if not path.exists():
        return None
    found = load(path)
    entries, smallest, largest, shift = found[:4].tolist()
    return Sorted(entries, smallest, largest, shift, found[4:])


def _keep(run: Run, index: int, about: Sorted) -> Sorted:
    save(run.about(index), np.concatenate([np.array(about[:4], np.int64), about.counts]))
    return about


def merge_rows(run: Run, part: int, runs: int) -> tuple[int, int, int]:
    """Make the rows of a partition: its entries, the largest degree, and how many vertices have edges."""
    if not run.indptr(part).exists():  # which is written last
        merge(run, part, run.plan().bounds, runs)
    return _about(load(run.indptr(part)))


def check_folder(run: Run, part: int, key: int) -> tuple[int, int, int, int]:
    """Check the rows of a partition in a graph folder: as of `merge_rows`, and its share of a sum of hashes.

    The sums of all partitions are 0 in all if each entry has its mirror image.
    """
    plan = run.plan()
    assert plan.graph is not None
    low, high = int(plan.bounds[part]), int(plan.bounds[part + 1])
    folder = Folder.open(plan.graph)
    sums = folder.check_rows(low, high, key)
    return *_about(folder.rows(low, high)[0]), sums


def _about(indptr: np.ndarray) -> tuple[int, int, int]:
    degrees = np.diff(indptr)
    return int(degrees.sum()), int(degrees.max(initial=0)), int(np.count_nonzero(degrees))


def forget(run: Run) -> None:
    """Let go of what this process keeps of a run."""
    CACHE.forget(run)


def offer(run: Run, part: int, budget: int, most: int, device: str, room: int) -> bool:
    """Write a partition's first vertices, up to a cost of `most`, for the core; whether it had to be built."""
    if run.core(f"offer-{part:06d}").exists():
        return False
    here, held, built = _for_core(run, part, device)
    found = dense_core.offer(here, min(budget, most))
    whole = len(found.cost) == here.own or most >= budget
    rows = np.stack([*found.keys, found.cost.astype(np.uint64)])
    save(run.core(f"offer-{part:06d}"), np.concatenate([rows, np.full((3, 1), whole, np.uint64)], axis=1))
    CACHE.put(run, part, held, room)
    return built


def cut(run: Run, budget: int) -> bool:
    """Choose the core: where it ends, in a file; whether there is any."""
    offers, ends = [], []
    for part in range(run.plan().parts):
        found = load(run.core(f"offer-{part:06d}"))
        whole, found = bool(found[0, -1]), found[:, :-1]
        if found.shape[1]:
            offers.append(dense_core.Offer(Keys(found[0], found[1]), found[2].astype(np.int64)))
        if not whole:  # what it left out comes after its last
            ends.append((int(found[0, -1]), int(found[1, -1])) if found.shape[1] else (-1, -1))
    last = dense_core.cut(offers, budget) if offers else None
    if last is not None:
        last = min([last, *ends])
    if last is None or last[0] < 0:
        return False
    save(run.core("last"), np.array(last, np.uint64))
    return True


def core_rows(run: Run, part: int, device: str, room: int) -> bool:
    """Write what a partition has of the core; whether it had to be built."""
    if run.core(f"rows-{part:06d}").exists():
        return False
    last = tuple(load(run.core("last")).tolist())
    here, held, built = _for_core(run, part, device)
    found = dense_core.rows(here, last)
    save(run.core(f"keys-{part:06d}"), np.stack([found.ids.astype(np.uint64), *found.keys]))
    save(run.core(f"rows-{part:06d}"), found.pairs)
    CACHE.put(run, part, held, room)
    return built


def core_colors(run: Run) -> tuple[int, int]:
    """Color the core; its vertices, and the bytes of what it took."""
    parts, nbytes = [], 0
    for part in range(run.plan().parts):
        keys, pairs = load(run.core(f"keys-{part:06d}")), load(run.core(f"rows-{part:06d}"))
        nbytes += keys.nbytes + pairs.nbytes + run.core(f"offer-{part:06d}").stat().st_size
        parts.append(dense_core.Rows(keys[0].astype(np.int64), Keys(keys[1], keys[2]), pairs))
    ids, colors = dense_core.color(parts)
    save(run.core("colors"), np.stack([ids, colors.astype(np.int64)]))
    return len(ids), nbytes + run.plan().parts * (ids.nbytes + colors.nbytes)


def _for_core(run: Run, part: int, device: str) -> tuple[Partition, Held, bool]:
    """A partition on the CPU, where its beginning is read; what to keep of it; and whether it had to be built."""
    held = CACHE.take(run, part)
    built = held is None or held.part.H.on_gpu
    here = partition(run, part, "cpu") if built else held.part  # type: ignore[union-attr]
    device = resolved(device)
    return here, Held(here if device == "cpu" else here.on(device)), built


def resolved(device: str) -> str:
    """The device that this worker colors on: "auto" is a GPU where there is one."""
    return device if device != "auto" else "cuda" if dev.has_gpu() else "cpu"


def solve(run: Run, part: int, round: int, device: str, room: int) -> Solved:
    """Solve a partition for what others have sent before a round, and write what they need to know of it."""
    state = board.state_after(run, round - 1)
    held, worker, built = up_to_date(run, part, state, resolved(device))
    visited = worker.visited
    changed = worker.work()
    worker.forget(changed)
    messages = worker.boundary() if changed and state.renews(part) else changed
    nbytes = board.write(run, round, part, messages, len(state.sent)) if messages else 0
    CACHE.put(run, part, Held(held.part, worker, state.round, round if messages else held.sent), room)
    colors = sum(len(m.colors) for m in messages)
    return Solved(part, [m.receiver for m in changed], colors, nbytes, worker.visited - visited, built)


def finish(run: Run, part: int, round: int, device: str, folder: str) -> Finished:
    """Write a partition's colors."""
    state = board.state_after(run, round)
    _, worker, built = up_to_date(run, part, state, resolved(device))
    worker.solver.solve()
    colors = worker.solver.own_colors
    with atomic(Path(folder) / file_name(part)) as out:
        np.lib.format.write_array(out, np.ascontiguousarray(colors), version=(1, 0), allow_pickle=False)
    return Finished(part, np.bincount(colors).astype(np.int64), built)


def file_name(part: int) -> str:
    """The file of a partition's colors."""
    return f"part-{part:06d}.npy"


def check_piece(colors: Colors, piece: Piece) -> tuple[int, int] | None:
    """An edge of a piece whose ends have one color, if there is any."""
    return _conflict(colors, *piece.read())


def check_frame(colors: Colors, frame: Any, names: tuple[Any, Any]) -> tuple[int, int] | None:
    """The same of a partition of a DataFrame."""
    return _conflict(colors, *frame_ends(frame, names))


def check_rows(colors: Colors, graph: str, low: int, high: int) -> tuple[int, int] | None:
    """The same of rows of a graph folder."""
    indptr, indices = Folder.open(graph).rows(low, high)
    return _conflict(colors, np.repeat(np.arange(low, high), np.diff(indptr)), indices.astype(np.int64))


def check_nets(colors: Colors, run: Run, part: int) -> tuple[int, int] | None:
    """Two vertices of one color among a vertex of a partition and its neighbors, if there are any."""
    own = rows_of(run).shard(part)
    row = np.concatenate([np.arange(len(own.ids)), np.repeat(np.arange(len(own.ids)), np.diff(own.indptr))])
    vertex = np.concatenate([own.ids, own.indices])
    found = colors.of(vertex)
    order = np.lexsort((found, row))
    row, vertex, found = row[order], vertex[order], found[order]
    bad = np.flatnonzero((row[1:] == row[:-1]) & (found[1:] == found[:-1]))
    return (int(vertex[bad[0]]), int(vertex[bad[0] + 1])) if len(bad) else None


def _conflict(colors: Colors, u: np.ndarray, v: np.ndarray) -> tuple[int, int] | None:
    bad = np.flatnonzero((colors.of(u) == colors.of(v)) & (u != v))
    return (int(u[bad[0]]), int(v[bad[0]])) if len(bad) else None
