"""Compressions: every entry comes back exactly, from as few products as the coloring has colors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from derivative_cases import RECTANGULAR, SYMMETRIC, integers

import lagcolor
from lagcolor.derivatives import hessian, jacobian, load
from lagcolor.orders import TWO_HOPS

JACOBIANS = [*((name, "direct") for name in ("columns", "rows", "both", "auto")), ("both", "substitution")]
HESSIANS = ["direct", "substitution"]


def products(C: Any, A: Any) -> Any:
    """The products by definition, with dense seeds."""
    S = C.seeds(A.dtype)
    A = A.toarray()
    if C.partition == "both":
        return A @ S[0], S[1].T @ A
    return S.T @ A if C.partition == "rows" else A @ S


def parts(B: Any) -> tuple[Any, ...]:
    return B if isinstance(B, tuple) else (B,)


def equal(x: Any, y: Any) -> bool:
    return all(map(np.array_equal, parts(x), parts(y)))


def check(C: Any, A: sp.csr_array) -> None:
    """All ways from A to products and back."""
    B = C.compress(A)
    assert equal(B, products(C, A))
    assert sum(C.products) == C.n_colors
    assert tuple(part.shape for part in parts(B)) == C.shapes
    back = C.decompress(B)
    assert back.dtype == A.dtype and (back.indptr == A.indptr).all() and (back.indices == A.indices).all()
    np.testing.assert_array_equal(back.data, A.data)
    locked = tuple(map(np.asfortranarray, B)) if isinstance(B, tuple) else np.asfortranarray(B)
    for part in parts(locked):
        part.flags.writeable = False
    for into in (sp.csr_array((np.zeros_like(A.data), A.indices, A.indptr), A.shape), np.zeros(A.shape, A.dtype)):
        C.decompress_into(into, locked)
        assert (into != A).sum() == 0
    if not C.recovery.levels:
        np.testing.assert_array_equal(C.flat(B)[C.gather], A.data)
        check_products(C, A)


def check_products(C: Any, A: sp.csr_array) -> None:
    """One product at a time, into a dense and a sparse matrix."""
    S = C.seeds(A.dtype)
    seeds = [*S[0].T, *S[1].T] if C.partition == "both" else S.T
    into = np.zeros(A.shape, A.dtype), sp.csr_array((np.zeros_like(A.data), A.indices, A.indptr), A.shape)
    entries = 0
    for color, (seed, expected) in enumerate(zip(C.iter_seeds(A.dtype), seeds, strict=True)):
        np.testing.assert_array_equal(seed, expected)
        entries += len(C.entries_of(color)[0])
        for target in into:
            C.decompress_color_into(target, A @ seed if color < C.products[0] else seed @ A, color)
    assert entries == C.pattern.m
    np.testing.assert_array_equal(into[0], A.toarray())
    assert (into[1] != A).sum() == 0


@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
def test_jacobian(partition: str, decompression: str) -> None:
    for P in RECTANGULAR.values():
        C = jacobian(P, partition, decompression)
        check(C, integers(P, 1))
        D = jacobian(P, partition if partition != "auto" else C.partition, decompression, coloring=C.coloring)
        assert D.products == C.products and D.coloring.verified
        if decompression == "direct":
            np.testing.assert_array_equal(D.gather, C.gather)


@pytest.mark.parametrize("order", TWO_HOPS)
def test_every_order_of_every_kind(order: str) -> None:
    for name in ("wide", "arrow", "empty rows and columns"):
        for partition, decompression in JACOBIANS:
            check(jacobian(RECTANGULAR[name], partition, decompression, order=order), integers(RECTANGULAR[name], 4))
    for name in ("band", "random"):
        A = integers(SYMMETRIC[name], 5, symmetric=True)
        for decompression in HESSIANS:
            check(hessian(SYMMETRIC[name], decompression, order=order), A)


def test_a_hessian_is_symmetrized_on_request() -> None:
    C = hessian(sp.csr_array(np.triu(np.ones((4, 4)))), symmetrize=True)
    check(C, integers(C.pattern, 1, symmetric=True))
    assert C.pattern.m == 16


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
def test_auto_needs_no_more_than_any(decompression: str) -> None:
    for P in RECTANGULAR.values():
        counts = {each: jacobian(P, each, decompression).n_colors for each in ("columns", "rows", "both")}
        C = jacobian(P, "auto", decompression)
        assert C.n_colors == min(counts.values()) == counts[C.partition]
        tried = C.coloring.notes["partitions"]  # without those that a bound says to need as many
        assert tried == {each: counts[each] for each in tried} and C.partition in tried
        assert C.coloring.notes["choice"].startswith(f"{C.partition}: {C.n_colors:,} products")
        assert C.partition == "columns" or counts["columns"] > C.n_colors


@pytest.mark.parametrize("decompression", HESSIANS)
def test_hessian(decompression: str) -> None:
    for P in SYMMETRIC.values():
        C, A = hessian(P, decompression), integers(P, 3, symmetric=True)
        check(C, A)
        B = C.compress(A)
        D = hessian(P, decompression, coloring=C.column_colors.astype(np.int64))
        assert D.n_colors == C.n_colors and (D.decompress(D.compress(A)) != A).nnz == 0
        for uplo, triangle in (("L", sp.tril(A)), ("U", sp.triu(A))):
            assert (C.decompress(B, uplo) != triangle).sum() == 0


def test_arrow_needs_few_products() -> None:
    P = RECTANGULAR["arrow"]
    assert jacobian(P, "columns").n_colors == jacobian(P, "rows").n_colors == 12
    assert jacobian(P, "both").n_colors == 3
    assert hessian(P).n_colors == hessian(P, "substitution").n_colors == 2


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int32])
def test_types_stay(dtype: type) -> None:
    P, H = RECTANGULAR["wide"], SYMMETRIC["band"]
    for C, A in (
        (jacobian(P, "both"), integers(P, 4, dtype=dtype)),
        (hessian(H, "substitution"), integers(H, 5, symmetric=True, dtype=dtype)),
    ):
        check(C, A)
        seeds = C.seeds(dtype)
        assert {s.dtype for s in (seeds if isinstance(seeds, tuple) else (seeds,))} == {np.dtype(dtype)}


def test_a_stored_zero_outside_of_the_pattern_is_no_entry() -> None:
    P = RECTANGULAR["tall"]
    A, C = integers(P, 6), jacobian(P)
    i, j = np.argwhere(A.toarray() == 0)[5]
    rows, columns = np.append(P.rows_of_entries(), i), np.append(P.indices, j)
    stored = sp.csr_array(sp.coo_array((np.append(A.data, 0), (rows, columns)), P.shape))
    assert stored.nnz == A.nnz + 1
    assert equal(C.compress(stored), C.compress(A))


@pytest.mark.parametrize("partition", ["columns", "rows"])
def test_places_past_32_bits(partition: str) -> None:
    """The products would have 2³² entries. The places are exact, and the test allocates none of the products."""
    n, k = 2**20, 2**12
    rows, columns = np.append(np.zeros(k, int), n - 1), np.append(np.arange(k), 5)
    A = sp.csr_array((np.ones(k + 1, np.int8), (rows, columns)), shape=(n, k))
    C = jacobian(A if partition == "columns" else A.T, partition)
    assert C.n_colors == k and C.gather.dtype == np.int64
    P, colors = C.pattern, C.coloring.colors.tolist()
    ends = zip(P.rows_of_entries().tolist(), P.indices.tolist(), strict=True)
    expected = [i * k + colors[j] if partition == "columns" else colors[i] * n + j for i, j in ends]
    assert C.gather.tolist() == expected and max(expected) > 2**32 - 2 * n


KINDS = {
    "columns": lambda: jacobian(RECTANGULAR["tall"]),
    "rows": lambda: jacobian(RECTANGULAR["arrow"], "rows"),
    "both": lambda: jacobian(RECTANGULAR["wide"], "both"),
    "both by substitution": lambda: jacobian(RECTANGULAR["wide"], "both", "substitution"),
    "symmetric": lambda: hessian(SYMMETRIC["random"]),
    "symmetric without diagonal": lambda: hessian(SYMMETRIC["band without diagonal"]),
    "symmetric with neutral vertices": lambda: hessian(SYMMETRIC["star without diagonal"]),
    "neutral vertices by substitution": lambda: hessian(SYMMETRIC["star without diagonal"], "substitution"),
    "symmetric by substitution": lambda: hessian(SYMMETRIC["random"], "substitution"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_file(kind: str, tmp_path: Path) -> None:
    C = KINDS[kind]()
    C.save(tmp_path / "c.npz")
    D = load(tmp_path / "c.npz")
    assert (D.partition, D.n_colors, D.products) == (C.partition, C.n_colors, C.products)
    assert D.coloring.verified and D.coloring.lower_bound == C.coloring.lower_bound <= D.n_colors
    A = integers(C.pattern, 7, symmetric=C.partition == "symmetric")
    check(D, A)
    assert equal(D.compress(A), C.compress(A))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    for kind in ("columns", "symmetric with neutral vertices", "neutral vertices by substitution"):
        KINDS[kind]().save(path)
        whole = path.read_bytes()
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        np.savez(path, **arrays | {"colors": np.minimum(np.arange(len(arrays["colors"])) - 1, 0)})
        with pytest.raises(lagcolor.FormatError, match="damaged compression"):
            load(path)
    for content in (whole[: len(whole) // 2], b"# A text\n"):
        path.write_bytes(content)
        with pytest.raises(lagcolor.FormatError, match=r"c\.npz: no \.npz file of Compression\.save") as e:
            load(path)
        assert "pickle" not in str(e.value)
    np.savez(path, colors=np.zeros(3))
    with pytest.raises(lagcolor.FormatError, match=r"c\.npz"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.npz")


def test_a_file_keeps_labels_and_orders(tmp_path: Path) -> None:
    import networkx as nx

    G = nx.Graph([("a", (1, "b")), ((1, "b"), 3), (3, "a"), (3, 2.5)])
    C = hessian(G, order=("natural", "smallest_last"))
    C.save(tmp_path / "c.npz")
    D = load(tmp_path / "c.npz")
    assert D.pattern.labels == list(C.pattern.labels) == ["a", (1, "b"), 3, 2.5]
    assert D.coloring.to_dict() == C.coloring.to_dict()
    assert [one["name"] for one in D.coloring.notes["tried"]] == ["natural", "smallest_last"]
    assert (D.coloring.order, D.coloring.seconds) == (C.coloring.order, C.coloring.seconds)
    P = lagcolor.Pattern(
        *(getattr(RECTANGULAR["tall"], name) for name in ("indptr", "indices", "columns")),
        labels=np.arange(60) * 10,
        column_labels=[object()] * 20,
    )
    jacobian(P).save(tmp_path / "d.npz")
    assert load(tmp_path / "d.npz").pattern.labels == list(range(0, 600, 10))
    assert load(tmp_path / "d.npz").pattern.column_labels is None


@pytest.mark.parametrize("kind", KINDS)
def test_infinity_stays_in_its_own_sums(kind: str) -> None:
    """For dense and sparse matrices, infinity times a zero of the seeds gives no NaN."""
    C = KINDS[kind]()
    A = integers(C.pattern, 7, symmetric=C.partition == "symmetric", dtype=np.float64)
    A.data[A.nnz // 2] = np.inf
    if C.partition == "symmetric":
        A = sp.csr_array(A.maximum(A.T))
    dense = C.compress(A.toarray())
    assert equal(dense, C.compress(A))
    flat = C.flat(dense)
    assert 1 <= np.isinf(flat).sum() <= 2 and not np.isnan(flat).any()
    if not C.recovery.levels:
        np.testing.assert_array_equal(C.decompress(dense).toarray(), A.toarray())


@pytest.mark.parametrize("kind", ["columns", "both"])
def test_matrices_of_numpy(kind: str) -> None:
    """Arrays, and `numpy.matrix`, as scipy's `todense` gives it, are taken, too."""
    C = KINDS[kind]()
    A = integers(C.pattern, 3)
    B = C.compress(np.asmatrix(A.toarray()))
    assert equal(B, C.compress(A)) and equal(B, C.compress(A.toarray()))
    as_matrix = tuple(np.asmatrix(part) for part in B) if isinstance(B, tuple) else np.asmatrix(B)
    assert (C.decompress(as_matrix) != A).nnz == 0
    into = np.asmatrix(np.zeros(A.shape, A.dtype))
    C.decompress_into(into, as_matrix)
    np.testing.assert_array_equal(into, A.toarray())


def test_errors_name_the_offender() -> None:
    P, S = RECTANGULAR["wide"], SYMMETRIC["band"]
    C, A = jacobian(P), integers(P, 1)
    B, by_levels, both = C.compress(A).astype(float), hessian(S, "substitution"), jacobian(P, "both")
    masked = np.ma.array(B, mask=True)
    for text, call in (
        ("float64 do not fit into a matrix of int", lambda: C.decompress_into(np.zeros(P.shape, np.int32), B)),
        ("dense arrays, not csr_array", lambda: C.values(sp.csr_array(B))),
        (r"A\.astype\(int\)", lambda: by_levels.values(np.ones((S.rows, by_levels.n_colors), bool))),
        (r"B must not have masked .*: .* B\.filled", lambda: C.decompress_into(np.zeros(P.shape), masked)),
        (r"B\[1\] must not have masked", lambda: both.values((both.compress(A)[0], masked))),
        ("A must not have masked", lambda: C.compress(np.ma.masked_equal(A.toarray(), 0))),
        (r"the matrix has shape \(3, 3\), and the pattern \(20, 60\)", lambda: C.compress(np.zeros((3, 3)))),
        ("come as a pair", lambda: both.decompress(np.zeros((2, 2)))),
        (r"use A\.tocsr\(\)", lambda: C.decompress_into(A.tocsc(), C.compress(A))),
        ("other entries than the pattern", lambda: C.decompress_into(sp.csr_array(P.shape, dtype=int), C.compress(A))),
    ):
        with pytest.raises(lagcolor.GraphError, match=text):
            call()
    with pytest.raises(lagcolor.OptionError, match="uplo='L' is for symmetric"):
        C.decompress(C.compress(A), uplo="L")


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_shows_every_entry_and_where_it_is_read(kind: str) -> None:
    from lagcolor.plot.compression import _products

    C = KINDS[kind]()
    matrix, parts = _products(C)
    A = integers(C.pattern, 11)
    assert ((matrix >= 0) == (A.toarray() != 0)).all() and matrix.max() < C.n_colors
    assert [part.shape for part in parts] == list(C.shapes)
    figure = lagcolor.plot.compression(C)
    assert next(ax.get_title().partition(",")[0] for ax in figure.axes) == "A"
    assert sum(ax.get_images()[0].get_array().size for ax in figure.axes) == matrix.size + sum(p.size for p in parts)
