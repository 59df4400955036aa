"""Progress of calls: what a listener receives, how it stops a call, and what it costs without a listener."""

from __future__ import annotations

import gzip
import io
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corpus import graph
from rich.console import Console
from rich.status import Status

import lagcolor
from lagcolor.base import log, progress
from lagcolor.inputs import ends
from lagcolor.io import columns, pieces


class Listener(list[progress.Progress]):
    """A listener that keeps what it hears."""

    def __call__(self, received: progress.Progress) -> None:
        self.append(received)

    @property
    def stages(self) -> list[str]:
        """Their names, one after the other."""
        found = [received.stage for received in self]
        return [name for i, name in enumerate(found) if i == 0 or found[i - 1] != name]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step is reported, however short."""
    monkeypatch.setattr(log, "EVERY", 0.0)


def text_of(G: lagcolor.Graph, tmp_path: Path) -> bytes:
    lagcolor.io.write(tmp_path / "given.txt", G)
    return (tmp_path / "given.txt").read_bytes()


@pytest.mark.parametrize("name", ["g.txt", "g.txt.gz"])
def test_reading_a_file(name: str, tmp_path: Path, always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces where someone listens, with the same result; a share and the time left."""
    monkeypatch.setattr(pieces, "REPORT", 1000)
    G = lagcolor.generate.from_spec("rmat:9")
    text = text_of(G, tmp_path)
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    received = Listener()
    read = lagcolor.io.read(tmp_path / name, progress=received)
    assert np.array_equal(read.indices, G.indices) and np.array_equal(read.indptr, G.indptr)
    assert received.stages[: 2 if name.endswith(".gz") else 1] == ["unpacking", "reading"][not name.endswith(".gz") :]
    reading = [h for h in received if h.stage == "reading"]
    assert len(reading) > len(text) // 2500 and {h.unit for h in reading} == {"bytes"}
    assert [h.done for h in reading] == sorted(h.done for h in reading)
    assert reading[0].share == 0 and reading[0].left is None and reading[-1].share == 1 and reading[-1].left == 0
    assert reading[1].total == len(text) and reading[1].left > 0


NAMES = [(f"name {k}", f"name {k * k % 997}") for k in range(1000)]


@pytest.mark.parametrize("kind", ["pairs", "a file"])
def test_names_are_counted(kind: str, tmp_path: Path, always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Piece by piece where someone listens, with the same result."""
    (tmp_path / "g.csv").write_text("".join(f"{u},{v}\n" for u, v in NAMES))
    x = NAMES if kind == "pairs" else tmp_path / "g.csv"
    monkeypatch.setattr(ends, "PART", 64)
    monkeypatch.setattr(columns, "PART", 64)
    received = Listener()
    G, H = lagcolor.Graph.of(x), lagcolor.color(x, progress=received).graph
    assert H.labels == G.labels and np.array_equal(H.indices, G.indices) and np.array_equal(H.indptr, G.indptr)
    found = [h for h in received if (h.unit == "ends" if kind == "pairs" else h.stage == "reading")]
    assert len(found) >= 1000 // 64 and [h.done for h in found] == sorted(h.done for h in found)
    assert all(h.done <= h.total for h in found) and (kind == "a file" or found[-1].share == 1)


@pytest.mark.parametrize(("size", "end"), [(1, ""), (7, "\n\n"), (1000, "\n")])
def test_pieces_lose_nothing(
    size: int, end: str, tmp_path: Path, always: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they end, and faults are found on their line."""
    monkeypatch.setattr(pieces, "REPORT", size)
    lines = [f"{i} {i * i % 71}" for i in range(70)]
    path = tmp_path / "g.txt"
    path.write_text("\n".join(lines) + end)
    plain, shown = lagcolor.io.read(path), lagcolor.io.read(path, progress=Listener())
    assert np.array_equal(plain.indptr, shown.indptr) and np.array_equal(plain.indices, shown.indices)
    lines[50] = "50 x"
    path.write_text("\n".join(lines) + end)
    messages = []
    for listener in (None, Listener()):
        with pytest.raises(lagcolor.FormatError) as e:
            lagcolor.io.read(path, progress=listener)
        messages.append(str(e.value))
    assert messages[0] == messages[1] and "line 51" in messages[0]


def test_rounds_are_counted(always: None) -> None:
    received = Listener()
    result = lagcolor.color(graph("rmat"), "luby_mis", progress=received)
    rounds = [h for h in received if h.stage == "coloring"]
    assert [h.done for h in rounds] == list(range(result.rounds + 1))
    assert {(h.unit, h.total, h.left, h.share) for h in rounds} == {("rounds", None, None, None)}


def test_best_tells_how_much_of_its_time_is_gone(always: None) -> None:
    best = Listener()

    def listener(now: progress.Progress) -> None:
        if now.stage == "coloring":
            best(now)
            if len(best) == 20:
                raise KeyboardInterrupt

    lagcolor.color(lagcolor.generate.from_spec("rmat:10"), quality="best", time_limit=2e6, progress=listener)
    assert len(best) == 20 and {(h.total, h.unit) for h in best} == {(2e6, "seconds")}
    assert [h.done for h in best] == sorted(h.done for h in best) and 0 <= best[0].share < best[-1].share <= 1
    assert all(h.left == pytest.approx(2e6 - h.done) for h in best)


class StopError(Exception):
    """The exception that the listener of a test raises."""


@pytest.mark.parametrize("stage", ["reading", "checking"])
def test_a_listener_that_raises_ends_the_call(stage: str, tmp_path: Path, always: None) -> None:
    """With its own exception. The next call has no listener."""
    (tmp_path / "g.txt").write_bytes(text_of(graph("rmat"), tmp_path))
    received = Listener()

    def stop(now: progress.Progress) -> None:
        received(now)
        if now.stage == stage:
            raise StopError

    with pytest.raises(StopError):
        lagcolor.color(tmp_path / "g.txt", "luby_is", progress=stop)
    count = len(received)
    lagcolor.color(tmp_path / "g.txt", "luby_is")
    assert len(received) == count and received[-1].stage == stage
    assert log.stage("anything") is log.SILENT


def test_a_listener_that_has_interrupted_is_not_asked_again(always: None) -> None:
    """One that goes by the clock would interrupt the check of the best so far, too."""
    received = Listener()

    def interrupt(now: progress.Progress) -> None:
        received(now)
        if len(received) > 9:  # from then on at every stage
            raise KeyboardInterrupt

    G = lagcolor.generate.from_spec("rmat:9")
    result = lagcolor.color(G, quality="best", time_limit=600.0, progress=interrupt, verify=True)
    assert result.notes["interrupted"] and result.verified and len(received) == 10


def test_the_inner_call_of_a_listener_is_its_own(always: None) -> None:
    """A listener may color something itself, and two calls within each other have a listener each."""
    inner, outer, path = Listener(), Listener(), graph("path")  # made here: a conversion would report progress, too

    def listener(now: progress.Progress) -> None:
        outer(now)
        lagcolor.color(path, progress=inner)

    lagcolor.color(graph("rmat"), progress=listener)
    assert outer.stages == ["ordering", "coloring", "checking"]
    assert inner.stages == outer.stages * len(outer)


# The line on a terminal -----------------------------------------------------------------------------------------------


def shown_by(line: progress.StatusLine, width: int = 200, terminal: bool = False) -> str:
    """Return the text of a line on a terminal with a number of columns, with or without the turning sign."""
    out = Console(file=io.StringIO(), width=width, force_terminal=terminal)
    out.print(Status(line, console=out) if terminal else line)
    return out.file.getvalue()  # type: ignore[attr-defined]


def test_what_the_line_says() -> None:
    """With the bytes per second of two gigabytes in ten seconds, of eight; of less than one there is no rate."""
    now = [0.0]
    line = progress.StatusLine("reading g.txt", shown=False, clock=lambda: now[0])
    assert shown_by(line) == "reading g.txt\n"
    line(progress.Progress("reading", 25, 100, "bytes", 5.0, 15.0))
    assert shown_by(line) == " 25% · reading g.txt · 0:15 left\n"
    now[0] = 4.0
    assert shown_by(line) == " 25% · reading g.txt · 0:11 left\n"
    line(progress.Progress("converting", 1, 2, "passes", 9.0, 3725.0))
    assert shown_by(line) == " 50% · reading g.txt · converting · 1:02:05 left\n"
    line.say("coloring g.txt")
    assert shown_by(line) == "coloring g.txt\n"
    line(progress.Progress("coloring", 1234, None, "rounds", 9.0, None))
    assert shown_by(line) == "coloring g.txt · 1,234 rounds\n"
    line(progress.Progress("coloring", 2e9, 8e9, "bytes", 10.0, 30.0))
    assert shown_by(line) == " 25% · coloring g.txt · 200 MB/s · 0:30 left\n"
    line(progress.Progress("coloring", 2e8, 8e8, "bytes", 1.0, 3.0))
    assert shown_by(line) == " 25% · coloring g.txt · 0:03 left\n"


def test_the_line_fits_the_terminal() -> None:
    """Percentage and time left stay; what is going on is cut; no width makes a second line."""
    line = progress.StatusLine("coloring erdos_renyi:2000,p=0.1: 2,000 vertices, 199,876 edges, and more", shown=False)
    line(progress.Progress("reducing", 25, 100, "rounds", 5.0, 15.0))
    for width in range(10, 120, 7):
        found = shown_by(line, width, terminal=True)
        assert found.count("\n") == 1, width
        assert width < 50 or ("25%" in found and "0:1" in found)


PROGRAM = """
import lagcolor
from lagcolor.base import log, progress

progress.PATIENCE = 0.01
shown = []

class Watched(progress.StatusLine):
    def parts(self):
        shown.append(" ".join(super().parts()))
        return super().parts()

log.StatusLine = Watched
G = lagcolor.generate.from_spec("rmat:9")
while not any("%" in text for text in shown):
    lagcolor.color(G, quality="best", time_limit=2.0, progress=True)
print(len(shown))
"""


def test_true_is_a_line_on_a_terminal(tmp_path: Path) -> None:
    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    words = [sys.executable, "-c", PROGRAM]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=terminal, env=environment)
    os.close(terminal)
    shown = b""
    while True:
        try:
            chunk = os.read(main, 4096)
        except OSError:  # Linux: the other end is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(main)
    assert process.wait() == 0 and process.stdout is not None
    assert int(process.stdout.read()) > 0
    assert b"coloring" in shown and b"% " in shown and b" left" in shown


class Kernel:
    """IPython in a notebook, as far as it is used: the modules, and what is displayed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kernel: object) -> None:
        self.displayed: list[dict[str, str]] = []
        module: Any = ModuleType("IPython")
        module.get_ipython = lambda: SimpleNamespace(kernel=kernel) if kernel else SimpleNamespace()
        module.display = ModuleType("IPython.display")
        module.display.display = self.display
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setitem(sys.modules, "IPython.display", module.display)

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Kernel:
        assert raw and display_id
        self.displayed.append(data)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.displayed.append(data)


def test_true_is_a_line_below_the_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn anew while the call runs, without rich; nothing is left of it."""
    for module in ("rich", "rich.console", "rich.status"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "REDRAWN", 0.01)
    shown = Kernel(monkeypatch, kernel=object()).displayed
    lagcolor.color(lagcolor.generate.queen(24), quality="best", time_limit=0.5, progress=True)
    texts = [data["text/plain"] for data in shown]
    assert len(texts) > 5 and any("% · coloring · 0:0" in text for text in texts)
    assert shown[-1] == {"text/plain": "", "text/html": ""} and all(texts[1:-1])
    assert not [thread for thread in threading.enumerate() if "_redraw" in thread.name]


def test_ipython_on_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    shown = Kernel(monkeypatch, kernel=None).displayed
    lagcolor.color(lagcolor.generate.queen(24), quality="best", time_limit=0.2, progress=True)
    assert not progress.in_notebook() and not shown
    monkeypatch.delitem(sys.modules, "IPython")
    assert not progress.in_notebook()
