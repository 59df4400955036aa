"""Compressions of patterns on a GPU: products and entries stay there, and equal the ones of a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from derivative_cases import RECTANGULAR, SYMMETRIC, integers
from emulated import EMULATED, LEDGER, emulated_gpu

import lagcolor
from lagcolor.base.device import to_device
from lagcolor.derivatives import Compression, fd_jacobian, hessian, jacobian, load
from lagcolor.engines.two_colored.direct import Strides, places, recover

ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
KINDS = [
    ("columns", "direct"), ("rows", "direct"), ("both", "direct"), ("both", "substitution"),
    ("symmetric", "direct"), ("symmetric", "substitution"),
]  # fmt: skip
CASES = {
    "tall", "arrow", "no entries", "band", "random", "some diagonal", "band without diagonal", "star without diagonal",
}  # fmt: skip


def made(P: lagcolor.Pattern, partition: str, decompression: str) -> Compression:
    """By first-fit, whose colors are the same on every device."""
    if partition == "symmetric":
        return hessian(P, decompression, algorithm="first_fit")
    return jacobian(P, partition, decompression, algorithm="fewest" if partition == "both" else "first_fit")


def there(B: Any, move: Any) -> Any:
    return tuple(move(b) for b in B) if isinstance(B, tuple) else move(B)


@EMULATED
def test_small_patterns_by_default() -> None:
    for name, make in (
        ("some diagonal", hessian), ("band", lambda P: hessian(P, "substitution")),
        ("tall", jacobian), ("arrow", lambda P: jacobian(P, "auto")),
    ):  # fmt: skip
        P = (SYMMETRIC if make is hessian or name == "band" else RECTANGULAR)[name]
        here, C = make(P), make(Q := P.on("cuda"))
        assert C.pattern is Q and C.coloring.graph.on_gpu and C.partition == here.partition
        assert to_device(C.coloring.colors, "cpu").tolist() == here.coloring.colors.tolist()
        assert C.coloring.device == Q.device and C.coloring.notes["on_cpu"]
        assert C.coloring.verified


@pytest.mark.inner  # arrays of its own are on the current device
@pytest.mark.parametrize(("partition", "decompression"), KINDS)
@pytest.mark.parametrize("kind", ON)
def test_as_on_the_cpu(kind: str, partition: str, decompression: str, tmp_path: Any) -> None:
    patterns = SYMMETRIC if partition == "symmetric" else RECTANGULAR
    for name in sorted(CASES & set(patterns)):
        P = patterns[name]
        on_cpu = made(P, partition, decompression)
        C = made(P.on("cuda"), partition, decompression)
        assert C.pattern.on_gpu and C.n_colors == on_cpu.n_colors and C.products == on_cpu.products
        if decompression == "direct":
            assert C.gather.dtype == np.int32
            assert to_device(C.gather, "cpu").tolist() == on_cpu.gather.tolist()
        A = integers(P, 1, symmetric=partition == "symmetric", dtype=np.float64)
        B = there(on_cpu.compress(A), lambda b: to_device(np.ascontiguousarray(b), "cuda"))
        values = C.values(B)
        assert type(values) is type(C.pattern.indices)
        np.testing.assert_array_equal(to_device(values, "cpu"), A.data)
        into = C.pattern.xp.zeros(P.shape, np.float64)
        C.decompress_into(into, B)
        np.testing.assert_array_equal(to_device(into, "cpu"), A.toarray())
        C.save(tmp_path / "c.npz")
        again = load(tmp_path / "c.npz", device="cuda")
        np.testing.assert_array_equal(to_device(again.values(B), "cpu"), A.data)
        seeds, expected = C.seeds(np.float32), on_cpu.seeds(np.float32)
        pairs = zip(seeds, expected, strict=True) if isinstance(seeds, tuple) else [(seeds, expected)]
        for seed, wanted in pairs:
            np.testing.assert_array_equal(to_device(seed, "cpu"), wanted)


@pytest.mark.inner
@pytest.mark.parametrize(("partition", "decompression"), [kind for kind in KINDS if kind[1] == "direct"])
@pytest.mark.parametrize("kind", ON)
def test_one_product_at_a_time(kind: str, partition: str, decompression: str) -> None:
    """Seeds and entries of a color are there; and the same colors given as one's own."""
    patterns = SYMMETRIC if partition == "symmetric" else RECTANGULAR
    for name in sorted(CASES & set(patterns)):
        P = patterns[name]
        first = made(P.on("cuda"), partition, decompression)
        colors = (first.row_colors, first.column_colors) if partition == "both" else first.coloring.colors
        again = hessian if partition == "symmetric" else lambda Q, **how: jacobian(Q, partition, **how)
        C = again(P.on("cuda"), coloring=colors)
        assert C.pattern.on_gpu and C.products == first.products
        A = integers(P, 1, symmetric=partition == "symmetric", dtype=np.float64)
        values = C.pattern.xp.zeros(P.m)
        for color, seed in enumerate(C.iter_seeds()):
            assert type(seed) is type(values)
            host = to_device(seed, "cpu")
            product = A @ host if color < C.products[0] else host @ A
            C.decompress_color_into(values, to_device(np.ascontiguousarray(product), "cuda"), color)
        np.testing.assert_array_equal(to_device(values, "cpu"), A.data)
        if partition in ("columns", "symmetric"):
            J = fd_jacobian(lambda x, A=A: A @ x, np.ones(P.columns), C, "cs")
            np.testing.assert_allclose(J.toarray(), A.toarray(), rtol=1e-12)


@pytest.mark.inner
@pytest.mark.parametrize("kind", ON)
def test_an_edge_that_is_alone_nowhere(kind: str) -> None:
    G = lagcolor.Graph.of(SYMMETRIC["tridiagonal"])
    colors = np.arange(G.n, dtype=np.int32) % 2
    there = to_device(colors, "cuda")
    for look in (lambda: recover(G, colors), lambda: places(G.on("cuda"), there, Strides(2), G.m, True, np.int64)):
        with pytest.raises(lagcolor.ColoringError, match=r"edge \(1, 2\) of colors 1 and 0 is alone at neither end"):
            look()


@pytest.mark.gpu
@pytest.mark.inner
@pytest.mark.parametrize(("partition", "decompression"), KINDS)
def test_matrices_of_cupy(partition: str, decompression: str) -> None:
    import cupyx.scipy.sparse as cpsp

    for P in (SYMMETRIC if partition == "symmetric" else RECTANGULAR).values():
        A = integers(P, 2, symmetric=partition == "symmetric", dtype=np.float64)
        C = made(cpsp.csr_matrix(A) if P.m else P.on("cuda"), partition, decompression)
        there_too = C.decompress(there(made(P, partition, decompression).compress(A), lambda b: to_device(b, "cuda")))
        assert isinstance(there_too, cpsp.csr_matrix) and abs(there_too.get() - A).sum() == 0
        if P.m:
            back = C.decompress(C.compress(cpsp.csr_matrix(A)))
            assert abs(back.get() - A).sum() == 0
            C.decompress_into(back, C.compress(cpsp.csr_matrix(A)))
            if partition == "symmetric":
                assert (C.decompress(C.compress(cpsp.csr_matrix(A)), "L").get() != np.tril(A.toarray())).sum() == 0


@pytest.mark.parametrize("kind", ON)
def test_devices(kind: str) -> None:
    """Products, and matrices to be written to, are where the pattern is."""
    P = RECTANGULAR["tall"]
    C, A = jacobian(P.on("cuda")), integers(P, 1, dtype=np.float64)
    B = jacobian(P).compress(A)
    for call in (lambda: C.values(B), lambda: C.compress(A), lambda: C.decompress_into(A, B)):
        with pytest.raises(lagcolor.DeviceError, match=r"on cpu, and the pattern on cuda:\d: move them there"):
            call()
    with pytest.raises(lagcolor.DeviceError, match=r"pattern\.on\('cuda:\d'\)"):
        jacobian(P).values(C.pattern.xp.asarray(B))


@EMULATED
@pytest.mark.parametrize(("partition", "decompression"), [KINDS[0], KINDS[3], KINDS[5]])
def test_on_another_device_than_the_current_one(partition: str, decompression: str, tmp_path: Any) -> None:
    """All that a compression does is done where the pattern is; products may be views with gaps between rows."""
    with emulated_gpu(devices=2):
        P = (SYMMETRIC if partition == "symmetric" else RECTANGULAR)["band" if partition == "symmetric" else "tall"]
        A = integers(P, 3, symmetric=partition == "symmetric", dtype=np.float64)
        on_cpu, C = made(P, partition, decompression), made(P.on("cuda:1"), partition, decompression)
        LEDGER.clear()
        B = there(on_cpu.compress(A), lambda b: to_device(np.repeat(b, 2, axis=1), "cuda:1")[:, ::2])
        np.testing.assert_array_equal(to_device(C.values(B), "cpu"), A.data)
        np.testing.assert_array_equal(to_device(C.decompress(B).data, "cpu"), A.data)
        C.seeds(), C.products, repr(C), C.save(tmp_path / "c.npz")
        dense = to_device(np.zeros(P.shape), "cuda:1")
        C.decompress_into(dense, B)
        np.testing.assert_array_equal(to_device(dense, "cpu"), A.toarray())
        assert LEDGER.of(0) == 0


@pytest.mark.parametrize("dtype", [np.float16, np.int32, np.uint64, np.complex64])
@pytest.mark.parametrize("kind", ON)
def test_types_of_products(kind: str, dtype: Any) -> None:
    """Substitution adds atomically, which a GPU does in some types alone."""
    P = SYMMETRIC["band"]
    A = integers(P, 3, symmetric=True, dtype=np.float64)
    A.data %= 8  # exact in 16 bits
    for decompression in ("direct", "substitution"):
        on_cpu, C = made(P, "symmetric", decompression), made(P.on("cuda"), "symmetric", decompression)
        B = to_device(np.ascontiguousarray(on_cpu.compress(A).astype(dtype)), "cuda")
        found = to_device(C.values(B), "cpu")
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, A.data.astype(dtype))
