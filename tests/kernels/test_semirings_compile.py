"""Every kernel compiles, with all operators and types among a choice of them, for architectures in turn; no GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import compile_kernels as ck
import numpy as np
import pytest
from semirings_cases import ALL_PRODUCTS, MONOID_ROWS, THOROUGH

import semirings
from semirings import codegen
from semirings.algebra import DTYPES, UNARY, BinaryOp
from semirings.launch import product_macros
from semirings.storage import Tuning

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


@pytest.fixture(autouse=True)
def _nvrtc(request: pytest.FixtureRequest) -> None:
    try:
        ck.library()
    except ck.NvrtcMissingError as e:
        if "arch" in request.fixturenames:
            pytest.skip(str(e))


def compiles(file: str, macros: dict[str, str], arch: str, folder: Path) -> None:
    """The very text that CuPy would get, with the same options."""
    source = folder / file
    source.write_text(codegen.source(file, macros))
    result = ck.compile_source(source, arch)
    assert result.ok, f"{macros}\n{result.log}"
    assert not result.log


def some(rows: list[Any], count: int) -> list[Any]:
    """All in the thorough profile, else as many evenly spread ones."""
    return rows if THOROUGH else [rows[i * len(rows) // count] for i in range(count)]


def product_rows() -> list[dict[str, str]]:
    rows = []
    for k, (s, u, a) in enumerate(some(ALL_PRODUCTS, 12)):
        offset, iso, swap = (INT32, INT64)[k % 2], k % 3 == 0, k % 5 < 2
        domain = s.domain_of(*((a, u) if swap else (u, a)))
        rows.append(codegen.product(s, (u, a, offset, domain), iso, swap))
    return rows


def elementwise_rows() -> list[dict[str, str]]:
    kinds = ("BOUND_LEFT", "BOUND_RIGHT", "EWISE_ADD", "EWISE_MULT", "SELECT_RIGHT")
    rows = []
    for k, op in enumerate(semirings.BINARY.values()):
        u = next(t for t in (DTYPES[k % 7], *DTYPES) if fits(op, t))
        accum = [None, semirings.plus, semirings.second][k % 3]
        for kind in some(list(kinds), 2 if k % 2 else 1):
            domain = op.domain_of(u, u)
            t = u if kind.startswith("SELECT") else op.result(domain)
            rows.append(codegen.elementwise(kind, op, accum, (u, DTYPES[(k + 3) % 7], t, domain, u, u)))
    for k, unary in enumerate(UNARY.values()):
        kind = ("UNARY", "SELECT_UNARY")[k % 2]
        domain = unary.domain_of(INT32)
        t = INT32 if kind.startswith("SELECT") else unary.result(domain)
        rows.append(codegen.elementwise(kind, unary, None, (INT32, INT64, t, domain, INT32, INT32)))
    for kind in ("CONSTANT", "GATHER"):
        rows.append(codegen.elementwise(kind, None, semirings.min, (INT64, INT32, INT64, None, INT32, INT64)))
    return rows


def fits(op: BinaryOp, t: np.dtype) -> bool:
    try:
        op.domain_of(t, t)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("arch", ck.ARCHITECTURES)
def test_products(arch: str, tmp_path: Path) -> None:
    for macros in product_rows()[ck.ARCHITECTURES.index(arch) :: 1 if THOROUGH else len(ck.ARCHITECTURES)]:
        compiles("product.cu", macros, arch, tmp_path)


@pytest.mark.parametrize(("arch", "tuning"), [("sm_75", Tuning(stream=1024, index_load="")), ("sm_90", Tuning())])
def test_tunings(arch: str, tuning: Tuning, tmp_path: Path) -> None:
    """With and without a hint of the load's."""
    macros = product_macros(semirings.max_times, (INT32, INT32, INT32, INT32), False, False, tuning)
    compiles("product.cu", macros, arch, tmp_path)


@pytest.mark.parametrize("arch", ck.ARCHITECTURES)
def test_elementwise(arch: str, tmp_path: Path) -> None:
    for macros in elementwise_rows()[ck.ARCHITECTURES.index(arch) :: 1 if THOROUGH else len(ck.ARCHITECTURES)]:
        compiles("elementwise.cu", macros, arch, tmp_path)


@pytest.mark.parametrize("arch", ck.ARCHITECTURES)
def test_reductions_and_scatters(arch: str, tmp_path: Path) -> None:
    shift = ck.ARCHITECTURES.index(arch)
    for k, (monoid, dtype) in enumerate(MONOID_ROWS[shift :: 1 if THOROUGH else len(ck.ARCHITECTURES)]):
        macros = codegen.monoid(monoid, monoid.domain_of(dtype))
        if k % 4 == 0 or THOROUGH:
            compiles("reduce.cu", {**macros, "U_TYPE": codegen.c_type(dtype)}, arch, tmp_path)
        to = codegen.c_type(DTYPES[1 + k % 4])
        compiles("scatter.cu", {**macros, "U_TYPE": to, "X_TYPE": codegen.c_type(dtype)}, arch, tmp_path)
