"""docs/algorithms/bibliography.md has each work that a docstring or a page of docs/algorithms cites."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIBLIOGRAPHY = ROOT / "docs" / "algorithms" / "bibliography.md"
SECTION = re.compile(r"(?:References?: |References?\n\s*-{3,}\n)((?:.|\n)*?)(?:\"\"\"|\n\n|\n\s*\w+\n\s*-{3,}\n)")
NAME = r"(?:de |van |Van |San )?[A-ZÀ-Ž][a-zß-ž][\w'’–-]*(?: [A-ZÀ-Ž][\w-]+)?"
WORK = re.compile(rf"({NAME})(?:,? (?:and )?{NAME})*(?: et al\.)?(?:,)? (1[89]\d\d|20\d\d)\b(?=[,;:. (]|$)")


def cited(text: str) -> set[tuple[str, str]]:
    """First author and year of each work in the sections of references."""
    found = set()
    for section in SECTION.findall(text):
        found |= {(author.split()[-1], year) for author, year in WORK.findall(" ".join(section.split()))}
    return found


def entries() -> list[str]:
    """The entries, each as one line."""
    return [" ".join(entry.split()) for entry in BIBLIOGRAPHY.read_text(encoding="utf-8").split("\n- ")[1:]]


def test_citations_are_found() -> None:
    text = '"""Text.\n\nReferences\n----------\nHertz, de Werra 1987, "Using"; Taş, Kaya, Saule 2017, "Greed".\n"""'
    assert cited(text) == {("Hertz", "1987"), ("Taş", "2017")}


def test_the_bibliography_has_the_works_that_docstrings_cite() -> None:
    files = sorted(p for x in ("lagcolor", "semirings") for p in (ROOT / x).rglob("*.py"))
    works = set().union(*(cited(p.read_text(encoding="utf-8")) for p in files))
    assert len(works) > 50
    listed = entries()
    assert [w for w in sorted(works) if not any(w[0] in e and w[1] in e for e in listed)] == []


def test_the_bibliography_has_the_links_of_the_pages() -> None:
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    pages = [p for p in sorted((ROOT / "docs" / "algorithms").glob("*.md")) if p != BIBLIOGRAPHY]
    links = {x for p in pages for x in re.findall(r"\[((?:doi|arXiv):[^]]*)\]", p.read_text(encoding="utf-8"))}
    assert links
    assert [x for x in sorted(links) if f"[{x}]" not in text] == []
