"""The parent's end of processes that have a graph: C++ drivers, and `host` with a Python library.

A process answers each line of input with one line of JSON. A crash or a hang ends only that process; the next run
starts it again.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .codes import OURS, Code, Sample
from .graphs import SCRATCH, Source

GRACE = 1.0  # seconds: a host stops a late run itself, if it can, and stays alive
LONG = 900.0  # seconds for a graph to be loaded, a code to be compiled, a coloring to be checked


class WorkerError(RuntimeError):
    """The process died, or answered with an error."""


class LateError(WorkerError):
    """The process did not answer in time, and was killed."""


class Worker:
    """A process, started when first needed and again after an error; `command` is called each time.

    The first line of its output is its greeting. An answer ``{"wait": seconds}`` says how long to wait for the answer.
    """

    def __init__(
        self, command: Callable[[], Sequence[str]], timeout: float, word: Callable[[Code], str] = Code.word,
        home: Home | None = None, **env: str,
    ) -> None:  # fmt: skip
        self._command, self._timeout, self._word, self._home = command, timeout, word, home
        self._env = {**os.environ, **env}
        self._child: subprocess.Popen[str] | None = None
        self._facts: dict[str, Any] | None = None

    def greeting(self) -> dict[str, Any]:
        """Return the first answer of the process, about itself and its graph; start the process."""
        if self._child is None:
            self._start()
        assert self._facts is not None
        return self._facts

    def run(self, code: Code, times: int = 1) -> list[Sample]:
        """Run a code several times in a row; the process measures the times."""
        convert_ms = self.greeting().get("convert_ms")
        samples = []
        for answer in self.ask_all([f"run {self._word(code)}"] * times):
            order_ms, color_ms, colors = (answer.pop(name) for name in ("order_ms", "color_ms", "colors"))
            samples.append(Sample(order_ms, color_ms, colors, {"convert_ms": convert_ms, **answer}))
        return samples

    def check(self) -> tuple[str | None, int]:
        """Return the first fault of the last run's colors, found by lagcolor's own process, and their checksum."""
        assert self._home is not None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "colors"
            self.ask(f"dump {path}", LONG)
            return self._home.check(path)

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Return the rounds of one more run; a driver reports none."""
        return []

    def ask(self, line: str, wait: float | None = None) -> dict[str, Any]:
        """Return the answer to a command; errors as in `ask_all`."""
        return self.ask_all([line], wait)[0]

    def ask_all(self, lines: Sequence[str], wait: float | None = None) -> list[dict[str, Any]]:
        """Return the answers to commands that are sent at once; each may take `wait` seconds (default: limit of a run).

        An error ends the process, because an error of CUDA stays in its context, unless the process itself has stopped
        the last or only run.
        """
        if self._child is None:
            self._start()
        answers: list[dict[str, Any]] = []
        try:
            self._send(lines)
            while len(answers) < len(lines):
                answers.append(self._answer(self._timeout + GRACE if wait is None else wait))
        except WorkerError as e:
            if not isinstance(e, LateError) or len(answers) + 1 < len(lines):
                self.close()
            raise
        return answers

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is None:
            return
        if child.poll() is None:
            child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # a killed process may exit late
            child.wait(30)
        for stream in (child.stdin, self._stderr):
            with contextlib.suppress(OSError):  # the rest of a line that a dead process never read
                if stream is not None:
                    stream.close()

    def _start(self) -> None:
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  a file, which need not be emptied as a pipe
        self._child = subprocess.Popen(
            list(self._command()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=self._env,
            start_new_session=True,  # Ctrl-C is the parent's: it ends its children
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read, args=(self._child.stdout, self._lines), daemon=True).start()
        try:
            self._facts = self._answer(LONG)
        except BaseException:  # Ctrl-C too
            self.close()
            raise

    def _send(self, lines: Sequence[str]) -> None:
        assert self._child is not None and self._child.stdin is not None
        try:
            self._child.stdin.write("".join(line + "\n" for line in lines))
            self._child.stdin.flush()
        except OSError:
            raise WorkerError(self._obituary()) from None

    def _answer(self, timeout: float) -> dict[str, Any]:
        answer: dict[str, Any] = {"wait": timeout}
        while "wait" in answer:
            wait = answer["wait"]
            try:
                line = self._lines.get(timeout=wait)
            except queue.Empty:
                self.close()
                raise LateError(f"no answer in {wait:g} s") from None
            if line is None:
                raise WorkerError(self._obituary())
            answer = json.loads(line)
        if "error" in answer:
            raise (LateError if answer.get("late") else WorkerError)(answer["error"])
        return answer

    def _obituary(self) -> str:
        assert self._child is not None
        status = self._child.wait()
        self._stderr.seek(0)
        words = self._stderr.read().decode(errors="replace").strip().splitlines()
        return f"the process ended with status {status}" + (f": {words[-1]}" if words else "")


def _read(stdout: IO[str], lines: queue.Queue[str | None]) -> None:
    with stdout:
        for line in stdout:
            if line.startswith("{"):  # libraries may print words of their own
                lines.put(line)
    lines.put(None)


class Hosted(Worker):
    """`host` with a Python library; it stays for graph after graph."""

    def __init__(self, library: str, device: str, timeout: float, modules: Sequence[str], home: Home | None) -> None:
        command = host_command(library, device, f"{timeout:g}", *modules)
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        super().__init__(lambda: command, timeout, home=home, PYTHONPATH=path)
        self._source: Callable[[], str] = str
        self._loaded = False

    def use(self, source: Callable[[], str]) -> None:
        """Use another graph; `source` returns its file or spec when it is needed."""
        self._source, self._loaded = source, False

    def greeting(self) -> dict[str, Any]:
        """Return facts of the graph; start the process and load the graph if necessary."""
        if self._child is None:
            self._start()
            self._loaded = False
        if not self._loaded:
            self._facts = self.ask(f"load {self._source()}")
            self._loaded = True
        return super().greeting()

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Rounds of one more run."""
        self.greeting()
        return self.ask(f"trace {self._word(code)}")["trace"]


class Home(Hosted):
    """The host of lagcolor itself, which also checks colorings, on its own device, and writes the graph's file."""

    def __init__(self, device: str, timeout: float, modules: Sequence[str]) -> None:
        super().__init__(OURS, device, timeout, modules, None)

    def check(self, file: Path | None = None) -> tuple[str | None, int]:
        """Return the first fault of the last run's colors, or of colors in a file (int32), and their checksum."""
        self.greeting()
        answer = self.ask("check" if file is None else f"check {file}")
        return answer["fault"], answer["checksum"]

    def write(self, file: Path) -> None:
        """Write the graph in the format of drivers."""
        self.greeting()
        self.ask(f"write {file}")


class Workers:
    """The processes of a run of `benchmarks.compare`, and the graph that they have at the moment."""

    home: Home

    def __init__(self, device: str, timeout: float, modules: Sequence[str] = ()) -> None:
        self._settings = device, timeout, modules
        self.home = Home(device, timeout, modules)
        self._hosts: dict[str, Hosted] = {}
        self._drivers: list[Worker] = []
        self._file = Path()

    @contextmanager
    def graph(self, source: Source) -> Iterator[None]:
        """Provide a graph within a block; drivers end with the block."""
        with tempfile.TemporaryDirectory() as scratch:
            file = self._file = Path(scratch) / f"graph{SCRATCH}"
            # A restarted process reads the file, if there is one.
            self.home.use(lambda: str(file) if file.exists() else source.spec)
            try:
                yield
            finally:
                for driver in self._drivers:
                    driver.close()
                self._drivers.clear()

    def facts(self) -> dict[str, Any]:
        """n, m, max_degree, and degrees in bins: [smallest, vertices]; loads the graph."""
        greeting = self.home.greeting()
        return {name: greeting[name] for name in ("n", "m", "max_degree", "degrees")}

    def file(self) -> Path:
        """The graph as C++ drivers read it."""
        if not self._file.exists():
            part = self._file.with_suffix(".part")
            self.home.write(part)
            part.replace(self._file)
        return self._file

    def host(self, library: str, device: str) -> Worker:
        """Return a process of a Python library, which reads this graph from its file."""
        if library not in self._hosts:
            own, timeout, modules = self._settings
            self._hosts[library] = Hosted(library, "cpu" if device == "cpu" else own, timeout, modules, self.home)
        self._hosts[library].use(lambda: str(self.file()))
        return self._hosts[library]

    def drive(self, command: Callable[[], Sequence[str]], word: Callable[[Code], str]) -> Worker:
        """Return a process of a C++ driver with this graph."""
        # These are measures of one core: libraries that would start threads by themselves are configured so.
        self._drivers.append(Worker(command, self._settings[1], word, self.home, OMP_NUM_THREADS="1"))
        return self._drivers[-1]

    def close(self) -> None:
        """End all."""
        for process in (self.home, *self._hosts.values()):
            process.close()


def host_command(*words: str) -> list[str]:
    """The command line of `host`."""
    return [sys.executable, "-m", f"{__package__}.host", *words]
