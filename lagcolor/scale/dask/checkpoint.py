"""The folder of a run from call to call: made, opened again, cleared, and what it says of a run that is done."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import OptionError
from .asked import Asked
from .files import load_record, save_record
from .result import VERSION, ClusterColoring, Colors
from .run import Run


@contextmanager
def folder_of(checkpoint: Any, kept: bool) -> Iterator[Path]:
    """The folder of a run; a temporary one is removed on an error, and unless it is kept."""
    if checkpoint is not None:
        path = Path(os.path.abspath(checkpoint))
        path.mkdir(exist_ok=True)
        yield path
        return
    path = Path(tempfile.mkdtemp(prefix="lagcolor-"))
    try:
        yield path
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    if not kept:
        shutil.rmtree(path, ignore_errors=True)


def opened(folder: Path, asked: Asked, source: Any) -> tuple[Run, dict[str, Any]]:
    """The run of a folder, made if the folder is empty, and its record."""
    path = folder / "run.json"
    wanted = {"source": source.record(), "asked": asked.record()}
    if not path.exists():
        if any(folder.iterdir()):
            raise OptionError(f"{folder} has files of something else: pass a new folder as checkpoint")
        record = {"format": "lagcolor run", "version": VERSION, "name": uuid.uuid4().hex, **wanted}
        save_record(path, record)
        return Run(str(folder), record["name"]), record
    record = load_record(path)
    if record.get("format") != "lagcolor run" or record.get("version") != VERSION:
        raise OptionError(f"{path} is not that of a run of this lagcolor: pass a new folder as checkpoint")
    if record["source"] != wanted["source"]:
        raise OptionError(
            f"{folder} has a run of other edges, or they have changed since: pass a new folder as checkpoint"
        )
    if record["asked"] != wanted["asked"]:
        if "done" in record or (folder / "plan.json").exists():
            old = record["asked"]
            other = [name for name, value in wanted["asked"].items() if value != old.get(name)]
            raise OptionError(
                f"{folder} has a run with another {' and another '.join(other)}: pass the same, or a new folder as "
                "checkpoint"
            )
        record |= wanted
        save_record(path, record)
    return Run(str(folder), record["name"]), record


def free(target: Path) -> Path:
    """A path where a folder can be made."""
    target = Path(os.path.abspath(target))
    if os.path.lexists(target):
        raise FileExistsError(17, "there is something already, which is not replaced", str(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(2, f"there is no folder {target.parent}", str(target))
    return target


def unnamed(target: Path, run: Run) -> Path:
    """Where the folder of colors is made, before it gets its name."""
    return target.with_name(f".{target.name}.{run.name}")


def is_done(run: Run, done: dict[str, Any]) -> bool:
    """Whether a run that wrote down its result has its colors; they get their name where an interruption was sooner."""
    target = Path(done["folder"])
    if not os.path.lexists(target) and unnamed(target, run).is_dir():
        os.rename(unnamed(target, run), target)
    # Without colors it goes on, if what it needs for that is there still; if it was cleared, they were removed later.
    return target.is_dir() or not (run.path / "plan.json").exists()


def clear(run: Run) -> None:
    """Remove what a run that is done needs no more."""
    for name in ("runs", "rows", "core", "messages", "state"):
        shutil.rmtree(run.path / name, ignore_errors=True)
    for name in ("plan.json", "bounds.npy", "order.npy", "pieces.json", "rows.json", "core.json"):
        (run.path / name).unlink(missing_ok=True)


def result_of(done: dict[str, Any]) -> ClusterColoring:
    """What the record of a run that is done says, as a result."""
    sizes = np.array(done["sizes"], np.int64)
    return ClusterColoring(
        Path(done["folder"]), done["n"], len(sizes), sizes, done["problem"], done["order"], done["seed"],
        done["rounds"], done["seconds"], done["verified"], done["trace"], done["notes"],
    )  # fmt: skip


def of_before(done: dict[str, Any], output: Any) -> ClusterColoring:
    """The result of a run that is done."""
    if output is not None and os.path.abspath(output) != done["folder"]:
        raise OptionError(f"the run is done, and its colors are in {done['folder']}: leave output out, or pass that")
    result = result_of(done)
    Colors(result.folder)
    return result
