"""Checks of the operators' arguments before any work, the same on all engines."""

from __future__ import annotations

import functools
import re
import reprlib
from typing import Any

import numpy as np

from semirings import Monoid
from semirings.algebra import BinaryOp, as_monoid

from ..base import device as dev
from ..base.errors import OptionError
from ..base.options import is_whole, whole
from . import codegen
from .frontier import Frontier
from .functor import Functor

BOOL = np.dtype(np.bool_)
ARRAYS = frozenset(np.dtype(name) for name in codegen.C_TYPES)
# Arguments that an operator passes to a functor in each role.
PASSED = {
    "edge": "vertex, neighbor and edge", "value": "vertex, neighbor and edge", "then": "vertex and sum",
    "element": "an element",
}  # fmt: skip


def monoid(op: Any) -> Monoid:
    """Return the monoid of an operator."""
    if not isinstance(op, (Monoid, BinaryOp)):
        raise OptionError(
            f"monoid must be a Monoid or BinaryOp of semirings, such as semirings.max or "
            f"semirings.MONOIDS['plus']['int64'], not {reprlib.repr(op)}"
        )
    return as_monoid(op)


def frontier(F: Any, indptr: Any) -> None:
    """Check that `F` is a frontier of the graph that has this `indptr`."""
    if not isinstance(F, Frontier):
        raise OptionError(
            f"make a frontier with ops.all(), ops.frontier(vertices) or ops.bitmap(marks); this is {reprlib.repr(F)}"
        )
    if F.graph is not indptr:
        raise OptionError("this frontier is of another graph, or of this one on another device: make one by these ops")


def vertices(x: Any, n: int) -> np.ndarray:
    """Return vertices from the host as int32, shape (k,)."""
    array = _on_host(x, "vertices")
    listed(array)
    if array.size and (array.min() < 0 or array.max() >= n):
        raise OptionError(f"a frontier needs vertices, whole numbers from 0 to {n - 1}: check the array")
    return np.atleast_1d(array).astype(np.int32)


def listed(array: Any) -> None:
    """Check that an array has the dtype and shape of a list of vertices."""
    if array.ndim > 1 or (array.size and array.dtype.kind not in "iu"):
        hint = ": use ops.bitmap for truth values" if array.dtype == BOOL else ""
        raise OptionError(
            f"a frontier needs a list of vertices, whole numbers; this is {array.dtype} of shape {array.shape}{hint}"
        )


def marks(x: Any, ndarray: Any, n: int) -> Any:
    """Return marks of vertices: an array of bool, shape (n,), of this module or the host."""
    array = x if isinstance(x, ndarray) else _on_host(x, "marks")
    if array.shape != (n,) or (n and array.dtype != BOOL):
        raise OptionError(
            f"marks must be an array of bool, one per vertex, shape ({n},), not {array.dtype} of shape {array.shape}: "
            "use ops.frontier for a list of vertices"
        )
    return array


def _on_host(x: Any, what: str) -> np.ndarray:
    if dev.is_cupy(x):
        raise OptionError(f"the {what} are on a GPU, and the graph is on the CPU: pass {what}.get()")
    try:
        return np.asarray(x)
    except ValueError as e:  # rows of several lengths
        raise OptionError(f"the {what} are not an array: {e}") from e


def functors(roles: dict[str, Any]) -> None:
    """Check that functors have the parameters that an operator passes first."""
    for role, f in roles.items():
        if not isinstance(f, Functor):
            raise OptionError(
                f'{role} must be a functor, a function under @functor("…"), not {reprlib.repr(f)}: '
                'see "Frontier operators" in the documentation'
            )
        if len(f.parameters) < codegen.own_parameters(role):
            raise OptionError(
                f"functor {f.name} takes ({', '.join(f.parameters)}), and the operator passes {PASSED[role]} first"
            )


def arguments(
    roles: dict[str, Functor], supplied: dict[str, Any], ndarray: Any, n: int, m: int, each: int
) -> dict[str, Any]:
    """Return checked arguments of functors: arrays unchanged, numbers as ints; `each`: number of possible elements."""
    out = {}
    _check_names(tuple(roles.items()), tuple(supplied))
    for name, x in supplied.items():
        out[name] = x
        if type(x) is int and -(2**63) <= x < 2**63:  # the usual case
            continue
        if not isinstance(x, ndarray):
            out[name] = _whole(name, x, roles)
            continue
        if x.ndim != 1 or x.dtype not in ARRAYS or not x.flags.c_contiguous:
            types = ", ".join(sorted(map(str, ARRAYS)))
            raise OptionError(
                f"argument {name!r} must be a contiguous array of one dimension, of {types}, not {_shown(x)}"
            )
    for role, f in roles.items():
        for name, size in _indexed(f, (each,) if role == "element" else (n, n, m)[: 1 if role == "then" else 3]):
            if isinstance(out[name], ndarray) and len(out[name]) < size:
                raise OptionError(f"argument {name!r} has {len(out[name])} entries, and {f.name} needs {size} of it")
    return out


@functools.lru_cache(1024)
def _indexed(f: Functor, sizes: tuple[int, ...]) -> list[tuple[str, int]]:
    """Return the arrays that a functor's CUDA text indexes by its vertex, neighbor or edge, and the required sizes."""
    by = [(rf"\b(\w+)\s*[\[,]\s*{own}\s*[\],)]", size) for own, size in zip(f.parameters, sizes, strict=False)]
    return [
        (name, size) for text, size in by for name in re.findall(text, f.cuda) if name in f.parameters[len(sizes) :]
    ]


@functools.lru_cache(1024)
def _check_names(roles: tuple[tuple[str, Functor], ...], names: tuple[str, ...]) -> None:
    """Check that all arguments of the functors are supplied, and no others."""
    known = {name: f for role, f in roles for name in f.parameters[codegen.own_parameters(role) :]}
    for name in names:
        if name not in known:
            raise TypeError(f"{' and '.join(f.name for _, f in roles)}: no parameter {name!r}, only {sorted(known)}")
    for name, f in known.items():
        if name not in names:
            raise TypeError(f"functor {f.name} needs {name!r}: pass {name}=… to the operator")


def _whole(name: str, x: Any, roles: dict[str, Functor]) -> int:
    if isinstance(x, (bool, np.bool_)):
        return int(x)
    if is_whole(x):
        return whole(f"argument {name!r}", x, -(2**63), 2**63 - 1)
    if isinstance(x, np.ndarray) or dev.is_cupy(x):
        raise OptionError(
            f"argument {name!r} is {_shown(x)} on another device than the graph: move it there, by ops.xp.asarray(…), "
            "or by .get() from a GPU"
        )
    takes = " and ".join(f.name for f in roles.values() if name in f.parameters)
    raise OptionError(
        f"argument {name!r} of {takes} must be an array of the graph's device or a whole number, not "
        f"{reprlib.repr(x)}: pass a float in an array of one entry"
    )


def _shown(x: Any) -> str:
    """Return a description of an array by type and shape, or the repr of other objects."""
    if not hasattr(x, "dtype") or not hasattr(x, "shape"):
        return reprlib.repr(x)
    return f"{type(x).__module__.partition('.')[0]}'s {x.dtype} of shape {tuple(x.shape)}"
