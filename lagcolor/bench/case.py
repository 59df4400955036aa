"""One graph under measurement: the process that has it, and its file for those that want one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .codes import OURS
from .graphs import SCRATCH, Source
from .remote import WARMING, Hosted


class Case:
    """A graph of a run.

    Parameters
    ----------
    source : Source
    device : str
        Of lagcolor.
    timeout : float
        Seconds a run may take.
    scratch : Path
        A folder for the graph's file.

    Attributes
    ----------
    home : Hosted
        lagcolor with the graph; it also writes the file and checks the colorings of C++ libraries.
    """

    def __init__(self, source: Source, device: str, timeout: float, scratch: Path) -> None:
        self.source, self._device, self._timeout = source, device, timeout
        self._file = scratch / f"graph{SCRATCH}"
        self._written = False
        self.home = Hosted(OURS, self._origin, device, timeout)

    @property
    def timeout(self) -> float:
        """Seconds a run may take."""
        return self._timeout

    def facts(self) -> dict[str, Any]:
        """n, m, max_degree; loads the graph."""
        greeting = self.home.greeting()
        return {name: greeting[name] for name in ("n", "m", "max_degree")}

    def file(self) -> Path:
        """The graph as C++ drivers read it."""
        if not self._written:
            self.home.ask(f"write {self._file}", WARMING)
            self._written = True
        return self._file

    def host(self, library: str, device: str) -> Hosted:
        """A process of a Python library: on a CPU it reads the file, on a GPU it makes the graph there."""
        device = self._device if device == "cuda" else device
        return Hosted(library, self._origin if device != "cpu" else lambda: str(self.file()), device, self._timeout)

    def close(self) -> None:
        """End the process, remove the file."""
        self.home.close()
        self._file.unlink(missing_ok=True)

    def _origin(self) -> str:
        """A process that starts anew reads the file where there is one: no generator runs twice."""
        return str(self._file) if self._written else self.source.spec
