"""Where compiled code is kept when its usual folder cannot be written to: containers, clusters, full disks.

One `CacheWarning` a process says so. Nothing but speed depends on it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import stat
import sys
import tempfile
import warnings

from ..core.errors import CacheWarning

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep  # a warning is about a call from outside of it
ROOM = 1 << 18  # bytes that a folder for kernels must take; the largest have as many
_warned: list[bool] = []


def warn(message: str) -> None:
    """Say so, once a process, at the line of the call."""
    if not _warned:
        _warned.append(True)
        warnings.warn(message, CacheWarning, skip_file_prefixes=(PACKAGE,))


@functools.cache
def temporary_folder() -> str | None:
    """A folder for temporary files that only this user can read or write; None where there is none.

    Code is run from here, so a folder that another user could have filled will not do. The user's own folder lasts
    from one process to the next; where its name is taken, one that ends with this process takes its place.
    """
    try:
        return _lasting() or _passing()
    except OSError:
        return None


def _lasting_if_any() -> str | None:
    try:
        return _lasting()
    except OSError:
        return None


def _lasting() -> str | None:
    if not hasattr(os, "geteuid"):
        return None
    path = os.path.join(tempfile.gettempdir(), f"lagcolor-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    found = os.lstat(path)  # not what a link leads to
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return path if own else None


def _passing() -> str:
    path, maker = tempfile.mkdtemp(prefix="lagcolor-"), os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # not a process forked from this one
            shutil.rmtree(path, ignore_errors=True)

    atexit.register(remove)
    return path


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
    own = _lasting_if_any()
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


@functools.cache
def has_room(folder: str) -> bool:
    """Whether a file as large as a kernel could be written there at the first check."""
    return _has_room(folder)


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
