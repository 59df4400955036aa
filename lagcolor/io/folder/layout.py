"""The files of a graph's folder, their headers, and the errors about damaged files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import FormatError
from ..json_text import JSONError, parsed

FORMAT, VERSION = "lagcolor csr", 1
HEADER = "graph.json"
DATA = 128  # bytes before the data of an array
BLOCK = 1 << 24  # bytes of data per checksum
WIDE = 2**31  # number of vertices from which on `indices` are int64
ENTRIES = 1 << 22  # entries that are copied or checked at a time
TYPES: dict[str, tuple[str, ...]] = {
    "indptr": ("<i8",),
    "indices": ("<i4", "<i8"),
    "labels": ("<i8",),
    "names": ("|u1",),
    "names_end": ("<i8",),
}
FILES = (HEADER, *(f"{name}.npy" for name in TYPES))


def is_folder(path: Path) -> bool:
    """Whether a path is a graph's folder."""
    return path.is_dir() and (path / HEADER).exists()


def index_type(n: int) -> str:
    """Return the type of `indices` of a graph with n vertices."""
    return "<i4" if n < WIDE else "<i8"


def array_header(dtype: np.dtype[Any], count: int) -> bytes:
    """Return the first `DATA` bytes of a .npy file of a one-dimensional array."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({count},), }}"
    return b"\x93NUMPY\x01\x00" + (DATA - 10).to_bytes(2, "little") + text.ljust(DATA - 11).encode() + b"\n"


def damaged(path: Path, what: str) -> FormatError:
    """Return the error for a folder that is not as it was written."""
    return FormatError(f"{path}: damaged folder of a graph: {what}; make it anew")


def read_header(path: Path) -> dict[str, Any]:
    """Return the content of `graph.json`, after a check of its types."""
    if not path.is_dir():
        if path.exists():
            raise FormatError(
                f"{path}: a file, and a graph that ends in .csr is a folder with {HEADER} in it; "
                "lagcolor.convert makes one of files of edges"
            )
        raise FileNotFoundError(2, "no such folder", str(path))
    try:
        header = parsed((path / HEADER).read_bytes())
    except FileNotFoundError:
        raise FormatError(
            f"{path}: a folder without {HEADER}, so no graph; lagcolor.convert makes one of files of edges"
        ) from None
    except JSONError as e:
        raise damaged(path, f"{HEADER} is no JSON ({e})") from e
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError(f"{path}: {HEADER} is not one of a graph's folder, whose format is {FORMAT!r}")
    if header.get("version") != VERSION or header.get("block") != BLOCK:
        raise FormatError(
            f"{path}: version {header.get('version')!r} of the folder, and this lagcolor reads version {VERSION}"
        )
    arrays = header.get("arrays")
    if not (_count(header.get("n")) and _count(header.get("entries")) and isinstance(arrays, dict)):
        raise damaged(path, f"n, entries or arrays are missing in {HEADER}")
    if not isinstance(header.get("notes", {}), dict):
        raise damaged(path, f"notes are {type(header['notes']).__name__} in {HEADER}, not an object")
    _check_arrays(path, arrays)
    if (found := arrays["indices"]["dtype"]) != index_type(header["n"]):
        what = f"{HEADER} says that indices.npy has {found}, and numbers of {header['n']} vertices are"
        raise damaged(path, f"{what} {index_type(header['n'])}")
    return header


def _check_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Raise an error unless the header describes each array completely."""
    for name in ("indptr", "indices"):
        if name not in arrays:
            raise damaged(path, f"{HEADER} does not list {name}")
    for name, about in arrays.items():
        sound = isinstance(about, dict) and about.get("dtype") in TYPES.get(name, ()) and _count(about.get("elements"))
        if not sound or not isinstance(about.get("checksums"), list):
            raise damaged(path, f"{HEADER} does not say what {name}.npy is like")
        size = about["elements"] * np.dtype(about["dtype"]).itemsize
        if len(about["checksums"]) != -(-size // BLOCK):
            raise damaged(path, f"{HEADER} has {len(about['checksums'])} checksums of {name}.npy for {size} bytes")
    if ("names" in arrays) != ("names_end" in arrays):
        raise damaged(path, f"{HEADER} lists one of names and names_end without the other")


def _count(x: Any) -> bool:
    return type(x) is int and x >= 0


def mapped(path: Path, name: str, about: dict[str, Any]) -> np.ndarray:
    """Map an array of a folder; `about` is its entry in the header."""
    file, dtype, count = path / f"{name}.npy", np.dtype(about["dtype"]), about["elements"]
    try:
        with open(file, "rb") as f:
            head, size = f.read(DATA), os.fstat(f.fileno()).st_size
    except FileNotFoundError:
        raise damaged(path, f"there is no {name}.npy") from None
    if size != DATA + count * dtype.itemsize:
        raise damaged(path, f"{name}.npy has {size} bytes, not {DATA + count * dtype.itemsize}")
    if head != array_header(dtype, count):
        raise damaged(path, f"{name}.npy does not begin as an array of {count} {dtype}")
    if count == 0:  # an empty array cannot be mapped
        return np.frombuffer(b"", dtype)
    return np.memmap(file, dtype, mode="r", offset=DATA, shape=(count,)).view(np.ndarray)
