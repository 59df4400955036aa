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
from semirings.storage import Tuning


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


TUNINGS = {
    "default": {},
    "rows": {"stream": 0, "staged_rows": 0},
    "batches": {"stream": 1024, "index_load": ""},
}


@functools.cache
def tuned(engine: str, tuning: str) -> Any:
    from semirings.gpu import Gpu

    return Gpu(engine_of(engine).cp, Tuning(**TUNINGS[tuning]))


def products(E: Any, a: Any, name: str, u: tuple[Any, Any], keep: Any, symmetric: bool, **how: Any) -> list[Any]:
    """Indices and values of products of a pattern, without and with a mask."""
    P, w, mask = E.matrix(a.indptr, a.indices, symmetric=symmetric), E.from_numpy(*u), E.from_numpy(keep)
    s = getattr(semirings, name)
    found = [
        E.vxm(w, P, s, **how),
        E.vxm(w, P, s, mask=mask, **how),
        E.mxv(P, w, s, **how),
        E.mxv(P, w, s, mask=mask, complement=True, **how),
    ]
    return [x for t in found for x in E.to_coo(t)]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_tuning_changes_no_product(engine: str, shape: str, tuning: str, symmetric: bool) -> None:
    a = star_and_more(*SHAPES[shape])
    if not symmetric:
        a = sp.triu(a, format="csr").sorted_indices()
    n, r = a.shape[0], np.random.default_rng(4)
    u, keep = (r.permutation(n).astype(np.int32), None), r.random(n) < 0.3
    for name in ("max_times", "min_plus"):
        pair = (products(E, a, name, u, keep, symmetric) for E in (tuned(engine, tuning), semirings.engine("cpu")))
        for got, want in zip(*pair, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("direction", ["pull", "push", None])
@pytest.mark.parametrize("density", [1.0, 0.001])
@pytest.mark.parametrize("name", ["max_times", "lor_land", "plus_first"])
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_product(engine: str, name: str, density: float, direction: str | None) -> None:
    a, r = star_and_more(*SHAPES["hub"]), np.random.default_rng(3)
    n = a.shape[0]
    u = (
        r.permutation(n).astype(bool if name == "lor_land" else np.int32),
        None if density == 1 else r.random(n) < density,
    )
    keep = r.random(n) < 0.1
    keep[5] = True
    pair = (
        products(E, a, name, u, keep, True, direction=direction) for E in (engine_of(engine), semirings.engine("cpu"))
    )
    for got, want in zip(*pair, strict=True):
        np.testing.assert_array_equal(got, want)


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
