"""The fused rounds compile for each architecture: CuPy would write the same loop around their bodies."""

from __future__ import annotations

from pathlib import Path

import compile_kernels as ck
import pytest

from lagcolor.algebra.fused import KERNELS, PREAMBLE


def as_cuda(name: str, offset: str) -> str:
    """A kernel as CuPy generates it: what it reads is const."""
    reads, writes, body = KERNELS[name]
    types = {"O": offset, "int32": "int", "bool": "bool"}

    def declare(parameter: str, const: str) -> str:
        *raw, kind, variable = parameter.split()
        return f"{const}{types[kind]}* {variable}" if raw else f"{const}{types[kind]} {variable}"

    parameters = [declare(p, "const ") for p in reads.split(", ")] + [declare(p, "") for p in writes.split(", ")]
    return (
        f"typedef {offset} O;\n{PREAMBLE}\n"
        f'extern "C" __global__ void {name}({", ".join(parameters)}, int n) {{\n'
        f"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{\n{body}\n}}\n}}"
    )


@pytest.mark.parametrize("offset", ["int", "long long"])
@pytest.mark.parametrize("name", KERNELS)
def test_compiles(name: str, offset: str, tmp_path: Path) -> None:
    try:
        ck.library()
    except ck.NvrtcMissingError as e:
        pytest.skip(str(e))
    source = tmp_path / f"{name}.cu"
    source.write_text(as_cuda(name, offset))
    for arch in ck.ARCHITECTURES:
        result = ck.compile_source(source, arch)
        assert result.ok, result.log
