"""How a folder gets its name: written under another name in the same parent, synchronized to disk, and renamed."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from pathlib import Path
from typing import IO

from .layout import is_folder

IN_USE = "the graph folder cannot be replaced: close what reads it and delete its graphs, or choose another name"


def check_target(path: Path, force: bool) -> None:
    """Nothing, where a folder can be made at a path."""
    if not path.parent.is_dir():
        raise FileNotFoundError(2, f"there is no folder {path.parent}", str(path))
    if os.path.lexists(path) and not (force and is_folder(path)):
        graph = "there is a graph already; pass force=True to replace it"
        what = graph if is_folder(path) else "there is something else, which is never replaced"
        raise FileExistsError(17, what, str(path))


def beside(path: Path, ending: str = "tmp") -> Path:
    """A new name for a hidden folder next to another."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.{ending}")


def move(source: Path, path: Path, replace: bool) -> None:
    """Rename a finished folder to its name, in place of one of this format if there is one."""
    sync_folder(source)
    old = None
    if replace and is_folder(path):
        old = beside(path, "old")
        try:
            os.rename(path, old)
        except PermissionError as e:  # Windows renames no folder that has an open file
            raise PermissionError(e.errno, IN_USE, str(path)) from e
    try:
        os.rename(source, path)
    except OSError:
        if old is not None:
            os.rename(old, path)
        raise
    sync_folder(path.parent)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def to_disk(out: IO[bytes]) -> None:
    """Bring what was written to the disk."""
    out.flush()
    os.fsync(out.fileno())
