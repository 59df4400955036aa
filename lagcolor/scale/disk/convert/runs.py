"""Files that a conversion writes to a folder next to its target. A killed conversion resumes from them.

Each file gets its name when it is complete: read-00000, read-00001 … It has data, a description in JSON, and the length
and CRC-32 of the description. The data are sorted keys, followed by names of vertices that are not in earlier files; or
the numbers of all vertices, if some are too large for keys. The description has the CRC-32 of the data, the range of
the input that they cover, and what later stages need. There is no other record of progress.

The description of the last run states that it is the last. All later stages start again from the runs.
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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....base.errors import FormatError, OptionError
from ....base.log import stage
from ....io.folder import sync_folder

LOCK, NEW, GRAPH = "lock", "new", "graph"
NAME = re.compile(r"read-(\d{5,})")
END = struct.Struct("<II")  # length and CRC-32 of the description
VERSION = 6
PIECE = 1 << 20  # bytes that are read at a time


class Run(NamedTuple):
    """A complete file: bytes of its data, their CRC-32, and their description."""

    path: Path
    size: int
    checksum: int
    content: dict[str, Any]

    def read(self, begin: int, into: np.ndarray) -> None:
        """Fill `into` with data from byte `begin` on."""
        data = into.view(np.uint8).data
        with open(self.path, "rb") as file:
            file.seek(begin)
            if file.readinto(data) < len(data):
                raise damaged(self.path)

    def pieces(self, dtype: str, begin: int, end: int) -> Iterator[np.ndarray]:
        """Yield elements of a type between two bytes in pieces; the next piece overwrites the last."""
        into = np.empty(min(PIECE, end - begin), np.uint8)
        for at in range(begin, end, PIECE):
            piece = into[: min(PIECE, end - at)]
            self.read(at, piece)
            yield piece.view(dtype)

    def check(self) -> None:
        """Raise a FormatError if the data are damaged."""
        found = 0
        for piece in self.pieces("|u1", 0, self.size):
            found = zlib.crc32(piece.data, found)
        if found != self.checksum:
            raise damaged(self.path)


def damaged(path: Path) -> FormatError:
    """Return the error for a file that is not as it was written."""
    return FormatError(f"{path}: what an earlier conversion left is damaged: start afresh with restart=True")


def described(path: Path) -> dict[str, Any]:
    """Return the description of a file."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - END.size, 0))
        end = file.read(END.size)
        length, checksum = END.unpack(end) if len(end) == END.size else (0, 0)
        file.seek(max(size - END.size - length, 0))
        text = file.read(length)
    if not text or zlib.crc32(text) != checksum:  # the checksum of no bytes is 0, as in a file of zeros
        raise damaged(path)
    found: dict[str, Any] = json.loads(text)  # as it was written
    if found["version"] == VERSION and found["size"] + length + END.size != size:
        raise damaged(path)
    return found


class PartialFolder:
    """The folder of temporary files, and the runs in it of an earlier conversion, checked.

    A conversion can only continue with equal `arguments`; with `restart` it begins again.
    """

    path: Path
    out: Path  # the folder in `path` that is renamed at the end
    arguments: Any
    digest: str
    runs: list[Run]

    def __init__(self, target: Path, arguments: dict[str, Any], restart: bool) -> None:
        self.path = target.with_name(f"{target.name}.partial")
        self.out = self.path / GRAPH
        self.arguments = json.loads(json.dumps(arguments))
        self.digest = hashlib.sha256(json.dumps(self.arguments).encode()).hexdigest()
        self.runs = []
        self._check_kind()
        self.path.mkdir(exist_ok=True)
        self._lock = _locked(self.path / LOCK)
        try:
            if not restart:
                self._find()
            if not self.runs:
                self.clear()
        except BaseException:
            self.close()
            raise

    @property
    def done(self) -> bool:
        """Whether all runs are written."""
        return bool(self.runs) and self.runs[-1].content["last"]

    def keep(self, content: dict[str, Any], data: Iterable[np.ndarray]) -> None:
        """Write a run, synchronize it to disk, and rename it to its final name."""
        number, size, checksum = len(self.runs), 0, 0
        path, new = self.path / f"read-{number:05d}", self.path / NEW
        with open(new, "wb") as file:
            for piece in data:
                view = np.ascontiguousarray(piece).view(np.uint8).data
                file.write(view)
                size, checksum = size + len(view), zlib.crc32(view, checksum)
            about = {"version": VERSION, "number": number, "size": size, "checksum": checksum, "digest": self.digest,
                     "content": content, "arguments": None if number else self.arguments}  # fmt: skip
            text = json.dumps(about).encode()
            file.write(text + END.pack(len(text), zlib.crc32(text)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
        sync_folder(self.path)
        self.runs.append(Run(path, size, checksum, content))

    def clear(self) -> None:
        """Delete everything but the lock; the newest run first, so that the remaining runs can be continued."""
        self.runs.clear()
        for _, path in reversed(self._named()):
            path.unlink()
        for file in self.path.iterdir():
            if file.is_dir():
                shutil.rmtree(file)
            elif file.name != LOCK:
                file.unlink()

    def remove(self) -> None:
        """Remove the folder; after an interruption, a conversion can still continue from the remaining runs."""
        with contextlib.suppress(OSError):
            self.clear()
        shutil.rmtree(self.path, ignore_errors=True)

    def close(self) -> None:
        """Release the lock."""
        self._lock.close()

    def _check_kind(self) -> None:
        if not os.path.lexists(self.path):
            return
        if not self.path.is_dir() or (any(self.path.iterdir()) and not (self.path / LOCK).exists()):
            raise FileExistsError(errno.EEXIST, "this is no folder of a conversion, and is in its way", str(self.path))

    def _named(self) -> list[tuple[int, Path]]:
        """Return the files with names of runs, in the order of their numbers."""
        found = ((NAME.fullmatch(file.name), file) for file in self.path.iterdir())
        return sorted((int(m[1]), file) for m, file in found if m)

    def _find(self) -> None:
        """Find all runs. Raise a FormatError if one is damaged or missing, or does not begin where the last ends."""
        if not (named := self._named()):
            return
        checking, done, end = stage("checking", sum(path.stat().st_size for _, path in named), "bytes"), 0, None
        for k, (number, path) in enumerate(named):
            about = described(path)
            if about["version"] != VERSION:
                raise OptionError(
                    f"{self.path} has an unfinished conversion of another version: start afresh with restart=True"
                )
            if about["digest"] != self.digest and about["arguments"]:
                self._refuse(about["arguments"])
            if number != k or about["number"] != k or about["digest"] != self.digest:
                raise damaged(self.path / f"read-{k:05d}")
            run = Run(path, about["size"], about["checksum"], about["content"])
            if end is not None and run.content["from"] != end:
                raise damaged(path)
            run.check()
            self.runs.append(run)
            end, done = run.content["to"], done + run.size
            checking.at(done)

    def _refuse(self, arguments: dict[str, Any]) -> None:
        """Raise an OptionError that names the first argument that differs."""
        for name, value in self.arguments.items():
            if (before := arguments.get(name)) == value:
                continue
            what = f"with {name}={before!r}, not {value!r}"
            if name == "inputs":
                files = {one[0]: one for one in before or []}
                others = [one[0] for one in value if one[0] in files and files[one[0]] != one]
                what = f"of {others[0]!r}, which is another file now" if others else "of other files"
            raise OptionError(
                f"{self.path} has an unfinished conversion {what}: call it in the same way to continue it, or start "
                "afresh with restart=True"
            )


def _locked(path: Path) -> Any:
    """Return an open file that is locked until it is closed."""
    file = open(path, "a")  # noqa: SIM115  (open until the conversion ends)
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
