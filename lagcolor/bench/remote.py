"""The near end of a child process that holds a graph: a C++ driver, or `host` with a Python library."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .codes import Code, Sample
from .resident import GRACE, LateError, Resident, ResidentError

LOADING, WARMING = 900.0, 900.0  # seconds for a graph to be loaded, and for a code to be compiled


class Remote:
    """A child process, started when first needed and again after a run that failed; `command` is called each time."""

    def __init__(
        self, command: Callable[[], Sequence[str]], timeout: float, word: Callable[[Code], str], **env: str
    ) -> None:
        self._command, self._timeout, self._word, self._env = command, timeout, word, {**os.environ, **env}
        self._child: Resident | None = None

    def greeting(self) -> dict[str, Any]:
        """What it says of itself and its graph; starts it."""
        return self._running().greeting

    def run(self, code: Code, times: int = 1) -> list[Sample]:
        """Runs one right after the other, timed over there."""
        convert_ms = self.greeting().get("convert_ms")
        samples = []
        for answer in self.ask_all([f"run {self._word(code)}"] * times, self._timeout + GRACE):
            order_ms, color_ms, colors = (answer.pop(name) for name in ("order_ms", "color_ms", "colors"))
            samples.append(Sample(order_ms, color_ms, colors, {"convert_ms": convert_ms, **answer}))
        return samples

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Rounds of one more run; it reports none by itself."""
        return []

    def ask(self, line: str, timeout: float) -> dict[str, Any]:
        """Any command; errors as in `ask_all`."""
        return self.ask_all([line], timeout)[0]

    def ask_all(self, lines: Sequence[str], timeout: float) -> list[dict[str, Any]]:
        """Commands, all sent at once.

        After an error the child is given up, for an error of CUDA stays in its context; not after a last or only run
        that it has stopped itself.
        """
        child = self._running()
        try:
            return child.ask_all(lines, timeout)
        except ResidentError as e:
            if not (isinstance(e, LateError) and child.alive):
                self.close()
            raise

    def close(self) -> None:
        """End it."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _running(self) -> Resident:
        if self._child is None:
            self._child = Resident(self._command(), timeout=LOADING, env=self._env)
        return self._child


class Hosted(Remote):
    """`host` with a Python library; it stays for graph after graph."""

    def __init__(self, library: str, device: str, timeout: float, modules: Sequence[str] = ()) -> None:
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", f"{__package__}.host", library, device, f"{timeout:g}", *modules]
        super().__init__(lambda: command, timeout, Code.word, PYTHONPATH=path)
        self._source: Callable[[], str] = str
        self._facts: dict[str, Any] | None = None  # of the graph that the child has
        self._warm: set[Code] = set()

    def use(self, source: Callable[[], str]) -> None:
        """Another graph: what gives its file or spec, when it is needed."""
        self._source, self._facts = source, None

    def greeting(self) -> dict[str, Any]:
        """Facts of the graph; starts the child and lets it load, where that has to be done."""
        child = self._child
        if self._running() is not child:
            self._facts = None
            self._warm.clear()
        if self._facts is None:
            self._facts = self.ask(f"load {self._source()}", LOADING)
        return self._facts

    def run(self, code: Code, times: int = 1) -> list[Sample]:
        """As `Remote.run`; small graphs come before a child's first run of a code, so that nothing compiles in it."""
        self.greeting()
        if code not in self._warm:
            self.ask(f"warm {code.word()}", WARMING)
            self._warm.add(code)
        return super().run(code, times)

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Rounds of one more run."""
        self.greeting()
        return self.ask(f"trace {code.word()}", 4 * self._timeout + GRACE)["trace"]


class Home(Hosted):
    """The host of lagcolor itself, which also checks colorings, on its own device, and writes the graph's file."""

    def check(self, file: Path | None = None) -> tuple[str | None, int]:
        """What is wrong with the colors of the last run, or with those in a file (int32); and their checksum."""
        self.greeting()
        answer = self.ask("check" if file is None else f"check {file}", WARMING)
        return answer["fault"], answer["checksum"]

    def write(self, file: Path) -> None:
        """The graph, as drivers read it."""
        self.greeting()
        self.ask(f"write {file}", WARMING)


class Guest:
    """A peer's process; its colorings are checked at home, by code that is not its own."""

    def __init__(self, remote: Remote, home: Home) -> None:
        self.remote, self._home = remote, home
        self.run, self.trace = remote.run, remote.trace

    def check(self) -> tuple[str | None, int]:
        """As `Home.check`, through a file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "colors"
            self.remote.ask(f"dump {path}", WARMING)
            return self._home.check(path)


def driver(command: Callable[[], Sequence[str]], timeout: float, word: Callable[[Code], str]) -> Remote:
    """A C++ driver on the graph that its command line names."""
    # These are measures of one core: libraries that would start threads by themselves are configured so.
    return Remote(command, timeout, word, OMP_NUM_THREADS="1")
