"""The machine and software of a measurement, so that a result file explains itself."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lagcolor import __version__

from .results import SCHEMA, Row

ROOT = Path(__file__).parents[2]
LIBRARIES = (
    "numpy", "scipy", "numba", "llvmlite", "cupy", "cupy-cuda12x", "cupy-cuda13x", "python-graphblas", "igraph",
    "networkx", "rustworkx", "gcol", "asdex", "jax", "pyamg", "python-sat",
)  # fmt: skip


def meta(
    device: str,
    hardware: Mapping[str, Any],
    command: Iterable[str],
    commit: str | None = None,
    versions: Mapping[str, str] | None = None,
    **settings: Any,
) -> Row:
    """Return the first line of a session in a result file."""
    return {
        "kind": "meta",
        "schema": SCHEMA,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit or git_commit(),
        "command": [portable(word) for word in command],
        "device": device,
        "hardware": dict(hardware),
        "versions": {"lagcolor": __version__, "python": platform.python_version(), **libraries(), **(versions or {})},
        "settings": settings,
    }


def portable(word: str) -> str:
    """A word of a command line; a path is relative to the working folder or, outside of it, only a name."""
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    path = Path(value)
    if path.is_absolute():
        value = path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.name
    return f"{option}{equals}{value}"


def hardware(device: str) -> dict[str, Any]:
    """Return the machine for a meta line, with the GPU if the device is one."""
    on_gpu = device != "cpu"
    return {**processor(), **(gpu(device) if on_gpu else dict.fromkeys(("gpu", "cuda", "driver")))}


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


def gpu(device: str) -> dict[str, Any]:
    """GPU, CUDA and driver; needs CuPy and a GPU."""
    from lagcolor.base import device as dev

    runtime = dev.cupy().cuda.runtime
    return {
        "gpu": runtime.getDeviceProperties(dev.parse_device(device)[1])["name"].decode(),
        "cuda": runtime.runtimeGetVersion(),
        "driver": nvidia_driver() or str(runtime.driverGetVersion()),
    }


def nvidia_driver() -> str | None:
    """The driver's version, as its own tool says."""
    try:
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=60).stdout
        return answer.strip().partition("\n")[0] or None
    except (OSError, subprocess.TimeoutExpired):
        return None


def libraries() -> dict[str, str]:
    """Return versions of installed libraries that affect speed."""
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
    """Return the short hash of HEAD, with "+" if tracked files are changed.

    Without a history, return the version of the package.
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
        return f"version {__version__}"
    return head + ("+" if git("status", "--porcelain", "-uno") else "")
