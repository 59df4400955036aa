"""Bounds of arrays in compiled loops: what is checked with NUMBA_BOUNDSCHECK=1, and tools/boundscheck.py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import boundscheck
import pytest

from lagcolor.base import caches

CODE = """
import numpy as np
from lagcolor.base.device import intrinsics as on
from lagcolor.base.device.compiled import njit

a, b, one = np.zeros(5, np.int64), np.zeros(64, np.uint16), np.uint64(1)

def say(name, array, last, *more):
    function, found = getattr(on, name), []
    call = njit(lambda array, index, *values: function(array, index, *values))
    for index in (last, last + 1, 2**64 - 1):
        try:
            call(array, np.uint64(index), *more)
            found.append("fine")
        except IndexError:
            found.append("IndexError")
    print(name, *found)

for name in ("load_relaxed", "load_acquire"):
    say(name, a, 4)
for name in ("store_relaxed", "store_release", "fetch_add", "fetch_or", "fetch_max"):
    say(name, a, 4, 1)
say("least16", b, 32, np.uint64(2))
say("equal16", b, 48, one)
say("add16", b, 0, one, one)
say("prefetch", a, 4)
"""


def test_accesses_that_numba_does_not_know_are_checked(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    *accesses, prefetch = done.stdout.splitlines()
    assert len(accesses) == 10
    assert {line.partition(" ")[2] for line in accesses} == {"fine IndexError IndexError"}
    assert prefetch == "prefetch fine fine fine"


def test_the_selection_names_tests() -> None:
    for file, names in boundscheck.SELECTION.items():
        text = boundscheck.path_of(file).read_text(encoding="utf-8")
        for name in names.split():
            assert re.search(rf"^def test_{name}\(", text, re.MULTILINE), f"{file}: {name}"


@pytest.mark.parametrize("name", ["stored", "left"])
def test_a_loop_that_was_not_compiled_is_named(tmp_path: Path, name: str) -> None:
    """By the files of a cache of numba's."""
    for sources, function in ((caches.folder_name(), name), ("1.0.0-0123456789abcdef", "stored")):
        folder = tmp_path / "lagcolor" / sources / "lagcolor_0f"
        folder.mkdir(parents=True)
        (folder / f"some.{function}-12.py311.nbi").touch()
    there = boundscheck.compiled(tmp_path)
    assert there == {("lagcolor/some.py", name)}
    expected = [] if name == "stored" else ["lagcolor/some.py: stored"]
    assert boundscheck.missing([("lagcolor/some.py", "stored")], there) == expected
