"""Pictures of the pages are current, are shown with alternative text, and hold no wrong coloring."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import step_pictures
import update_explanation_pictures
import update_pictures
import update_step_pictures
import update_thumbnails
from docs_site import PAGES

import lagcolor

update_step_pictures.load()
STORIES = step_pictures.STORIES
ROOT = Path(__file__).parents[2]


def test_pictures_of_explanations() -> None:
    texts = "".join(page.read_text() for page in PAGES)
    for name, draw in update_explanation_pictures.PICTURES.items():
        text = (update_explanation_pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert text == draw(), f"{name}: run `make pictures`"
        assert ElementTree.fromstring(text).tag.endswith("svg")
        alternatives = re.findall(rf"!\[([^\]]*)\]\([./]*pictures/{name}\.svg\)", texts)
        assert alternatives and all(len(alt) > 20 for alt in alternatives), name


@pytest.mark.parametrize("name", STORIES)
def test_steps_of_an_algorithm(name: str) -> None:
    """The steps end in the colors of the library, which are proper."""
    steps = step_pictures.run(name, **STORIES[name].same)
    assert step_pictures.result(steps[-1]) == step_pictures.expected(name)
    problem = STORIES[name].options.get("problem", "distance1")
    colors = step_pictures.result(step_pictures.run(name)[-1])
    assert lagcolor.verify(step_pictures.graph(), colors, problem=problem).ok
    file = update_step_pictures.picture(name)
    assert file.read_text(encoding="utf-8") == update_step_pictures.draw(name), "run `make pictures`"
    svg = "{http://www.w3.org/2000/svg}"
    assert [ElementTree.parse(file).getroot().find(svg + part).text for part in ("title", "desc")]


@pytest.mark.parametrize("name", update_pictures.PICTURES)
def test_plots_of_result_files(name: str) -> None:
    assert update_pictures.stale(name) == [], "run `make pictures`"
    assert set(update_pictures.digests(name)) == set(update_pictures.files(name).values())


def test_plots_of_the_readme_and_of_a_paper() -> None:
    assert update_pictures.drawn(update_pictures.COLORING) == update_pictures.digest_of_coloring(), "make pictures"
    assert update_pictures.drawn(update_pictures.FIGURE_2) == update_pictures.digest_of_figure_2(), "make pictures"


def test_thumbnails_of_examples() -> None:
    for path in (ROOT / "examples").glob("*.py"):
        text = path.read_text()
        if path.stem in update_thumbnails.THUMBNAILS:
            assert f'# sphinx_gallery_thumbnail_path = "_static/thumbnails/{path.stem}.svg"' in text
            file = update_thumbnails.FOLDER / f"{path.stem}.svg"
            assert file.read_text() == update_thumbnails.picture(path.stem), "run `make pictures`"
        else:
            assert "plt." in text or "lagcolor.plot" in text
