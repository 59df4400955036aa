"""List the files that a second call enters, in order, and the number of its Python calls.

    python tools/files.py                        the default call, a Jacobian and a smoother, on a grid
    python tools/files.py color --list           one call, with the files and the number of entries of each
    python tools/files.py color --path           the functions from the call to the loop that colors
    python tools/files.py --graph uniform:500,8  on another graph; there `color` makes several attempts

The grid has 10,000 vertices, so that one thread colors it.
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
GRAPH = "grid2d:100,100"
LOOPS = "lagcolor/engines/"


def calls(graph: str = GRAPH) -> dict[str, Callable[[], object]]:
    """Return the calls to count."""
    A = lagcolor.generate.from_spec(graph).to_scipy()
    A.setdiag(20.0)
    return {
        "color": lambda: lagcolor.color(A),
        "jacobian": lambda: lagcolor.derivatives.jacobian(A),
        "multicolor_sor": lambda: lagcolor.solvers.multicolor_sor(A),
    }


def entered(call: Callable[[], object]) -> list[tuple[str, ...]]:
    """Return the functions that a call enters, with their callers, in order, after all code is loaded."""
    call()
    stacks: list[tuple[str, ...]] = []

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and place(frame):
            stack, above = [], frame
            while above is not None:
                stack.append(place(above))
                above = above.f_back
            stacks.append(tuple(filter(None, stack)))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return stacks


def place(frame: Any) -> str:
    """Return file and function of a frame of the package; "" for other frames."""
    file = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
    return f"{file} {frame.f_code.co_qualname}" if file.startswith("lagcolor/") else ""


def files(stacks: list[tuple[str, ...]]) -> list[str]:
    """Return the file of each entered function."""
    return [stack[0].partition(" ")[0] for stack in stacks]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("calls", nargs="*", metavar="CALL", help="color, jacobian, multicolor_sor (default: all)")
    parser.add_argument("--graph", default=GRAPH, help="a graph of lagcolor.generate (default: %(default)s)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--path", action="store_true")
    args = parser.parse_args()
    for name, call in calls(args.graph).items():
        if name not in (args.calls or calls()):
            continue
        stacks = entered(call)
        names = files(stacks)
        changes = sum(a != b for a, b in itertools.pairwise(names))
        print(f"{name}: {len(set(names))} files, {len(names)} calls, {changes} changes of file")
        for file, count in Counter(names).items() if args.list else ():
            print(f"  {count:4} {file}")
        loop = next((stack for stack in stacks if stack[0].startswith(LOOPS)), ())
        for function in reversed(loop) if args.path else ():
            print(f"  {function}")


if __name__ == "__main__":
    main()
