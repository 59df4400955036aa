"""Every CUDA source compiles to machine code, with no GPU: one variant for one architecture, in turn.

`make kernels` compiles all variants for all architectures.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import compile_kernels as ck
import emulated
import pytest
from corpus import graph

import lagcolor
from lagcolor.algorithms.osama_gunrock.gunrock_ar import color_by_reduction
from lagcolor.algorithms.osama_gunrock.gunrock_hash import color_by_hash
from lagcolor.algorithms.osama_gunrock.gunrock_is import color_sets
from lagcolor.base.log import Log
from lagcolor.frontier.operators import on
from lagcolor.orders import Priorities


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


def test_variants() -> None:
    text = "// variants: A=1,2 B=3\n// variants: A=2 B=3\n// variants: T=int,'long long'\nint x;  // variants: A=9"
    assert ck.variants("int x;") == [()]
    assert ck.variants(text) == [("A=1", "B=3"), ("A=2", "B=3"), ("T=int",), ("T=long long",)]
    with pytest.raises(ValueError, match="not NAME=VALUE,… in a 'variants:' line: '1=2'"):
        ck.variants("// variants: 1=2")


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
    """What Gunrock's colorings launch, with their functors pasted into the kernels."""
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
    assert len(texts) >= 12
    for i, text in enumerate(texts):
        source = tmp_path / f"{i}.cu"
        source.write_text(text)
        result = ck.compile_source(source, ck.ARCHITECTURES[i % len(ck.ARCHITECTURES)])
        assert result.ok and "warning" not in result.log, f"{result}\n{result.log}"
