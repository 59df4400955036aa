"""Sphinx settings of the documentation site, and how pages that are written for a code host become pages of a site.

Pages are changed while they are read, so that the Markdown in docs/ stays plain:

- a list of links after the line ``<!-- contents -->`` is also the list of the pages below that page (a toctree);
- links to README.md lead to the first page of docs/start, and links to scripts in examples/ to their pages; a link
  whose text is the name of a page takes the title of that page;
- a link to a Markdown file outside docs/ leads to a page with its text; other files are links to the repository.

The modules in docs/_ext do the rest: site_gallery groups the examples, site_tables aligns numbers, and site_repository
has links to the repository and notebooks for Colab.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in (".", "docs/_ext", "tests", "tools")]

import site_repository  # noqa: E402
import site_tables  # noqa: E402
from site_gallery import EXAMPLES, ON_GPU, by_need, on_example  # noqa: E402

import lagcolor  # noqa: E402

# The workflow that publishes the site sets it. Without it, links to the repository and to Colab are left out.
REPOSITORY = os.environ.get("LAGCOLOR_REPOSITORY", "")

project = "lagcolor"
author = "lagcolor contributors"
project_copyright = "lagcolor contributors"
version = release = lagcolor.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery/*.ipynb", "gallery/*.py", "sg_execution_times.rst", "gallery/sg_execution_times.rst"]
templates_path = ["_templates"]
language = "en"
# `x` in a docstring is a name of the library if there is one, else code; other references must lead somewhere.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*")]

autosummary_generate = True
autodoc_typehints = "none"  # the sections of the docstrings say more
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # _templates/autosummary/class.rst lists them, with a page for each class
numpydoc_xref_param_type = False

myst_heading_anchors = 4
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold objects

toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "lagcolor"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "logo": {"text": "lagcolor", "image_light": "_static/logo-light.svg", "image_dark": "_static/logo-dark.svg"},
    "icon_links": [{"name": "Repository", "url": REPOSITORY, "icon": "fa-brands fa-github"}] if REPOSITORY else [],
    "navbar_start": ["navbar-logo", "version"],
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "show_prev_next": False,
    "article_header_end": ["colab"],
    # Examples have no sidebar at the right: their lines of code need the width.
    "secondary_sidebar_items": {"**": ["page-toc", "edit-page"]} | {f"gallery/{name}": [] for name in EXAMPLES},
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "comparison": []}

# A copied text has no prompts and no output, but continuation lines.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"


class GalleryOrder:
    """Sort key of sphinx-gallery: the place in EXAMPLES."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, name: str) -> int:
        return list(EXAMPLES).index(Path(name).stem)


sphinx_gallery_conf: dict[str, Any] = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": "/(" + "|".join(name for name, run in EXAMPLES.items() if run) + r")\.py$",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": GalleryOrder,
    "reset_modules": ("matplotlib", on_example),
    "reset_modules_order": "both",
    "doc_module": ("lagcolor",),
    "backreferences_dir": "generated/backreferences",
    "capture_repr": (),
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
}

CONTENTS = re.compile(r"^<!-- contents -->\n+((?:(?:[-*] |  ).*\n)+)", re.MULTILINE)
TITLE = re.compile(r"(?:^|\n)(?:#+ )?([^\n]+?):?\n+$")  # the line before a list
CODE = re.compile(r"^(```python\n.*?)\n\n+```$", re.MULTILINE | re.DOTALL)  # with blank lines at its end
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
NAMED_PAGE = re.compile(r"\[[\w/]+\.md\]\((?!path:)")
README_PAGE = "start/index"  # where links to README.md lead
COPIES = "generated/repository"  # pages with the text of Markdown files that are outside docs/


def setup(app: Any) -> None:
    """Handlers of Sphinx's events."""
    app.connect("builder-inited", copy_repository_pages)
    app.connect("source-read", on_read)
    app.connect("doctree-read", site_tables.align_numbers)
    app.connect("doctree-read", site_tables.wrap_code)
    app.connect("html-page-context", on_page)
    app.connect("viewcode-follow-imported", module_of_class)
    app.connect("build-finished", on_end)


def module_of_class(app: Any, module: str | None, name: str) -> str | None:
    """Sphinx's event: the module with the source of a class, whose `__module__` is where users import it."""
    thing = getattr(importlib.import_module(module), name, None) if module else None  # tables have no module
    return site_repository.module_of(thing) if isinstance(thing, type) else None


def on_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Sphinx's event: the context of a page's template."""
    context["edit_url"] = site_repository.edit_url(REPOSITORY, page, ROOT)
    example = page.removeprefix("gallery/")
    context["colab_url"] = site_repository.colab_url(REPOSITORY, example) if example in for_colab() else ""
    if "body" in context:
        context["body"] = site_tables.with_breaks(site_tables.without_empty_heads(context["body"]))
    if page == "_modules/index":
        context["body"] = site_repository.with_lists_in_entries(context["body"])
    elif page.startswith("_modules/"):
        context["body"] = site_repository.with_anchors_of_pages(context["body"])


def on_end(app: Any, error: Exception | None) -> None:
    """Sphinx's event: writes notebooks next to the pages."""
    if error is None and app.builder.format == "html":
        site_repository.write_notebooks(
            ROOT / "docs/gallery", Path(app.outdir) / site_repository.NOTEBOOKS, for_colab(), REPOSITORY
        )


def for_colab() -> list[str]:
    """Examples that Colab can run."""
    return [
        name
        for name, run in EXAMPLES.items()
        if run and name not in ON_GPU and site_repository.runs_in_colab(ROOT / "examples" / f"{name}.py")
    ]


def on_read(app: Any, page: str, source: list[str]) -> None:
    """Sphinx's event: `source` has the text of a page, and is given another."""
    if page == "gallery/index":
        source[0] = by_need(source[0])
    if Path(app.env.doc2path(page)).suffix != ".md":
        return
    source[0] = with_toctrees(with_site_links(CODE.sub(r"\1\n```", source[0]), page))


def with_site_links(text: str, page: str) -> str:
    """Links to what has a page of the site lead there, not to the file."""
    up = "../" * page.count("/")

    def link(match: re.Match[str]) -> str:
        target = match[1].removeprefix(up) if match[1].startswith(up + "../") else ""
        if target == "../README.md":
            return f"]({up}{README_PAGE}.md)"
        if target.rstrip("/") == "../examples":
            return f"]({up}gallery/index.rst)"
        if example := re.fullmatch(r"\.\./examples/(\w+)\.py", target):
            return f"]({up}gallery/{example[1]}.rst)"
        if not target:
            return match[0]
        file = target.removeprefix("../")
        if file.endswith(".md"):
            return f"]({up}{COPIES}/{file}{match[2] or ''})"
        return f"]({site_repository.file_url(REPOSITORY, file) or 'path:' + match[1]})"

    return NAMED_PAGE.sub("[](", LINK.sub(link, text))


def with_toctrees(text: str) -> str:
    """Behind each list of contents the toctree of its links; several lists of a page have captions in the sidebar."""
    several = len(CONTENTS.findall(text)) > 1

    def toctree(match: re.Match[str]) -> str:
        pages = "\n".join(target for target, _ in LINK.findall(match[1]))
        title = TITLE.search(text[: match.start()]) if several else None
        caption = f":caption: {title[1]}\n" if title else ""
        return f"{match[1]}\n```{{toctree}}\n:hidden:\n{caption}\n{pages}\n```\n"

    return CONTENTS.sub(toctree, text)


def copy_repository_pages(app: Any) -> None:
    """Pages for the Markdown files outside docs/ that pages link to."""
    files = [file for page in sorted((ROOT / "docs").rglob("*.md")) for file in linked_files(page)]
    files += linked_files(ROOT / "README.md")
    copied: set[Path] = set()
    while files:
        file = files.pop()
        if file not in copied:
            copied.add(file)
            files += linked_files(file)
            copy_repository_page(file)


def linked_files(page: Path) -> list[Path]:
    """Markdown files outside docs/, but for README.md, that a page links to."""
    targets = [(page.parent / target).resolve() for target, _ in LINK.findall(page.read_text()) if ":" not in target]
    known = (ROOT / "docs", ROOT / "README.md")
    return [t for t in targets if t.suffix == ".md" and t.is_file() and not any(t.is_relative_to(k) for k in known)]


def copy_repository_page(file: Path) -> None:
    """The page of one file, with its links relative to the page."""
    copy = ROOT / "docs" / COPIES / file.relative_to(ROOT)

    def link(match: re.Match[str]) -> str:
        if ":" in match[1]:
            return match[0]
        target = os.path.relpath((file.parent / match[1]).resolve(), copy.parent)
        return f"]({target}{match[2] or ''})"

    text = f"---\norphan: true\n---\n\n{LINK.sub(link, file.read_text())}"
    if not copy.exists() or copy.read_text() != text:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
