"""Several GPUs of one host: colorings of divided graphs beside one GPU, and what the link between two GPUs takes.

python -m benchmarks.gpus [GRAPH …] [--devices N …] [--runs N] [--links] [--large SIDES] [--out FILE]

GRAPH is a spec of `lagcolor.generate`, made on the first GPU; default: `GRAPHS`. Milliseconds are medians of whole
calls after a warm-up: on one GPU by its own events, of several with parts in place by the host's clock from before the
first launch until the last GPU is done (a part of 1: the same code on one GPU). Colors must be equal, bit for bit.
--links: copies and words between the first two GPUs. --large: a 27-point mesh of so many vertices a side is made in
parts, colored, and checked by the equations of first-fit, on all GPUs; no GPU need have room for all of it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base import device as dev
from lagcolor.base.device.several import link
from lagcolor.scale.gpus import color, distribute, mesh
from lagcolor.scale.gpus.check import verify

from . import report
from .experiment import measurement, parser, recorded

GRAPHS = ("stencil27:340", "rgg:24", "uniform:2**25,4", "kron_g500:22")
SOURCE = dev.Source(__file__)
COPIED, TURNS, STORED = 1 << 30, 2000, 1 << 28


def synchronized(devices: Sequence[int], call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call, and milliseconds until all devices have done it."""
    cp = dev.cupy()
    for wait in (0, 1):
        if wait:
            begun = time.perf_counter()
            out = call()
        for device in devices:
            with cp.cuda.Device(device):
                cp.cuda.Device().synchronize()
    return out, (time.perf_counter() - begun) * 1e3


def links() -> Iterator[Row]:
    """Between GPUs 0 and 1."""
    cp = dev.cupy()
    link((0, 1))
    memory = []
    for device in (0, 1):
        with cp.cuda.Device(device), cp.cuda.using_allocator(None):
            memory.append(cp.zeros(COPIED, np.uint8))
    about = {"graph": "none", "spec": "none", "n": 0, "m": 0, "max_degree": 0, "device": "cuda"}

    def copy(a: int, b: int, size: int) -> None:
        with cp.cuda.Device(a):
            stream = cp.cuda.get_current_stream().ptr
            cp.cuda.runtime.memcpyPeerAsync(memory[b].data.ptr, b, memory[a].data.ptr, a, size, stream)

    def median(call: Callable[[], Any], times: int = 7) -> float:
        call()
        return statistics.median(synchronized((0, 1), call)[1] for _ in range(times))

    one = median(lambda: copy(0, 1, COPIED))
    yield measurement(about, "copy, one way", {"bytes": COPIED}, ms=one, gb_per_s=COPIED / one / 1e6)
    small = median(lambda: copy(0, 1, 4096))
    yield measurement(about, "copy of 4 kB", {"bytes": 4096}, ms=small)
    yield from nccl(about)
    words = [m.view(np.uint32) for m in memory]
    kernels = {}
    for device in (0, 1):
        with cp.cuda.Device(device):
            kernels[device] = SOURCE.of(SYSTEM=1)

    def ping() -> None:
        for device in (0, 1):
            with cp.cuda.Device(device):
                args = (TURNS, 1 - device, words[device].data.ptr, words[1 - device].data.ptr)
                kernels[device].launch("round_trips", (1,), *args, block=1)

    def clear() -> None:
        for device in (0, 1):
            with cp.cuda.Device(device):
                words[device][:8] = 0

    times = []
    for _ in range(4):
        synchronized((0, 1), clear)
        times.append(synchronized((0, 1), ping)[1])
    yield measurement(about, "round trip of a word", {"turns": TURNS}, us=statistics.median(times[1:]) * 1e3 / TURNS)
    for where, to in (("the other GPU", 1), ("its own memory", 0)):
        for anywhere in (0, 1):
            for n in (1 << 20, 1 << 28):

                def store(to: int = to, anywhere: int = anywhere, n: int = n) -> None:
                    with cp.cuda.Device(0):
                        args = np.int64(STORED), np.uint32(n), anywhere, memory[to].data.ptr
                        kernels[0].launch("store_bytes", (1056,), *args)

                ms = median(store, 3)
                code = f"bytes stored {'anywhere' if anywhere else 'in order'} in {where}"
                yield measurement(about, code, {"room": n}, ms=ms, stores_per_s=STORED / ms * 1e3)


def send_by_nccl(rank: int, queue: Any) -> None:
    """One of two processes, each with a GPU: milliseconds of a send of so many bytes, medians."""
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{queue[1]}", rank=rank, world_size=2)
    found = {}
    for size in (COPIED, 4096):
        data, ms = torch.zeros(size, dtype=torch.uint8, device="cuda"), []
        for _ in range(9):
            dist.barrier()
            torch.cuda.synchronize()
            begun = time.perf_counter()
            dist.send(data, 1) if rank == 0 else dist.recv(data, 0)
            torch.cuda.synchronize()
            ms.append((time.perf_counter() - begun) * 1e3)
        found[size] = statistics.median(ms[2:])
    if rank == 1:
        queue[0].put(found)
    dist.destroy_process_group()


def nccl(about: Row) -> Iterator[Row]:
    """The same copies by NCCL, with a process for each GPU, where PyTorch is."""
    try:
        import torch.multiprocessing as mp
    except ImportError:
        print("no PyTorch: NCCL not compared")
        return
    with tempfile.TemporaryDirectory() as folder:
        queue = mp.get_context("spawn").SimpleQueue()
        mp.spawn(send_by_nccl, ((queue, str(Path(folder) / "meet")),), 2)
        found = queue.get()
    yield measurement(
        about, "NCCL, one way", {"bytes": COPIED}, ms=found[COPIED], gb_per_s=COPIED / found[COPIED] / 1e6
    )
    yield measurement(about, "NCCL, 4 kB", {"bytes": 4096}, ms=found[4096])


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
    """Lines of a table of the graphs."""
    rows = [["graph", "entries", "GPUs", "ms", "of one GPU", "GB to others", "colors"]]
    for line in of_kind(records, "measurement"):
        f = line["figures"]
        if not line["m"]:
            continue
        speed = f"{f['speedup']:.2f} ×" if "speedup" in f else ""
        sent = f"{f['bytes'] / 1e9:.3g}" if "bytes" in f else ""
        gpus = str(line["options"].get("gpus", "1, whole"))
        rows.append([line["graph"], f"{line['m']:,}", gpus, f"{f['ms']:.4g}", speed, sent, str(f.get("colors", ""))])
    return [*report.markdown(rows, (1, 2, 3, 4, 5, 6)), "", report.source(records)]


def predicted(records: Sequence[Row]) -> list[str]:
    """Lines of a table of the model of several GPUs beside what was measured.

    The model: the time of one part, by the number of GPUs, and the time of the stores over the link that one GPU makes.
    """
    lines = of_kind(records, "measurement")
    stores = max(
        (f["figures"]["stores_per_s"] for f in lines if f["code"] == "bytes stored anywhere in the other GPU"),
        default=0,
    )
    alone = {f["graph"]: f["figures"]["ms"] for f in lines if f["options"].get("gpus") == 1}
    rows = [["graph", "GPUs", "colors sent", "model, ms", "measured, ms", "measured / model"]]
    for line in lines:
        gpus, f = line["options"].get("gpus", 1), line["figures"]
        if gpus > 1 and line["graph"] in alone and stores:
            model = alone[line["graph"]] / gpus + f["boundary"] / gpus / stores * 1e3
            shown = [f"{f['boundary']:,}", f"{model:.4g}", f"{f['ms']:.4g}", f"{f['ms'] / model:.2f}"]
            rows.append([line["graph"], str(gpus), *shown])
    return [*report.markdown(rows, (1, 2, 3, 4, 5)), "", report.source(records)]


def of_links(records: Sequence[Row]) -> list[str]:
    """Lines of a table of what the link takes."""
    rows = [["between two GPUs", "", "measured"]]
    for line in of_kind(records, "measurement"):
        f, how = line["figures"], line["options"]
        if "gb_per_s" in f:
            said = f"{f['gb_per_s']:.0f} GB/s"
        elif "stores_per_s" in f:
            said = f"{report.three_digits(f['stores_per_s'] / 1e9)} · 10⁹ per second"
        elif "us" in f:
            said = f"{f['us']:.2f} µs"
        elif line["m"]:
            continue
        else:
            said = f"{f['ms'] * 1e3:.0f} µs, launch and wait included"
        rows.append([line["code"], f"in {how['room'] >> 20} MB" if "room" in how else "", said])
    return [*report.markdown(rows, (2,)), "", report.source(records)]


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 1 without a GPU."""
    p = parser("benchmarks.gpus", __doc__, runs=5)
    p.add_argument("graphs", nargs="*", metavar="GRAPH")
    p.add_argument("--devices", nargs="+", type=int, metavar="N", help="numbers of GPUs (default: 1, 2, 4 … all)")
    p.add_argument("--order", help="another order than the default")
    p.add_argument("--links", action="store_true", help="copies and words between two GPUs")
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

    if args.links and here > 1:
        note(links())
    for spec in args.graphs or (() if args.large or args.links else GRAPHS):
        note(compared(spec, counts, args.runs, args.order))
        for device in range(here):
            with dev.cupy().cuda.Device(device):
                dev.cupy().get_default_memory_pool().free_all_blocks()
    if args.large:
        note(large(args.large, args.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
