"""Where and with what a measurement was made, so that a result file explains itself."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "cupy-cuda12x", "cupy-cuda13x", "python-graphblas")


def provenance(commit: str | None = None) -> dict[str, object]:
    """Date, machine, versions and commit, as plain JSON types.

    Parameters
    ----------
    commit : str, optional
        For a copy of the tree without its history; default: git's.
    """
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "load": [round(x, 2) for x in os.getloadavg()],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": commit or git_commit(),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Installed libraries that bear on speed."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def cpu_model() -> str:
    """The name that /proc/cpuinfo gives, else what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def git_commit() -> str:
    """Short hash of HEAD, with "+" where tracked files are changed; "unknown" outside of a checkout."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "--short=12", "HEAD")
    return head + ("+" if git("status", "--porcelain", "-uno") else "") if head else "unknown"
