"""Colors as they were: what deterministic algorithms give on small graphs, kept before code moves, compared after.

    python tools/golden.py cpu          compare with tools/golden/cpu.json; 1 where something differs
    python tools/golden.py cpu --keep   write that file anew
    python tools/golden.py emulated     the kernels of a GPU, by the emulator of the tests (fewer graphs, slow)
    python tools/golden.py cuda         on a GPU
    … -j 8                              in so many processes (17 minutes of one core for `cpu`)
    … --renamed NEW=OLD                 an algorithm that had another name then

A digest stands for one algorithm (or order, or reduction), order and graph, and for all seeds. What is new or gone is
said and is no difference; a tool for those who move code, no part of `make test`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from lagcolor.device import to_device
from lagcolor.orders import ORDERS, Priorities

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tools" / "golden"
SEEDS = (None, 0, 12345)
GENERATED = (
    "grid2d:60", "rmat:11", "kron_g500:9", "delaunay:11", "rgg:11", "stencil27:9", "social:2000,10", "queen:12",
    "road:40",
)  # fmt: skip
EMULATED = ("empty", "no edges", "isolated among others", "star", "clique 70", "crown", "random sparse", "rmat")
REDUCTIONS: dict[str, dict[str, Any]] = {
    "heuristics": {},
    "iterated_greedy": {"rounds": 5, "seed": 3, "threads": 1},
    "ejection": {"passes": 2.0, "seed": 3},
}
Cell = tuple[str, str, str, Callable[[], Any]]  # kind and name; order; graph; what makes the colors


def graphs(device: str) -> Iterator[tuple[str, lagcolor.Graph]]:
    """The corpus of the tests and some generated ones, on a device."""
    from corpus import CORPUS, graph

    from lagcolor.generate import from_spec

    for name in EMULATED if device == "emulated" else CORPUS:
        yield name, graph(name)
    if device != "emulated":
        for spec in GENERATED:
            yield spec, from_spec(spec)


def orders(row: Any, kind: str) -> Iterator[str | None]:
    """The default and, where the algorithm reads one, all that the device has."""
    yield None
    if row.reads_order:
        yield from (name for name, order in ORDERS.items() if kind in order.engines)


def cells(device: str) -> Iterator[Cell]:
    """All that is kept of a device."""
    kind = "cpu" if device == "cpu" else "cuda"
    for graph_name, host in graphs(device):
        G = host.on(kind)
        yield "color", "", graph_name, lambda G=G: [lagcolor.color(G).to_numpy()]
        for name, row in lagcolor.ALGORITHMS.items():
            if row.deterministic and kind in row.engines:
                for order in [None] if device == "emulated" else orders(row, kind):
                    yield f"algorithm {name}", order or "", graph_name, lambda n=name, o=order, G=G: colored(G, n, o)
        for name, order in ORDERS.items():
            if kind in order.engines:
                yield f"order {name}", "", graph_name, lambda n=name, G=G: sequences(G, n)
        for method, options in REDUCTIONS.items():
            if kind == "cpu" or method != "ejection":  # on a GPU threads race in it
                yield f"reduce {method}", "", graph_name, lambda m=method, o=options, G=G: [reduced(G, m, o)]


def colored(G: lagcolor.Graph, name: str, order: str | None) -> list[np.ndarray]:
    """Colors of an algorithm for each seed."""
    seeds = SEEDS if lagcolor.ALGORITHMS[name].reads_order else (None,)
    return [lagcolor.color(G, name, order, seed).to_numpy() for seed in seeds]


def sequences(G: lagcolor.Graph, name: str) -> list[np.ndarray]:
    """The permutations of an order."""
    return [np.asarray(to_device(Priorities.of(G, name, seed).sequence, "cpu")) for seed in SEEDS]


def reduced(G: lagcolor.Graph, method: str, options: dict[str, Any]) -> np.ndarray:
    """What a reduction leaves of the colors of first-fit in the order of ids."""
    first = lagcolor.color(G.on("cpu"), "greedy").to_numpy()
    colors = first if G.device == "cpu" else G.xp.asarray(first)
    return lagcolor.reduce(G, colors, method=method, **options).to_numpy()


def digest(arrays: list[np.ndarray]) -> str:
    """A checksum of int32 arrays."""
    sums = b"".join(np.ascontiguousarray(a, np.int32).tobytes() for a in arrays)
    return f"{zlib.crc32(sums):08x}"


def gather(device: str, part: int = 0, parts: int = 1) -> dict[str, dict[str, str]]:
    """What is so now: "kind name | order" → graph → digest, or the error; of every so many cells one."""
    sys.path.insert(0, str(ROOT / "tests"))  # of this process, for the corpus and the emulator
    if device == "emulated":
        with emulator():
            return _gather(itertools.islice(cells(device), part, None, parts))
    return _gather(itertools.islice(cells(device), part, None, parts))


def _gather(some: Iterable[Cell]) -> dict[str, dict[str, str]]:
    out: dict[str, dict[str, str]] = {}
    for name, order, graph, make in some:
        try:
            found = digest(make())
        except lagcolor.LagcolorError as e:
            found = type(e).__name__
        out.setdefault(f"{name} | {order}" if order else name, {})[graph] = found
    return out


def gather_all(device: str, jobs: int) -> dict[str, dict[str, str]]:
    """What is so now, by several processes."""
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        shares = pool.starmap(gather, [(device, part, jobs) for part in range(jobs)])
    out: dict[str, dict[str, str]] = {}
    for share in shares:
        for key, found in share.items():
            out.setdefault(key, {}).update(found)
    return out


@contextmanager
def emulator() -> Iterator[None]:
    """CuPy as the tests make it up, and no warm-up on thousands of vertices."""
    import emulated

    with emulated.emulated_gpu(devices=2):
        yield


def compare(then: dict[str, dict[str, str]], now: dict[str, dict[str, str]], renamed: dict[str, str]) -> list[str]:
    """Lines that say what differs, what is new and what is gone; the first kind begins with "differs"."""
    lines = []
    old_names = {key: _old(key, renamed) for key in now}
    for key, cells in now.items():
        old = then.get(old_names[key])
        if old is None:
            lines.append(f"new: {key}")
            continue
        wrong = [g for g, found in cells.items() if old.get(g, found) != found]
        if wrong:
            lines.append(f"differs: {key}: on {', '.join(wrong)}")
    lines += [f"gone: {key}" for key in then if key not in old_names.values()]
    return lines


def _old(key: str, renamed: dict[str, str]) -> str:
    head, bar, order = key.partition(" | ")
    kind, _, name = head.partition(" ")
    return f"{kind} {renamed.get(name, name)}{bar}{order}" if name else key


def main() -> int:
    """Compare, or keep."""
    p = argparse.ArgumentParser(prog="tools/golden.py", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("device", choices=["cpu", "emulated", "cuda"])
    p.add_argument("--keep", action="store_true", help="write what is so now")
    p.add_argument("--renamed", action="append", default=[], metavar="NEW=OLD", help="an algorithm's name then")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--file", type=Path, help="instead of tools/golden/DEVICE.json")
    args = p.parse_args()
    path = args.file or FOLDER / f"{args.device}.json"
    now = gather(args.device) if args.jobs == 1 else gather_all(args.device, args.jobs)
    if args.keep:
        path.parent.mkdir(exist_ok=True)
        rows = (f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(now.items()))
        path.write_text("{\n" + ",\n".join(rows) + "\n}\n")
        print(f"kept {sum(map(len, now.values()))} digests in {path}")
        return 0
    lines = compare(json.loads(path.read_text()), now, dict(x.split("=", 1) for x in args.renamed))
    print("\n".join(lines) or f"all {sum(map(len, now.values()))} digests as they were")
    return int(any(line.startswith("differs") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
