"""Mutants of small files of every format: an error of the library or a result, in little time and memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import fuzzing
import pytest

from lagcolor import io
from lagcolor.api.files import colorings

HERE = Path(__file__).parents[1]


@pytest.mark.slow
def test_mutants_of_files() -> None:
    """In a process of its own, whose memory is limited; `tests/fuzzing.py` repeats what this prints."""
    path = os.pathsep.join([str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "fuzzing.py"), "--seed", "1", "--seconds", "25", "--count", "6"]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    tried = re.match(r"(\d+) mutants of (\d+) subjects", run.stdout)
    assert tried and int(tried[1]) >= 3 * int(tried[2])


def test_every_format_is_among_them() -> None:
    names = {subject.name for subject in fuzzing.subjects()}
    assert {f"g{row.extensions[0]}" for row in io.FORMATS.values()} <= names
    assert {f"c{ending}" for ending in colorings.EXTENSIONS} <= names
