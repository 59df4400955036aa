"""Files that a second call passes through, and how often it changes from one to another.

    python tools/files.py                   the default call, a Jacobian and a smoother
    python tools/files.py color --list      one of them, with the files and how often each is entered

The input has 500 vertices, so that the code for small graphs on one thread runs.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lagcolor

ROOT = Path(lagcolor.__file__).resolve().parents[1]


def calls() -> dict[str, Callable[[], object]]:
    """The calls that are counted."""
    A = lagcolor.generate.from_spec("uniform:500,8").to_scipy()
    A.setdiag(20.0)
    return {
        "color": lambda: lagcolor.color(A),
        "jacobian": lambda: lagcolor.derivatives.jacobian(A),
        "multicolor_sor": lambda: lagcolor.solvers.multicolor_sor(A),
    }


def entered(call: Callable[[], object]) -> list[str]:
    """The file of each function that is entered, in turn, once all code is loaded."""
    call()
    files: list[str] = []

    def note(frame: Any, event: str, _: object) -> None:
        file = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        if event == "call" and file.startswith("lagcolor/"):
            files.append(file)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("calls", nargs="*", metavar="CALL", help=", ".join(calls()))
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    for name, call in calls().items():
        if name not in (args.calls or calls()):
            continue
        files = entered(call)
        changes = sum(a != b for a, b in itertools.pairwise(files))
        print(f"{name}: {len(set(files))} files, {changes} changes of file")
        for file, count in Counter(files).items() if args.list else ():
            print(f"  {count:4} {file}")


if __name__ == "__main__":
    main()
