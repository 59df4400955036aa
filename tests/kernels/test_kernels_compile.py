"""Every CUDA source compiles to machine code, with no GPU: one variant for one architecture, in turn.

`make kernels` compiles all variants for all architectures.
"""

from __future__ import annotations

from pathlib import Path

import compile_kernels as ck
import pytest

GOOD = """\
// variants: OFFSET=int,"long long"
extern "C" __global__ void up(OFFSET* x) { x[threadIdx.x] += static_cast<OFFSET>(sizeof(OFFSET)); }
"""


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


def test_finds_every_source() -> None:
    assert ck.ROOT / "lagcolor/algorithms/jones_plassmann.cu" in ck.sources()
    on_disk = {p for p in ck.ROOT.rglob("*.cu") if p.relative_to(ck.ROOT).parts[0] in ck.PACKAGES}
    assert set(ck.sources()) == on_disk


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x;", [()]),
        ("// variants: A=1", [("A=1",)]),
        ("// license\n// variants: T=int,'long long' B=2\n", [("T=int", "B=2"), ("T=long long", "B=2")]),
        ("// variants: A=1,2 B=3,4", [("A=1", "B=3"), ("A=1", "B=4"), ("A=2", "B=3"), ("A=2", "B=4")]),
        ("// variants: A=1,2\n// variants: A=2\n// variants: B=3", [("A=1",), ("A=2",), ("B=3",)]),
        ("int x;  // variants: A=1", [()]),
    ],
)
def test_variants(text: str, expected: list[tuple[str, ...]]) -> None:
    assert ck.variants(text) == expected


def test_variants_rejects_what_is_no_macro() -> None:
    with pytest.raises(ValueError, match="not NAME=VALUE,… in a 'variants:' line: '1=2'"):
        ck.variants("// variants: 1=2")


@pytest.mark.parametrize("arch", ck.ARCHITECTURES)
def test_each_variant_is_compiled_with_its_macros(tmp_path: Path, arch: str) -> None:
    source = tmp_path / "good.cu"
    source.write_text(GOOD)
    for defines in ck.variants(GOOD):
        assert ck.compile_source(source, arch, defines).ok
    without = ck.compile_source(source, arch, ())
    assert not without.ok
    assert "OFFSET" in without.log


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("x[0] = undeclared;", "undeclared"),
        ("x[0] = 1", "expected a"),
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


def test_standard_atomics_are_found(tmp_path: Path) -> None:
    source = tmp_path / "atomics.cu"
    source.write_text(
        "#include <cuda/atomic>\n"
        'extern "C" __global__ void k(int* x) {\n'
        "  cuda::atomic_ref<int, cuda::thread_scope_device>(*x).store(1, cuda::memory_order_relaxed);\n}\n"
    )
    result = ck.compile_source(source, "sm_75")
    assert result.ok, result.log
