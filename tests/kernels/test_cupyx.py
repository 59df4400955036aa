"""What runs on plain CuPy: the engine "cupyx", the colorings as ElementwiseKernels, and what `color` takes on ROCm."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import compile_kernels as ck
import emulated
import numpy as np
import pytest
from corpus import first_fit, graph
from emulated.elementwise import PRELUDE

import lagcolor
import semirings
from lagcolor.orders import Priorities
from semirings import cupyx_kernels
from semirings.cupyx import Cupyx
from semirings.launch import PlainKernel

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
ELEMENTWISE = [row for row in lagcolor.ALGORITHMS.values() if row.name.startswith("elementwise_")]
IN_VERBS = [row.name for row in lagcolor.ALGORITHMS.values() if "engine" in row.options]


@pytest.fixture(scope="module")
def gpu() -> Iterator[emulated.Emulated]:
    ck.header_folders()  # looks for CuPy, the real one
    with emulated.emulated_gpu() as e:
        yield e


@pytest.fixture
def rocm(gpu: emulated.Emulated, monkeypatch: pytest.MonkeyPatch) -> emulated.Emulated:
    """CuPy built for ROCm."""
    monkeypatch.setattr(gpu.cp.cuda.runtime, "is_hip", True)
    return gpu


# ---- the engine --------------------------------------------------------------------------------------------


def test_operands_name_the_device() -> None:
    with emulated.emulated_gpu(devices=2) as e:
        E = semirings.engine("cupyx")
        with e.cp.cuda.Device(1):
            A = E.matrix([0, 1, 2], [1, 0], np.array([1, 2]))
            u = E.from_numpy(np.array([3, 4]))
        assert E.to_numpy(E.vxm(u, A, semirings.max_times)).tolist() == [8, 3]
        assert E.reduce(semirings.plus, u) == 7
        here = E.from_numpy(np.array([3, 4]))
        for pair in ((here, u), (u, here)):
            with pytest.raises(semirings.DeviceError, match=r"operands on devices \d and \d; all must be on one"):
                E.ewise_add(semirings.plus, *pair)
        kernel = PlainKernel(e.cp, cupyx_kernels.partial_sums(semirings.MONOIDS["plus"], u.dtype, u.dtype))
        with pytest.raises(semirings.DeviceError, match="GPU 0 is current, but an array is on GPU 1"):
            kernel(u.values, e.cp.empty(0, bool), e.cp.empty(1, np.int64), e.cp.empty(1, bool), size=1)


ON_A_GPU = """
template <class T> struct CArray {
    T *data;
    ptrdiff_t length;
    __device__ ptrdiff_t size() const { return length; }
    __device__ T &operator[](ptrdiff_t i) const { return data[i]; }
};
struct CIndexer { ptrdiff_t length; __device__ ptrdiff_t size() const { return length; } };
"""


def test_texts_compile_for_gpus(gpu: emulated.Emulated, tmp_path: Path) -> None:
    """By NVRTC, with no header: what an emulated device compiled, with an array that is one of a GPU's."""
    try:
        ck.library()
    except ck.NvrtcMissingError as e:
        pytest.skip(str(e))
    lagcolor.base.device.elementwise.cache_clear()
    del gpu.gpu.texts[:]
    E = Cupyx(gpu.cp)
    A, u = E.matrix([0, 1, 2], [1, 0]), E.from_numpy(np.array([3.5, 4]))
    E.vxm(u, A, semirings.max_times, direction="push", accum=semirings.plus, out=E.zeros(2, np.uint64))
    E.reduce(semirings.lor, E.vxm(u, A, semirings.lor_land, mask=u))
    E.assign(E.zeros(2), E.select(semirings.gt, u, 2), [1, 0])
    for row in ELEMENTWISE:
        lagcolor.color(graph("path"), row.name, device="cuda")
    assert len(gpu.gpu.texts) >= 12
    for k, text in enumerate(gpu.gpu.texts):
        source = tmp_path / f"{k}.cu"
        source.write_text(text.replace(PRELUDE, ON_A_GPU))
        result = ck.compile_source(source, ck.ARCHITECTURES[k % len(ck.ARCHITECTURES)])
        assert result.ok, result.log


def test_matrices_that_are_not_canonical(gpu: emulated.Emulated) -> None:
    """Unsorted rows with duplicates: a copy is put in order, and the caller's arrays stay as they are."""
    sparse = sys.modules["cupyx.scipy.sparse"]
    passed = np.array([1.0, 2, 4, 8]), np.array([2, 0, 0, 1], np.int32), np.array([0, 3, 3, 4], np.int32)
    mine = sparse.csr_matrix(tuple(gpu.array(a) for a in passed), shape=(3, 3))
    E = semirings.engine("cupyx")
    A, x = E.matrix(mine), np.array([1.0, 10, 100])
    assert A.csr is not mine
    assert E.to_numpy(E.vxm(E.from_numpy(x), A, semirings.plus_times)).tolist() == [6.0, 800.0, 1.0]
    assert E.to_numpy(E.mxv(A, E.from_numpy(x), semirings.plus_times)).tolist() == [106.0, 0.0, 80.0]
    for array, expected in zip((mine.data, mine.indices, mine.indptr), passed, strict=True):
        assert array.get().tolist() == expected.tolist()


# ---- the colorings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", IN_VERBS)
def test_colorings_in_verbs_run_on_it(gpu: emulated.Emulated, algorithm: str) -> None:
    for name in ("random sparse", "isolated among others", "empty"):
        G = graph(name)
        got = lagcolor.color(G, algorithm, device="cuda", engine="cupyx")
        assert got.to_numpy().tolist() == lagcolor.color(G, algorithm).to_numpy().tolist()
    with pytest.raises(lagcolor.OptionError, match="engine must be one of cuda, cupyx"):
        lagcolor.color(graph("path"), algorithm, device="cuda", engine="hip")
    with pytest.raises(lagcolor.OptionError, match="the graph is on the CPU"):
        lagcolor.color(graph("path"), algorithm, engine="cupyx")


@pytest.mark.gpu
@pytest.mark.parametrize("engine", ["cuda", "cupyx"])
@pytest.mark.parametrize("algorithm", IN_VERBS)
def test_colorings_in_verbs_on_a_gpu(algorithm: str, engine: str) -> None:
    for G in (graph("isolated among others"), lagcolor.generate.rmat(12), lagcolor.generate.grid2d(100)):
        got = lagcolor.color(G, algorithm, seed=7, device="cuda", engine=engine)
        assert got.to_numpy().tolist() == lagcolor.color(G, algorithm, seed=7).to_numpy().tolist()


# ---- ROCm --------------------------------------------------------------------------------------------------


def test_color_on_rocm_has_the_colors_of_everywhere(rocm: emulated.Emulated) -> None:
    launched = len(rocm.gpu.texts)
    sparse = sys.modules["cupyx.scipy.sparse"]
    for name in ("random sparse", "isolated among others", "no edges"):
        G = graph(name)
        A = G.to_scipy().astype(np.float32)
        x = sparse.csr_matrix(tuple(rocm.array(a) for a in (A.data, A.indices, A.indptr)), shape=A.shape)
        result = lagcolor.color(x, verify=True)
        assert result.device == "cuda:0"
        assert result.algorithm == "elementwise_min_color"
        assert "first_fit" in result.notes["rocm"]
        assert result.to_numpy().tolist() == lagcolor.color(G, quality="fast").to_numpy().tolist()
        natural = lagcolor.color(x, order="natural").to_numpy().tolist()
        assert natural == first_fit(G, Priorities.of(G, "natural", seed=None).sequence.tolist())
    assert "rocm" not in lagcolor.color(graph("path")).notes
    assert not any(
        "asm" in text or "#include" in text.replace("#include <stddef.h>", "") for text in rocm.gpu.texts[launched:]
    )


def test_rocm_takes_cupyx_for_the_verbs_and_refuses_the_rest(rocm: emulated.Emulated) -> None:
    G = graph("random sparse").on("cuda")
    assert (
        lagcolor.color(G, "luby_mis").to_numpy().tolist()
        == lagcolor.color(graph("random sparse"), "luby_mis").to_numpy().tolist()
    )
    with pytest.raises(lagcolor.DeviceError, match="elementwise_min_color"):
        lagcolor.color(G, "first_fit")
    with pytest.raises(lagcolor.DeviceError, match="quality='balanced' needs CUDA kernels"):
        lagcolor.color(G, quality="balanced")
    with pytest.raises(lagcolor.DeviceError, match="ROCm"):
        lagcolor.color(G, "luby_mis", engine="cuda")
