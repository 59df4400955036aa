"""The folder for files that tests and tools compile."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build_folder(name: str) -> Path:
    """Return a folder in build/, or a temporary one if the tree is read-only, as in builds of distributions."""
    build = ROOT / "build"
    if os.access(build if build.exists() else ROOT, os.W_OK):
        return build / name
    return Path(tempfile.mkdtemp(prefix=f"lagcolor-{name}-"))
