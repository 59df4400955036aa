"""Files that a conversion keeps in a folder next to its target. A conversion that was killed resumes from them.

Each file appears when it is complete. It has data, a description in JSON, and the length and CRC-32 of the description.
The description has the CRC-32 of the data, the range of the input that they cover, and what later stages need to know.
There is no other record of progress.

    names-00000 …              names of vertices, in order of first occurrence
    labels-00000               numbers of vertices, rising, where some are too large for keys
    read-00000, read-00001 …   edges as sorted keys, each of a range of the inputs
    merged-00000 …             rows, each of a range of keys

The last file of a stage says so. A stage is done when that file is there; files of earlier stages are deleted then.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import FormatError, OptionError
from ....io.folder import sync_folder
from ....progress import stage

LOCK, NEW, GRAPH = "lock", "new", "graph"
KINDS = ("merged", "read", "names", "labels")  # later stages first
NAME = re.compile(r"([a-z]+)-(\d{5,})")
END = struct.Struct("<II")  # length and CRC-32 of the description
VERSION = 3
PIECE = 1 << 20  # bytes that are read at once


class File(NamedTuple):
    """A file that is kept: bytes of its data, their CRC-32, and what they are."""

    path: Path
    size: int
    checksum: int
    content: dict[str, Any]

    def read(self, begin: int, into: np.ndarray) -> None:
        """Read data from byte `begin` on; they fill `into`."""
        data, done = into.view(np.uint8).data, 0
        with open(self.path, "rb", buffering=0) as file:
            file.seek(begin)
            while done < len(data):  # each turn reads, or the file is damaged
                count = file.readinto(data[done:])
                if not count:
                    raise damaged(self.path)
                done += count

    def pieces(self, dtype: str, count: int, begin: int = 0, size: int = PIECE) -> Iterator[np.ndarray]:
        """Elements of a type from a byte on, piece by piece; a piece is gone when the next is read."""
        into = np.empty(min(size // np.dtype(dtype).itemsize, count), dtype)
        for k in range(0, count, max(len(into), 1)):
            piece = into[: min(len(into), count - k)]
            self.read(begin + k * into.itemsize, piece)
            yield piece

    def check(self) -> None:
        """Raise a FormatError where the data are not those that were written."""
        found = 0
        for piece in self.pieces("|u1", self.size):
            found = zlib.crc32(piece.data, found)
        if found != self.checksum:
            raise damaged(self.path)


def damaged(path: Path) -> FormatError:
    """The error for a file that is not as it was written."""
    return FormatError(f"{path}: what an earlier conversion left is damaged: start afresh with restart=True")


def described(path: Path) -> dict[str, Any]:
    """The description of a file."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < END.size:
            raise damaged(path)
        file.seek(size - END.size)
        length, checksum = END.unpack(file.read(END.size))
        file.seek(max(size - END.size - length, 0))
        text = file.read(length)
    if not text or zlib.crc32(text) != checksum:  # the checksum of no bytes is 0, as in a file of zeros
        raise damaged(path)
    found: dict[str, Any] = json.loads(text)  # as it was written
    if found["version"] == VERSION and found["size"] + length + END.size != size:
        raise damaged(path)
    return found


class New:
    """A file that is being written, to be kept when it is complete."""

    def __init__(self, work: Work, kind: str) -> None:
        self._work, self._kind, self._size, self._checksum = work, kind, 0, 0
        self._file = open(work.path / NEW, "wb")  # noqa: SIM115  (closed by `keep` or `close`)

    def write(self, data: np.ndarray | bytes) -> None:
        """Write data."""
        view = data if isinstance(data, bytes) else np.ascontiguousarray(data).view(np.uint8).data
        self._file.write(view)
        self._checksum = zlib.crc32(view, self._checksum)
        self._size += len(view)

    def keep(self, content: dict[str, Any]) -> None:
        """Bring the file to the disk, whole, and give it its name."""
        work, files = self._work, self._work.files[self._kind]
        number = len(files)
        about = {"version": VERSION, "kind": self._kind, "number": number, "size": self._size,
                 "checksum": self._checksum, "digest": work.digest, "content": content}  # fmt: skip
        if number == 0:
            about["arguments"] = work.arguments
        text = json.dumps(about).encode()
        self._file.write(text + END.pack(len(text), zlib.crc32(text)))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        path = work.path / f"{self._kind}-{number:05d}"
        os.replace(work.path / NEW, path)
        sync_folder(work.path)
        files.append(File(path, self._size, self._checksum, content))

    def close(self) -> None:
        """Close the file, whatever is in it."""
        with contextlib.suppress(OSError):  # of bytes that a full disk has no room for
            self._file.close()


class Work:
    """The folder of temporary files, and the files in it that an earlier conversion left, checked.

    `arguments` are what must be the same for a conversion to go on; with `restart` nothing is kept.

    Attributes
    ----------
    path, out : Path
        Of the folder, and of the one in it that is renamed at the end.
    files : dict of list of File
        By kind.
    """

    def __init__(self, target: Path, arguments: dict[str, Any], restart: bool) -> None:
        self.path = target.with_name(f"{target.name}.partial")
        self.out = self.path / GRAPH
        self.arguments = json.loads(json.dumps(arguments))
        self.digest = hashlib.sha256(json.dumps(self.arguments).encode()).hexdigest()
        self.files: dict[str, list[File]] = {kind: [] for kind in KINDS}
        self._check_kind()
        self.path.mkdir(exist_ok=True)
        self._lock = _locked(self.path / LOCK)
        try:
            if not restart:
                self._find()
                self._drop_what_is_done()
            if self.kept:
                self._check()
            else:
                self.clear()
        except BaseException:
            self.close()
            raise

    @property
    def kept(self) -> bool:
        """Whether there is something to go on from."""
        return any(self.files.values())

    def done(self, kind: str) -> bool:
        """Whether all files of a kind are there."""
        return bool(self.files[kind]) and self.files[kind][-1].content["last"]

    def new(self, kind: str) -> contextlib.closing[New]:
        """A file to be written."""
        return contextlib.closing(New(self, kind))

    def drop(self, *kinds: str) -> None:
        """Delete all files of some kinds, the newest first, so that those that are left begin at the beginning."""
        for kind in kinds:
            while self.files[kind]:
                self.files[kind][-1].path.unlink()
                self.files[kind].pop()

    def clear(self) -> None:
        """Delete everything but the lock."""
        for kind in KINDS:
            self.files[kind].clear()
            for _, path in reversed(self._named(kind)):
                path.unlink()
        for file in self.path.iterdir():
            if file.is_dir():
                shutil.rmtree(file)
            elif file.name != LOCK:
                file.unlink()

    def remove(self) -> None:
        """Take the folder away; if that is interrupted, what is left can still be gone on from."""
        with contextlib.suppress(OSError):
            self.clear()
        shutil.rmtree(self.path, ignore_errors=True)

    def close(self) -> None:
        """Let another conversion in."""
        self._lock.close()

    def _check_kind(self) -> None:
        if not os.path.lexists(self.path):
            return
        if not self.path.is_dir() or (any(self.path.iterdir()) and not (self.path / LOCK).exists()):
            raise FileExistsError(
                errno.EEXIST, "there is something else, where a conversion would work", str(self.path)
            )

    def _named(self, kind: str) -> list[tuple[int, Path]]:
        """Files that have the name of a kind, by number."""
        found = ((NAME.fullmatch(file.name), file) for file in self.path.iterdir())
        return sorted((int(m[2]), file) for m, file in found if m and m[1] == kind)

    def _find(self) -> None:
        """All files, by kind and number."""
        for kind, number, path in [(name, *one) for name in KINDS for one in self._named(name)]:
            about = described(path)
            if about["version"] != VERSION:
                raise OptionError(
                    f"{self.path} has an unfinished conversion of another version: start afresh with restart=True"
                )
            if about["digest"] != self.digest and "arguments" in about:
                self._refuse(about["arguments"])
            place = about["kind"], about["number"], about["digest"]
            if place != (kind, len(self.files[kind]), self.digest) or number != len(self.files[kind]):
                raise damaged(self.path / f"{kind}-{len(self.files[kind]):05d}")
            self.files[kind].append(File(path, about["size"], about["checksum"], about["content"]))

    def _refuse(self, arguments: dict[str, Any]) -> None:
        for name, value in self.arguments.items():
            if (before := arguments.get(name)) != value:
                raise OptionError(
                    f"{self.path} has an unfinished conversion {_difference(name, before, value)}: call it in the same "
                    "way to go on with it, or start afresh with restart=True"
                )

    def _drop_what_is_done(self) -> None:
        """Keep the files of the latest stage that is done, and of the one after it."""
        if self.done("merged"):
            self.drop("read")
        elif not self.files["read"]:
            self.drop("merged", "names")
        elif not self.done("read"):
            self.drop("merged")

    def _check(self) -> None:
        """Raise a FormatError where a file is damaged, is missing, or does not begin where the one before ends."""
        files = [file for kind in KINDS for file in self.files[kind]]
        checking, done = stage("checking", sum(file.size for file in files), "bytes"), 0
        for kind in KINDS:
            end = None
            for file in self.files[kind]:
                for other, number in file.content.get("needs", {}).items():
                    if len(self.files[other]) < number:
                        raise damaged(self.path / f"{other}-{len(self.files[other]):05d}")
                if end is not None and file.content["from"] != end:
                    raise damaged(file.path)
                file.check()
                end, done = file.content.get("to"), done + file.size
                checking.at(done)


def _difference(name: str, before: Any, now: Any) -> str:
    if name != "inputs":
        return f"with {name}={before!r}, not {now!r}"
    files = {one[0]: one for one in before or []}
    for one in now:
        if one[0] in files and files[one[0]] != one:
            return f"of {one[0]!r}, which is another file now"
    return "of other files"


def _locked(path: Path) -> Any:
    """A file that one process has, for as long as it is open."""
    file = open(path, "a")  # noqa: SIM115  (held until the conversion ends)
    with contextlib.suppress(ImportError):  # not on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise OptionError(f"{path.parent}: another process is converting to this folder") from None
        except OSError:  # a file system without locks
            pass
    return file
