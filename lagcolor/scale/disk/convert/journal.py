"""What a conversion has done, on disk, so that one that was killed goes on: a folder beside the target."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

from ....errors import OptionError
from ....io.folder import sync_folder

FILE, LOCK = "journal.json", "lock"
VERSION = 1


class Journal:
    """The folder in which a conversion works, and its state.

    Parameters
    ----------
    target : Path
        The folder to make.
    arguments : dict
        What must be the same for a conversion to go on.
    restart : bool
        Start afresh, whatever is there.

    Attributes
    ----------
    work, out : Path
        Temporary files, and the folder that is renamed at the end.
    state : dict
        Empty at the beginning.

    Raises
    ------
    OptionError
        There is an unfinished conversion with other arguments, or one that runs now.
    FileExistsError
        There is a folder of another kind.
    """

    def __init__(self, target: Path, arguments: dict[str, Any], restart: bool) -> None:
        self.work = target.with_name(f"{target.name}.partial")
        self.out = self.work / "graph"
        self._arguments = json.loads(json.dumps(arguments))
        self.state: dict[str, Any] = {}
        self._check_kind()
        self.work.mkdir(exist_ok=True)
        self._lock = _locked(self.work / LOCK)
        try:
            if restart:
                self._clear()
            elif (self.work / FILE).exists():
                self._resume()
            self.save({} if not self.state else self.state)
        except BaseException:
            self.close()
            raise

    def _check_kind(self) -> None:
        if not os.path.lexists(self.work):
            return
        if not self.work.is_dir() or (any(self.work.iterdir()) and not (self.work / FILE).exists()
                                      and not (self.work / LOCK).exists()):  # fmt: skip
            raise FileExistsError(
                errno.EEXIST, "there is something else, where a conversion would work", str(self.work)
            )

    def _resume(self) -> None:
        try:
            found = json.loads((self.work / FILE).read_bytes())
            known = found["version"] == VERSION
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise OptionError(
                f"{self.work} has an unfinished conversion of another version: start afresh with restart=True"
            )
        for name, value in self._arguments.items():
            if (before := found["arguments"].get(name)) != value:
                raise OptionError(
                    f"{self.work} has an unfinished conversion {_difference(name, before, value)}: call it in the same "
                    "way to go on with it, or start afresh with restart=True"
                )
        self.state = found["state"]

    def save(self, state: dict[str, Any]) -> None:
        """Keep a state, whole or not at all."""
        self.state = state
        text = json.dumps({"version": VERSION, "arguments": self._arguments, "state": state})
        temporary = self.work / f"{FILE}.new"
        with open(temporary, "w") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, self.work / FILE)
        sync_folder(self.work)

    def _clear(self) -> None:
        for file in self.work.iterdir():
            if file.is_dir():
                shutil.rmtree(file)
            elif file.name != LOCK:
                file.unlink()

    def remove(self) -> None:
        """Take the folder away."""
        shutil.rmtree(self.work, ignore_errors=True)

    def close(self) -> None:
        """Let another conversion in."""
        self._lock.close()


def _difference(name: str, before: Any, now: Any) -> str:
    if name != "inputs":
        return f"with {name}={before!r}, not {now!r}"
    files = {one[0]: one for one in before or []}
    for one in now:
        if one[0] in files and files[one[0]] != one:
            return f"of {one[0]!r}, which is another file now"
    return "of other files"


def _locked(path: Path) -> Any:
    """A file that one process has, for as long as it is open.

    Raises
    ------
    OptionError
        Another process has it.
    """
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
