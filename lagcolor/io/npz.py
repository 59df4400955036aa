"""NumPy .npz archives: a matrix of ``scipy.sparse.save_npz``, or arrays named indptr, indices and n (or shape)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..base.errors import GraphError
from ..inputs.canonical import Structure
from ..inputs.matrices import SCIPY, no_graph, of_shape
from .csr import checked
from .files import for_library, load, malformed
from .npy import Archive, archive

# Arrays with the places of the entries of a matrix of `save_npz`, by its format.
ARRAYS: dict[str, tuple[str, ...]] = {
    "csr": ("indptr", "indices"),
    "csc": ("indptr", "indices"),
    "bsr": ("indptr", "indices"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
MAPPED = ("csr", "csc", "coo")  # formats whose arrays can be used as they are


def read(path: Path, symmetrize: bool, folder: Path | None = None) -> Structure:
    """Read a file; see `lagcolor.io.read`. With a folder, arrays are unpacked to its files and mapped."""
    try:
        with archive(for_library(path, load(path)), folder) as arrays:
            if "format" in arrays.names:
                return _matrix(path, arrays, ARRAYS if folder is None else {k: ARRAYS[k] for k in MAPPED})
            parts = {name: arrays[name] for name in arrays.names & {"indptr", "indices", "n", "shape"}}
    except GraphError:
        raise
    except ValueError as e:
        raise malformed(path, f"no readable .npz archive of a graph ({e})") from e
    return _plain(path, parts)


def _matrix(path: Path, arrays: Archive, known: dict[str, tuple[str, ...]]) -> Structure:
    """Return a matrix of `save_npz` in a known format; values are read only if they determine the entries."""
    layout = arrays["format"]
    kind = layout.item() if layout.shape == () else None
    kind = kind.decode("latin-1") if isinstance(kind, bytes) else kind
    if kind not in known:
        raise ValueError(f"format {kind!r}, not one of {', '.join(known)}: convert it, as in save_npz(path, A.tocsr())")
    named = ("coords",) if kind == "coo" and "coords" in arrays.names else known[kind]
    if missing := sorted({*named, "data", "shape"} - arrays.names):
        raise ValueError(f"no array {missing[0]!r}")
    parts = [_integers(path, arrays, name) for name in named]
    shape = tuple(_integers(path, arrays, "shape").ravel().tolist())
    if len(shape) != 2:
        raise GraphError(no_graph(shape, SCIPY))
    if min(shape) < 0:
        raise malformed(path, f"'shape' must not be negative, not {shape}")
    entries = arrays.shape("data")
    if kind == "coo":
        u, v = parts if len(parts) == 2 else parts[0]
        if not u.shape == v.shape == entries:
            raise malformed(path, f"{len(u)} rows, {len(v)} columns and {entries} values for the entries")
        found = Structure("coo", u, v, shape[0])
    elif kind in ("csr", "csc"):
        indptr, indices = parts
        if indices.shape != entries:
            raise malformed(path, f"there are {entries} values, and {indices.shape} indices")
        outer, inner = shape if kind == "csr" else shape[::-1]
        checked(path, indptr, indices, outer, inner)
        found = Structure("csr" if kind == "csr" else "csc", indptr, indices, shape[0])
    else:
        found = _blocks_or_diagonals(path, kind, parts, arrays["data"], shape)
    return of_shape(found, shape, SCIPY)


def _blocks_or_diagonals(path: Path, kind: str, parts: list[Any], data: Any, shape: tuple[int, int]) -> Structure:
    """Return the entries of a matrix of blocks or diagonals."""
    if data.dtype.kind not in "biufc":
        raise malformed(path, f"'data' must hold numbers, not {data.dtype}")
    if kind == "dia":
        return _diagonals(path, parts[0], data, shape)
    import scipy.sparse as sp

    indptr, indices = parts
    sides = data.shape[1:]
    if data.ndim != 3 or len(indices) != len(data) or 0 in sides or shape[0] % sides[0] or shape[1] % sides[1]:
        raise malformed(path, f"blocks of shape {data.shape} do not fit a matrix of shape {shape}")
    checked(path, indptr, indices, shape[0] // sides[0], shape[1] // sides[1])
    A = sp.bsr_array((data, indices, indptr), shape).tocoo()
    return Structure("coo", A.row, A.col, shape[0])


def _diagonals(path: Path, offsets: Any, data: Any, shape: tuple[int, int]) -> Structure:
    """Return the entries of diagonals that are not 0; SciPy would allocate as many rows as are declared."""
    if offsets.shape != data.shape[:1] or data.ndim != 2:
        raise malformed(path, f"offsets of shape {offsets.shape} for diagonals of shape {data.shape}")
    if len(np.unique(offsets)) < len(offsets):
        raise malformed(path, "a diagonal is there twice")
    if data.size == 0:  # no diagonals, or diagonals without values: the other length may be anything
        data = data.reshape(len(offsets), 0)
    columns = np.broadcast_to(np.arange(data.shape[1]), data.shape)
    rows = columns - offsets.astype(np.int64)[:, None]
    stored = (rows >= 0) & (rows < shape[0]) & (columns < shape[1]) & (data != 0)
    return Structure("coo", rows[stored], columns[stored], shape[0])


def _integers(path: Path, arrays: Any, name: str) -> np.ndarray:
    """Return an array of an archive, which must be of integers."""
    array = arrays[name]
    if array.dtype.kind not in "iu":
        raise malformed(path, f"'{name}' must hold integers, not {array.dtype}")
    return array


def _plain(path: Path, parts: dict[str, Any]) -> Structure:
    for name in ("indptr", "indices"):
        if name not in parts:
            raise malformed(path, f"no array '{name}': expected indptr, indices and n, or a file of scipy's save_npz")
        _integers(path, parts, name)
    name = "shape" if "shape" in parts else "n"
    if name not in parts:
        raise malformed(path, "no array 'n' or 'shape' with the number of vertices")
    shape = parts[name]
    if shape.dtype.kind not in "iu" or shape.size not in (1, 2) or shape.min() < 0:
        raise malformed(path, f"{name!r} must be one or two whole numbers, and none is negative, not {shape!r}")
    sides = shape.ravel().tolist()
    return checked(path, parts["indptr"], parts["indices"], sides[0], sides[-1])


def write(out: IO[bytes], G: Any, path: Path) -> None:
    """Write a pattern of ones as ``scipy.sparse.save_npz``; see `lagcolor.io.write`."""
    import scipy.sparse as sp

    archive = io.BytesIO()  # a zip file seeks back, which a .gz stream cannot
    sp.save_npz(archive, G.to_scipy())
    out.write(archive.getbuffer())
