"""Imports run one way: no module needs another that needs it, inside functions and for type checkers included."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("lagcolor", "semirings")
    for path in (ROOT / package).rglob("*.py")
}
# A folder imports from those in its own line and in lines above it here, which are the layers below it. The tables of
# public names, lagcolor and lagcolor.io, stand above what they name.
LAYERS = (
    ("semirings", "lagcolor.semirings"),
    ("lagcolor.base",),
    ("lagcolor.inputs",),
    ("lagcolor.io.",),
    ("lagcolor.graph",),
    ("lagcolor.generate",),
    ("lagcolor.problems", "lagcolor.orders"),
    ("lagcolor.frontier",),
    ("lagcolor.engines",),
    ("lagcolor.search",),
    ("lagcolor.algorithms",),
    ("lagcolor.api",),
    ("lagcolor.io",),
    (
        "lagcolor.derivatives",
        "lagcolor.solvers",
        "lagcolor.mesh",
        "lagcolor.pauli",
        "lagcolor.networkx",
        "lagcolor.scale",
    ),
    ("lagcolor.plot",),
    ("lagcolor.cli",),
    ("lagcolor.__main__",),
)


@functools.cache
def tree(module: str) -> ast.AST:
    return ast.parse(MODULES[module].read_text())


def statements(node: ast.AST, typed: bool = True) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports anywhere in a module; with `typed` also those for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if not typed and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        yield from statements(child, typed)


@functools.cache
def imported(module: str, typed: bool = False) -> set[str]:
    """Modules of ours that a module names in its imports; not the packages that hold these."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in statements(tree(module), typed and module not in ("lagcolor", "lagcolor.io")):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
            continue
        parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        source = ".".join([*parts, *([node.module] if node.module else [])])
        found |= {f"{source}.{n.name}" if f"{source}.{n.name}" in MODULES else source for n in node.names}
    return (found | by_name(module)) & set(MODULES) - {module}


# The tables that import by name what is above them: public names, and the algorithms that register themselves.
TABLES = ("lagcolor", "lagcolor.io", "lagcolor.problems.registry", "lagcolor.api")
LOADS = re.compile(r"import_module$|\bload$")


def by_name(module: str) -> set[str]:
    """Yield the modules that calls of `import_module` and `load` may import: text in the module, or a computed name."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    nodes = [] if module in TABLES else list(ast.walk(tree(module)))
    calls = [x for x in nodes if isinstance(x, ast.Call) and x.args and LOADS.search(ast.unparse(x.func))]
    homes = [x.args[0] for x in nodes if isinstance(x, ast.Call) and ast.unparse(x.func) == "imported_from"]
    strings = [x.value for x in nodes if isinstance(x, ast.Constant) and isinstance(x.value, str) and x not in homes]
    texts = {text.partition(":")[0] for text in strings}
    return {name_of(call.args[0], text, package) for call in calls for text in texts}


def name_of(node: ast.expr, text: str, package: str) -> str:
    """The module that an argument names where its variable part is `text`."""
    name = text
    if isinstance(node, ast.JoinedStr):
        text = text.lstrip(".")  # endings of files are no modules
        name = "".join(
            part.value if isinstance(part, ast.Constant) else package if "__package__" in ast.unparse(part) else text
            for part in node.values
        )
    bare = name.lstrip(".")
    up = len(name) - len(bare) - 1
    return bare if up < 0 else ".".join([*package.split(".")[: len(package.split(".")) - up], bare])


def circles(edges: dict[str, set[str]]) -> list[str]:
    """Return the modules that remain after removing modules without imports or importers, repeatedly."""
    left = dict(edges)
    while True:
        needed = {m for found in left.values() for m in found if m in left}
        cyclic = {m: found for m, found in left.items() if m in needed and found & set(left)}
        if len(cyclic) == len(left):
            return sorted(left)
        left = cyclic


def test_no_circles() -> None:
    assert circles({module: imported(module, typed=True) for module in MODULES}) == []


def layer_of(module: str) -> int:
    """The layer whose prefix is the longest that fits; one that ends in a dot fits what is below it alone."""
    fits = [
        (len(p), i)
        for i, layer in enumerate(LAYERS)
        for p in layer
        if module == p or module.startswith(f"{p.rstrip('.')}.")
    ]
    return max(fits)[1]


def test_arrows_run_one_way() -> None:
    below = MODULES.keys() - {"lagcolor"}
    pairs = [(m, up) for m in sorted(below) for up in imported(m, typed=True) & below]
    assert [(m, up) for m, up in pairs if layer_of(up) > layer_of(m)] == []


def test_the_library_imports_nothing_that_is_not_installed() -> None:
    """Scripts of the checkout import the library, never the other way."""
    outside = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"lagcolor", "semirings"}
    found = []
    for module in MODULES:
        for node in statements(tree(module)):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            tops = [name.partition(".")[0] for name in names]
            found += [(module, top) for top in tops if top in outside and not getattr(node, "level", 0)]
    assert "benchmarks" in outside and not found


PAPERS = "lagcolor.algorithms."


def paper_of(module: str) -> str | None:
    """The module or folder of `lagcolor.algorithms` that a module is in."""
    return module.removeprefix(PAPERS).partition(".")[0] if module.startswith(PAPERS) else None


def test_each_paper_can_be_deleted() -> None:
    """Nothing imports a paper's module or folder but itself, and a method of `reduce` that is a paper's."""
    pairs = {(m, other) for m in MODULES.keys() - {"lagcolor"} for other in imported(m, typed=True) if paper_of(other)}
    found = {(m, paper_of(other)) for m, other in pairs if paper_of(m) != paper_of(other)}
    assert found == {("lagcolor.api.reduce", "ecl_gc")}


def test_no_paper_includes_another() -> None:
    """CUDA sources and headers outside a paper's module or folder include none of its headers."""
    papers = ROOT / "lagcolor" / "algorithms"
    found = []
    for source in sorted([*(ROOT / "lagcolor").rglob("*.cu"), *(ROOT / "lagcolor").rglob("*.cuh")]):
        inside = source.relative_to(papers).parts[0].split(".")[0] if source.is_relative_to(papers) else None
        for name in re.findall(r'#include "algorithms/(\w+)', source.read_text()):
            if inside is None or not (name == inside or name.startswith(f"{inside}_")):
                found.append(f"{source.relative_to(ROOT)} includes algorithms/{name}")
    assert not found


def test_the_default_needs_no_paper() -> None:
    """`color` without an algorithm works where no module of the other folders can be imported."""
    code = """
import sys
sys.modules |= dict.fromkeys(("lagcolor.algorithms", "lagcolor.frontier"), None)
import lagcolor
assert lagcolor.color(lagcolor.generate.from_spec("path:9"), verify=True).n_colors == 2
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
