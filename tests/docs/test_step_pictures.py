"""Pictures of algorithms step by step: the steps end in the library's colors, and the pictures show the steps."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
import step_pictures
import update_step_pictures

update_step_pictures.load()
STORIES = step_pictures.STORIES


@pytest.mark.parametrize("name", STORIES)
def test_the_steps_end_in_the_colors_of_the_library(name: str) -> None:
    steps = step_pictures.run(name, **STORIES[name].same)
    assert step_pictures.result(steps[-1]) == step_pictures.expected(name)


@pytest.mark.parametrize("name", STORIES)
def test_the_last_panel_is_a_proper_coloring(name: str) -> None:
    import lagcolor

    colors = step_pictures.result(step_pictures.run(name)[-1])
    problem = STORIES[name].options.get("problem", "distance1")
    assert lagcolor.verify(step_pictures.graph(), colors, problem=problem).ok


@pytest.mark.parametrize("name", STORIES)
def test_the_picture_is_current(name: str) -> None:
    file = update_step_pictures.picture(name)
    assert file.read_text(encoding="utf-8") == update_step_pictures.draw(name), "make pictures"
    svg = "{http://www.w3.org/2000/svg}"
    assert [ET.parse(file).getroot().find(svg + part).text for part in ("title", "desc")]


def test_ecl_gc_takes_the_steps_of_the_trace() -> None:
    import lagcolor

    told = STORIES["ecl_gc"]
    trace = lagcolor.color(step_pictures.graph(), "ecl_gc", order=told.order, seed=told.seed, trace=True).trace
    assert [len(s.active) for s in step_pictures.run("ecl_gc")[1:]] == [row["colored"] for row in trace]


def test_a_caption_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="takes more than"):
        update_step_pictures.lines("a long caption " * 10, 1)
