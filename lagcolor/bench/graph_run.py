"""One graph under measurement: the processes that have it, and its file for those that want one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .codes import OURS
from .graphs import SCRATCH, Source
from .remote import Guest, Home, Hosted, Remote


class Processes:
    """The hosts of a run, which stay for all of its graphs."""

    def __init__(self, device: str, timeout: float, modules: Sequence[str] = ()) -> None:
        self.device, self.timeout, self.modules = device, timeout, modules
        self.home = Home(OURS, device, timeout, modules)
        self._hosts: dict[str, Hosted] = {}

    def host(self, library: str, device: str) -> Hosted:
        """The one of a library."""
        if library not in self._hosts:
            self._hosts[library] = Hosted(library, device, self.timeout, self.modules)
        return self._hosts[library]

    def close(self) -> None:
        """End all."""
        for process in (self.home, *self._hosts.values()):
            process.close()


class GraphRun:
    """A graph of a run."""

    def __init__(self, source: Source, processes: Processes, scratch: Path) -> None:
        self.source, self._processes = source, processes
        self.timeout = processes.timeout
        self._file = scratch / f"graph{SCRATCH}"
        self._drivers: list[Remote] = []
        self.home = processes.home
        self.home.use(self._origin)

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

    def host(self, library: str, device: str) -> Guest:
        """A Python library with this graph, which it reads from the file: no generator runs twice."""
        host = self._processes.host(library, "cpu" if device == "cpu" else self._processes.device)
        host.use(lambda: str(self.file()))
        return Guest(host, self.home)

    def drive(self, remote: Remote) -> Guest:
        """A C++ driver with this graph; ended with it."""
        self._drivers.append(remote)
        return Guest(remote, self.home)

    def close(self) -> None:
        """End the drivers."""
        for remote in self._drivers:
            remote.close()

    def _origin(self) -> str:
        """A process that starts anew reads the file where there is one."""
        return str(self._file) if self._file.exists() else self.source.spec


@contextmanager
def opened(source: Source, processes: Processes) -> Iterator[GraphRun]:
    """A `GraphRun` for the time of a block."""
    with tempfile.TemporaryDirectory() as scratch:
        graph_run = GraphRun(source, processes, Path(scratch))
        try:
            yield graph_run
        finally:
            graph_run.close()
