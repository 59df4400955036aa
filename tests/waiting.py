"""Waiting for what another thread or process does: for an event, however slow the machine is, never for a time.

What never happens ends with pytest's own limit, which prints the stacks of all threads.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 1500.0  # seconds after which a child process counts as hanging; under the `timeout` of pyproject.toml


def until(condition: Callable[[], Any], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait for a condition, as long as the process that should bring it about lives."""
    while not condition():
        if process is not None and process.poll() is not None:
            assert condition(), f"the process ended before, with status {process.returncode}"
        time.sleep(0.01)
