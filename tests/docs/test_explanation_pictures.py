"""The pictures of docs/explanations are current, shown on a page with alternative text, and hold no wrong coloring."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import update_explanation_pictures as pictures

PAGES = sorted((Path(__file__).parents[2] / "docs").rglob("*.md"))


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_is_current(name: str) -> None:
    text = (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert text == pictures.PICTURES[name](), "run `make pictures`"
    assert ElementTree.fromstring(text).tag.endswith("svg")


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_has_alternative_text(name: str) -> None:
    texts = [
        alt for page in PAGES for alt in re.findall(rf"!\[([^\]]*)\]\([./]*pictures/{name}\.svg\)", page.read_text())
    ]
    assert texts and all(len(alt) > 20 for alt in texts)


def test_colors_are_proper() -> None:
    colors = pictures.color(pictures.SEVEN, pictures.EDGES)
    assert all(colors[u] != colors[v] for u, v in pictures.EDGES)
