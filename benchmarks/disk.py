"""Graphs in folders colored on a GPU in bounded memory, compared with the rate of copying.

python -m benchmarks.disk --folder FOLDER [--memory SIZE] [--runs N] [--out FILE] [SPEC …]

Each graph is generated and colored on the device, written to FOLDER, and removed from the device. Then it is colored
from its folder in several orders; all colors are compared. Rates are bytes of the two arrays per second: `copy` of
pinned memory to the device in pieces, `rate` of the coloring, from the first read to the last color.
"""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base import options
from lagcolor.cli.outputs import print_table

from . import report
from .experiment import facts, measurement, parser, ready, recorded

SPECS = ("rgg:22", "uniform:8388608,16")
ORDERS = "natural", None
GIGA, RING, PIECE = 1e9, 32, 1 << 22


def copy_rate(cp: Any, pieces: int = 512) -> float:
    """Bytes per second from pinned memory to the device, with all copies queued at once."""
    staged, to = [cp.cuda.alloc_pinned_memory(PIECE) for _ in range(RING)], cp.empty(PIECE, np.uint8)
    best, host_to_device, stream = 0.0, 1, cp.cuda.get_current_stream().ptr
    for _ in range(3):
        cp.cuda.Device().synchronize()
        begun = time.perf_counter()
        for i in range(pieces):
            cp.cuda.runtime.memcpyAsync(to.data.ptr, staged[i % RING].ptr, PIECE, host_to_device, stream)
        cp.cuda.Device().synchronize()
        best = max(best, pieces * PIECE / (time.perf_counter() - begun))
    return best


def from_disk(path: Path, order: str | None, memory: int, runs: int) -> tuple[lagcolor.Coloring, list[float]]:
    """The last coloring, and the seconds of all after a warm-up."""
    seconds: list[float] = []
    for k in range(runs + 1):
        result = lagcolor.color(path, order=order, device="cuda", memory=memory, verify=False)
        if k:
            seconds.append(result.seconds)
    return result, seconds


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table."""
    rows = [["graph", "order", "GB", "GB/s", "ms", "in memory, ms", "GPU memory, GB"]]
    rates: dict[str, list[float]] = {}
    for line in of_kind(records, "measurement"):
        f, order = line["figures"], line["options"]["order"].replace("largest_first_spread", "default")
        rates.setdefault(order, []).append(f["rate"] / GIGA)
        rows.append([
            line["graph"], order,
            f"{f['nbytes'] / GIGA:.2f}", f"{f['rate'] / GIGA:.1f}", f"{f['nbytes'] / f['rate'] * 1e3:.0f}",
            f"{f['seconds_in_memory'] * 1e3:.1f}", f"{f['held'] / GIGA:.2f}",
        ])  # fmt: skip
    copies = f"{next(iter(of_kind(records, 'measurement')))['figures']['copy'] / GIGA:.1f} GB/s"
    spans = (f"{min(of):.1f} to {max(of):.1f} GB/s in {order} order" for order, of in rates.items())
    answer = f"A GPU reads a folder at {', '.join(spans)}."
    caption = (
        f"Medians. Default: `largest_first_spread`. Pinned memory is copied to the device at {copies}. The "
        "colors are the same as in memory."
    )
    return [answer, "", *report.markdown(rows, numbers=range(2, 7)), "", f"{caption} {report.source(records)}"]


def main() -> None:
    """Measure, print a table and write the lines."""
    p = parser("benchmarks.disk", __doc__, runs=3)
    p.add_argument("specs", nargs="*", default=SPECS, metavar="SPEC")
    p.add_argument("--folder", type=Path, required=True, help="where folders of some GB may be made for a while")
    p.add_argument("--memory", default="640MB", metavar="SIZE", help="of the device (default %(default)s)")
    args = p.parse_args()
    if not ready(args, "a GPU is what this measures"):
        return
    import cupy as cp

    out, memory, rows = recorded(args, memory=args.memory), options.size("memory", args.memory), []
    copied = copy_rate(cp)
    for spec in args.specs:
        path = args.folder / "graph.csr"
        G = lagcolor.generate.from_spec(spec, device="cuda")
        about, wanted = facts(G, spec, spec), {}
        for order in ORDERS:
            lagcolor.color(G, order=order, verify=False)
            result = lagcolor.color(G, order=order, verify=False)
            wanted[order] = result.to_numpy(), result.seconds
        lagcolor.io.write(path, G.on("cpu"))
        del G, result
        for order in ORDERS:
            found, seconds = from_disk(path, order, memory, args.runs)
            taken, nbytes, notes = statistics.median(seconds), found.notes["bytes"], found.notes
            figures = {
                "copy": copied, "rate": nbytes / taken, "share": nbytes / taken / copied,
                "seconds": seconds, "seconds_in_memory": wanted[order][1], "nbytes": nbytes, "held": notes["held"],
                "blocks": notes["blocks"], "prepare": found.convert_seconds + found.order_seconds,
                "same": int((found.to_numpy() == wanted[order][0]).all()), "colors": found.n_colors,
            }  # fmt: skip
            out.add(measurement(about, "from disk", {"order": found.order, "memory": memory}, **figures))
            rows.append([
                spec, found.order, f"{nbytes / GIGA:.2f}", f"{copied / GIGA:.1f}", f"{nbytes / taken / GIGA:.1f}",
                f"{nbytes / taken / copied:.0%}", f"{taken * 1e3:.0f}",
                f"{wanted[order][1] * 1e3:.1f}", f"{notes['held'] / GIGA:.2f}", str(figures["same"]),
            ])  # fmt: skip
            print(*rows[-1], flush=True)
        shutil.rmtree(path)
    columns = ["graph", "order", "GB", "copy GB/s", "GB/s", "share", "ms", "in memory", "held", "same"]
    print_table(columns, rows, wide=True)


if __name__ == "__main__":
    main()
