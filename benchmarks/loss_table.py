"""The table of `benchmarks.losses`: the figures of 2026-11-29, the goals, and a column for each machine."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.harness.results import Row, geometric_mean, of_kind

from .real_graphs import DEFAULT, ENTRIES, RIVAL, Codes, beaten, count, found, large
from .report import markdown as lines_of
from .report import source, three_digits

SMALLEST, MIDDLE, LARGEST = (0, ENTRIES), (ENTRIES, 10 * ENTRIES), (10 * ENTRIES, 100 * ENTRIES)  # entries
CLASSES = (SMALLEST, MIDDLE, LARGEST)
OTHERS = ("derivatives.jacobian(A)", "derivatives.hessian(A)", 'color(A, problem="edges")')
OTHERS += ('color(A, capacity=…, quality="best", time_limit=1)',)
Graphs = Mapping[str, Codes]
Test = Callable[[Codes], bool]


class Line(NamedTuple):
    """A row: `now` gives what the records of a machine have, "" if they have nothing."""

    where: str
    then: str
    goal: str
    now: Callable[[Sequence[Row]], str]


# ---- what is counted -----------------------------------------------------------------------------------------------


def of_size(graphs: Graphs, size: tuple[int, int]) -> Graphs:
    """The graphs of a class that have edges."""
    return {name: codes for name, codes in graphs.items() if max(size[0], 1) <= codes[DEFAULT]["m"] < size[1]}


def each(group: str, sizes: Sequence[tuple[int, int]], of: Callable[[Graphs], str]) -> Callable[[Sequence[Row]], str]:
    """A figure of each class of a set."""

    def now(records: Sequence[Row]) -> str:
        classes = [of_size(found(records, group), size) for size in sizes]
        return "; ".join(of(graphs) for graphs in classes) if all(classes) else ""

    return now


def means(mine: str, other: str = "", key: str = "ms", their: str = "ms") -> Callable[[Graphs], str]:
    """The geometric mean of a code's times, or of their ratios to another code's."""

    def of(graphs: Graphs) -> str:
        pairs = [
            (codes[mine][key], codes[other][their] if other else 1)
            for codes in graphs.values()
            if has(codes, mine, other)
        ]
        return three_digits(geometric_mean(a / b for a, b in pairs)) if pairs else ""

    return of


def has(codes: Codes, *names: str) -> bool:
    """Whether all of the codes are there."""
    return all(name in codes for name in names if name)


def number(test: Test, *needed: str) -> Callable[[Graphs], str]:
    """On how many graphs a test holds."""

    def of(graphs: Graphs) -> str:
        some = [codes for codes in graphs.values() if has(codes, *needed)]
        return f"{sum(map(test, some))} of {len(some)}" if some else ""

    return of


def by_boost_or_igraph(codes: Codes) -> bool:
    """Whether Boost or igraph has no more colors in no more time."""
    return beaten({code: f for code, f in codes.items() if not code.startswith("colpack")})


def joined(*parts: Callable[[Graphs], str], by: str = " / ") -> Callable[[Graphs], str]:
    """Several figures of the same graphs."""
    return lambda graphs: by.join(part(graphs) for part in parts)


def unbeaten(records: Sequence[Row]) -> str:
    """On how many graphs of README.md no other code is as good."""
    graphs = large(records).values()
    return f"{sum(not beaten(codes) for codes in graphs)} of {len(graphs)}" if graphs else ""


def small_calls(graphs: Graphs) -> str:
    """Microseconds of calls with the check."""
    us = {name: codes["call"]["ms"] * 1e3 for name, codes in graphs.items() if "call" in codes}
    if not us:
        return ""
    proved = [t for name, t in us.items() if one_pass(graphs[name])]
    slowest = max(us, key=lambda name: us[name])
    text = f"{statistics.median(proved):.0f} on {len(proved)} where one pass is proved optimal; " if proved else ""
    over = f"over 120 on {sum(t > 120 for t in us.values())} of {len(us)}"
    return f"{text}median {statistics.median(us.values()):.0f}, at most {us[slowest]:.0f} ({slowest}), {over}"


def one_pass(codes: Codes) -> bool:
    """Whether natural order has as few colors as the default, which are proved to be the fewest."""
    return bool(codes["call"]["optimal"]) and count(codes["natural"]) == count(codes["call"])


def inputs_of(group: str, mine: str, other: str, *names: str) -> Callable[[Sequence[Row]], str]:
    """Milliseconds of two codes on some inputs, and their ratio."""

    def now(records: Sequence[Row]) -> str:
        graphs = found(records, group)
        pairs = [(graphs[name][mine]["ms"], graphs[name][other]["ms"]) for name in names if name in graphs]
        return "; ".join(f"{three_digits(a)} / {three_digits(b)} = {a / b:.2f} ×" for a, b in pairs)

    return now


def petersen(records: Sequence[Row]) -> str:
    """Milliseconds of the edges of Petersen's graph."""
    tiny = found(records, "tiny")
    return f"{tiny['petersen'][DEFAULT]['ms']:.1f} ms" if tiny else ""


def first(group: str, key: str, *names: str) -> Callable[[Sequence[Row]], str]:
    """Seconds of first calls: the least and the most."""

    def now(records: Sequence[Row]) -> str:
        seconds = [codes[DEFAULT][key] for call, codes in found(records, group).items() if not names or call in names]
        spread = dict.fromkeys((f"{min(seconds):.1f}", f"{max(seconds):.1f}")) if seconds else ()
        return " to ".join(spread) + " s" if seconds else ""

    return now


def slower_than_cpu(codes: Codes) -> bool:
    """Whether a call on the GPU takes more than the CPU's call and 60 µs."""
    return bool(codes[DEFAULT]["ms"] > codes["cpu"]["ms"] + 0.06)


def overhead(graphs: Graphs) -> str:
    """The median of whole calls less the time of the device."""
    return f"{statistics.median(c['fast']['ms'] - c['fast']['work_ms'] for c in graphs.values()):.3f} ms"


def slower_than_rival(records: Sequence[Row]) -> str:
    """The ratio to ECL-GC on each class, and on how many graphs `fast` is slower."""
    graphs = {name: codes for name, codes in found(records, "gpu").items() if codes[DEFAULT]["m"] and RIVAL in codes}
    ratios = each("gpu", CLASSES, means("fast", RIVAL, "work_ms"))(records)
    slower = sum(codes["fast"]["work_ms"] > codes[RIVAL]["ms"] for codes in graphs.values())
    return f"{ratios}; slower on {slower} of {len(graphs)}" if graphs else ""


TABLE = (
    Line("CPU, 10⁴ to 10⁶ entries: default / `fast`, geometric means", "2.3 to 2.6", "1.5",
         each("real", (MIDDLE, LARGEST), means(DEFAULT, "fast"))),
    Line("CPU: Boost or igraph has no more colors in no more time (10⁴–10⁵, 10⁵–10⁶ entries)",
         "21 of 53; 10 of 49", "5 of 53; 3 of 49",
         each("real", (MIDDLE, LARGEST), number(by_boost_or_igraph, "boost32 natural"))),
    Line("graphs of README.md, CPU: default unbeaten", "56 of 93", "80 of 93", unbeaten),
    Line("CPU, under 10⁴ entries: `color(G)` with its check, µs", "60 to 170, at most 390",
         "45 where one pass is proved optimal, at most 120", each("real", (SMALLEST,), small_calls)),
    Line("GPU, default / the same call on the CPU, ms (10⁴, 10⁵, 10⁶ entries at most)",
         "0.44 / 0.12; 0.89 / 0.42; 2.2 / 1.3", "next row", each("gpu", CLASSES, joined(means(DEFAULT), means("cpu")))),
    Line("GPU: default slower than the CPU's call and 60 µs", "most of 187", "0",
         each("gpu", CLASSES, number(slower_than_cpu, "cpu"))),
    Line("GPU, `fast`: whole call less the time on the device, medians", "0.12 ms", "0.05 ms",
         each("gpu", CLASSES, overhead)),
    Line(f"GPU, time on the device: `fast` / {RIVAL}", "0.80; 0.44; 0.17; slower on 48 of 187", "slower on 10 at most",
         slower_than_rival),
    Line("GPU, default / `fast`, ms: grid2d:1000; delaunay:18", "0.50 / 0.12; 0.37 / 0.13", "2 ×",
         inputs_of("larger", DEFAULT, "fast", *("grid2d:1000", "delaunay:18"))),
    Line("GPU, distance 2, default / one pass in random order, ms: delaunay:18; rmat:20", "7.1 / 0.34; 60", "3 ×",
         inputs_of("distance2", DEFAULT, "random", "delaunay:18", "rmat:20")),
    Line("GPU, `hessian` of a grid of 900 unknowns / on the CPU, ms", "16", "the CPU's time and 0.06",
         inputs_of("hessian", DEFAULT, "cpu", "grid2d:30")),
    Line("first `color`", "3.0 to 4.9 s", "2 s", first("first", "wall", "color(A)")),
    Line("first `jacobian`, `hessian`, edges, rules with `best`", "4 to 11 s (two cores: 20 to 50 s)", "5 s",
         first("first", "wall", *OTHERS)),
    Line("first call of a later process", "0.6 to 0.8 s", "0.4 s", first("first", "later", "color(A)")),
    Line("first `color` on a GPU", "3.0 s", "2 s", first("first gpu", "wall")),
    Line("edges of Petersen's graph", "52 ms", "1 ms", petersen),
)  # fmt: skip


def markdown(files: Sequence[Sequence[Row]]) -> list[str]:
    """Lines of the table: a column for each result file."""
    machines = [machine(records) for records in files]
    rows = [["where", "then", "goal", *machines]]
    rows += [[line.where, line.then, line.goal, *(line.now(records) for records in files)] for line in TABLE]
    return [*lines_of(rows), "", " ".join(dict.fromkeys(source(records) for records in files))]


def machine(records: Sequence[Row]) -> str:
    """The CPU and GPU of a file."""
    about: Mapping[str, Any] = of_kind(records, "meta")[-1]["hardware"]
    return ", ".join([f"{about['cores']} cores", *([about["gpu"]] if about["gpu"] else [])])
