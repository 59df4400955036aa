"""Where compiled code is kept: a folder of these sources, and another where the usual one cannot be written to.

Containers, clusters and full disks have such folders. One `CacheWarning` a process says so. Nothing but speed depends
on it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings

from . import __version__
from .errors import CacheWarning

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep  # a warning is about a call from outside of it
ROOM = 1 << 18  # bytes that a folder for kernels must take; the largest have as many
UNUSED = 7 * 86400  # seconds after which the compiled code of other sources is removed
FOLDER = re.compile(r"\d[\w.+]*-[0-9a-f]{16}")  # names of such folders, by `folder_name`
_warned: list[bool] = []


def warn(message: str) -> None:
    """Say so, once a process, at the line of the call."""
    if not _warned:
        _warned.append(True)
        warnings.warn(message, CacheWarning, skip_file_prefixes=(PACKAGE,))


@functools.cache
def for_numba(setting: str) -> str | None:
    """The folder for what numba compiles of these sources; None if no folder takes files.

    It is in the folder of numba's setting `CACHE_DIR`, or if that is empty, in the user's cache folder.
    """
    usual = os.path.join(os.path.abspath(setting) if setting else _user_folder(), "lagcolor")
    if folder := _of_these_sources(usual):
        return folder
    temporary = temporary_folder()
    folder = temporary and _of_these_sources(temporary)
    where = f"it is kept in {folder}" if folder else "each process compiles anew"
    remedy = "set NUMBA_CACHE_DIR to a folder that takes files and that no other user can write to"
    warn(f"lagcolor cannot keep compiled code in {usual}, so {where}: {remedy}")
    return folder


def _user_folder() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")
    folder = os.environ.get("XDG_CACHE_HOME", "")
    return folder if os.path.isabs(folder) else os.path.expanduser("~/.cache")


def _of_these_sources(home: str) -> str | None:
    """A folder below `home` that no other user can write to, created if it is missing; None if that fails."""
    try:
        folder = os.path.join(home, folder_name())
        is_new = not os.path.lexists(folder)
        os.makedirs(os.path.dirname(home), 0o700, exist_ok=True)
        if not (_own(home) and _own(folder) and _has_room(folder)):
            return None
        os.utime(folder)
        if is_new:
            _remove_unused(home)
    except OSError:
        return None
    return folder


def folder_name(package: str = PACKAGE) -> str:
    """The version, and a digest of the Python files of a package: 5 ms for 500 files."""
    # numba compiles a function again if its own file changes, not if one that it calls changes in another file.
    folders, files = [package], list[str]()
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py") and not entry.name.startswith("."):
                    files.append(entry.path)
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    found = hashlib.sha256()
    for path in sorted(files):
        file = os.open(path, os.O_RDONLY)  # without a file object: they take half of the time
        try:
            text = os.read(file, os.fstat(file).st_size)
        finally:
            os.close(file)
        found.update(f"{path[len(package) :]} {len(text)} ".encode())
        found.update(text)
    return f"{__version__}-{found.hexdigest()[:16]}"


def _remove_unused(home: str) -> None:
    """Remove folders for the code of other sources if no process has used them for a time."""
    with contextlib.suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if not (FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)):
                continue
            if time.time() - entry.stat().st_mtime > UNUSED:
                shutil.rmtree(entry.path, ignore_errors=True)


@functools.cache
def temporary_folder() -> str | None:
    """The user's own folder for temporary files; None if its name is taken: code of another user must not run."""
    if not hasattr(os, "geteuid"):
        return None
    try:
        path = os.path.join(tempfile.gettempdir(), f"lagcolor-{os.geteuid()}")
        return path if _own(path) else None
    except OSError:  # no folder takes files
        return None


def _own(path: str) -> bool:
    """Create a folder if it is missing; return whether this user owns it and no other user can write to it."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    found = os.lstat(path)  # not what a link leads to
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


@functools.cache
def for_cupy() -> None:
    """Another folder for CuPy's kernels, or memory, where its own cannot be written to; best before CuPy is imported.

    CuPy makes its folder when it is imported and keeps to it; whether to keep kernels in memory it reads at each
    compilation. It fails where it cannot write. Processes started from this one inherit this: the folder lasts.
    """
    if is_in_memory():
        return
    usual = os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache"))
    if _has_room(usual):
        return
    own = temporary_folder()
    folder = os.path.join(own, "cupy") if own else os.sep  # a folder that is there, so that CuPy does not make one
    os.environ["CUPY_CACHE_DIR"] = folder
    if own and "cupy" not in sys.modules and _has_room(folder):
        where = f"kernels are kept in {folder}"
    else:
        os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
        where = "each process compiles its kernels anew"
    warn(f"CuPy cannot write to {usual}, so {where}: set CUPY_CACHE_DIR to a folder that takes files")


def is_in_memory() -> bool:
    """Whether CuPy keeps no kernels on disk."""
    return os.environ.get("CUPY_CACHE_IN_MEMORY") == "1"


def in_memory(why: OSError) -> None:
    """Keep CuPy's kernels in memory from here on: its folder takes no files any more."""
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    warn(
        f"CuPy cannot keep a kernel on disk ({why.strerror or why}), so each process compiles its kernels anew: "
        "set CUPY_CACHE_DIR to a folder that takes files"
    )


def _has_room(folder: str) -> bool:
    """Whether a file as large as a kernel can be written there."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as f:
            f.write(bytes(ROOM))
            f.flush()
    except OSError:
        return False
    return True
