"""Milliseconds of public calls in one or two source trees, which take turns.

python benchmarks/two_trees.py [TREE …] [--device cpu] [--rounds N] [--out FILE]

A TREE is a folder with the packages lagcolor and semirings. Default: this one. Each tree has a process of its own. In
each round every tree runs every call, so that a change in the speed of the machine affects all trees. The table has the
median of the rounds, and with two trees the ratio of the second to the first, the geometric mean of the ratios, and the
largest. This file uses public names of lagcolor only, so that it runs in older trees, too.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
SHORTEST = 2e-2  # seconds of a measurement: short calls are repeated
SPECS = ("grid2d:300", "grid3d:40", "rgg:15", "rmat:15", "uniform:2**15,16", "grid2d:30", "uniform:500,8")
NAMED = (
    "greedy", "jones_plassmann", "dsatur", "ecl_gc", "luby_is", "jones_plassmann_gb", "elementwise_min_color", "jpl",
    "ipgc", "chen_topology", "che_baseline", "che_hybrid", "feluca", "speculative_vb", "gunrock_is", "gunrock_hash",
)  # fmt: skip
PROBLEMS = ("columns", "distance2", "star", "acyclic", "edges")
Call = Callable[[], Any]


def calls(device: str) -> dict[str, Call]:
    """Name → a call, on graphs that are on the device already."""
    import lagcolor

    out: dict[str, Call] = {}

    def add(name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        out[name] = lambda: function(*args, **kwargs)

    graphs = {spec: lagcolor.generate.from_spec(spec).on(device) for spec in SPECS}
    for spec, G in graphs.items():
        A = G.on("cpu").to_scipy()
        add(f"{spec} Graph.of", lagcolor.Graph.of, A, device=device)
        add(f"{spec} color", lagcolor.color, G)
        add(f"{spec} fast", lagcolor.color, G, quality="fast")
        result = lagcolor.color(G, quality="fast")
        add(f"{spec} verify", lagcolor.verify, G, result.colors)
        add(f"{spec} reduce", lagcolor.reduce, G, result.colors)
        add(f"{spec} balance", lagcolor.balance, G, result.colors)
        for problem in PROBLEMS:
            if problem != "edges" or device == "cpu":
                add(f"{spec} {problem}", lagcolor.color, G, problem=problem, quality="fast")
    for spec in ("grid2d:300", "rmat:15"):
        G = graphs[spec]
        for name in NAMED:
            if name in lagcolor.ALGORITHMS and G.device.partition(":")[0] in lagcolor.ALGORITHMS[name].engines:
                add(f"{spec} {name}", lagcolor.color, G, name)
    more(add, graphs["grid2d:300"], graphs["uniform:500,8"], device)
    return out


def more(add: Callable[..., None], G: Any, small: Any, device: str) -> None:
    """Calls of the packages around coloring."""
    import numpy as np
    import scipy.sparse as sp

    import lagcolor

    add("rules fixed", lagcolor.color, G, fixed={0: 1, 7: 0})
    add("rules capacity", lagcolor.color, G, capacity=G.n // 4, quality="fast")
    add("recolor", lagcolor.recolor, G, lagcolor.color(G, order="natural", quality="fast"), [0, 1])
    if device != "cpu":
        return
    A = sp.csr_array(sp.eye_array(G.n) * 5.0 - G.to_scipy())
    M = lagcolor.solvers.multicolor_sor(A)
    b = np.ones(G.n)
    add("solvers sor", lagcolor.solvers.multicolor_sor, A)
    add("solvers sweep", M.matvec, b)
    add("solvers ilu0", lagcolor.solvers.multicolor_ilu0, A)
    add("solvers ic0", lagcolor.solvers.multicolor_ic0, A)
    C = lagcolor.derivatives.jacobian(A)
    add("derivatives jacobian", lagcolor.derivatives.jacobian, A)
    add("derivatives hessian", lagcolor.derivatives.hessian, A)
    add("derivatives decompress", C.decompress, C.compress(A))
    r = np.random.default_rng(0)
    strings = ["".join(r.choice(list("IXYZ"), 12)) for _ in range(500)]
    add("pauli", lagcolor.pauli.group, strings, "general")
    add("dsatur best", lagcolor.color, small, "dsatur")
    path = Path(tempfile.mkdtemp()) / "g.mtx"
    lagcolor.io.write(path, G)
    add("io read", lagcolor.io.read, path)
    add("io write", lagcolor.io.write, path.with_name("h.mtx"), G)
    add("equitable", lagcolor.equitable, small)


def serve(device: str) -> None:
    """Run the calls that lines of the standard input name, and write their seconds."""
    table: dict[str, Any] = {}
    for name, call in calls(device).items():
        try:
            begun = time.perf_counter()
            call()
            begun, _ = time.perf_counter(), call()
            table[name] = call, max(1, math.ceil(SHORTEST / (time.perf_counter() - begun + 1e-9)))
        except Exception as e:  # whatever a tree cannot do
            print(f"{name}: {type(e).__name__}: {e}", file=sys.stderr)
    print(json.dumps(list(table)), flush=True)

    def wait() -> None:
        if device != "cpu":
            import cupy

            cupy.cuda.runtime.deviceSynchronize()

    for line in sys.stdin:
        call, times = table[line.rstrip("\n")]
        wait()
        begun = time.perf_counter()
        for _ in range(times):
            call()
        wait()
        print((time.perf_counter() - begun) / times, flush=True)


def measure(trees: list[Path], device: str, rounds: int) -> dict[str, list[float]]:
    """Call → the median seconds of each tree, of the calls that all trees have."""
    servers = [
        subprocess.Popen(
            [sys.executable, str(HERE), "--serve", "--device", device], env=os.environ | {"PYTHONPATH": str(tree)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tempfile.mkdtemp(),
        ) for tree in trees
    ]  # fmt: skip
    names = [json.loads(server.stdout.readline()) for server in servers]  # type: ignore[union-attr]
    common = [name for name in names[0] if all(name in other for other in names)]
    found: dict[str, list[list[float]]] = {name: [[] for _ in trees] for name in common}
    for turn in range(rounds):
        for name in common:
            for k in range(len(trees)) if turn % 2 else reversed(range(len(trees))):
                server: Any = servers[k]
                print(name, file=server.stdin, flush=True)
                found[name][k].append(float(server.stdout.readline()))
    for server in servers:
        server.stdin.close()  # type: ignore[union-attr]
        server.wait()
    return {name: [statistics.median(x) for x in each] for name, each in found.items()}


def main() -> None:
    """Measure, print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, default=[HERE.parents[1]], metavar="TREE")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, help="write JSON")
    parser.add_argument("--commits", nargs="*", default=[], help="of the trees, for the file")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        return serve(args.device)
    trees = [tree.resolve() for tree in args.trees]
    found = measure(trees, args.device, args.rounds)
    for name, each in found.items():
        print(
            f"{name:40}" + "".join(f"{1e3 * x:12.4f}" for x in each) + (f"{each[1] / each[0]:8.2f}" if each[1:] else "")
        )
    if len(trees) == 2:
        ratios = {name: each[1] / each[0] for name, each in found.items()}
        mean = math.exp(statistics.fmean(math.log(x) for x in ratios.values()))
        worst = max(ratios, key=lambda name: ratios[name])
        over = sum(x > 1.1 for x in ratios.values())
        print(f"{len(ratios)} calls: mean ratio {mean:.3f}, {over} over 1.1, largest {ratios[worst]:.2f} ({worst})")
    if args.out:
        facts = {"date": time.strftime("%Y-%m-%d"), "device": args.device, "cores": len(os.sched_getaffinity(0)),
                 "machine": platform.machine(), "python": platform.python_version(), "commits": args.commits,
                 "rounds": args.rounds, "unit": "ms"}  # fmt: skip
        ms = {name: [round(1e3 * x, 5) for x in each] for name, each in found.items()}
        args.out.write_text(json.dumps({**facts, "calls": ms}, indent=1) + "\n")
    return None


if __name__ == "__main__":
    main()
