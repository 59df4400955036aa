"""The near end of a child process that holds one graph: a C++ driver, or `host` with a Python library."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .codes import Code, Sample
from .resident import LateError, Resident, ResidentError

LOADING, WARMING = 900.0, 300.0  # seconds for a graph to be loaded, and for a code to be compiled
GRACE = 1.0  # a host stops a late run itself, where it can, and stays alive


class Remote:
    """A child process, started when first needed and again after a run that failed.

    Parameters
    ----------
    command : callable
        The command line to start it with, asked for anew each time.
    timeout : float
        Seconds that a run may take.
    word : callable
        A code as the child understands it.
    **env
        Besides our own environment.
    """

    def __init__(
        self, command: Callable[[], Sequence[str]], timeout: float, word: Callable[[Code], str], **env: str
    ) -> None:
        self._command, self._timeout, self._word, self._env = command, timeout, word, {**os.environ, **env}
        self._child: Resident | None = None
        self._warm: set[Code] = set()

    def greeting(self) -> dict[str, Any]:
        """What it says of itself when it starts; starts it."""
        if self._child is None:
            self._child = Resident(self._command(), timeout=LOADING, env=self._env)
            self._warm.clear()
        return self._child.greeting

    def run(self, code: Code) -> Sample:
        """One run, timed over there; before the first after a start comes a small one, so that nothing compiles in it.

        Raises
        ------
        ResidentError
            The run failed; LateError where it took too long.
        """
        convert_ms = self.greeting().get("convert_ms")
        if code not in self._warm:
            self.warm(code)
            self._warm.add(code)
        answer = dict(self.ask(f"run {self._word(code)}", self._timeout + GRACE))
        order_ms, color_ms, colors = (answer.pop(name) for name in ("order_ms", "color_ms", "colors"))
        return Sample(order_ms, color_ms, colors, {"convert_ms": convert_ms, **answer})

    def warm(self, code: Code) -> None:
        """Compile what the code needs; nothing to do by itself."""

    def ask(self, line: str, timeout: float) -> dict[str, Any]:
        """Any command.

        After an error the child is given up, for an error of CUDA stays in its context; not after a run that it has
        stopped itself.
        """
        self.greeting()
        child = self._child
        assert child is not None
        try:
            return child.ask(line, timeout)
        except ResidentError as e:
            if not (isinstance(e, LateError) and child.alive):
                self.close()
            raise

    def close(self) -> None:
        """End it."""
        if self._child is not None:
            self._child.close()
            self._child = None


class Hosted(Remote):
    """`host` with lagcolor or another Python library; it checks colorings itself, on its own device.

    Parameters
    ----------
    library : str
        A name in `peers.LIBRARIES`, or "lagcolor".
    source : callable
        The file or spec of the graph.
    device : str
    timeout : float
    """

    def __init__(self, library: str, source: Callable[[], str], device: str, timeout: float) -> None:
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", f"{__package__}.host", library, device, f"{timeout:g}"]
        super().__init__(lambda: [*command, source()], timeout, Code.word, PYTHONPATH=path)

    def warm(self, code: Code) -> None:
        """Color small graphs."""
        self.ask(f"warm {code.word()}", WARMING)

    def check(self, file: Path | None = None) -> tuple[str | None, int]:
        """What is wrong with the colors of the last run, or with those in a file (int32); and their checksum."""
        answer = self.ask("check" if file is None else f"check {file}", WARMING)
        return answer["fault"], answer["crc"]

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Rounds of one more run."""
        return self.ask(f"trace {code.word()}", 4 * self._timeout + GRACE)["trace"]


class Driver(Remote):
    """A C++ driver; the host that has the graph checks its colorings."""

    def __init__(
        self, command: Callable[[], Sequence[str]], timeout: float, word: Callable[[Code], str], home: Hosted
    ) -> None:
        # These are measures of one core: libraries that would start threads by themselves are told so.
        super().__init__(command, timeout, word, OMP_NUM_THREADS="1")
        self._home = home

    def check(self) -> tuple[str | None, int]:
        """As `Hosted.check`, through a file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "colors"
            self.ask(f"dump {path}", WARMING)
            return self._home.check(path)

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """It tells nothing of rounds."""
        return []
