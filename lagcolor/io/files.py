"""Read and write bytes: .gz files are unpacked and packed, and a file is written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import shutil
import stat
import sys
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from semirings.sparse import MOST_ROWS

from ..base.errors import FormatError
from ..base.log import stage

BLOCK = 1 << 20  # bytes that are unpacked at a time

GZIP = b"\x1f\x8b"  # the first bytes of a packed file
PACKED = "gzip packed this file, and its name does not say so: add .gz to the name"  # an error
STDIN = Path("-")  # standard input, or standard output when writing


class FirstLine(NamedTuple):
    """The caller's hints about edge lists, in particular about their first line."""

    header: bool | None = None  # whether it names the columns; None: decided by its words
    columns: tuple[str, str] | None = None  # names of the columns with the ends of edges; None: decided by the names
    form: bool = False  # whether the caller names the format, so that a text that fits it is read


NO_HINT = FirstLine()


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a file in messages."""
    return "standard input" if Path(path) == STDIN else os.fspath(path)


def malformed(path: Path, what: str, line: int | None = None) -> FormatError:
    """Return the error for a file: "path: what", or "path, line 7: what"."""
    where = name_of(path) if line is None else f"{name_of(path)}, line {line}"
    return FormatError(f"{where}: {what}")


def check_vertices(path: Path, n: int, line: int) -> None:
    """Raise an error if a header declares more vertices than int32 can number."""
    if n > MOST_ROWS:
        raise malformed(path, f"{n} vertices are more than the {MOST_ROWS} that lagcolor can number", line)


def shown(text: str) -> str:
    """Return a text as errors show it: quoted, with up to 60 characters."""
    return repr(text if len(text) <= 60 else text[:57] + "…")


def bare_name(path: Path) -> str:
    """Return a file name in lower case, without .gz, which determines the format."""
    return path.name.lower().removesuffix(".gz")


def _is_gzip(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def unpacked(path: Path, source: IO[bytes], begin: int = 0, size: int | None = None) -> Iterator[bytes]:
    """Yield the unpacked bytes of a packed file from byte `begin` on, in blocks; `source` is closed at the end."""
    try:
        with source, gzip.open(source) as f:
            unpacking = stage("unpacking", source.seek(0, io.SEEK_END) or None, "bytes")
            source.seek(0)
            f.seek(begin)
            while block := f.read(size or BLOCK):
                yield block
                unpacking.at(source.tell())
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise malformed(path, f"damaged or truncated gzip file ({e})") from e


def packed(path: Path) -> IO[bytes] | None:
    """Return the stream of a packed file, or None: its name determines this, or the first bytes of standard input."""
    if path == STDIN:
        buffer: Any = sys.stdin.buffer
        return io.BytesIO(buffer.read()) if buffer.peek(len(GZIP)).startswith(GZIP) else None
    return open(path, "rb") if _is_gzip(path) else None


def load(path: Path) -> np.ndarray:
    """Return the (unpacked) bytes of a file, uint8; a plain file is mapped, not copied."""
    source = packed(path)
    if source is not None:
        return np.frombuffer(b"".join(unpacked(path, source)), np.uint8)
    if path == STDIN:
        return np.frombuffer(sys.stdin.buffer.read(), np.uint8)
    with open(path, "rb") as f:
        status = os.fstat(f.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0:  # a pipe and an empty file cannot be mapped
            return np.frombuffer(f.read(), np.uint8)
        return np.memmap(f, np.uint8, mode="r").view(np.ndarray)


def for_library(path: Path, buf: np.ndarray) -> Any:
    """Return an argument for a library's reader: the path of a plain file, or a stream of the bytes of other files."""
    return str(path) if isinstance(buf.base, np.memmap) else io.BytesIO(buf.data)


@contextlib.contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file in the folder of `path`; it is renamed to `path` at the end, or removed after an error.

    A link is followed, a replaced file keeps its mode, and a pipe or device is written directly. `STDIN` is standard
    output.
    """
    if path == STDIN:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        requested, path = path, Path(os.path.realpath(path))
    except UnicodeEncodeError as e:
        raise FormatError(f"no file can have the name {str(path)!r}: {e}") from None
    if path.exists() and not path.is_file():
        with open(path, "wb") as f, _packed(f, path) as out:
            yield out
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}", str(path))
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    # open() obeys the umask; only their owner could read the files of mkstemp.
    with on_full_disk(requested), contextlib.ExitStack() as stack:  # closing the stream writes, too
        with _errors_about(requested):
            f = stack.enter_context(open(temporary, "xb"))
        try:
            with _packed(f, path) as out:
                yield out
            f.close()
            if path.exists():
                shutil.copymode(path, temporary)
            with _errors_about(requested):
                os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _errors_about(path: Path) -> Iterator[None]:
    """Let an error about the temporary file name the requested file."""
    try:
        yield
    except OSError as e:
        raise OSError(e.errno, e.strerror, str(path)) from e


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, None)  # NumPy's error after an incomplete write has None


@contextlib.contextmanager
def on_full_disk(path: Path) -> Iterator[None]:
    """Add the name of the file to an error about a full disk that has no name."""
    try:
        yield
    except OSError as e:
        if e.filename is not None or e.errno not in FULL:
            raise
        raise OSError(e.errno or errno.ENOSPC, e.strerror or f"not enough space for all of it ({e})", str(path)) from e


@contextlib.contextmanager
def _packed(f: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if not _is_gzip(path):
        yield f
        return
    # No name and no time in the header, so that equal graphs give equal bytes.
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=f, mtime=0) as out:
        yield out  # type: ignore[misc]
