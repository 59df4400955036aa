"""A child process that stays resident and answers each line of input with one line of JSON."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any

GRACE = 1.0  # seconds: a host stops a late run itself, where it can, and stays alive


class ResidentError(RuntimeError):
    """The child died, or answered with an error."""


class LateError(ResidentError):
    """The child kept silent for too long, and was killed."""


class Resident:
    """A line-protocol child; the first line that it says is its greeting.

    An answer ``{"wait": seconds}`` says how long to wait for the answer. An `env` is its whole environment.

    Raises
    ------
    ResidentError
        From every call once the child is gone; a child that is late is killed.
    """

    def __init__(self, command: Sequence[str], timeout: float = 600, env: Mapping[str, str] | None = None) -> None:
        # A file, not a pipe: it need not be emptied.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the child
        self._child = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=env,
            start_new_session=True,  # Ctrl-C is the parent's: it ends its children
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.greeting = self._answer(timeout)
        except BaseException:  # Ctrl-C too
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether it can be asked again: not after its death, though after an error that it answered with."""
        return self._child.poll() is None

    def ask(self, line: str, timeout: float = 600) -> dict[str, Any]:
        """Send a line and return the answer."""
        return self.ask_all([line], timeout)[0]

    def ask_all(self, lines: Sequence[str], timeout: float = 600) -> list[dict[str, Any]]:
        """Send lines at once, so that the child need not wait between them, and return the answers.

        The first error is raised when all have been answered, each in `timeout` seconds, or the child is gone; after
        a late answer the rest is not awaited: where there is one, the child is ended.
        """
        try:
            assert self._child.stdin is not None
            self._child.stdin.write("".join(line + "\n" for line in lines))
            self._child.stdin.flush()
        except (OSError, ValueError):  # ValueError: it has been closed
            raise ResidentError(self._obituary()) from None
        answers: list[dict[str, Any]] = []
        errors: list[ResidentError] = []
        while len(answers) + len(errors) < len(lines):
            try:
                answers.append(self._answer(timeout))
            except ResidentError as e:
                errors.append(e)
                if isinstance(e, LateError) and len(answers) + len(errors) < len(lines):
                    self.close()
                if not self.alive:
                    break
        if errors:
            raise errors[0]
        return answers

    def close(self) -> None:
        """End the child."""
        if self._child.poll() is None:
            self._child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # a driver may hold a killed process for a while
            self._child.wait(30)
        for stream in (self._child.stdin, self._stderr):
            with contextlib.suppress(OSError):  # the rest of a line that a dead child never read
                if stream is not None:
                    stream.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as lines:
            for line in lines:
                if line.startswith("{"):  # libraries may print words of their own
                    self._lines.put(line)
        self._lines.put(None)

    def _answer(self, timeout: float) -> dict[str, Any]:
        answer: dict[str, Any] = {"wait": timeout}
        while "wait" in answer:
            try:
                line = self._lines.get(timeout=answer["wait"])
            except queue.Empty:
                self.close()
                raise LateError(f"no answer in {timeout:g} s") from None
            if line is None:
                raise ResidentError(self._obituary())
            answer = json.loads(line)
        if "error" in answer:
            raise (LateError if answer.get("late") else ResidentError)(answer["error"])
        return answer

    def _obituary(self) -> str:
        status = self._child.wait()
        if self._stderr.closed:
            return "the process has been ended"
        self._stderr.seek(0)
        words = self._stderr.read().decode(errors="replace").strip().splitlines()
        return f"the process ended with status {status}" + (f": {words[-1]}" if words else "")
