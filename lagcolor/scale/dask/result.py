"""Colors in files by ranges of ids, as a run leaves them."""

from __future__ import annotations

import shutil
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import FormatError
from .files import load_record, mapped

if TYPE_CHECKING:
    import dask.array

HEADER, FORMAT, VERSION = "colors.json", "lagcolor colors", 1


class Colors:
    """Colors in a folder, read where they lie.

    Parameters
    ----------
    folder : path-like

    Attributes
    ----------
    folder : Path
    n : int
    bounds : list of int
        File k has the colors of the vertices from ``bounds[k]`` to ``bounds[k + 1]`` − 1.
    files : list of Path
        Each an array of int32, as `numpy.load` reads it.

    Raises
    ------
    FormatError
        It is no folder of colors, or a file is missing or cut short.
    """

    def __init__(self, folder: Any) -> None:
        self.folder = Path(folder)
        try:
            about = load_record(self.folder / HEADER)
        except FileNotFoundError as e:
            raise FormatError(f"{folder}: no folder of colors: there is no {HEADER} in it") from e
        if about.get("format") != FORMAT or about.get("version") != VERSION:
            raise FormatError(f"{folder}: {HEADER} is not that of colors that this lagcolor reads")
        self.bounds: list[int] = about["bounds"]
        self.n = self.bounds[-1]
        self.files = [self.folder / name for name in about["files"]]
        self._maps: dict[int, np.ndarray] = {}

    def part(self, k: int) -> np.ndarray:
        """Colors of one file, mapped."""
        if k not in self._maps:
            size = self.bounds[k + 1] - self.bounds[k]
            try:
                found = mapped(self.files[k])
            except (OSError, ValueError, EOFError) as e:
                raise FormatError(f"{self.files[k]}: missing or damaged ({e}): color the graph again") from e
            if found.shape != (size,):
                raise FormatError(f"{self.files[k]}: {len(found)} colors for {size} vertices: color the graph again")
            self._maps[k] = found
        return self._maps[k]

    def of(self, ids: np.ndarray) -> np.ndarray:
        """Those of some vertices: int32."""
        owner = np.searchsorted(np.asarray(self.bounds[1:-1]), ids, side="right")
        found = np.empty(len(ids), np.int32)
        for k in np.unique(owner).tolist():
            mine = owner == k
            found[mine] = self.part(k)[ids[mine] - self.bounds[k]]
        return found


@dataclass(repr=False, eq=False)
class ClusterColoring:
    """A coloring that a cluster made; its colors are in files.

    Attributes
    ----------
    folder : Path
        Has a file per range of ids (`numpy.load` reads each), and `colors.json`, which names them. Where `color` was
        told of no folder it is a temporary one, which goes with this result.
    n : int
        Number of vertices.
    n_colors : int
    class_sizes : array of int64, shape (n_colors,)
    problem : {"distance1", "distance2"}
    order : str
    seed : int or None
        None: ties are broken by vertex id.
    rounds : int
        The last of which sent nothing.
    seconds : float
        All of it, reading and shuffling included.
    verified : bool
        Whether all edges have been read again, and their colors compared.
    trace : list of dict
        One row per round, where asked for: round, active (colors computed), colored (colors sent), messages, bytes,
        partitions (solved), built (of these, made from their rows), ms.
    notes : dict
        parts, entries, messages, bytes (written for other partitions), core (its vertices), core_bytes, visited (colors
        computed), built (partitions made from their rows; `parts` where all workers lived and had room), recomputed
        (tasks that began more than once), resumed (the round after which the run went on, or None), chain (the most
        changes of color, each because of the one before, that crossed partitions), seconds (of each stage).
    """

    folder: Path
    n: int
    n_colors: int
    class_sizes: np.ndarray
    problem: str
    order: str
    seed: int | None
    rounds: int
    seconds: float = 0.0
    verified: bool = False
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """The files of colors, by ids."""
        return Colors(self.folder).files

    @property
    def colors(self) -> np.ndarray:
        """All colors in memory: int32, shape (n,)."""
        found = Colors(self.folder)
        return np.concatenate([np.zeros(0, np.int32), *(found.part(k) for k in range(len(found.files)))])

    def to_dask(self) -> dask.array.Array:
        """All colors as a dask array of int32, a chunk per file, which workers read."""
        import dask
        import dask.array as da

        found = Colors(self.folder)
        read = dask.delayed(mapped, pure=True)
        sizes = np.diff(found.bounds).tolist()
        chunks = [da.from_delayed(read(str(f)), (k,), np.int32) for f, k in zip(found.files, sizes, strict=True) if k]
        return da.concatenate(chunks) if chunks else da.zeros(0, dtype=np.int32)

    def __repr__(self) -> str:
        seed = "" if self.seed is None else f", seed {self.seed}"
        what = "" if self.problem == "distance1" else f"{self.problem}, "
        return (
            f"<ClusterColoring: {self.n_colors:,} colors for {self.n:,} vertices, "
            f"{what}first_fit ({self.order}{seed}), "
            f"{self.notes.get('parts', 0)} partitions, {self.rounds} rounds, {self.seconds:.3g} s, in {self.folder}>"
        )

    def removed_with(self, folder: Path) -> None:
        """Have a folder removed when this result is."""
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
