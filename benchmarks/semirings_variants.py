"""Which tuning of products is fastest on this GPU, each result compared with cupyx's.

Called by `python -m benchmarks.semirings_gpu --variants`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

import lagcolor
import semirings
from benchmarks.harness.results import Row
from semirings.gpu import Gpu
from semirings.storage import Tuning

from .experiment import facts, measurement

OF_VARIANTS = ("2d-2e20", "fem27-128", "fd7-200", "rgg_n_2_22", "rmat22", "kron_g500-logn21")
ROWS: dict[str, Any] = {"stream": 0}
VARIANTS: dict[str, dict[str, Any]] = {
    "rows": ROWS,
    "rows, indices in L1": {**ROWS, "index_load": ""},
    "stream 1024": {"stream": 1024},
    "stream 2048": {},
    "stream 4096": {"stream": 4096},
    "stream 2048, indices in L1": {"index_load": ""},
    "masked sums staged": {**ROWS, "index_load": "", "staged_rows": 0},
    "masked sums not staged": {**ROWS, "index_load": "", "staged_rows": 2**62},
}


def compare(
    name: str, spec: str, repeats: int, timed: Callable[[Any, Callable[[], Any], int], tuple[float, Any]]
) -> Iterator[Row]:
    """Times each variant on one graph, a line per variant; `all_equal` and `masked_equal` are 1 if it was right."""
    import cupy as cp

    G = lagcolor.generate.from_spec(spec, device="cuda")
    r = np.random.default_rng(1)
    p, tenth = r.permutation(G.n).astype(np.int32) + 1, r.random(G.n) < 0.1
    expected = largest_of_neighbors(cp, G, cp.asarray(p))
    floor = (4 * (G.n + 1) + 4 * G.m + 8 * G.n) / 4.2e12 * 1e3
    for variant, values in VARIANTS.items():
        tuning = Tuning(**values)
        E = Gpu(cp, tuning)
        A = E.matrix(G.indptr, G.indices, symmetric=True)
        w, mask = E.from_numpy(p), E.from_numpy(tenth)
        row: dict[str, Any] = {"floor_ms": floor}
        for case, keep in (("all", None), ("masked", mask)):
            t = E.vxm(w, A, semirings.max_times, mask=keep)
            want = expected if keep is None else cp.where(keep.values, expected, 0)
            row[f"{case}_equal"] = int((E.to_array(t) == want).all())
            host, device = timed(cp, partial(E.vxm, w, A, semirings.max_times, mask=keep), repeats)
            row[f"{case}_ms"] = host if device is None else device
        row["streamed"] = int(A.plan.stream > 0)
        yield measurement(facts(G, name, spec), "vxm", {"variant": variant, **asdict(tuning)}, **row)
        cp.get_default_memory_pool().free_all_blocks()


def largest_of_neighbors(cp: Any, G: Any, p: Any) -> Any:
    """The largest p of the neighbors of each vertex, 0 without neighbors."""
    largest = cp.zeros(G.n, np.int32)
    rows = cp.searchsorted(G.indptr[1:], cp.arange(G.m, dtype=G.indptr.dtype), side="right")
    cp.maximum.at(largest, rows, p[G.indices])
    return largest
