"""The report: what is in the file, and what a person sees of it, by its text."""

from __future__ import annotations

import html
import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from report_cases import NASTY, SPECS, real_rows, write

from benchmarks import compare
from benchmarks.harness import results as measurements

SECTIONS = ["pareto", "speedup", "floors", "scaling", "rounds", "degrees"]


@pytest.fixture(scope="module")
def results_file(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("results") / "results.jsonl", real_rows())


@pytest.fixture(scope="module")
def results(results_file) -> measurements.Results:
    return measurements.read(results_file)


@pytest.fixture(scope="module")
def page(results_file) -> Path:
    out = results_file.with_name("report.html")
    assert compare.main(["report", str(results_file), "--out", str(out), "--title", f"A {NASTY}"]) == 0
    return out


def table_of(page: Path) -> list[list[str]]:
    """The cells of the table, the names of its columns first."""
    (table,) = re.findall(r"<table>.*?</table>", page.read_text(), re.DOTALL)
    lines = re.findall(r"<tr.*?</tr>", table)
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.split(r"</t[hd]>", line)[:-1]] for line in lines]


def pictures_of(page: Path) -> dict[str, list[str]]:
    """The pictures of each section."""
    sections = re.findall(r'<section id="(\w+)">(.*?)</section>', page.read_text(), re.DOTALL)
    return {name: re.findall(r"<svg.*?</svg>", body, re.DOTALL) for name, body in sections}


# ---- the file


class Tags(HTMLParser):
    """The elements of a page and what they refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action", "data")]


def test_the_page_needs_nothing_but_itself(page):
    text = page.read_text()
    tags = Tags(text)
    assert all(address.startswith("#") for address in tags.addresses)
    assert tags.names.count("script") == 1  # none out of a name in the data
    assert not {"link", "img", "iframe", "object"} & set(tags.names)
    assert not re.search(r"@import|url\((?!#)", text)
    assert "default-src 'none'" in text
    assert f"<title>{html.escape(f'A {NASTY}')}</title>" in text


def test_the_table_has_every_run(page, results):
    heads, *rows = table_of(page)
    assert len(rows) == len(results.runs)
    said = {
        (r[heads.index("graph")], r[heads.index("code")], r[heads.index("status")], r[heads.index("colors")])
        for r in rows
    }
    assert said == {(r.graph, r.code, r.status, "" if r.colors is None else str(r.colors)) for r in results.runs}
    of = [(r[heads.index("graph")], float(r[heads.index("ms")])) for r in rows if r[heads.index("ms")]]
    assert of == sorted(of)
    assert "2 without a valid coloring, 2 of codes that were not installed. Measured on Test CPU" in page.read_text()


def test_every_section_has_its_pictures(page, results):
    drawn = pictures_of(page)
    assert list(drawn) == [*SECTIONS, "table", "origin"]
    counts = {name: len(svgs) for name, svgs in drawn.items()}
    assert [counts[name] for name in SECTIONS] == [1, 1, 1, 1, len(SPECS), len(SPECS)]
    for svg in itertools.chain(*drawn.values()):
        ElementTree.fromstring(svg)
    text = page.read_text()
    used = set(re.findall(r"url\(#(\w+)\)|href=\"#(\w+)\"", text))
    assert {a or b for a, b in used} <= set(re.findall(r'id="(\w+)"', text))
