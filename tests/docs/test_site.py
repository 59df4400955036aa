"""What the site adds to pages: links to the repository and to Colab, tables, the gallery, a check in a browser."""

from __future__ import annotations

import json
import os
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

CHECK = ROOT / "tools/site_check/check.mjs"
PUBLISHED = "https://github.com/someone/colors"


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("index", "docs/index.md"),
        ("development/testing", "docs/development/testing.md"),
        ("gallery/smoother", "examples/smoother.py"),
        ("gallery/index", "examples/README.rst"),
        ("generated/lagcolor.color", "lagcolor/api/color.py"),
        ("generated/lagcolor.derivatives.jacobian", None),
        ("generated/repository/benchmarks/README", "benchmarks/README.md"),
        ("generated/lagcolor.no_such_name", ""),
        ("genindex", ""),
    ],
)
def test_edit_links_lead_to_the_file_behind_a_page(page: str, file: str | None) -> None:
    url = site_repository.edit_url(PUBLISHED, page, ROOT)
    if file is None:
        assert re.fullmatch(rf"{PUBLISHED}/edit/main/lagcolor/.*\.py", url)
    else:
        assert url == (f"{PUBLISHED}/edit/main/{file}" if file else "")


@pytest.mark.parametrize(
    ("anchor", "right"), [("a.Order", "a.b.Order"), ("a.Order.make", "a.b.Order.make"), ("a.b.Order", "a.b.Order")]
)
def test_anchors_of_listings_are_those_of_pages(anchor: str, right: str) -> None:
    made = site_repository.with_anchors_of_pages(f'<a href="../generated/a.b.Order.html#{anchor}">')
    assert made == f'<a href="../generated/a.b.Order.html#{right}">'


def test_lists_of_modules_are_in_entries() -> None:
    made = site_repository.with_lists_in_entries("<ul><li>a</li>\n<ul><li>b</li>\n</ul><li>c</li>\n</ul>")
    assert made.replace("\n", "") == "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"


def test_links_that_need_a_repository_are_left_out_without_one() -> None:
    assert site_repository.colab_url("", "smoother") == site_repository.file_url("", "Makefile") == ""
    assert site_repository.edit_url("", "index", ROOT) == ""
    there = "https://colab.research.google.com/github/someone/colors/blob/gh-pages/notebooks/smoother.ipynb"
    assert site_repository.colab_url(PUBLISHED, "smoother") == there
    assert site_repository.file_url(PUBLISHED, "Makefile") == f"{PUBLISHED}/blob/main/Makefile"


def test_pages_of_examples_link_to_colab_after_publication(monkeypatch: pytest.MonkeyPatch) -> None:
    def colab(page: str) -> str:
        context = {"body": ""}
        conf.on_page(None, page, "page.html", context, None)
        return context["colab_url"]

    monkeypatch.setattr(conf, "REPOSITORY", PUBLISHED)
    assert colab("gallery/smoother").endswith("/notebooks/smoother.ipynb")
    assert colab("gallery/on_the_gpu") == colab("gallery/exam_timetable") == colab("index") == ""
    monkeypatch.setattr(conf, "REPOSITORY", "")
    assert colab("gallery/smoother") == ""


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


def test_no_page_offers_a_markdown_file_as_a_download() -> None:
    for page in DOCS.rglob("*.md"):
        name = str(page.relative_to(DOCS).with_suffix(""))
        assert not re.search(r"\]\(path:[^)]*\.md\)", conf.with_site_links(page.read_text(), name)), page


def test_links_of_copied_pages_lead_to_pages(tmp_path: Path) -> None:
    source = ROOT / "benchmarks/README.md"
    conf.copy_repository_page(source)
    copy = DOCS / conf.COPIES / "benchmarks/README.md"
    for target, _ in conf.LINK.findall(copy.read_text()):
        assert ":" in target or (copy.parent / target).exists(), target


def test_the_gallery_has_its_examples_by_need() -> None:
    def card(name: str) -> str:
        head = f'.. raw:: html\n\n    <div class="sphx-glr-thumbcontainer" tooltip="{name}">\n\n'
        return f"{head}  :doc:`/gallery/{name}`\n\n.. raw:: html\n\n      <div>t</div>\n    </div>\n\n"

    cards = "".join(card(name) for name in reversed(list(conf.EXAMPLES)))
    text = f"Examples\n\n{site_gallery.OPEN}{cards}{site_gallery.CLOSE}.. toctree::\n   :hidden:\n\n   /gallery/demo\n"
    made = site_gallery.by_need(text)
    assert made.startswith("Examples\n\nFirst calls\n-----------\n\n")
    assert re.findall(r":doc:`/gallery/(\w+)`", made) == list(conf.EXAMPLES)
    assert re.findall(r"^   :caption: (.*)$", made, re.MULTILINE) == list(site_gallery.GALLERY)
    assert re.findall(r"^   /gallery/(\w+)$", made, re.MULTILINE) == list(conf.EXAMPLES)
    assert made.count(site_gallery.OPEN) == made.count(site_gallery.CLOSE) == len(site_gallery.GALLERY)


def test_thumbnails_of_examples_are_current() -> None:
    import update_thumbnails

    for name in conf.EXAMPLES:
        text = (ROOT / "examples" / f"{name}.py").read_text()
        if name in update_thumbnails.THUMBNAILS:
            assert f'# sphinx_gallery_thumbnail_path = "_static/thumbnails/{name}.svg"' in text
            file = update_thumbnails.FOLDER / f"{name}.svg"
            assert file.read_text() == update_thumbnails.picture(name), "python tools/update_thumbnails.py"
        else:
            assert "plt." in text or "lagcolor.plot" in text


@pytest.mark.parametrize(
    "text", ["12", "1,234", "−0.5", "3.1e5", "12 ms", "1.9×", "87 %", "≥ 3", "5–7", "3 of 10", "1.2 (5) †", "1.2*"]
)
def test_numbers(text: str) -> None:
    assert site_tables.NUMBER.fullmatch(text)


@pytest.mark.parametrize("text", ["greedy", "2-d grid", "A 12", "grid2d_1024", "3 colors or more"])
def test_no_numbers(text: str) -> None:
    assert not site_tables.NUMBER.fullmatch(text)


def test_columns_of_numbers_are_aligned() -> None:
    core = pytest.importorskip("docutils.core")
    tree = core.publish_doctree(
        "====  ===  ====\nname  n    note\n====  ===  ====\na     1    x\nb     –    2\n====  ===  ====\n"
    )
    site_tables.align_numbers(None, tree)
    assert re.findall(r'entry[^>]*classes="number"[^>]*><paragraph>(\S+?)<', tree.asdom().toxml()) == ["n", "1", "–"]


def test_an_empty_cell_is_no_header() -> None:
    html = '<th class="head"><p></p></th><th class="head text-right"></th><th class="head"><p>a</p></th>'
    assert site_tables.without_empty_heads(html) == '<td></td><td></td><th class="head"><p>a</p></th>'


def test_a_header_without_text_is_left_out() -> None:
    html = (
        '<thead>\n<tr class="row-odd"><th class="head"></th>\n<th class="head"></th>\n</tr>\n</thead>\n<tbody></tbody>'
    )
    assert site_tables.without_empty_heads(html) == "\n<tbody></tbody>"


def test_long_names_may_be_broken_after_dots() -> None:
    code = '<code class="literal wraps"><span class="pre">core.a(x,</span> <span class="pre">y)</span></code>'
    assert site_tables.with_breaks(code + "a.b") == code.replace("core.", "core.<wbr/>") + "a.b"


def test_long_code_in_a_cell_may_wrap() -> None:
    core = pytest.importorskip("docutils.core")
    line = f"{'=' * 40}  ="
    tree = core.publish_doctree(f"{line}\n{'``lagcolor.color(x, quality)``':40}  1\n{'``x``':40}  2\n{line}\n")
    site_tables.wrap_code(None, tree)
    assert [c.astext() for c in tree.findall() if "wraps" in getattr(c, "attributes", {}).get("classes", ())] == [
        "lagcolor.color(x, quality)"
    ]


def run_check(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    command = [node, str(CHECK), *words]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, timeout=PATIENCE)


def test_the_check_is_skipped_with_a_reason(tmp_path: Path) -> None:
    done = run_check(str(tmp_path))
    assert done.returncode == 0 and done.stdout.startswith("site check skipped: "), done.stderr
    assert run_check(str(tmp_path), "--need").returncode == 1


FAULTS = {
    "wide": ('<div style="width: 3000px">wide</div>', "the page is 3000 px wide"),
    "cut": ('<div style="overflow: hidden"><p style="width: 3000px; text-align: right">a</p></div>', "text is cut"),
    "table": (
        '<div style="width: 200px"><table><tr><td style="min-width: 300px">a</td></tr></table></div>',
        "a table is wider than its container",
    ),
    "contrast": ('<p style="color: #ccc">pale</p>', "axe color-contrast"),
    "link": ('<a href="nowhere.html">x</a>', "a link leads to nowhere.html"),
    "anchor": ('<a href="index.html#nowhere">x</a>', "a link leads to index.html#nowhere"),
    "alt": ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">', "no alternative text"),
    "console": ("<script>console.error('lost')</script>", "console: lost"),
    "script": ("<script>throw new Error('torn')</script>", "error in a script: torn"),
}


def test_the_check_finds_each_kind_of_fault(tmp_path: Path) -> None:
    page = (
        '<!DOCTYPE html><html lang="en"><head><title>t</title><link rel="icon" href="data:,"><style>body{{margin:0}}'
        "</style></head><body><main><article><h1>t</h1>{}</article></main></body></html>"
    )
    (tmp_path / "index.html").write_text(page.format("<p>right</p>"))
    for name, (part, _) in FAULTS.items():
        (tmp_path / f"{name}.html").write_text(page.format(part))
    done = run_check(str(tmp_path), "--json", str(tmp_path / "report.json"))
    if done.stdout.startswith("site check skipped"):
        pytest.skip(done.stdout)
    assert done.returncode == 1
    report = json.loads((tmp_path / "report.json").read_text())
    assert sorted(report) == sorted(f"{name}.html" for name in FAULTS), report
    for name, (_, fault) in FAULTS.items():
        assert any(fault in text for text in report[f"{name}.html"]), report[f"{name}.html"]
