"""Several GPUs of one host: colorings of divided graphs, compared with one GPU.

python -m benchmarks.gpus [GRAPH …] [--devices N …] [--runs N] [--large SIDES] [--out FILE]

GRAPH is a spec of `lagcolor.generate`, made on the first GPU; default: `GRAPHS`. Milliseconds are medians of whole
calls after a warm-up: on one GPU by its own events, of several with parts in place by the host's clock from before the
first launch until the last GPU is done (a part of 1: the same code on one GPU). Colors must be equal, bit for bit.
--large: a 27-point mesh with that number of vertices per side, generated in parts on all GPUs, colored, and checked by
the equations of first-fit. The mesh may be larger than the memory of one GPU.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base import device as dev
from lagcolor.scale.gpus import color, distribute, mesh
from lagcolor.scale.gpus.check import verify

from . import report
from .experiment import measurement, parser, recorded

GRAPHS = ("stencil27:340", "rgg:24", "uniform:2**25,4", "kron_g500:22")


def noted(result: Any) -> dict[str, Any]:
    """What a result says of its parts, as lists of numbers."""
    notes = result.notes
    parts = {f"part_{key}": [part[key] for part in notes["parts"]] for key in notes["parts"][0] if key != "device"}
    return {"messages": notes["messages"], "bytes": notes["bytes"], **parts}


def compared(spec: str, counts: Sequence[int], runs: int, order: str | None) -> Iterator[Row]:
    """Lines of a graph: on one GPU, and divided."""
    begun = time.perf_counter()
    G = lagcolor.generate.from_spec(spec, device="cuda:0")
    made = time.perf_counter() - begun
    about = {"graph": spec, "spec": spec, "n": G.n, "m": G.m, "max_degree": G.max_degree, "device": "cuda"}
    how = {"order": order} if order else {}

    def alone() -> Any:
        return lagcolor.color(lagcolor.Graph(G.indptr, G.indices), "first_fit", seed=0, verify=False, **how)

    one, ms = alone(), []
    for _ in range(runs):
        one = alone()
        ms.append(one.seconds * 1e3)
    expected, base = one.colors, statistics.median(ms)
    yield measurement(about, "one GPU", how, ms=base, ms_all=ms, colors=one.n_colors, made_s=made)
    for count in counts:
        D = distribute(G, [f"cuda:{d}" for d in range(count)])
        result, times = color(D, order, seed=0), []
        for _ in range(runs):
            result = color(D, order, seed=0)
            times.append(result.seconds * 1e3)
        equal = bool((result.colors == expected).all())
        figures = {"ms": statistics.median(times), "ms_all": times, "speedup": base / statistics.median(times)}
        figures |= {"divide_s": D.seconds, "boundary": D.boundary, "equal": equal, **noted(result)}
        yield measurement(about, f"{count} in place", {"gpus": count, **how}, **figures)
        if not equal:
            raise AssertionError(f"{spec} on {count} GPUs: other colors than on one")
        del D, result


def large(sides: Sequence[int], runs: int) -> Iterator[Row]:
    """A mesh made, colored and checked in parts."""
    D = mesh("stencil27", *sides)
    cp, graph = dev.cupy(), f"stencil27:{','.join(map(str, sides))}"
    about = {"graph": graph, "spec": graph, "n": D.n, "m": D.m, "max_degree": 26, "device": "cuda"}
    result, times = color(D), []
    for _ in range(runs):
        result = color(D)
        times.append(result.seconds * 1e3)
    begun = time.perf_counter()
    found = verify(D, result.colors, spread=0)
    checked = time.perf_counter() - begun
    for device in D.devices:
        with cp.cuda.Device(device):
            cp.get_default_memory_pool().free_all_blocks()
    figures = {"ms": statistics.median(times), "ms_all": times, "made_s": D.seconds, "check_s": checked}
    figures |= {"colors": found.n_colors, "first_fit": True, **noted(result)}
    yield measurement(about, f"{len(D.parts)} in place", {"gpus": len(D.parts)}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: milliseconds by the number of GPUs, and the speed compared with one."""
    cells, gains = {}, {}
    for line in of_kind(records, "measurement"):
        f, name = line["figures"], f"{line['graph']}, {line['m'] / 1e9:.1f} G entries"
        gpus = line["options"].get("gpus", "1, whole")
        gain = f" ({f['speedup']:.2f} ×)" if "speedup" in f else ""
        cells[name, f"{gpus}"] = f"{report.three_digits(f['ms'])}{gain}"
        gains |= {name: f["speedup"]} if gain else {}
    answer = f"{gpus} GPUs are {min(gains.values()):.1f} to {max(gains.values()):.1f} times as fast as one."
    caption = "Milliseconds, and in parentheses the speed compared with one GPU."
    return [answer, "", *report.pivot(cells, "graph"), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 1 without a GPU."""
    p = parser("benchmarks.gpus", __doc__, runs=5)
    p.add_argument("graphs", nargs="*", metavar="GRAPH")
    p.add_argument("--devices", nargs="+", type=int, metavar="N", help="numbers of GPUs (default: 1, 2, 4 … all)")
    p.add_argument("--order", help="another order than the default")
    p.add_argument("--large", nargs="+", type=int, metavar="SIDE", help="a 27-point mesh made in parts")
    args = p.parse_args(argv)
    if not lagcolor.has_gpu():
        report.console().print("[red]no GPU here[/]")
        return 1
    here = int(dev.cupy().cuda.runtime.getDeviceCount())
    counts = args.devices or [k for k in (1, 2, 4, 8) if k <= here]
    out = recorded(args, gpus=here)

    def note(rows: Iterator[Row]) -> None:
        for row in rows:
            out.add(row)
            short = {k: v for k, v in row["figures"].items() if k != "ms_all"}
            print(row["graph"], row["code"], short, flush=True)

    for spec in args.graphs or (() if args.large else GRAPHS):
        note(compared(spec, counts, args.runs, args.order))
        for device in range(here):
            with dev.cupy().cuda.Device(device):
                dev.cupy().get_default_memory_pool().free_all_blocks()
    if args.large:
        note(large(args.large, args.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
