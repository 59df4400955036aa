"""What docs/conf.py changes in pages: links and lists of contents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from docs_site import DOCS, ROOT, site

conf = site()
import site_gallery  # noqa: E402  docs/conf.py puts docs/_ext on the path
import site_repository  # noqa: E402

PUBLISHED = "https://github.com/someone/colors"


def test_lists_of_contents_become_toctrees() -> None:
    text = (
        "# Title\n\n## One\n\n<!-- contents -->\n- [A](a.md): one,\n  two\n\nTwo:\n\n<!-- contents -->\n- [B](b.md)\n"
    )
    made = conf.with_toctrees(text)
    assert re.findall(r":caption: (.*)\n\n(.*)\n", made) == [("One", "a.md"), ("Two", "b.md")]


@pytest.mark.parametrize(
    ("page", "target", "there"),
    [
        ("index", "../README.md", "start/index.md"),
        ("index", "../examples", "gallery/index.rst"),
        ("development/testing", "../../examples/demo.py", "../gallery/demo.rst"),
        ("development/testing", "../../README.md#install", "../start/index.md"),
        ("performance", "../benchmarks/README.md", "generated/repository/benchmarks/README.md"),
        ("development/testing", "../../lagcolor/py.typed", "path:../../lagcolor/py.typed"),
        ("rules", "orders.md#ties", "orders.md#ties"),
    ],
)
def test_links_lead_to_pages_of_the_site(page: str, target: str, there: str) -> None:
    assert conf.with_site_links(f"see [this]({target}).", page) == f"see [this]({there})."


def test_no_page_offers_a_markdown_file_as_a_download() -> None:
    for page in DOCS.rglob("*.md"):
        name = str(page.relative_to(DOCS).with_suffix(""))
        assert not re.search(r"\]\(path:[^)]*\.md\)", conf.with_site_links(page.read_text(), name)), page
    conf.copy_repository_page(ROOT / "benchmarks/README.md")
    copy = DOCS / conf.COPIES / "benchmarks/README.md"
    for target, _ in conf.LINK.findall(copy.read_text()):
        assert ":" in target or (copy.parent / target).exists(), target


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("development/testing", "docs/development/testing.md"),
        ("gallery/smoother", "examples/smoother.py"),
        ("generated/lagcolor.color", "lagcolor/api/color.py"),
        ("generated/lagcolor.Coloring", "lagcolor/api/result.py"),
        ("generated/lagcolor.GraphError", "lagcolor/base/errors.py"),
        ("generated/repository/benchmarks/README", "benchmarks/README.md"),
        ("genindex", ""),
    ],
)
def test_edit_links_lead_to_the_file_behind_a_page(page: str, file: str) -> None:
    assert site_repository.edit_url(PUBLISHED, page, ROOT) == (f"{PUBLISHED}/edit/main/{file}" if file else "")
    assert site_repository.edit_url("", page, ROOT) == site_repository.colab_url("", page) == ""


def test_notebooks_open_in_colab_and_install_the_extras_that_they_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conf, "REPOSITORY", PUBLISHED)
    found = {}
    for page in ("gallery/smoother", "gallery/on_the_gpu", "index"):
        context = {"body": ""}
        conf.on_page(None, page, "page.html", context, None)
        found[page] = context["colab_url"]
    assert found.pop("gallery/smoother").endswith("/someone/colors/blob/gh-pages/notebooks/smoother.ipynb")
    assert set(found.values()) == {""}
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["``pip install 'lagcolor[graphblas,plot]'``."]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    site_repository.write_notebooks(tmp_path, tmp_path / "out", ["a"], PUBLISHED)
    first, second = json.loads((tmp_path / "out" / "a.ipynb").read_text())["cells"]
    assert second == cell and first["source"][1] == '%pip install --quiet "lagcolor[graphblas,plot]"'
    assert f'"lagcolor[graphblas,plot] @ git+{PUBLISHED}"' in first["source"][0]


def test_the_gallery_has_every_example() -> None:
    assert sorted(site_gallery.EXAMPLES) == sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
