"""Mutants of small files of every format: an error of the library or a result, in little time and memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import fuzzing
import numpy as np
import pytest

import lagcolor
from lagcolor import io
from lagcolor.api.files import colorings

HERE = Path(__file__).parents[1]


@pytest.mark.slow
def test_mutants_of_files() -> None:
    """In a process of its own, whose memory is limited; `tests/fuzzing.py` repeats what this prints."""
    path = os.pathsep.join([str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "fuzzing.py"), "--seed", "1", "--seconds", "50", "--count", "12"]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    tried = re.match(r"(\d+) mutants of (\d+) subjects", run.stdout)
    assert tried and int(tried[1]) >= 5 * int(tried[2])


def test_every_format_is_among_them() -> None:
    names = {subject.name for subject in fuzzing.subjects()}
    assert {f"g{row.extensions[0]}" for row in io.FORMATS.values()} <= names
    assert {f"c{ending}" for ending in colorings.EXTENSIONS} <= names


def raises(error: Exception) -> fuzzing.Subject:
    def read(path: Path) -> None:
        raise error

    return fuzzing.Subject("a.txt", b"", read)


FAULTS = {
    "another exception": (raises(KeyError("x")), "byte", "KeyError"),
    "no name of the file": (raises(lagcolor.FormatError("damaged")), "byte", "does not name the file"),
    "a long message": (raises(lagcolor.FormatError("a.txt" + " x" * 1250)), "byte", "an error of 2505 characters"),
    "memory": (raises(MemoryError()), "byte", "over the limit of memory"),
    "another result": (fuzzing.Subject("a.txt", b"", len_of := lambda path: 7, same=True), "byte", "another result"),
    "a missing line": (fuzzing.Subject("a.txt", b"", len_of, lines=True), "line", "a line is missing"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_findings(fault: str, tmp_path: Path) -> None:
    subject, kind, message = FAULTS[fault]
    with pytest.raises(fuzzing.FoundError, match=message):
        fuzzing.examine(subject, b"", kind, tmp_path / "a.txt", expected=0)


def test_mutants_differ_and_repeat() -> None:
    for subject in fuzzing.subjects():
        mutants = [fuzzing.mutant(subject, np.random.default_rng([0, k])) for k in range(40)]
        assert mutants == [fuzzing.mutant(subject, np.random.default_rng([0, k])) for k in range(40)]
        assert sum(data != subject.data for data, _ in mutants) > 20
