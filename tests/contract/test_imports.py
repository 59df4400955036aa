"""What importing needs; that public names are what docs/reference says, with the signatures that public.json keeps."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import public

FOLDER = Path(__file__).parent
MODULES = {module for module, _ in public.listed()}
OPTIONAL = (
    "asdex", "cupy", "cupyx", "dask", "distributed", "gcol", "graphblas", "igraph", "jax", "matplotlib", "networkx",
    "pandas", "polars", "psutil", "pyamg", "pyarrow", "pysat", "rich", "rustworkx", "shtab", "suitesparse_graphblas",
    "torch",
)  # fmt: skip
WITHOUT = f"""
import sys
sys.modules |= dict.fromkeys({OPTIONAL!r}, None)
import numpy as np, scipy.sparse as sp
import lagcolor
import semirings
assert not lagcolor.has_gpu()
A = sp.csr_array(np.ones((4, 4)) - np.eye(4)) + 5 * sp.eye_array(4)
assert lagcolor.color(A, quality="balanced", verify=True).n_colors == 4
assert lagcolor.color(lagcolor.generate.path(9), "jones_plassmann", verify=True).n_colors <= 3
assert lagcolor.derivatives.hessian(A).n_colors == lagcolor.derivatives.jacobian(A).n_colors == 4
assert lagcolor.solvers.multicolor_sor(A).shape == (4, 4)
assert lagcolor.pauli.group(["XX", "ZZ"], "general").n_groups == 1
for name in ("luby_is", "luby_is_graphblas"):
    try:
        lagcolor.color(A, name)
    except ImportError as e:
        assert "lagcolor[graphblas]" in str(e)
    else:
        raise AssertionError(f"{{name}} ran without python-graphblas")
"""

NEEDS = {
    "lagcolor.derivatives.jax": "lagcolor.derivatives.jax needs jax: pip install 'lagcolor[jax]'",
    "lagcolor.derivatives.asdex": "lagcolor.derivatives.asdex needs asdex: pip install 'lagcolor[jax]'",
    "lagcolor.scale.dask": "lagcolor.scale.dask needs distributed: pip install 'lagcolor[dask]'",
    "lagcolor.plot.class_sizes": "a picture needs matplotlib: pip install 'lagcolor[plot]'",
    "semirings.engine": "engine 'cpu' needs python-graphblas: pip install 'lagcolor[graphblas]'",
    "lagcolor.color": "masked linear algebra on a CPU needs graphblas: pip install 'lagcolor[graphblas]'",
}
MISSING = f"""
import importlib
import lagcolor.plot
calls = {{
    "lagcolor.plot.class_sizes": lambda: lagcolor.plot.class_sizes([1, 2]),
    "semirings.engine": lambda: semirings.engine("cpu"),
    "lagcolor.color": lambda: lagcolor.color([(0, 1)], "luby_mis"),
}}
for name in {list(NEEDS)!r}:
    try:
        (calls.get(name) or (lambda: importlib.import_module(name)))()
    except ImportError as e:
        print(e)
"""


def test_nothing_optional_is_needed() -> None:
    """A call that needs an optional package names its extra."""
    done = subprocess.run([sys.executable, "-c", WITHOUT + MISSING], stdout=subprocess.PIPE, text=True, check=True)
    for message, wanted in zip(done.stdout.splitlines(), NEEDS.values(), strict=True):
        assert message.startswith(wanted)


def test_a_package_that_misses_another_says_so(tmp_path: Path) -> None:
    """The extra is installed: the error is Python's own."""
    (tmp_path / "matplotlib.py").write_text("import no_such_package\n")
    text = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import lagcolor.plot; lagcolor.plot.class_sizes([1, 2])"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'no_such_package'\n")


def test_an_import_of_lagcolor_loads_no_other_package() -> None:
    text = "import sys; import lagcolor; print({m.partition('.')[0] for m in sys.modules} - sys.stdlib_module_names)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    loaded = {name for name in ast.literal_eval(done.stdout) if not name.startswith("_")}
    assert "lagcolor" in loaded
    assert loaded.isdisjoint({*OPTIONAL, "numpy", "scipy", "numba"})
    text = "import sys; import lagcolor; lagcolor.color; print({'numba', 'llvmlite'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_public_names_are_as_they_were() -> None:
    """`python tests/contract/public.py --keep` stores intended changes."""
    assert public.compare(json.loads(public.STORED.read_text()), public.now()) == []


@pytest.mark.parametrize("module", sorted(MODULES))
def test_classes_name_the_module_that_users_import(module: str) -> None:
    """Tracebacks, reprs and pickles have it."""
    things = [getattr(importlib.import_module(module), name) for where, name in public.listed() if where == module]
    classes = [thing for thing in things if isinstance(thing, type)]
    assert {cls.__qualname__: cls.__module__ for cls in classes} == {cls.__qualname__: module for cls in classes}
    assert [pickle.loads(pickle.dumps(cls)) for cls in classes] == classes
    for cls in classes:  # Python finds the source of a class, or none, and not other lines of the module
        with contextlib.suppress(OSError):
            assert f"class {cls.__name__}" in inspect.getsource(cls)


def inner(tree: ast.AST) -> Iterator[str]:
    """Return the non-public names that a file uses: our modules and names, and attributes with an underscore."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            if re.match("_[^_]", node.attr):
                yield ast.unparse(node)
            names = re.findall(r"^[\w.]+$", ast.unparse(node))
        yield from (name for name in names if name.partition(".")[0] in public.OURS and not is_public(name))


def is_public(name: str) -> bool:
    """Whether it is in docs/reference, or the way to or from what is there."""
    whole = {f"{module}.{entry}" for module, entry in public.listed()} | MODULES
    return any(x == name or x.startswith(f"{name}.") for x in whole) or any(
        name.startswith(f"{x}.") for x in whole - MODULES
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_contract_uses_public_names_alone(path: Path) -> None:
    assert list(inner(ast.parse(path.read_text()))) == []
