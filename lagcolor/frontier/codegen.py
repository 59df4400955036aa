"""The source text of an operator's kernels: macros, then the file with its includes and the functors pasted in.

Nothing here needs CuPy or a GPU, so the kernels of all algorithms can be compiled anywhere. Includes are pasted
because CuPy's cache of compiled kernels compares only the text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from semirings import Monoid
from semirings import codegen as semirings_codegen

from .functor import Functor

HERE = Path(__file__).parent
FUNCTORS = "functors.cuh"  # the include that the caller's functors replace
PREFIX = "argument_"  # separates the caller's names from names in a kernel
C_TYPES = semirings_codegen.C_TYPES | {"int8": "signed char", "uint8": "unsigned char"}
# C types of the first parameters of a functor in each role, which the operator passes.
ROLES: dict[str, tuple[str | None, ...]] = {
    "edge": ("int", "int", "offset_t"),
    "value": ("int", "int", "offset_t"),
    "then": ("int", None),  # None: the type of the sum
    "element": ("Item",),
}


def own_parameters(role: str) -> int:
    """Return the number of parameters that the operator passes; the caller passes the others."""
    return len(ROLES[role])


def argument_names(roles: dict[str, Functor]) -> list[str]:
    """Return the names of the caller's arguments, in the order of the kernels' parameters."""
    return list(dict.fromkeys(name for role, f in roles.items() for name in f.parameters[own_parameters(role) :]))


def _functor(role: str, f: Functor, returns: str, z: str, types: dict[str, str]) -> str:
    """Return the text of a functor, and of a function that selects its arguments from all arguments of the kernel."""
    own = [t or z for t in ROLES[role]]
    extra = f.parameters[len(own) :]
    parameters = [f"{t} {name}" for t, name in zip(own, f.parameters, strict=False)]
    parameters += [f"{types[name]}{name}" for name in extra]
    taken = [f"{t} x{i}" for i, t in enumerate(own)] + [f"{t}{PREFIX}{name}" for name, t in types.items()]
    passed = [f"x{i}" for i in range(len(own))] + [PREFIX + name for name in extra]
    call = f"body_of_{role}({', '.join(passed)})"
    return (
        f"__device__ inline {returns} body_of_{role}({', '.join(parameters)}) {{\n{f.cuda}\n}}\n"
        f"__device__ inline {'bool' if returns == 'void' else returns} {role}({', '.join(taken)}) {{\n"
        f"    {f'{call}; return false' if returns == 'void' else f'return {call}'};\n}}\n"
    )


def program(
    file: str, roles: dict[str, Functor], types: tuple[np.dtype | None, ...], macros: dict[str, Any],
    monoid: tuple[Monoid, np.dtype] | None = None, returns: str = "bool",
) -> str:  # fmt: skip
    """Return the complete text to compile."""
    c_types = {
        name: "long long " if t is None else f"{C_TYPES[t.name]} *"
        for name, t in zip(argument_names(roles), types, strict=True)
    }
    macros = dict(macros)
    z = ""
    if monoid is not None:
        macros |= semirings_codegen.monoid(*monoid)
        z = semirings_codegen.c_type(monoid[1])
    macros["ARGUMENT_PARAMETERS"] = "".join(f", {t}{PREFIX}{name}" for name, t in c_types.items())
    macros["ARGUMENTS"] = "".join(f", {PREFIX}{name}" for name in c_types)
    text = "".join(
        _functor(role, f, z if role == "value" else "bool" if role == "then" else returns, z, c_types)
        for role, f in roles.items()
    )
    defines = "".join(f"#define {name} {value}\n" for name, value in macros.items())
    return defines + semirings_codegen.pasted(HERE / file, FUNCTORS).replace(f'#include "{FUNCTORS}"\n', text)
