"""Elements of meshes by `color_elements`, and contacts by `color_pairs`: colors, even classes, and milliseconds.

python -m benchmarks.meshes [CASE …] [--device cpu] [--runs N] [--best S] [--out FILE]

CASE is hexahedra:N (N³ elements), tetrahedra:N (6 N³), delaunay:N (of N points), spheres:M,N or random:M,N (M contacts
of N bodies). Meshes are shuffled, except delaunay and names that end in +. Milliseconds are medians of
whole calls by the clock of the host, from the array on the device, conversion included and without the check; every
coloring is checked afterwards. On a GPU, `launch` is the time after which a call with ``wait=False`` returns, and
`device` the time between events around it. "best" is `lagcolor.color` with quality="best" and --best seconds.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base import device as dev
from lagcolor.mesh import color_elements

from . import mesh_cases, report
from .experiment import measurement, milliseconds, parser, ready, recorded

CASES = (
    "hexahedra:40", "hexahedra+:40", "hexahedra:100", "tetrahedra:20", "tetrahedra+:20", "tetrahedra:55",
    "tetrahedra+:55", "delaunay:10000", "delaunay:150000", "spheres:100000,50000", "random:100000,50000",
)  # fmt: skip
QUALITIES, OF = ("fast", "balanced"), ("pairs", "bodies")
BEST_UP_TO = 10**6  # entries of a mesh


def made(case: str) -> tuple[Any, int | None]:
    """The elements of a case, or its pairs and the number of bodies."""
    name, _, sizes = case.partition(":")
    size, *bodies = (int(x) for x in sizes.split(","))
    if name == "spheres":
        return mesh_cases.spheres(size, *bodies), bodies[0]
    if name == "random":
        return np.random.default_rng(0).integers(0, bodies[0], (size, 2)).astype(np.int32), bodies[0]
    if name == "delaunay":
        return mesh_cases.delaunay(size), None
    return getattr(mesh_cases, name.removesuffix("+"))(size, None if name.endswith("+") else 0), None


def of_mesh(case: str, cells: Any, args: Any) -> Iterator[Row]:
    """The lines of a mesh; only the first coloring of a pattern converts it."""
    about = {"graph": case, "n": len(cells), "m": int(cells.size), "device": args.device}
    for quality in QUALITIES:
        result, ms = timed(partial(color_elements, cells, quality=quality, verify=False), args)
        yield line(about, quality, result, least=result.lower_bound, ms=ms)
    if args.best and cells.size <= BEST_UP_TO:
        call = partial(lagcolor.color, result.graph, problem="rows", quality="best", time_limit=args.best)
        result, ms = milliseconds(call, args.device)
        yield line(about, "best", result, least=result.lower_bound, ms=ms)


def of_contacts(case: str, pairs: Any, n: int, args: Any) -> Iterator[Row]:
    """The lines of contacts."""
    about = {"graph": case, "n": n, "m": len(pairs), "device": args.device}
    for of in OF:
        call = partial(lagcolor.color_pairs, pairs, n, of=of)
        result, ms = timed(partial(call, verify=False), args)
        more = {} if args.device == "cpu" else on_the_device(partial(call, wait=False), args.runs)
        yield line(about, of, result, ms=ms, **more)


def line(about: Row, code: str, result: Any, **figures: Any) -> Row:
    """A line of a coloring, once it is verified."""
    result.verify()
    sizes = dev.to_device(result.class_sizes, "cpu")
    classes = {"colors": result.n_colors, "largest": int(sizes.max()), "smallest": int(sizes.min())}
    return measurement(about, code, {}, **classes, **figures)


def timed(call: Callable[[], Any], args: Any) -> tuple[Any, float]:
    """What a call returns, and the median of its milliseconds after the first."""
    result, _ = milliseconds(call, args.device)
    times = []
    for _ in range(args.runs):  # one result at a time, so that the next has its memory
        result, ms = milliseconds(call, args.device)
        times.append(ms)
    return result, statistics.median(times)


def on_the_device(call: Callable[[], Any], runs: int) -> Row:
    """Milliseconds until a call returns, and between events before and after it, as medians."""
    cp, launch, work = dev.cupy(), [], []
    for _ in range(runs + 1):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        cp.cuda.Device().synchronize()
        begin.record()
        launch.append(milliseconds(call)[1])
        end.record()
        end.synchronize()
        work.append(cp.cuda.get_elapsed_time(begin, end))
    return {"launch_ms": statistics.median(launch[1:]), "device_ms": statistics.median(work[1:])}


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of two tables: colors and milliseconds by quality for meshes, and by what is colored for contacts."""
    cells: tuple[dict[tuple[str, str], str], ...] = ({}, {})
    reached = total = 0
    for row in of_kind(records, "measurement"):
        f, contacts = row["figures"], row["code"] in OF
        device = f" ({f['device_ms']:.3g})" if "device_ms" in f else ""
        if not contacts:
            cells[0][row["graph"], "elements"] = f"{row['n']:,}"
            cells[0][row["graph"], "at least"] = f"{f['least']}"
            total += row["code"] == "balanced"
            reached += row["code"] == "balanced" and f["colors"] == f["least"]
        cells[contacts][row["graph"], row["code"]] = f"{f['colors']}, {report.three_digits(f['ms'])}{device}"
    answer = f"`balanced` has as few colors as possible on {reached} of {total} meshes."
    tables = [report.pivot(of, name) for of, name in zip(cells, ("mesh", "contacts"), strict=True) if of]
    on_device = "; in parentheses the part on the device" if any("(" in cell for cell in cells[1].values()) else ""
    caption = f"Colors, milliseconds{on_device}. At least: a lower bound of the colors."
    lines = [line for table in tables for line in ("", *table)]
    return [answer, *lines, "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.meshes", __doc__, runs=7)
    p.add_argument("case", nargs="*", default=CASES, metavar="CASE")
    p.add_argument("--best", type=float, default=0.0, metavar="S", help="seconds of best; default: without it")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    out = recorded(args, best=args.best)
    for case in args.case:
        array, n = made(case)
        array = dev.to_device(array, args.device)
        for row in of_mesh(case, array, args) if n is None else of_contacts(case, array, n, args):
            f = row["figures"]
            print(f"{case}, {row['code']}: {f['colors']} colors, {f['ms']:.3f} ms", flush=True)
            out.add(row)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
