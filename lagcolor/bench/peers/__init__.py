"""Other libraries, each in a process of its own: Python packages, C++ libraries behind drivers, cuSPARSE.

A new Python library is a class in `python` and a row in `LIBRARIES`; a C++ one a driver and a row in `native.NATIVE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ...core.errors import OptionError
from ..codes import Code, chosen
from . import by_hand, csrcolor, native, python

if TYPE_CHECKING:
    from ..graph_run import GraphRun
    from ..remote import Guest

LIBRARIES: Mapping[str, python.Library] = {
    library.name: library
    for library in (
        python.Networkx(),
        python.Igraph(),
        python.Rustworkx(),
        python.Gcol(),
        python.Scipy(),
        by_hand.Graphblas(),
        csrcolor.Csrcolor(),
    )
}


class Peer(Protocol):
    """What the near end knows of another library."""

    @property
    def name(self) -> str:
        """As in `Code.peer`."""

    @property
    def device(self) -> str:
        """ "cpu" or "cuda"."""

    def codes(self) -> Sequence[Code]:
        """What it can run."""

    def absent(self) -> str | None:
        """Why it cannot run here, or None."""

    def unfit(self, n: int, m: int) -> str | None:
        """Why it does not run on a graph of that size, or None."""

    def version(self) -> str:
        """Of the library."""

    def open(self, graph_run: GraphRun) -> Guest:
        """A process for a graph, started when first asked."""


class Python:
    """A Python library, hosted."""

    def __init__(self, library: python.Library) -> None:
        self._library = library
        self.name, self.device = library.name, library.device
        self.codes, self.absent, self.version, self.unfit = (
            library.codes, library.absent, library.version, library.unfit,
        )  # fmt: skip

    def open(self, graph_run: GraphRun) -> Guest:
        """`host` with the library."""
        return graph_run.host(self.name, self.device)


def all_peers() -> dict[str, Peer]:
    """Every peer by name."""
    every: list[Peer] = [*native.NATIVE, *(Python(library) for library in LIBRARIES.values())]
    return {peer.name: peer for peer in every}


def wanted(patterns: Sequence[str] | None, device: str) -> list[Peer]:
    """Peers by name or pattern.

    Parameters
    ----------
    patterns : sequence of str, optional
        "all", "none", names or patterns; default: the peers of the device.

    Raises
    ------
    OptionError
        A pattern matches none.
    """
    every = all_peers()
    kind = "cpu" if device == "cpu" else "cuda"
    if patterns is None:
        return [peer for peer in every.values() if peer.device == kind]
    if "none" in patterns:
        if len(patterns) > 1:
            raise OptionError("--peers none cannot be combined with other names")
        return []
    names = chosen(["*" if pattern == "all" else pattern for pattern in patterns], every, "peer")
    return [every[name] for name in names]
