"""Links from the site to the repository: the source of a page, other files, and notebooks in Colab."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

BRANCH = "main"
NOTEBOOKS = "notebooks"  # folder of the site; .github/workflows/docs.yml pushes the site to the branch gh-pages


def edit_url(repository: str, page: str, root: Path, suffix: str = ".md") -> str:
    """The editor of the file behind a page, or "" for a page without a file of its own, or without a repository."""
    if page.startswith("gallery/"):
        file = f"examples/{page.removeprefix('gallery/')}.py"
        file = "examples/README.rst" if page == "gallery/index" else file
    elif page.startswith("generated/repository/"):
        file = f"{page.removeprefix('generated/repository/')}.md"
    elif page.startswith("generated/"):
        file = _file_of(page.rpartition("/")[2], root)
    else:
        file = f"docs/{page}{suffix}"
    return f"{repository}/edit/{BRANCH}/{file}" if repository and file and (root / file).is_file() else ""


def module_of(thing: Any) -> str:
    """The module with the source of a class or function. `__module__` of a class is where users import it."""
    head = re.compile(rf"^class {thing.__name__}\b", re.MULTILINE)
    ours = (
        [name for name in sys.modules if re.match(r"(lagcolor|semirings)\b", name)] if isinstance(thing, type) else []
    )
    for name in ours:
        module = sys.modules[name]
        if vars(module).get(thing.__name__) is thing and head.search(inspect.getsource(module)):
            return name
    return str(thing.__module__)


def _file_of(name: str, root: Path) -> str:
    """The source file of a public name, relative to the repository."""
    module, _, attribute = name.rpartition(".")
    try:
        thing = getattr(importlib.import_module(module), attribute)
        source = importlib.import_module(module_of(thing)).__file__  # also where a decorator is from elsewhere
        return str(Path(source or "").resolve().relative_to(root))
    except (ImportError, AttributeError, ValueError):
        return ""


def with_anchors_of_pages(body: str) -> str:
    """Links from listings of source code: viewcode takes one prefix for all names of a module, which may have two."""

    def link(match: re.Match[str]) -> str:
        page, name = match[1], match[1].rpartition(".")[2]
        _, found, member = f".{match[2]}.".partition(f".{name}.")
        return f"generated/{page}.html#{page}{'.' if found and member else ''}{member.rstrip('.')}"

    return re.sub(r"generated/([\w.]+)\.html#([\w.]+)", link, body)


def with_lists_in_entries(body: str) -> str:
    """The list of modules, where viewcode writes a list between the entries of another one."""
    text, lists, end = re.sub(r"</li>\s*<ul>", "<ul>", body).rpartition("</ul>")
    return re.sub(r"</ul>", "</ul></li>", text) + lists + end


def file_url(repository: str, path: str) -> str:
    """A file of the repository, or "" without one."""
    return f"{repository}/blob/{BRANCH}/{path}" if repository else ""


def colab_url(repository: str, example: str) -> str:
    """The notebook of an example in Colab, which reads it from the published site; "" without a repository."""
    if not repository:
        return ""
    name = repository.removeprefix("https://github.com/")
    return f"https://colab.research.google.com/github/{name}/blob/gh-pages/{NOTEBOOKS}/{example}.ipynb"


def runs_in_colab(script: Path) -> bool:
    """Whether an example that runs on a CPU needs no file of the repository."""
    return '"data"' not in script.read_text()


def write_notebooks(gallery: Path, target: Path, examples: list[str], repository: str) -> None:
    """Copies of notebooks, each with a first cell that installs what it names."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in examples:
        notebook = json.loads((gallery / f"{name}.ipynb").read_text())
        notebook["cells"].insert(0, _install_cell(json.dumps(notebook), repository))
        (target / f"{name}.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")


def _install_cell(text: str, repository: str) -> dict[str, Any]:
    """The installation from PyPI with the extras that the example names; how to install a version that is not there."""
    named = re.search(r"pip install 'lagcolor(\[[\w,]+\])", text)
    chosen = named[1] if named else ""
    other = f"lagcolor{chosen} @ git+{repository}" if repository else f".{chosen}"
    where = "Before the release" if repository else "In a checkout"
    lines = [f'# {where}: %pip install --quiet "{other}"\n', f'%pip install --quiet "lagcolor{chosen}"']
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}
