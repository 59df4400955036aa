"""Arrays of .npy files and .npz archives. Each header is compared with the number of bytes before the array is read.

NumPy would allocate what a header declares. SciPy would read all arrays, also values, which no coloring needs.
"""

from __future__ import annotations

import io
import math
import shutil
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ..base.errors import LagcolorError
from .files import load, on_full_disk

HEAD = 1 << 16  # bytes that contain the header of an array
LONGEST = 300  # most characters of a message, which may quote the archive
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class ArrayHeader(NamedTuple):
    """The declarations in the header of an array."""

    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]


def array_of(data: Any) -> np.ndarray:
    """Return the array in the bytes of a .npy file; it shares their memory."""
    data = memoryview(data).cast("B")
    beginning = io.BytesIO(data[:HEAD])
    head = head_of(beginning, len(data))
    return _shaped(data[beginning.tell() :], head)


class Archive:
    """The arrays of an opened .npz archive; every method raises ValueError if the archive is damaged."""

    def __init__(self, opened: zipfile.ZipFile, folder: Path | None = None) -> None:
        self._opened, self._folder = opened, folder
        listed = opened.namelist()
        self._members = dict(zip([name.removesuffix(".npy") for name in listed], opened.infolist(), strict=True))
        if len(self._members) < len(listed):
            raise ValueError("an array is there twice")

    @property
    def names(self) -> set[str]:
        """The names of the arrays."""
        return set(self._members)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array, without reading its data."""
        with self._opened.open(self._members[name]) as member:
            return head_of(member, self._members[name].file_size).shape

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array, after a check of its checksum."""
        with self._opened.open(self._members[name]) as member:
            head = head_of(member, self._members[name].file_size)
            if self._folder is None:
                return _shaped(member.read(), head)
            file = self._folder / f"unpacked-{uuid.uuid4().hex}"
            with on_full_disk(file), open(file, "wb") as out:
                shutil.copyfileobj(member, out)
        return _shaped(load(file), head)


@contextmanager
def archive(source: Any, folder: Path | None = None) -> Iterator[Archive]:
    """Open the arrays of an archive; with a folder, arrays that are read are unpacked to its files and mapped."""
    try:
        with zipfile.ZipFile(source) as opened:
            yield Archive(opened, folder)
    except (LagcolorError, MemoryError):
        raise
    except OSError as e:
        if e.filename is not None:
            raise
        raise ValueError(str(e)[:LONGEST]) from e
    except Exception as e:  # zipfile and zlib raise a dozen types for a damaged archive
        raise ValueError(str(e)[:LONGEST] or type(e).__name__) from e


def head_of(file: IO[bytes], size: int) -> ArrayHeader:
    """Read the header of an array from a file of `size` bytes, but not its data."""
    try:
        version = np.lib.format.read_magic(file)
        head = ArrayHeader(*HEADERS[version](file))
    except KeyError:
        raise ValueError(f"an array in version {version} of the .npy format") from None
    except ValueError:
        raise
    except Exception as e:  # the header is parsed as Python
        raise ValueError(f"the header of an array is damaged ({type(e).__name__}: {e})") from e
    if head.dtype.hasobject:
        raise ValueError("an array of Python objects, which is not loaded (allow_pickle=False)")
    needed = math.prod(head.shape) * head.dtype.itemsize
    if min(head.shape, default=0) < 0 or head.dtype.itemsize == 0 or needed != size - file.tell():
        declared = f"{head.dtype} of shape {head.shape}"
        raise ValueError(f"a header declares {declared}, and {size - file.tell()} bytes follow it")
    return head


def _shaped(data: Any, head: ArrayHeader) -> np.ndarray:
    """Return the array with this header and these bytes."""
    if len(data) != math.prod(head.shape) * head.dtype.itemsize:
        raise ValueError(f"an array ends after {len(data)} bytes")
    flat = np.frombuffer(data, head.dtype)
    native = flat.astype(head.dtype.newbyteorder("="), copy=False)
    return native.reshape(head.shape, order="F" if head.fortran_order else "C")
