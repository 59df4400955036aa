"""Constants that say from which size on another way is faster, tried on graphs that they were not derived on.

python -m benchmarks.constants --out constants.jsonl            # a GPU, about two minutes

Each was chosen where it separates graphs of the H200 suite (docs/development/constants.md has which). Here both ways
run on other generated graphs of sizes on both sides of it, in turn; a row says how much longer the way that the
constant takes is than the better of the two.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base import device as dev

from . import report
from .experiment import facts, load, measurement, parser, ready, recorded

NEVER, ALWAYS = 2**40, 0
NEAR = 1.05  # the way taken may be so much slower: runs differ by as much
Prepare = Callable[[lagcolor.Graph], Callable[[], float]]  # of a graph: what runs once and says how many milliseconds


class Constant(NamedTuple):
    """A number in the code."""

    # `where` and `name`: module, and what it is called there
    where: str
    name: str
    value: float
    size: Callable[[lagcolor.Graph], float]  # what of a graph is compared with it
    # `below` and `above`: the way up to it and that beyond
    below: Prepare
    above: Prepare
    graphs: tuple[str, ...]

    def in_code(self) -> Any:
        """The value that the code has now."""
        return getattr(importlib.import_module(self.where), self.name)


@contextlib.contextmanager
def patched(where: str, name: str, value: Any) -> Iterator[None]:
    """Another value of a module's constant."""
    module = importlib.import_module(where)
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def coloring(where: str, name: str, value: Any, algorithm: str) -> Prepare:
    """`lagcolor.color` with that value."""

    def prepare(G: lagcolor.Graph) -> Callable[[], float]:
        def once() -> float:
            with patched(where, name, value):
                return lagcolor.color(lagcolor.Graph(G.indptr, G.indices), algorithm, verify=False).seconds * 1e3

        return once

    return prepare


def product(**tuning: Any) -> Prepare:
    """A product of a full vector with that tuning, device time."""

    def prepare(G: lagcolor.Graph) -> Callable[[], float]:
        import semirings
        from semirings.gpu import Gpu
        from semirings.storage import tuning_for

        from .semirings_gpu import host_and_device_ms

        cp = dev.cupy()
        E = Gpu(cp, dataclasses.replace(tuning_for(G.m / G.n), **tuning))
        A = E.matrix(G.indptr, G.indices, symmetric=True)
        w = E.from_numpy(np.random.default_rng(1).permutation(G.n).astype(np.int32) + 1)

        def once() -> float:
            host, device = host_and_device_ms(cp, lambda: E.vxm(w, A, semirings.max_times), 1)
            return host if device is None else device

        return once

    return prepare


def vertices(G: lagcolor.Graph) -> float:
    """n."""
    return G.n


def entries(G: lagcolor.Graph) -> float:
    """m."""
    return G.m


def mean_degree(G: lagcolor.Graph) -> float:
    """m / n."""
    return G.m / G.n


ONE_LAUNCH = "lagcolor.engines.greedy.cuda_small"
STORAGE = "semirings.storage"
IN_ORDER = "lagcolor.engines.greedy.cuda"
SMALL_BLOCKS, LARGE_BLOCKS = ((2**31, 64, 1536),), ((2**31, 512, 2048),)
STREAM = ("road:1000", "uniform:2e6,2", "uniform:2e6,3", "delaunay:19", "uniform:1e6,4", "uniform:1e6,6", "rgg:19")
CONSTANTS = (
    Constant(
        ONE_LAUNCH, "GRID_ENTRIES", 2**23, entries,
        coloring(ONE_LAUNCH, "GRID_ENTRIES", NEVER, "first_fit"),
        coloring(ONE_LAUNCH, "GRID_ENTRIES", ALWAYS, "first_fit"),
        ("delaunay:19", "uniform:5e5,5", "rgg:19", "uniform:1e6,5", "grid3d:100", "rmat:18", "rmat:19", "kron_g500:17"),
    ),
    Constant(
        IN_ORDER, "DIRECT", 2**23, vertices,
        coloring(IN_ORDER, "DIRECT", NEVER, "first_fit"), coloring(IN_ORDER, "DIRECT", ALWAYS, "first_fit"),
        ("uniform:3e6,4", "grid3d:180", "uniform:1.2e7,3", "grid2d:3500", "road:2200"),
    ),
    Constant(
        IN_ORDER, "BLOCKS", 2**24, vertices,
        coloring(IN_ORDER, "BLOCKS", SMALL_BLOCKS, "first_fit"),
        coloring(IN_ORDER, "BLOCKS", LARGE_BLOCKS, "first_fit"),
        ("grid3d:180", "uniform:1.2e7,3", "grid2d:3800", "uniform:2e7,3", "grid2d:5000", "road:2600"),
    ),
    Constant(STORAGE, "STREAMED", 5, mean_degree, product(stream=0), product(stream=2048), STREAM),
    Constant(STORAGE, "LONG_ROWS", 10, mean_degree, product(stream=2048), product(stream=4096), STREAM),
    Constant(
        STORAGE, "SPARED", 32, mean_degree,
        product(index_load=""), product(index_load=".L1::no_allocate"),
        ("rmat:20", "rmat:20,edge_factor=16", "rmat:20,edge_factor=32", "social:1e6,20", "kron_g500:19"),
    ),
)  # fmt: skip


def measure(constant: Constant, G: lagcolor.Graph, runs: int) -> dict[str, Any]:
    """Both ways in turn, medians, and how much longer the one that the constant takes is than the better one."""
    ways = constant.below(G), constant.above(G)
    for once in ways:
        once()
    below, above = (statistics.median(ms) for ms in zip(*([once() for once in ways] for _ in range(runs)), strict=True))
    size = constant.size(G)
    taken = below if size < constant.value else above
    return {
        "value": constant.value,
        "size": size,
        "below_ms": below,
        "above_ms": above,
        "loss": taken / min(below, above),
    }


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a result file's table: the sizes tried, on how many graphs the constant is right, the worst loss."""
    rows = [{"graph": r["graph"], "name": r["code"], **r["figures"]} for r in of_kind(records, "measurement")]
    lines = [["constant", "value", "graphs", f"right within {NEAR - 1:.0%}", "worst", "on"]]
    for name in dict.fromkeys(r["name"] for r in rows):
        mine = [r for r in rows if r["name"] == name]
        worst = max(mine, key=lambda r: r["loss"])
        right = sum(r["loss"] <= NEAR for r in mine)
        sizes = f"{worst['graph']} ({worst['below_ms']:.3g} below, {worst['above_ms']:.3g} ms above)"
        lines.append(
            [f"`{name}`", f"{mine[0]['value']:,}", str(len(mine)), str(right), f"{worst['loss']:.2f} ×", sizes]
        )
    return [*report.markdown(lines), "", report.source(records)]


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = parser("benchmarks.constants", __doc__, runs=5)
    p.add_argument("name", nargs="*", help="names of constants (default: all)")
    return p.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 2 where there is no GPU."""
    args = arguments(argv)
    if args.device == "cpu" or not ready(args, "these are of a GPU"):
        return 2
    chosen = [c for c in CONSTANTS if not args.name or c.name in args.name]
    out = recorded(args)
    for graph in dict.fromkeys(g for c in chosen for g in c.graphs):
        G = load(graph, args.device)
        about = facts(G, graph, graph)
        for c in (c for c in chosen if graph in c.graphs):
            out.add(measurement(about, f"{c.where}.{c.name}", {}, **measure(c, G, args.runs)))
        dev.cupy().get_default_memory_pool().free_all_blocks()
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
