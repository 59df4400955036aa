"""Docstrings of public names: numpydoc's checks, and `x` described in the same words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from contract.public import members
from docs_site import ROOT, public, stable_functions
from numpydoc.validate import Validator, validate

import lagcolor

LEFT_OUT = {
    "ES01": "a summary is enough for most names",
    "EX01": "test_docs requires examples of stable functions",
    "SA01": "only the functions in MAIN need See Also",
    "GL01": "the text begins on the line of the quotes, as everywhere in this code",
    "SS02": "a summary may begin with a formula, such as w = op(u, v)",
}
MAIN = [
    "lagcolor.color", "lagcolor.reduce", "lagcolor.balance", "lagcolor.equitable", "lagcolor.recolor",
    "lagcolor.verify",
    "lagcolor.color_implicit", "lagcolor.color_pairs", "lagcolor.convert",
    "lagcolor.derivatives.jacobian", "lagcolor.derivatives.hessian", "lagcolor.derivatives.fd_jacobian",
    "lagcolor.io.read", "lagcolor.io.write", "lagcolor.io.read_coloring", "lagcolor.io.write_coloring",
    "lagcolor.mesh.color_elements", "lagcolor.mesh.color_edges", "lagcolor.mesh.color_facets",
    "lagcolor.mesh.color_nodes", "lagcolor.pauli.group", "lagcolor.solvers.multicolor_sor",
    "lagcolor.solvers.multicolor_ilu0", "lagcolor.solvers.multicolor_ic0", "lagcolor.solvers.multicolor_dilu",
]  # fmt: skip
# Of a class: its Attributes section documents the parameters of a dataclass; exceptions take a message.
OF_CLASSES = {"PR01", "PR02"}
# Of a method or property with a docstring of one line, which says what it returns; a class names the parameters
# that its methods share.
OF_SHORT_METHODS = {"PR01", "RT01", "YD01", "SS05"}


def documented() -> Iterator[tuple[str, Any, bool]]:
    """Name, object, and whether it is a member of a class, for public functions, classes and their public members."""
    for name, thing in public():
        if inspect.isclass(thing):
            yield name, thing, False
            for member, value in vars(thing).items():
                function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                if not member.startswith("_") and inspect.isfunction(function) and function.__name__ == member:
                    yield f"{name}.{member}", function, True
        elif inspect.isfunction(thing):
            yield name, thing, False


def test_numpydoc(monkeypatch: pytest.MonkeyPatch) -> None:
    # It would look for the line of a class in the file of the module that `__module__` names.
    monkeypatch.setattr(Validator, "source_file_def_line", None)
    names = {name: (thing, member) for name, thing, member in documented()}
    names |= {name: (thing, False) for name, thing in stable_functions().items()}
    assert set(MAIN) <= set(names)
    found = {}
    for name, (thing, member) in names.items():
        family = name.rpartition(".")[0] == "lagcolor.generate"  # the summary says which graph it returns
        left_out = set(LEFT_OUT) - ({"SA01"} if name in MAIN else set()) | ({"RT01"} if family else set())
        if inspect.isclass(thing):
            left_out |= OF_CLASSES
        elif member and "\n\n" not in (thing.__doc__ or ""):
            left_out |= OF_SHORT_METHODS
        found[name] = [f"{code}: {text}" for code, text in validate(name)["errors"] if code not in left_out]
    assert {name: errors for name, errors in found.items() if errors} == {}


def test_members_of_public_classes_are_documented() -> None:
    """By a docstring, by the class, or as internal in docs/reference/stability.md; stable packages only."""
    internal = set(re.findall(r"`(\w+\.\w+)`", (ROOT / "docs/reference/stability.md").read_text(encoding="utf-8")))
    bare = []
    for name, cls in public():
        blocks = name.startswith(("semirings.", "lagcolor.frontier."))
        if not inspect.isclass(cls) or issubclass(cls, BaseException) or blocks:
            continue
        text = "\n".join(inspect.cleandoc(base.__doc__ or "") for base in cls.__mro__ if base is not object)
        listed = {name for line in re.findall(r"^[\w, ]+(?= :|$)", text, re.MULTILINE) for name in line.split(", ")}
        for member in members(cls):
            value = inspect.getattr_static(cls, member, None)
            value = getattr(value, "__func__", getattr(value, "func", value))
            described = callable(value) or isinstance(value, property)
            if not (described and value.__doc__) and {member, f"{cls.__name__}.{member}"}.isdisjoint(listed | internal):
                bare.append(f"{cls.__name__}.{member}")
    assert bare == []


def test_the_parameters_of_color_are_in_groups() -> None:
    """The summary lists the groups in the order of the signature."""
    text = inspect.getdoc(lagcolor.color) or ""
    listed = text[text.index("- most calls: ") : text.index("Parameters\n---")].split("`")[1::2]
    assert ["x", *listed, "options"] == list(inspect.signature(lagcolor.color).parameters)
