"""Codes of `benchmarks.losses`: the default and other calls, Boost, ColPack and igraph, which take turns.

A time is the median of whole calls without the check, on a Graph that no call has seen. Short calls are repeated for
2 ms, and what takes a second runs once. The first result of each code is verified. Other libraries run in processes of
their own (see benchmarks/peers).
"""

from __future__ import annotations

import functools
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import lagcolor
from benchmarks.harness.peers import Library
from benchmarks.harness.worker import Worker, WorkerError, Workers
from lagcolor.base import compile_clock

from .experiment import milliseconds
from .peers import PEERS
from .real_graphs import DEFAULT

SHORTEST, LONGEST = 2.0, 1000.0  # ms: shorter calls are repeated, longer ones run once
PATIENCE = 60.0  # seconds that a peer may take
DSATUR_UP_TO = 6_000_000  # stored entries
RIVALS = ("boost32", "colpack", "igraph")


class Code(NamedTuple):
    """A call to time: `run` makes a number of calls, and returns the milliseconds of each and the last result."""

    run: Callable[[int], tuple[float, Any]]
    figures: Callable[[Any], dict[str, Any]]
    check: Callable[[Any], Any]  # raises where the result is wrong
    work: bool = False  # whether to keep the time that a result tells, as "work_ms"


def own(prepare: Callable[[], Any], call: Callable[[Any], Any], device: str = "cpu") -> Callable[[int], Any]:
    """`run` of a call in this process; `prepare` gives an object that no call has seen, outside the clock."""

    def run(times: int) -> tuple[float, Any]:
        fresh, compiled = [prepare() for _ in range(times)], compile_clock.seconds()
        results, ms = milliseconds(lambda: [call(x) for x in fresh], device)
        return (ms - (compile_clock.seconds() - compiled) * 1e3) / times, results[-1]

    return run


def turns(codes: Mapping[str, Code], runs: int, compiles: bool = False) -> dict[str, dict[str, Any]]:
    """Code → its figures. A peer that fails or is late is left out, and a first call that compiles kernels."""
    figures, ms, times = {}, dict[str, list[float]](), dict[str, int]()
    work = dict[str, list[float]]()
    for name, code in codes.items():
        try:
            first, result = code.run(1)
        except WorkerError as e:
            print(f"{name} is left out: {e}", file=sys.stderr)
            continue
        code.check(result)
        figures[name], ms[name] = code.figures(result), [first]
        if compiles or first < LONGEST:
            ms[name] = [code.run(1)[0]]
        if ms[name][0] < LONGEST:
            times[name] = max(1, round(SHORTEST / ms[name].pop()))
    for k in range(runs):
        names = list(times)
        for name in names[k % len(names) :] + names[: k % len(names)] if names else ():
            took, result = codes[name].run(times[name])
            ms[name].append(took)
            if codes[name].work:
                work.setdefault(name, []).append(1e3 * (result.seconds + result.order_seconds))
    for name, seen in work.items():
        figures[name]["work_ms"] = float(f"{statistics.median(seen):.5g}")
    short = {name: [float(f"{x:.5g}") for x in ms[name]] for name in figures}  # a file of 2 MB without
    return {name: {"ms": statistics.median(short[name]), "ms_all": short[name], **figures[name]} for name in figures}


def graph_codes(G: lagcolor.Graph) -> dict[str, Code]:
    """The default and `fast`; on a CPU also natural order."""
    device = "cuda" if G.on_gpu else "cpu"

    def code(**how: Any) -> Code:
        call = partial(lagcolor.color, verify=False, **how)
        run = own(lambda: lagcolor.Graph(G.indptr, G.indices), call, device)
        return Code(run, lambda r: {"colors": r.n_colors}, lambda r: lagcolor.verify(G, r.colors))

    found = {DEFAULT: code(), "fast": code(quality="fast")}
    return found if G.on_gpu else found | {"natural": code(algorithm="greedy", order="natural")}


@functools.cache
def installed(*names: str) -> tuple[Library, ...]:
    """The peers of these that are there."""
    return tuple(PEERS[name] for name in names if PEERS[name].absent() is None)


def rival_codes(workers: Workers, m: int) -> Iterator[tuple[str, Code]]:
    """Codes of the peers that are installed, with the graph that `workers` have."""
    for peer in installed(*RIVALS):
        if peer.name != "igraph" or m <= DSATUR_UP_TO:
            worker = peer.open(workers)
            for code in peer.codes():
                if code.method != "colored_neighbors":  # igraph's other heuristic
                    yield (
                        f"{peer.name} {code.order}",
                        Code(partial(sampled, worker, code), dict, partial(checked, worker)),
                    )


def sampled(worker: Worker, code: Any, times: int) -> tuple[float, Any]:
    samples = worker.run(code, times)
    return statistics.fmean(sample.ms for sample in samples), {"colors": samples[-1].colors}


def checked(worker: Worker, result: Any) -> None:
    fault, _checksum = worker.check()
    if fault:
        raise WorkerError(f"{fault} ({result})")


def device_codes(G: lagcolor.Graph, group: str) -> dict[str, Code]:
    """The default call of a set of the GPU; at distance 2 also in random order."""
    fresh = partial(lagcolor.Graph, G.indptr, G.indices)
    device = "cuda" if G.on_gpu else "cpu"

    def code(**how: Any) -> Code:
        if group == "hessian":
            run = own(fresh, partial(lagcolor.derivatives.hessian, verify=False), device)
            return Code(run, lambda c: {"colors": c.n_colors}, lambda c: c.coloring.verify())
        run = own(fresh, partial(lagcolor.color, problem="distance2", verify=False, **how), device)
        return Code(run, lambda r: {"colors": r.n_colors}, lambda r: r.verify())

    return {DEFAULT: code()} | ({"random": code(order="random")} if group == "distance2" else {})
