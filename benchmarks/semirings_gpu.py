"""Speed of `semirings` on a GPU beside the bytes that must move and beside cupyx's CSR × vector; JSON lines.

python -m benchmarks.semirings_gpu [--graphs NAME …] [--out FILE] [--repeats N] [--variants]

`vxm` is max_times in int32 on a full vector, unmasked and with a mask that keeps a random tenth of the rows; `push`
starts from a random thousandth of the entries. `floor` is the time of 4(n+1) + 4m + 4n + 4n bytes at 4.2 TB/s. Each
time is the median of runs; "device" times replay a CUDA graph of one call, without the host's part. Without `--graphs`:
all ten of the H200 suite, under 40 s; `--variants` takes six of them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lagcolor
import semirings
from lagcolor.bench.provenance import provenance

from .semirings_variants import OF_VARIANTS, compare

BANDWIDTH = 4.2e12
CALLS = 20


def host_and_device_ms(cp: Any, call: Callable[[], Any], repeats: int) -> tuple[float, float | None]:
    """Milliseconds of `call`, back to back from Python, and replayed from a CUDA graph (None if it cannot be)."""
    for _ in range(3):
        call()
    host = [_timed(cp, call) for _ in range(repeats)]
    graph = _captured(cp, call)
    device = None if graph is None else statistics.median(_timed(cp, graph.launch) for _ in range(repeats))
    return statistics.median(host), device


def _timed(cp: Any, call: Callable[[], Any]) -> float:
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    for _ in range(CALLS):
        call()
    stop.record()
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop) / CALLS


def _captured(cp: Any, call: Callable[[], Any]) -> Any:
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        call()  # the pool of this stream gets the blocks that the capture will take
        stream.synchronize()
        stream.begin_capture()
        try:
            call()
            return stream.end_capture()
        except (cp.cuda.runtime.CUDARuntimeError, NotImplementedError) as e:  # cuSPARSE under CuPy
            print(f"no CUDA graph: {e}", file=sys.stderr)
            with contextlib.suppress(cp.cuda.runtime.CUDARuntimeError):
                stream.end_capture()
            return None


def cases(cp: Any, E: Any, A: Any, G: lagcolor.Graph) -> dict[str, Callable[[], Any]]:
    """Name → what is timed."""
    import cupyx.scipy.sparse as cs

    n = G.n
    r = np.random.default_rng(1)
    w = E.from_numpy(r.permutation(n).astype(np.int32) + 1)
    tenth = E.from_numpy(r.random(n) < 0.1)
    few = E.from_numpy(r.permutation(n).astype(np.int32), r.random(n) < 0.001)
    known = E.dup(few)
    E.nvals(known)
    csr = cs.csr_matrix((cp.ones(G.m, np.float32), G.indices, G.indptr.astype(np.int32)), shape=(n, n))
    x = cp.asarray(r.random(n, np.float32))
    s = semirings.max_times
    return {
        "vxm": lambda: E.vxm(w, A, s),
        "vxm, mask of 10 %": lambda: E.vxm(w, A, s, mask=tenth),
        "vxm, push from 0.1 %": lambda: E.vxm(few, A, s, direction="push"),
        "vxm, pull from 0.1 %": lambda: E.vxm(few, A, s, direction="pull"),
        "vxm, device chooses": lambda: E.vxm(few, A, s),
        "vxm, host chooses": lambda: E.vxm(known, A, s),
        "ewise_add gt": lambda: E.ewise_add(semirings.gt, w, w),
        "cupyx csr @ float32": lambda: csr @ x,
    }


def measure(name: str, spec: str, repeats: int) -> list[dict[str, Any]]:
    """The rows of one graph."""
    import cupy as cp

    G = lagcolor.generate.from_spec(spec, device="cuda")
    E = semirings.engine("cuda")
    A = E.matrix(G.indptr, G.indices, symmetric=True)
    start = time.perf_counter()
    bins = [(b.width, b.count) for b in A.plan.bins]
    chunks = 0 if A.plan.chunks is None else len(A.plan.chunks.row)
    cp.cuda.Device().synchronize()
    plan_ms = 1e3 * (time.perf_counter() - start)
    floor = (4 * (G.n + 1) + 4 * G.m + 8 * G.n) / BANDWIDTH * 1e3
    rows = []
    for case, call in cases(cp, E, A, G).items():
        host, device = host_and_device_ms(cp, call, repeats)
        best = host if device is None else device
        row = {"graph": name, "n": G.n, "m": G.m, "case": case, "ms": host, "device_ms": device, "floor_ms": floor}
        rows.append({**row, "of_floor": floor / best, "plan_ms": plan_ms, "bins": bins, "chunks": chunks})
    return rows


def table(records: list[dict[str, Any]]) -> list[str]:
    """The products of a result file beside their floor and beside cupyx, in Markdown (tools/update_tables.py)."""
    head, *rows = records
    ms: dict[str, dict[str, float]] = {}
    floors = {row["graph"]: row["floor_ms"] for row in rows}
    for row in rows:
        ms.setdefault(row["graph"], {})[row["case"]] = row["ms"] if row["device_ms"] is None else row["device_ms"]
    lines = ["| graph | vxm, ms | × floor | mask of 10 %, ms | of unmasked | cupyx, ms |", "| --- " * 6 + "|"]
    for graph, cases in ms.items():
        all_rows, masked, cupyx = (cases[case] for case in ("vxm", "vxm, mask of 10 %", "cupyx csr @ float32"))
        share = f"{all_rows / floors[graph]:.1f} | {masked:.3g} | {100 * masked / all_rows:.0f} %"
        lines.append(f"| {graph} | {all_rows:.3g} | {share} | {cupyx:.3g} |")
    return [*lines, "", f"{head['gpu']}, {head['date'][:10]}, commit {head['commit'][:7]}."]


def main() -> None:
    """Measures the graphs asked for; a JSON object a line."""
    suite = lagcolor.generate.SUITE_H200
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--graphs", nargs="*", help="of the H200 suite, or specs (default: all)")
    parser.add_argument("--variants", action="store_true", help="compare tunings of products instead")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    options = parser.parse_args()
    import cupy as cp

    gpu = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(json.dumps({**provenance(), "gpu": gpu}), file=options.out, flush=True)
    equal = True
    for name in options.graphs or (OF_VARIANTS if options.variants else suite):
        if options.variants:
            equal &= compare(name, suite.get(name, name), options.repeats, host_and_device_ms, options.out)
            continue
        for row in measure(name, suite.get(name, name), options.repeats):
            print(json.dumps(row), file=options.out, flush=True)
        cp.get_default_memory_pool().free_all_blocks()
    if not equal:
        sys.exit("a variant gave a wrong result: see the rows whose all_equal or masked_equal is false")


if __name__ == "__main__":
    main()
