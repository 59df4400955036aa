"""Sphinx settings of the documentation site, and how pages that are written for a code host become pages of a site.

Two things are made while pages are read, so that the Markdown in docs/ stays plain:

- a list of links after the line ``<!-- contents -->`` is also the list of the pages below that page (a toctree);
- links to README.md lead to the first page of docs/start, and links to scripts in examples/ to their pages; a link
  whose text is the name of a page takes the title of that page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import lagcolor  # noqa: E402

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
html_copy_source = False
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "comparison": []}

# Examples in the order of the gallery; those that are True are run and shown with what they print. The others need a
# GPU, take long or write files, or show times alone, which differ from run to run and machine to machine.
EXAMPLES = {
    "networkx_backend": False,
    "scipy_least_squares": True,
    "jax_hessian": True,
    "pytensor_jacobian": False,
    "smoother": True,
    "poisson_cg": True,
    "probing_a_diagonal": True,
    "mesh_assembly": True,
    "contact_solver": True,
    "exam_timetable": True,
    "round_robin": True,
    "circuit_layers": True,
    "communication_rounds": True,
    "pauli_groups": True,
    "dimacs_comparison": True,
    "large_graph": False,
    "edges_in_many_files": True,
    "coloring_in_a_loop": False,
    "changing_graph": True,
    "networkx_labels": True,
    "file_and_save": False,
    "on_the_gpu": False,
    "gpu_jacobian": False,
    "compare_orders": False,
    "luby_by_hand": False,
    "frontier_by_hand": False,
    "elementwise_kernels": False,
    "osama_hash": True,
    "feluca_by_hand": True,
    "che_hybrid": True,
    "ecl_gc_shortcuts": True,
    "ipgc_worklist": True,
    "compare_with_graphblas": False,
    "demo": False,
}


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
    "doc_module": ("lagcolor", "semirings"),
    "backreferences_dir": "generated/backreferences",
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
}

CONTENTS = re.compile(r"^<!-- contents -->\n+((?:(?:[-*] |  ).*\n)+)", re.MULTILINE)
CODE = re.compile(r"^(```python\n.*?)\n\n+```$", re.MULTILINE | re.DOTALL)  # with blank lines at its end
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
NAMED_PAGE = re.compile(r"\[[\w/]+\.md\]\((?!path:)")
README_PAGE = "start/index"  # where links to README.md lead


def setup(app: Any) -> None:
    """What is done to a page before it is parsed."""
    app.connect("source-read", on_read)


def on_read(app: Any, page: str, source: list[str]) -> None:
    """Sphinx's event: `source` has the text of a page, and is given another."""
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
        return f"](path:{match[1]})" if target else match[0]  # outside docs/ there are no pages: the file itself

    return NAMED_PAGE.sub("[](", LINK.sub(link, text))


def with_toctrees(text: str) -> str:
    """Behind each list of contents the toctree of its links."""

    def toctree(match: re.Match[str]) -> str:
        pages = "\n".join(target for target, _ in LINK.findall(match[1]))
        return f"{match[1]}\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"

    return CONTENTS.sub(toctree, text)
