"""Folders for compiled code: one per version of these sources, and another if the usual folder cannot be written to.

The usual folder may be read-only in containers and on clusters, or its disk may be full. The process then gives one
`CacheWarning`. Only speed depends on the cache.
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

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep  # warnings point to the call from outside of this package
LARGEST_KERNEL = 1 << 18  # bytes of the largest compiled kernels, which a folder for kernels must take
UNUSED = 7 * 86400  # seconds after which the compiled code of other sources is removed
FOLDER = re.compile(r"\d[\w.+]*-[0-9a-f]{16}")  # the names that `folder_name` returns
_warned: list[bool] = []


def warn(message: str) -> None:
    """Give a `CacheWarning` at the line of the user's call, once per process."""
    if not _warned:
        _warned.append(True)
        warnings.warn(message, CacheWarning, skip_file_prefixes=(PACKAGE,))


@functools.cache
def for_numba(setting: str) -> str | None:
    """Return the folder for the functions of these sources that numba compiles; None if no folder takes files.

    It is in the folder of numba's setting `CACHE_DIR`. If that is empty, it is in the user's cache folder.
    """
    usual = os.path.join(os.path.abspath(setting) if setting else _user_folder(), "lagcolor")
    if folder := _of_these_sources(usual):
        return folder
    temporary = temporary_folder()
    folder = temporary and _of_these_sources(temporary)
    where = f"it is stored in {folder}" if folder else "each process compiles anew"
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
        if not (_own(home) and _own(folder) and _takes_kernels(folder)):
            return None
        os.utime(folder)
        if is_new:
            _remove_unused(home)
    except OSError:
        return None
    return folder


def folder_name(package: str = PACKAGE) -> str:
    """Return the version and a digest of the Python files of a package, in 5 ms for 500 files."""
    # numba compiles a function again if its own file changes, but not if it calls a function of a file that changes.
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
        file = os.open(path, os.O_RDONLY)  # a file object would take half of the time
        try:
            text = os.read(file, os.fstat(file).st_size)
        finally:
            os.close(file)
        found.update(f"{path[len(package) :]} {len(text)} ".encode())
        found.update(text)
    return f"{__version__}-{found.hexdigest()[:16]}"


def _remove_unused(home: str) -> None:
    """Remove folders for the code of other sources that no process has used for `UNUSED` seconds."""
    with contextlib.suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if not (FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)):
                continue
            if time.time() - entry.stat().st_mtime > UNUSED:
                shutil.rmtree(entry.path, ignore_errors=True)


@functools.cache
def temporary_folder() -> str | None:
    """The user's own folder for temporary files; None if another user owns it, because their code must not run."""
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
    found = os.lstat(path)  # of a link itself, not of its target
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


@functools.cache
def for_cupy() -> None:
    """Let CuPy store kernels in another folder or in memory if its own folder cannot be written to.

    Call this before CuPy is imported. CuPy chooses its folder at import and fails if it cannot write there. It reads at
    each compilation whether kernels stay in memory. Child processes inherit the choice: the other folder is permanent.
    """
    if is_in_memory():
        return
    usual = os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache"))
    if _takes_kernels(usual):
        return
    own = temporary_folder()
    folder = os.path.join(own, "cupy") if own else os.sep  # a folder that exists, so that CuPy creates none
    os.environ["CUPY_CACHE_DIR"] = folder
    if own and "cupy" not in sys.modules and _takes_kernels(folder):
        where = f"kernels are stored in {folder}"
    else:
        os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
        where = "each process compiles its kernels anew"
    warn(f"CuPy cannot write to {usual}, so {where}: set CUPY_CACHE_DIR to a folder that takes files")


def is_in_memory() -> bool:
    """Whether CuPy stores no kernels on disk."""
    return os.environ.get("CUPY_CACHE_IN_MEMORY") == "1"


def in_memory(why: OSError) -> None:
    """Keep CuPy's kernels in memory from now on, because its folder takes no more files."""
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    warn(
        f"CuPy cannot keep a kernel on disk ({why.strerror or why}), so each process compiles its kernels anew: "
        "set CUPY_CACHE_DIR to a folder that takes files"
    )


def _takes_kernels(folder: str) -> bool:
    """Whether a file as large as the largest kernels can be written to a folder."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as f:
            f.write(bytes(LARGEST_KERNEL))
            f.flush()
    except OSError:
        return False
    return True
