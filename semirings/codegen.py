"""Source text of kernels for operators and types: macros, followed by the kernel's file.

Nothing here needs CuPy or a GPU, so every specialization can be compiled on any machine. Included files are inserted,
because CuPy's cache of compiled kernels only compares the text, and would miss a change of an included file.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np

from .algebra import BOOL, BinaryOp, Monoid, Semiring, UnaryOp, cast

KERNELS = Path(__file__).parent / "kernels"
BLOCK, TILE = 256, 1024  # as in common.cuh and product.cu
C_TYPES = {
    "bool": "bool",
    "int32": "int",
    "int64": "long long",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}


def c_type(dtype: np.dtype) -> str:
    """Name of the type in CUDA C++."""
    return C_TYPES[dtype.name]


def bits(value: Any, dtype: np.dtype) -> int:
    """Convert a number of type `dtype` to the 64-bit integer that `from_bits` reads."""
    if type(value) is int and dtype.kind in "iu":  # frequent in loops, and 30 times as fast
        low = value & (1 << 8 * dtype.itemsize) - 1
        return low - (1 << 64) if low >> 63 else low
    x = np.zeros(1, np.uint64)
    x.view(np.uint8)[: dtype.itemsize] = cast([value], dtype).view(np.uint8)
    return int(x.view(np.int64)[0])


def _literal(value: Any, dtype: np.dtype) -> str:
    return f"((long long){bits(value, dtype) & (2**64 - 1):#x}ULL)"


def monoid(m: Monoid, z: np.dtype) -> dict[str, str]:
    """Macros of monoid.cuh for sums of type `z`."""
    terminal = m.terminal(z)
    stop = 2 if m.is_any else 0 if terminal is None else 1
    return {
        "Z_TYPE": c_type(z),
        "ADD": m.op.cuda,
        "IDENTITY": _literal(m.identity(z), z),
        "TERMINAL": _literal(0 if terminal is None else terminal, z),
        "STOP": str(stop),
        "ATOMIC": str(_instruction(m.op, z)),
    }


def _instruction(op: BinaryOp, z: np.dtype) -> int:
    """ATOMIC of monoid.cuh: the hardware adds numbers and compares integers; other operators use compare-and-swap."""
    if op.python is not None or z == BOOL:
        return 0
    if op.name == "plus":
        return 1 if z.kind in "iu" else 4
    return {"min": 2, "max": 3}.get(op.name, 0) if z.kind in "iu" else 0


def product(s: Semiring, types: tuple[np.dtype, ...], iso: bool, swap: bool) -> dict[str, str]:
    """Macros of product.cu; `swap`: the matrix is the left factor; `types`: of vector, matrix, offsets and domain."""
    u, a, offset, domain = types
    reads_x, reads_y = reads(s.multiply)
    return {
        **monoid(s.add, s.result(domain)),
        "MULTIPLY": s.multiply.cuda,
        "D_TYPE": c_type(domain),
        "U_TYPE": c_type(u),
        "A_TYPE": c_type(a),
        "OFFSET_TYPE": c_type(offset),
        "USES_U": str(int(reads_y if swap else reads_x)),
        "USES_A": str(int(reads_x if swap else reads_y)),
        "ISO": str(int(iso)),
        "SWAP": str(int(swap)),
    }


def reads(op: BinaryOp) -> tuple[bool, bool]:
    """For each factor, True if a product depends on its value; kernels do not read other values."""
    if op.python is not None:
        return True, True
    return op.name not in ("second", "pair"), op.name not in ("first", "any", "pair")


def elementwise(
    verb: str, op: UnaryOp | BinaryOp | None, accum: BinaryOp | None, types: tuple[Any, ...]
) -> dict[str, str]:
    """Macros of elementwise.cu; `types`: of u, out, the computed value, the domain, v and a number."""
    u, out, t, domain, v, scalar = types
    macros = {
        "VERB": verb,
        "FUNCTION": "x" if op is None else op.cuda,
        "D_TYPE": c_type(u if domain is None else domain),
        "U_TYPE": c_type(u),
        "V_TYPE": c_type(v),
        "S_TYPE": c_type(scalar),
        "T_TYPE": c_type(t),
        "O_TYPE": c_type(out),
        "ACCUM": str(int(accum is not None)),
    }
    if accum is not None:
        macros |= {"ACCUM_FUNCTION": accum.cuda, "ACCUM_TYPE": c_type(accum.domain_of(out, out))}
    return macros


@functools.cache
def pasted(file: Path, but: str = "") -> str:
    """Text of a kernel's file with its includes inserted, each once; the include of a file named `but` stays.

    Paths of includes are relative to the folder of the including file, or to a parent of this folder.
    """
    seen: set[Path] = set()

    def paste(path: Path) -> str:
        if path in seen:
            return ""
        seen.add(path)
        text = path.read_text(encoding="utf-8").replace("#pragma once\n", "")

        def include(m: re.Match[str]) -> str:
            if m[1] == but:
                return m[0]
            return paste(next(p for folder in path.parents if (p := folder / m[1]).exists()).resolve())

        return re.sub(r'^#include "(.*)"$', include, text, flags=re.MULTILINE)

    return paste(file.resolve())


def source(file: str, macros: dict[str, str]) -> str:
    """Whole text to compile: `file` specialized by `macros`."""
    return "".join(f"#define {name} {value}\n" for name, value in macros.items()) + pasted(KERNELS / file)
