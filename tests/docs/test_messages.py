"""Messages of errors and warnings: printable, and short whatever they quote."""

from __future__ import annotations

import fcntl
import os
import pickle
import pty
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forks import Forks
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import cli, pauli
from lagcolor.base import errors
from lagcolor.base.messages import MESSAGE, legible

LONG = "x" * 100_000
ESCAPES = "\x1b[31mred\x07\x9b\u202e\ud800"
PAIRS = [(0, 1)]


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=700))
def test_any_text(text: str) -> None:
    found = legible(text)
    assert legible(found) == found
    assert found.replace("\n", "").isprintable() and found.count("\n") == text.count("\n")
    if text.isprintable() and len(text) < 250:
        assert found == text


CALLS: list[Callable[[Any], Any]] = [
    lambda x: lagcolor.color(PAIRS, x),
    lambda x: lagcolor.color(PAIRS, order=x),
    lambda x: lagcolor.color(PAIRS, problem=x),
    lambda x: lagcolor.color(PAIRS, quality=x),
    lambda x: lagcolor.color(PAIRS, **{x: 1}),  # type: ignore[arg-type]
    lambda x: lagcolor.color(PAIRS, fixed=x),
    lambda x: lagcolor.color(PAIRS, device=x),
    lambda x: lagcolor.reduce(PAIRS, [0, 1], method=x),
    lambda x: lagcolor.generate.from_spec(x + ":4"),
    lambda x: lagcolor.Graph.of([(0, 1), x]),
    lambda x: lagcolor.Graph.of({0: x}),
    lambda x: pauli.group(["XX", x]),
    lambda x: pauli.group(["XX"], x),
    lambda x: lagcolor.io.read("g.mtx", format=x),
    lambda x: lagcolor.color(PAIRS).save("c." + x),
    lambda x: lagcolor.ALGORITHMS[x],
]


@pytest.mark.parametrize("value", [LONG, ESCAPES], ids=["long", "escapes"])
def test_errors_that_quote_a_value(value: str) -> None:
    for call in CALLS:
        with pytest.raises(errors.LagcolorError) as caught:
            call(value)
        text = str(caught.value)
        assert text.replace("\n", "").isprintable() and len(text) <= MESSAGE
        assert str(pickle.loads(pickle.dumps(caught.value))) == text


def test_a_file_whose_name_and_text_have_escapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b[31m.mtx"
    path.write_text("%%MatrixMarket matrix \x1b[32m " + LONG)
    for arguments in (["color", str(path)], ["color", str(path) + "x"], ["color", "path:3", "--\x1b[31m"]):
        assert cli.main(arguments) == 2
        found = capsys.readouterr().err
        assert found.count("\n") == 1 and found[:-1].isprintable() and len(found) < MESSAGE
        assert r"\x1b[31m" in found


@pytest.mark.parametrize("arguments", [["color", "no-such-file-at-all", "--quality", "best"], ["color", "--nope"]])
def test_errors_on_a_terminal_break_between_words(forks: Forks, arguments: list[str]) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    process = subprocess.Popen([*forks.lagcolor, *arguments], stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # Linux: the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 2
    lines = shown.decode().replace("\r", "").split("\n")
    piped = subprocess.run([*forks.lagcolor, *arguments], capture_output=True, text=True).stderr
    assert len(lines) > 3 and all(len(line) <= 40 for line in lines)
    assert " ".join(lines).split() == piped.split() and piped.count("\n") == 1
