"""What docs/conf.py changes in pages: links, lists of contents, the gallery, notebooks and tables."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from docs_site import DOCS, ROOT, site
from waiting import PATIENCE

conf = site()
import site_gallery  # noqa: E402  docs/conf.py puts docs/_ext on the path
import site_repository  # noqa: E402
import site_tables  # noqa: E402

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
        ("generated/repository/benchmarks/README", "benchmarks/README.md"),
        ("genindex", ""),
    ],
)
def test_edit_links_lead_to_the_file_behind_a_page(page: str, file: str) -> None:
    assert site_repository.edit_url(PUBLISHED, page, ROOT) == (f"{PUBLISHED}/edit/main/{file}" if file else "")
    assert site_repository.edit_url("", page, ROOT) == site_repository.colab_url("", page) == ""


def test_pages_of_examples_link_to_colab_after_publication(monkeypatch: pytest.MonkeyPatch) -> None:
    def colab(page: str) -> str:
        context = {"body": ""}
        conf.on_page(None, page, "page.html", context, None)
        return context["colab_url"]

    monkeypatch.setattr(conf, "REPOSITORY", PUBLISHED)
    assert colab("gallery/smoother").endswith("/someone/colors/blob/gh-pages/notebooks/smoother.ipynb")
    assert colab("gallery/on_the_gpu") == colab("index") == ""


@pytest.mark.parametrize(
    ("repository", "other"),
    [
        (PUBLISHED, f'# Before the release: %pip install --quiet "lagcolor[graphblas,plot] @ git+{PUBLISHED}"\n'),
        ("", '# In a checkout: %pip install --quiet ".[graphblas,plot]"\n'),
    ],
)
def test_notebooks_install_the_extras_that_they_name(tmp_path: Path, repository: str, other: str) -> None:
    text = "Install: ``pip install 'lagcolor[graphblas,plot]'``."
    cell = {"cell_type": "markdown", "metadata": {}, "source": [text]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    site_repository.write_notebooks(tmp_path, tmp_path / "out", ["a"], repository)
    cells = json.loads((tmp_path / "out/a.ipynb").read_text())["cells"]
    assert [c["source"] for c in cells] == [[other, '%pip install --quiet "lagcolor[graphblas,plot]"'], [text]]


def test_the_gallery_has_its_examples_by_need() -> None:
    assert sorted(conf.EXAMPLES) == sorted(p.stem for p in (ROOT / "examples").glob("*.py"))

    def card(name: str) -> str:
        head = f'.. raw:: html\n\n    <div class="sphx-glr-thumbcontainer" tooltip="{name}">\n\n'
        return f"{head}  :doc:`/gallery/{name}`\n\n.. raw:: html\n\n      <div>t</div>\n    </div>\n\n"

    cards = "".join(card(name) for name in reversed(list(conf.EXAMPLES)))
    text = f"Examples\n\n{site_gallery.OPEN}{cards}{site_gallery.CLOSE}.. toctree::\n   :hidden:\n\n   /gallery/demo\n"
    made = site_gallery.by_need(text)
    assert re.findall(r":doc:`/gallery/(\w+)`", made) == list(conf.EXAMPLES)
    assert re.findall(r"^   :caption: (.*)$", made, re.MULTILINE) == list(site_gallery.GALLERY)
    assert re.findall(r"^   /gallery/(\w+)$", made, re.MULTILINE) == list(conf.EXAMPLES)


def test_tables_of_numbers() -> None:
    for text in ("12", "1,234", "−0.5", "12 ms", "1.9×", "87 %", "5–7", "3 of 10", "1.2 (5) †"):
        assert site_tables.NUMBER.fullmatch(text), text
    for text in ("greedy", "2-d grid", "A 12", "grid2d_1024", "3 colors or more"):
        assert not site_tables.NUMBER.fullmatch(text), text
    core = pytest.importorskip("docutils.core")
    tree = core.publish_doctree(
        "====  ===  ====\nname  n    note\n====  ===  ====\na     1    x\nb     –    2\n====  ===  ====\n"
    )
    site_tables.align_numbers(None, tree)
    assert re.findall(r'entry[^>]*classes="number"[^>]*><paragraph>(\S+?)<', tree.asdom().toxml()) == ["n", "1", "–"]


def test_the_check_of_the_site_is_skipped_with_a_reason(tmp_path: Path) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("needs Node.js")
    command = [node, str(ROOT / "tools/site_check/check.mjs"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and done.stdout.startswith("site check skipped: "), done.stderr
