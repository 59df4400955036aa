"""Graphs with hubs and empty rows: every way rows are spread over threads gives the sums of the CPU engine."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from emulated import ENGINES
from semirings_cases import engine_of

import semirings
from semirings.storage import Bin, Tuning, make_plan


def star_and_more(n: int, hub: int, seed: int) -> Any:
    """A symmetric pattern: vertex 5 has `hub` neighbors, 6 a tenth of them, some have none, the others about 3."""
    r = np.random.default_rng(seed)
    u, v = r.integers(100, n, (2, 3 * n // 2))
    spokes = r.choice(np.arange(100, n), hub, replace=False)
    hubs = np.repeat([5, 6], [hub, hub // 10])
    rows, cols = np.concatenate([u, hubs]), np.concatenate([v, spokes, spokes[: hub // 10]])
    a = sp.coo_array((np.ones(len(rows), np.int8), (rows, cols)), shape=(n, n)).tocsr()
    a = ((a + a.T) > 0).tocsr()
    a.sort_indices()
    return a


SHAPES = {"hub": (4000, 3000, 1), "even": (1500, 40, 2)}
WORKS = ["pull", "push", None]


def run(E: Any, a: Any, name: str, u: Any, keep: Any, direction: str | None, dtype: Any) -> Any:
    A = E.matrix(a.indptr, a.indices, symmetric=True)
    values, present = u
    mask = E.from_numpy(keep)
    w = E.from_numpy(values.astype(dtype), present)
    return [
        E.to_coo(E.vxm(w, A, getattr(semirings, name), direction=direction)),
        E.to_coo(E.vxm(w, A, getattr(semirings, name), mask=mask, direction=direction)),
        E.to_coo(E.mxv(A, w, getattr(semirings, name), mask=mask, complement=True, direction=direction)),
    ]


TUNINGS = {
    "default": {},
    "rows": {"stream": 0, "staged_rows": 0},
    "batches": {"stream": 1024, "index_load": ""},
}


@functools.cache
def tuned(engine: str, tuning: str) -> Any:
    from semirings.gpu import Gpu

    return Gpu(engine_of(engine).cp, Tuning(**TUNINGS[tuning]))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", ["max_times", "min_plus"])
@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_tuning_changes_no_product(engine: str, shape: str, tuning: str, name: str, symmetric: bool) -> None:
    a = star_and_more(*SHAPES[shape])
    if not symmetric:
        a = sp.triu(a, format="csr").sorted_indices()
    n, r, s = a.shape[0], np.random.default_rng(4), getattr(semirings, name)
    u, keep, weights = r.permutation(n).astype(np.int32), r.random(n) < 0.3, r.integers(-9, 9, a.nnz).astype(np.int32)
    results = []
    for E in (tuned(engine, tuning), semirings.engine("cpu")):
        A, w, mask = E.matrix(a.indptr, a.indices, weights), E.from_numpy(u), E.from_numpy(keep)
        P = E.matrix(a.indptr, a.indices, symmetric=symmetric)
        products = [
            E.vxm(w, P, s),
            E.vxm(w, P, s, mask=mask),
            E.mxv(A, w, s),
            E.mxv(A, w, s, mask=mask, complement=True),
        ]
        results.append([x for t in products for x in E.to_coo(t)])
    for got, want in zip(*results, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("direction", WORKS)
@pytest.mark.parametrize("density", [1.0, 0.001])
@pytest.mark.parametrize("name", ["max_times", "lor_land", "plus_first"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_product(engine: str, shape: str, name: str, density: float, direction: str | None) -> None:
    a = star_and_more(*SHAPES[shape])
    n = a.shape[0]
    r = np.random.default_rng(3)
    u = r.permutation(n).astype(np.int32), None if density == 1 else r.random(n) < density
    keep = r.random(n) < 0.1
    keep[5] = True
    dtype = bool if name == "lor_land" else np.int32
    got = run(engine_of(engine), a, name, u, keep, direction, dtype)
    want = run(semirings.engine("cpu"), a, name, u, keep, direction, dtype)
    for (i, x), (j, y) in zip(got, want, strict=True):
        np.testing.assert_array_equal(i, j)
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_plan_covers_every_row_once(engine: str) -> None:
    cp = engine_of(engine).cp
    a = star_and_more(*SHAPES["hub"])
    plan = make_plan(cp, cp.asarray(a.indptr), a.nnz)
    assert plan.chunks is not None and len(plan.bins) > 1 and not plan.all_rows
    rows = [cp.asnumpy(x) for x in (plan.chunks.long_rows, *(b.rows for b in plan.bins))]
    assert sorted(np.concatenate(rows).tolist()) == list(range(a.shape[0]))
    assert plan.chunks.row.tolist() == [5] * 2
    assert plan.chunks.first.tolist() == [a.indptr[5], a.indptr[5] + 2048]


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_default_tuning_depends_on_the_mean_row(engine: str) -> None:
    """Few entries a row are gathered, more are streamed, and only of long rows the indices are kept out of L1."""
    found = []
    for width in (4, 6, 16, 40):
        indptr, indices = np.arange(0, 50 * width + 1, width), np.tile(np.arange(width), 50)
        A = engine_of(engine).matrix(indptr, indices, ncols=50)
        found.append((A.tuning.stream, A.tuning.index_load))
    assert found == [(0, ""), (2048, ""), (4096, ""), (4096, ".L1::no_allocate")]


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_plan_of_even_degrees_is_one_bin(engine: str) -> None:
    cp = engine_of(engine).cp
    a = sp.random_array((500, 500), density=0.05, rng=np.random.default_rng(1), format="csr")
    plan = make_plan(cp, cp.asarray(a.indptr), a.nnz)
    assert plan.chunks is None
    assert plan.bins == [Bin(None, 500, 8)]


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_masks_of_whole_tiles(engine: str) -> None:
    """Even rows, most of them in whole tiles of 1024, with masks of all widths."""
    n = 2500
    a = sp.diags_array([1] * 4, offsets=[-2, -1, 1, 2], shape=(n, n), dtype=np.int8).tocsr()
    keep = np.random.default_rng(2).random(n) < 0.4

    def run(E: Any) -> list[Any]:
        A, w = E.matrix(a.indptr, a.indices, symmetric=True), E.from_numpy(np.arange(n, dtype=np.int32))
        masks = E.from_numpy(keep), E.from_numpy(keep, keep), E.from_numpy(keep.astype(np.float64))
        how = [{"mask": m, "complement": c} for m in masks for c in (False, True)]
        return [E.to_coo(E.vxm(w, A, semirings.max_times, direction="pull", **each)) for each in how]

    for got, want in zip(run(engine_of(engine)), run(semirings.engine("cpu")), strict=True):
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_array_equal(got[1], want[1])
