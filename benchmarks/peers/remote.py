"""A session in a process of its own: a C++ driver, or a Python library behind the same protocol."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from . import Case, Code, Library, Sample, Session
from .resident import Resident, ResidentError


class Remote:
    """The near end.

    Parameters
    ----------
    start : callable
        Starts the process; again after a run that failed or was late, which ends it.
    code_of : callable
        What a word of the greeting's "codes" means.
    timeout : float
        Seconds a run may take.
    """

    def __init__(self, start: Callable[[], Resident], code_of: Callable[[str], Code], timeout: float) -> None:
        self._start, self._timeout = start, timeout
        self._child: Resident | None = start()
        self._words = {code_of(word): word for word in self._child.greeting["codes"]}

    def codes(self) -> list[Code]:
        """As the greeting listed them."""
        return list(self._words)

    def run(self, code: Code) -> Sample:
        """One run, timed over there."""
        answer = self._ask(f"run {self._words[code]}")
        return Sample(answer["order_ms"], answer["color_ms"], answer["colors"])

    def colors(self) -> np.ndarray:
        """Through a file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "colors"
            self._ask(f"dump {path}")
            return np.fromfile(path, np.int32)

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _ask(self, line: str) -> dict:
        if self._child is None:
            self._child = self._start()
        try:
            return self._child.ask(line, self._timeout)
        except ResidentError:
            self.close()
            raise


class Hosted:
    """A Python library in a process of its own."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.name = library.name
        self.absent = library.absent
        self.version = library.version

    def open(self, case: Case, timeout: float = 600) -> Remote:
        """Start the process and let it read the graph."""
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", __name__, self.name, str(case.egr)]
        return Remote(lambda: Resident(command, env={**os.environ, "PYTHONPATH": path}), parse, timeout)


def spell(code: Code) -> str:
    """Method, order and threads; `parse` reads it."""
    return f"{code.peer} {code.method} {code.order} {code.threads}"


def parse(word: str) -> Code:
    """A code as `spell` writes it."""
    peer, method, order, threads = word.split()
    return Code(peer, method, order, int(threads))


def serve(session: Session) -> None:
    """The far end: the protocol of driver.hpp."""
    _say(codes=[spell(code) for code in session.codes()])
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        try:
            if verb == "run":
                s = session.run(parse(rest))
                _say(order_ms=s.order_ms, color_ms=s.color_ms, colors=s.n_colors)
            elif verb == "dump":
                colors = np.asarray(session.colors(), np.int32)
                colors.tofile(rest)
                _say(written=len(colors))
            else:
                _say(error="unknown command")
        except Exception as e:
            _say(error=f"{type(e).__name__}: {e}")


def _say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    from .. import cases
    from . import libraries

    egr = Path(sys.argv[2])
    serve(libraries()[sys.argv[1]].load(cases.read_egr(egr)))
