"""Error messages that the how-to guides quote are the messages of the library."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagcolor
from lagcolor import color

GUIDES = Path(__file__).parents[2] / "docs" / "how_to"
SECTION = re.compile(r"^## What can go wrong\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
QUOTE = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")]
EXAMS = [("Art", "Biology"), ("Biology", "Chemistry"), ("Chemistry", "Drama"), ("Drama", "Art"), ("Drama", "English")]
SEATS = {"Art": 30, "Biology": 10, "Chemistry": 10, "Drama": 20, "English": 10}
FOLDER = "mesh.csr"
NO_GPU = ("a GPU was requested", "device 'cuda:7'", "this CuPy", "GPU 0 cannot", "devices … name GPU 0")


def raised_by_quotes() -> list[Callable[[], Any]]:
    """Calls that raise the quoted messages."""
    return [
        lambda: color(EDGES, fixed={"a": 0, "b": 0}),
        lambda: color(EDGES, fixed={"a": 0}, forbidden={"a": [0]}),
        lambda: color(EDGES, fixed={"z": 0}),
        lambda: color(EDGES, allowed={"a": [0]}),
        lambda: color(EXAMS, weights=SEATS, capacity=[40, 20]),
        lambda: color(EXAMS, weights=SEATS, capacity=25),
        lambda: color(EXAMS, weights=SEATS, capacity=[40, 40]),
        lambda: color(EDGES, partial="fewest"),
        lambda: color(EDGES, partial="lightest", max_colors=1),
        lambda: color(lagcolor.generate.clique(4), max_colors=3),
        lambda: lagcolor.equitable(lagcolor.generate.star(6), 2),
        lambda: lagcolor.recolor(EDGES, color(EDGES, "dsatur")),
        lambda: lagcolor.recolor([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [0, 1, 0, 1], changed=[1]),
        lambda: lagcolor.reduce(EDGES, np.zeros(5, int)),
        lambda: lagcolor.reduce(EDGES, color(EDGES, fixed={"a": 3})),
        lambda: color(EDGES, quality="fast", time_limit=1),
        lambda: color(EDGES).save("x.xls"),
        lambda: lagcolor.io.read_coloring("c.csv"),
        lambda: lagcolor.verify([(0, 1), (1, 2)], [0, 1]),
        lambda: lagcolor.plot.graph(color("grid2d:100")),
        lambda: lagcolor.plot.rounds(color("grid2d:4")),
        lambda: color(FOLDER, memory="1MB"),
        lambda: color(FOLDER, memory="100MB", quality="best"),
        lambda: color(FOLDER, memory="100MB", problem="distance2"),
        lambda: color(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])),
        lambda: color([(0, 1), (0, 1)], problem="edges"),
        lambda: color("a.mtx"),
    ]


def test_quoted_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quote may leave out words, where it has an ellipsis; those that need a GPU are not compared."""
    monkeypatch.chdir(tmp_path)
    lagcolor.io.write(FOLDER, lagcolor.generate.grid2d(1000))
    color([("Ann", "Bob")]).save("c.csv")
    Path("a.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n%\n%\n%\n%\n%\n3 3 1\n3 1\n")
    messages = []
    for call in raised_by_quotes():
        with pytest.raises((lagcolor.LagcolorError, FileNotFoundError)) as error:
            call()
        messages.append(str(error.value))
    quotes = [
        (page.name, quote)
        for page in sorted(GUIDES.glob("*.md"))
        for section in SECTION.findall(page.read_text())
        for quote in QUOTE.findall(section)
        if " " in quote and not quote.startswith(NO_GPU)
    ]
    assert len(quotes) >= 25
    unknown = [(page, quote) for page, quote in quotes if not any(pattern(quote).search(m) for m in messages)]
    assert not unknown, f"{unknown} are no messages of: {messages}"


def pattern(quote: str) -> re.Pattern[str]:
    """Return the pattern of a message, in which an ellipsis matches any text."""
    return re.compile(".*".join(re.escape(part.strip()) for part in quote.split("…")), re.DOTALL)
