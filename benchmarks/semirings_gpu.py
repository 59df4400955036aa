"""Speed of `semirings` on a GPU, compared with the bytes that must move and with cupyx's CSR × vector.

python -m benchmarks.semirings_gpu [--graphs NAME …] [--out FILE] [--runs N] [--commit C]

`vxm` is max_times in int32 of a pattern on a full vector, unmasked and with a mask that keeps a random tenth of the
rows; `push` starts from a random thousandth of the entries. "vxm, float32 values" is plus_times on the very arrays that
cupyx multiplies: the same bytes, 4 m more than of a pattern. Two times of each, measured alike for both: "ms", calls
from Python one after the other, and "device_ms", the same calls queued behind a kernel that keeps the GPU busy until
the host is through, so that no call waits for Python; None where a call itself waits. All are medians.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import lagcolor
import semirings
from benchmarks.harness.results import Row, of_kind
from lagcolor.base.device.source import Module

from . import report
from .experiment import facts, measurement, parser, ready, recorded

BANDWIDTH = 4.2e12
CALLS = 20
BUSY_MS, TRIES = 5.0, 4  # of the kernel in front; doubled if the host does not finish in time
BUSY = r"""
extern "C" __global__ void busy(long long nanoseconds) {
    long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}
"""
PLAIN, VALUES, CUPYX, MASKED = "vxm", "vxm, float32 values", "cupyx csr @ float32", "vxm, mask of 10 %"


def host_and_device_ms(cp: Any, call: Callable[[], Any], repeats: int) -> tuple[float, float | None]:
    """Milliseconds of `call`, back to back from Python, and on the device alone (None if the call waits for it)."""
    for _ in range(3):
        call()
    host = [_timed(cp, call)[0] for _ in range(repeats)]
    device = [ms for _ in range(repeats) if (ms := _behind_a_busy_kernel(cp, call)) is not None]
    return statistics.median(host), statistics.median(device) if device else None


def _timed(cp: Any, call: Callable[[], Any]) -> tuple[float, bool]:
    """Milliseconds a call between two events, and whether the first had passed before the host was through."""
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    for _ in range(CALLS):
        call()
    stop.record()
    passed = start.done
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop) / CALLS, passed


def _behind_a_busy_kernel(cp: Any, call: Callable[[], Any]) -> float | None:
    kernel = Module(cp, BUSY).kernel("busy")
    for doubled in range(TRIES):
        kernel((1,), (1,), (np.int64(BUSY_MS * 1e6 * 2**doubled),))
        ms, passed = _timed(cp, call)
        if not passed:
            return ms
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
    B, y = (
        E.matrix(G.indptr, G.indices, np.ones(G.m, np.float32), symmetric=True),
        E.from_numpy(r.random(n, np.float32)),
    )
    csr, x = cs.csr_matrix((B.values, G.indices, G.indptr.astype(np.int32)), shape=(n, n)), y.values
    s = semirings.max_times
    return {
        PLAIN: lambda: E.vxm(w, A, s),
        VALUES: lambda: E.vxm(y, B, semirings.plus_times),
        CUPYX: lambda: csr @ x,
        MASKED: lambda: E.vxm(w, A, s, mask=tenth),
        "vxm, push from 0.1 %": lambda: E.vxm(few, A, s, direction="push"),
        "vxm, pull from 0.1 %": lambda: E.vxm(few, A, s, direction="pull"),
        "vxm, device chooses": lambda: E.vxm(few, A, s),
        "vxm, host chooses": lambda: E.vxm(known, A, s),
        "ewise_add gt": lambda: E.ewise_add(semirings.gt, w, w),
    }


def measure(name: str, spec: str, repeats: int) -> list[Row]:
    """The lines of one graph."""
    import cupy as cp

    G = lagcolor.generate.from_spec(spec, device="cuda")
    E = semirings.engine("cuda")
    A = E.matrix(G.indptr, G.indices, symmetric=True)
    chunks = 0 if A.plan.chunks is None else len(A.plan.chunks.row)
    moved = 4 * (G.n + 1) + 4 * G.m + 8 * G.n
    floor = moved / BANDWIDTH * 1e3
    same = {"floor_ms": floor, "bins": len(A.plan.bins), "chunks": chunks}
    rows = []
    for case, call in cases(cp, E, A, G).items():
        host, device = host_and_device_ms(cp, call, repeats)
        size = moved + 4 * G.m if case in (VALUES, CUPYX) else moved
        figures = {"ms": host, "device_ms": device, "moved_bytes": size, **same}
        rows.append(measurement(facts(G, name, spec), case, {}, **figures))
    return rows


def table(records: Sequence[Row]) -> list[str]:
    """The products of a result file compared with their floor and with cupyx, in Markdown (tools/update_tables.py)."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in of_kind(records, "measurement"):
        found.setdefault(row["graph"], {})[row["code"]] = row["figures"]
    rows, ratios = [["graph", "pattern, ms", "× floor", "with the mask", "values, ms", "cupyx / ours"]], []
    for graph, cases in found.items():
        plain, masked, mine, theirs = (cases[case]["device_ms"] for case in (PLAIN, MASKED, VALUES, CUPYX))
        ratios.append(theirs / mine if theirs and mine else float("nan"))
        share = f"{100 * masked / plain:.0f} %"
        floors = f"{plain / cases[PLAIN]['floor_ms']:.1f}"
        rows.append([graph, f"{plain:.3g}", floors, share, f"{mine:.3g}" if mine else "", f"{ratios[-1]:.2f}"])
    answer = f"cupyx takes {min(ratios):.2f} to {max(ratios):.2f} times as long for the same product of values."
    caption = (
        "Device times. Pattern: `vxm` with max_times in int32. Floor: 4(n + 1) + 4m + 8n bytes. With the mask: share "
        "of the time. Values: plus_times in float32, which cupyx multiplies as well."
    )
    return [answer, "", *report.markdown(rows, range(1, 6)), "", f"{caption} {report.source(records)}"]


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.semirings_gpu", __doc__, runs=7)
    p.add_argument("--graphs", nargs="*", help="of the H200 suite, or specs (default: all)")
    return p.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the requested graphs; return 2 without a GPU."""
    args = arguments(argv)
    if args.device == "cpu" or not ready(args, "these are of a GPU"):
        return 2
    import cupy as cp

    suite = lagcolor.generate.SUITE_H200
    out = recorded(args)
    for name in args.graphs or suite:
        for line in measure(name, suite.get(name, name), args.runs):
            out.add(line)
        cp.get_default_memory_pool().free_all_blocks()
    print("\n".join(table(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
