"""The documentation site: every page and public name is in it, links have the right form, docstring examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from docs_site import DOCS, ENTRY, MODULES, PAGES, public, site, stable_functions

import lagcolor
from benchmarks.harness import plots

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def test_links_lead_to_files_and_headings() -> None:
    for page in [ROOT / "README.md", *PAGES]:
        for target in LINK.findall(page.read_text()):
            path, _, anchor = target.partition("#")
            to = page.parent / path if path else page
            if not path.startswith("https:"):
                assert to.exists(), f"{page.name} links to {target}, which is not there"
            if anchor and to.suffix == ".md":
                assert anchor in anchors(to.read_text()), f"{page.name} links to {target}"


def anchors(text: str) -> set[str]:
    """The anchors that a code host and the site make of headings."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


HARNESS = ("benchmarks.harness.plots", "benchmarks.harness.report", "benchmarks.harness.results")


def with_examples() -> list[str]:
    """Public names, methods of public classes, functions of the harness, and modules whose docstrings have examples."""
    names = {**dict(public()), **stable_functions()}
    found = {name: thing for name, thing in names.items() if ">>>" in (inspect.getdoc(thing) or "")}
    for module in HARNESS:
        holder = importlib.import_module(module)
        functions = {f"{module}.{name}": getattr(holder, name) for name in holder.__all__}
        found |= {name: thing for name, thing in functions.items() if ">>>" in (inspect.getdoc(thing) or "")}
    modules = [name for name in MODULES if ">>>" in (inspect.getdoc(importlib.import_module(name)) or "")]
    for name, thing in public():
        if inspect.isclass(thing):
            for member in vars(thing):
                if not member.startswith("_") and ">>>" in (inspect.getdoc(getattr(thing, member)) or ""):
                    found[f"{name}.{member}"] = getattr(thing, member)
    return sorted({*found, *modules})


@pytest.mark.parametrize("name", with_examples())
def test_examples_in_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if ".torch." in name:
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    thing: Any = importlib.import_module(name.partition(".")[0])
    for i, part in enumerate(name.split(".")[1:]):
        if inspect.ismodule(thing) and not hasattr(thing, part):
            importlib.import_module(".".join(name.split(".")[: i + 2]))
        thing = getattr(thing, part)
    modules = sorted([*MODULES, *HARNESS], key=len, reverse=True)
    holder = importlib.import_module(next(module for module in modules if f"{name}.".startswith(f"{module}.")))
    names = {"lagcolor": lagcolor, "plots": plots} | {k: v for k, v in vars(holder).items() if k[0] != "_"}
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", names, name, None, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    report: list[str] = []
    doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert test.examples
    assert not report, "".join(report)


def test_stable_functions_have_examples() -> None:
    names = [*stable_functions(), "lagcolor.Graph", "lagcolor.Pattern", "lagcolor.Coloring"]
    assert sorted(set(names) - set(with_examples())) == []


def test_every_page_is_in_one_list_of_contents() -> None:
    conf = site()
    listed = []
    for page in PAGES:
        for entries in conf.CONTENTS.findall(page.read_text()):
            listed += [(page.parent / target).resolve() for target, _ in conf.LINK.findall(entries)]
    pages = [p for p in listed if p.suffix == ".md"]
    assert len(pages) == len(set(pages))
    assert {*pages, DOCS / "index.md"} == set(PAGES), "put them under <!-- contents -->, e.g. of docs/how_to/index.md"
    assert set(listed) - set(pages) == {ROOT / "examples"}  # the gallery


def test_every_public_name_is_in_the_reference() -> None:
    documented = set(MODULES) - {"lagcolor"}  # modules have a page or a section, below
    for page in sorted((DOCS / "reference").glob("*.md")):
        module = ""
        for name, whole, current in ENTRY.findall(page.read_text()):
            module = current or module
            documented.add(whole or f"{module}.{name}")
    missing = [name for name, _ in public() if name not in documented]
    # The same object may be in the reference under the name of another module, e.g. lagcolor.verify.
    known = {id(thing) for name, thing in public() if name in documented}
    assert [name for name in missing if id(dict(public())[name]) not in known] == [], (
        "put them on a page of docs/reference"
    )
    text = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    assert [module for module in MODULES if module not in text] == []


SECTION = re.compile(r"(?:References?: |References?\n\s*-{3,}\n)((?:.|\n)*?)(?:\"\"\"|\n\n|\n\s*\w+\n\s*-{3,}\n)")
NAME = r"(?:de |van |Van |San )?[A-ZÀ-Ž][a-zß-ž][\w'’–-]*(?: [A-ZÀ-Ž][\w-]+)?"
WORK = re.compile(rf"({NAME})(?:,? (?:and )?{NAME})*(?: et al\.)?(?:,)? (1[89]\d\d|20\d\d)\b(?=[,;:. (]|$)")


def test_the_bibliography_has_the_works_that_docstrings_and_pages_cite() -> None:
    text = (ROOT / "docs/algorithms/bibliography.md").read_text(encoding="utf-8")
    entries = [" ".join(entry.split()) for entry in text.split("\n- ")[1:]]
    works = set()
    for path in sorted(p for x in ("lagcolor", "semirings") for p in (ROOT / x).rglob("*.py")):
        sections = [" ".join(section.split()) for section in SECTION.findall(path.read_text(encoding="utf-8"))]
        works |= {(author.split()[-1], year) for section in sections for author, year in WORK.findall(section)}
    assert len(works) > 50
    assert [w for w in sorted(works) if not any(w[0] in e and w[1] in e for e in entries)] == []
    pages = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs/algorithms").glob("*.md"))]
    links = {x for page in pages for x in re.findall(r"\[((?:doi|arXiv):[^]]*)\]", page)}
    assert links and [x for x in sorted(links) if f"[{x}]" not in text] == []
