"""The documentation site: every page and public name is in it, links have the right form, docstring examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from docs_site import MODULES, PAGES, public, site, stable_functions

import lagcolor
from benchmarks.harness import plots

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def test_lists_of_contents_become_toctrees() -> None:
    text = "# Title\n\n<!-- contents -->\n- [A](a.md): one,\n  two\n- [B](b/c.md)\n\nMore [text](d.md).\n"
    made = site().with_toctrees(text)
    assert made.startswith(text.partition("\n\nMore")[0].replace("<!-- contents -->\n", ""))
    assert made.endswith("```{toctree}\n:hidden:\n\na.md\nb/c.md\n```\n\nMore [text](d.md).\n")


def test_several_lists_of_contents_have_captions() -> None:
    text = "# Title\n\n## One\n\n<!-- contents -->\n- [A](a.md)\n\nTwo, three:\n\n<!-- contents -->\n- [B](b.md)\n"
    made = site().with_toctrees(text)
    assert re.findall(r":caption: (.*)\n\n(.*)\n", made) == [("One", "a.md"), ("Two, three", "b.md")]


@pytest.mark.parametrize(
    ("page", "target", "there"),
    [
        ("index", "../README.md", "start/index.md"),
        ("index", "../examples", "gallery/index.rst"),
        ("rules", "../examples/demo.py", "gallery/demo.rst"),
        ("development/testing", "../../examples/demo.py", "../gallery/demo.rst"),
        ("development/testing", "../../README.md#install", "../start/index.md"),
        ("performance", "../benchmarks/README.md", "generated/repository/benchmarks/README.md"),
        ("development/testing", "../../lagcolor/py.typed", "path:../../lagcolor/py.typed"),
        ("rules", "orders.md#ties", "orders.md#ties"),
        ("rules", "https://example.org/README.md", "https://example.org/README.md"),
    ],
)
def test_links_lead_to_pages_of_the_site(page: str, target: str, there: str) -> None:
    assert site().with_site_links(f"see [this]({target}).", page) == f"see [this]({there})."


def test_a_link_that_is_named_as_its_page_takes_the_title() -> None:
    text = "See [bench.md](bench.md#run), [a.md](path:../a.md), [b](b.md) and [d/c.md](d/c.md)."
    made = site().with_site_links(text, "index")
    assert made == "See [](bench.md#run), [a.md](path:../a.md), [b](b.md) and [](d/c.md)."


def test_every_example_is_in_the_gallery() -> None:
    assert sorted(site().EXAMPLES) == sorted(p.stem for p in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_elsewhere_have_the_right_form(page: Path) -> None:
    for target in re.findall(r"https?:[^\s)>\]\"'`]+", page.read_text()):
        parts = urlsplit(target)
        assert parts.scheme == "https" and "." in parts.netloc, target


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_anchors_are_headings(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        path, _, anchor = target.partition("#")
        to = page.parent / path if path else page
        if anchor and to.suffix == ".md":
            assert anchor in anchors(to.read_text()), (
                f"{page.name} links to {target}: {sorted(anchors(to.read_text()))}"
            )


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


def test_the_picture_of_the_readme_is_current() -> None:
    import update_pictures

    assert update_pictures.drawn(update_pictures.COLORING) == update_pictures.digest_of_coloring()
