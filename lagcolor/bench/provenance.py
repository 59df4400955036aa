"""Where and with what a measurement was made, so that a result file explains itself."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..graph import Graph

ROOT = Path(__file__).parents[2]
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "cupy", "cupy-cuda12x", "cupy-cuda13x", "python-graphblas")


def provenance(commit: str | None = None) -> dict[str, Any]:
    """Date, machine, versions and commit, as plain JSON types.

    Parameters
    ----------
    commit : str, optional
        For a copy of the tree without its history; default: git's.
    """
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit or git_commit(),
        "python": platform.python_version(),
        "versions": versions(),
        **processor(),
    }


def processor() -> dict[str, Any]:
    """The CPU, its cores that we may use, the system and its load."""
    return {
        "cpu": cpu_model(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.release()}",
        "load": [round(x, 2) for x in os.getloadavg()],
    }


def cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gpu(index: int = 0) -> dict[str, Any]:
    """GPU, CUDA and driver; needs CuPy and a GPU."""
    from .. import device as dev

    runtime = dev.cupy().cuda.runtime
    return {
        "gpu": runtime.getDeviceProperties(index)["name"].decode(),
        "cuda": runtime.runtimeGetVersion(),
        "driver": nvidia_driver() or runtime.driverGetVersion(),
    }


def machine(G: Graph) -> dict[str, Any]:
    """GPU, CUDA and driver of a graph's device; nothing on a CPU."""
    return gpu(G.indices.device.id) if G.on_gpu else {}


def nvidia_driver() -> str | None:
    """The driver's version, as its own tool says."""
    try:
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return (
            subprocess.run(asked, capture_output=True, text=True, timeout=60).stdout.strip().partition("\n")[0] or None
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


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
    """Short hash of HEAD, with "+" where tracked files are changed.

    Of an installed copy the commit that pip had it from; else, since nobody knows it, the package's version.
    """

    def git(*words: str) -> str:
        try:
            done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    # A copy may lie in another project's repository, which does not know this file.
    ours = (ROOT / ".git").exists() and git("ls-files", "--", str(Path(__file__).relative_to(ROOT)))
    head = git("rev-parse", "--short=12", "HEAD") if ours else ""
    if not head:
        from .. import __version__

        return _commit_of_pip() or f"version {__version__}"
    return head + ("+" if git("status", "--porcelain", "-uno") else "")


def _commit_of_pip() -> str | None:
    """What ``pip install git+…`` has written down, where it is this copy that it installed."""
    try:
        installed = importlib.metadata.distribution("lagcolor")
        if Path(str(installed.locate_file("lagcolor"))).resolve() != ROOT.resolve() / "lagcolor":
            return None
        about = json.loads(installed.read_text("direct_url.json") or "{}")
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError):
        return None
    commit = about.get("vcs_info", {}).get("commit_id")
    return commit[:12] if commit else None
