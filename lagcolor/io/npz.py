"""NumPy .npz archives: a matrix of ``scipy.sparse.save_npz``, or arrays named indptr, indices and n (or shape)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..inputs.matrices import any_shape, from_scipy
from ..inputs.structure import Structure
from .csr import checked
from .files import for_library, load, malformed

if TYPE_CHECKING:
    from ..graph import Graph


def read(path: Path, symmetrize: bool) -> Structure:
    """See `lagcolor.io.read`."""
    import scipy.sparse as sp

    source = for_library(path, load(path))
    try:
        with np.load(source, allow_pickle=False) as z:
            fields = set(z.files)
            parts = {} if "format" in fields else {k: z[k] for k in fields & {"indptr", "indices", "n", "shape"}}
        if hasattr(source, "seek"):
            source.seek(0)
        A = sp.load_npz(source) if "format" in fields else None
    except Exception as e:  # zipfile, zlib, numpy and scipy raise a dozen types for a damaged archive
        raise malformed(path, f"no readable .npz archive of a graph ({e})") from e
    if A is None:
        return _plain(path, parts)
    if len(A.shape) != 2 or (A.format != "csr" and A.shape[0] == A.shape[1]):
        return from_scipy(A)
    if A.shape[0] != A.shape[1]:
        return any_shape(A)
    return checked(path, A.indptr, A.indices, A.shape[0])


def _plain(path: Path, parts: dict[str, Any]) -> Structure:
    for name in ("indptr", "indices"):
        if name not in parts:
            raise malformed(path, f"no array '{name}': expected indptr, indices and n, or a file of scipy's save_npz")
        if parts[name].dtype.kind not in "iu":
            raise malformed(path, f"'{name}' must hold integers, not {parts[name].dtype}")
    shape = parts.get("shape", parts.get("n"))
    if shape is None:
        raise malformed(path, "no array 'n' or 'shape' with the number of vertices")
    if shape.dtype.kind not in "iu" or shape.size not in (1, 2):
        raise malformed(path, f"'n' or 'shape' must be one or two integers, not {shape!r}")
    if shape.min() < 0:
        raise malformed(path, f"'n' or 'shape' must not be negative, not {shape!r}")
    sides = shape.ravel().tolist()
    return checked(path, parts["indptr"], parts["indices"], sides[0], sides[-1])


def write(out: IO[bytes], G: Graph, path: Path) -> None:
    """See `lagcolor.io.write`; as ``scipy.sparse.save_npz`` does, a pattern of ones."""
    import scipy.sparse as sp

    archive = io.BytesIO()  # a zip file seeks back, which a .gz stream cannot
    sp.save_npz(archive, G.to_scipy())
    out.write(archive.getbuffer())
