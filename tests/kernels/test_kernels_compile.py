"""Every CUDA source compiles to machine code, with no GPU: one variant for one architecture, in turn.

`make kernels` compiles all variants for all architectures.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import compile_kernels as ck
import emulated
import numpy as np
import pytest
from corpus import graph
from semirings_cases import ALL_PRODUCTS, MONOID_ROWS, THOROUGH

import lagcolor
import semirings
from lagcolor.algorithms.osama_gunrock.gunrock_ar import color_by_reduction
from lagcolor.algorithms.osama_gunrock.gunrock_hash import color_by_hash
from lagcolor.algorithms.osama_gunrock.gunrock_is import color_sets
from lagcolor.base.log import Log
from lagcolor.frontier.operators import on
from lagcolor.orders import Priorities
from semirings import codegen
from semirings.algebra import DTYPES, UNARY, BinaryOp
from semirings.launch import product_macros
from semirings.storage import Tuning


@pytest.fixture(scope="module", autouse=True)
def _nvrtc() -> None:
    try:
        ck.library()
    except ck.NvrtcMissingError as e:
        pytest.skip(str(e))


def _name(value: object) -> str:
    if isinstance(value, Path):
        return str(value.relative_to(ck.ROOT))
    return " ".join(value) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(("source", "arch", "defines"), ck.one_each(), ids=_name)
def test_compiles(source: Path, arch: str, defines: tuple[str, ...]) -> None:
    result = ck.compile_source(source, arch, defines)
    assert result.ok, f"{result}\n{result.log}"
    assert result.code_bytes > 0


def test_every_source_and_architecture_is_compiled() -> None:
    jobs = ck.one_each()
    assert [f for f, _, _ in jobs] == ck.sources()
    assert all(d in ck.variants(f.read_text()) for f, _, d in jobs)
    assert {a for _, a, _ in jobs} == set(ck.ARCHITECTURES)
    on_disk = {p for p in ck.ROOT.rglob("*.cu") if p.relative_to(ck.ROOT).parts[0] in ck.PACKAGES}
    assert set(ck.sources()) == on_disk


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("x[0] = undeclared;", "undeclared"),
        ("__shared__ int s[1 << 20]; s[x[0]] = 1; x[1] = s[x[2]];", ""),  # only the assembler sees that it cannot fit
    ],
)
def test_a_broken_kernel_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, complaint: str) -> None:
    source = tmp_path / "broken.cu"
    source.write_text(f'extern "C" __global__ void k(int* x) {{ {body} }}\n')
    assert ck.main([str(source), "--arch", "sm_80"]) == 1
    out = capsys.readouterr().out
    assert "FAILED" in out
    assert complaint in out
    assert "0 compiled, 1 failed" in out


@pytest.mark.parametrize(("bits", "name"), [(32, "path"), (64, "star")])  # of a star by classes of degrees
@pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
def test_operators_with_functors_compile(bits: int, name: str, tmp_path: Path) -> None:
    """The kernels of Gunrock's colorings compile with their functors pasted in."""
    runs: list[Callable[[Any, Any], Any]] = [
        lambda ops, p: color_sets(ops, p.p, Log(), True, True),
        lambda ops, p: color_sets(ops, p.p, Log(), False, False),
        lambda ops, p: color_by_hash(ops, p.p, Log(), 1),
        lambda ops, p: color_by_reduction(ops, p.p, Log(), "merge"),
    ]
    with emulated.emulated_gpu() as e:
        for each in runs:
            G = e.graph(lagcolor.Graph(graph(name).indptr.astype(f"i{bits // 8}"), graph(name).indices))
            each(on(G), Priorities.of(G, "random", seed=0))
        texts = [text for text in e.gpu.texts if f"#define OFFSET_BITS {bits}\n" in text]
    assert len(texts) >= 11
    for i, text in enumerate(texts):
        source = tmp_path / f"{i}.cu"
        source.write_text(text)
        result = ck.compile_source(source, ck.ARCHITECTURES[i % len(ck.ARCHITECTURES)])
        assert result.ok and "warning" not in result.log, f"{result}\n{result.log}"


# ---- kernels of semirings: all operators and types among a choice of them ---------------------------------------

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


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
def test_products_of_semirings(arch: str, tmp_path: Path) -> None:
    for macros in product_rows()[ck.ARCHITECTURES.index(arch) :: 1 if THOROUGH else len(ck.ARCHITECTURES)]:
        compiles("product.cu", macros, arch, tmp_path)


@pytest.mark.parametrize(("arch", "tuning"), [("sm_75", Tuning(stream=1024, index_load="")), ("sm_90", Tuning())])
def test_tunings(arch: str, tuning: Tuning, tmp_path: Path) -> None:
    """With and without a hint of the load's."""
    macros = product_macros(semirings.max_times, (INT32, INT32, INT32, INT32), False, False, tuning)
    compiles("product.cu", macros, arch, tmp_path)


@pytest.mark.parametrize("arch", ck.ARCHITECTURES)
def test_elementwise_operations(arch: str, tmp_path: Path) -> None:
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
