"""The graphs of a run: the nine of the CPU suite, generated; three real ones, shipped; or files of your own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import lagcolor

from .peers import Case

ROOT = Path(__file__).parents[1]
REAL = ("regalloc_sqlite3_all", "copter2", "debian-bookworm-deps")
ENDINGS = (".egr", ".npz", ".mtx", ".mtx.gz", ".graph", ".col", ".gr")


def sources(names: Sequence[str] | None = None, folder: Path | None = None) -> dict[str, Path | None]:
    """Name → file, or None for a graph to generate.

    Parameters
    ----------
    names : sequence of str, optional
        Only these; a path of a file counts as its name.
    folder : Path, optional
        Take suite graphs from ``folder/NAME.egr`` (or another format that lagcolor reads); its other files join.

    Raises
    ------
    SystemExit
        For a name that is neither.
    """
    known: dict[str, Path | None] = dict.fromkeys(lagcolor.generate.SUITE_CPU)
    if folder is not None:
        for ending in reversed(ENDINGS):  # the first ending wins
            known |= {path.name.removesuffix(ending): path for path in sorted(folder.glob(f"*{ending}"))}
    known |= {name: ROOT / "examples" / "data" / f"{name}.npz" for name in REAL}
    if names is None:
        return known
    chosen: dict[str, Path | None] = {}
    for name in names:
        if name in known:
            chosen[name] = known[name]
        elif Path(name).is_file():
            chosen[Path(name).name.partition(".")[0]] = Path(name)
        else:
            raise SystemExit(f"no graph {name!r}: a file, or one of {', '.join(known)}")
    return chosen


def cases(chosen: dict[str, Path | None], scratch: Path) -> Iterator[Case]:
    """Each graph in turn, loaded or generated, with its .egr file in `scratch` (removed after its turn)."""
    for name, path in chosen.items():
        source = lagcolor.generate.SUITE_CPU[name] if path is None else path.name
        G = lagcolor.generate.from_spec(source) if path is None else lagcolor.Graph.of(path)
        egr = scratch / f"{name}.egr"
        write_egr(egr, G)
        yield Case(name, source, G, egr)
        egr.unlink()


def write_egr(path: Path, G: lagcolor.Graph) -> None:
    """int32: n, m, indptr, indices."""
    with open(path, "wb") as f:
        for part in (np.array([G.n, G.m]), G.indptr, G.indices):
            np.asarray(part, np.int32).tofile(f)


def read_egr(path: Path) -> lagcolor.Graph:
    """The graph that `write_egr` wrote, unchecked."""
    n, m = np.fromfile(path, np.int32, 2).tolist()
    indptr, indices = (np.fromfile(path, np.int32, count, offset=4 * at) for count, at in ((n + 1, 2), (m, n + 3)))
    return lagcolor.Graph(indptr, indices)
