"""The table of docs/comparison.md: the times of other libraries over lagcolor's, a library per row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.harness.results import Results, Row, geometric_mean

from .real_graphs import DEFAULT, FAST, LIBRARIES, RIVAL, RIVAL_CODE, count, large, on_gpu
from .report import markdown, three_digits

SMALL = {"NetworkX": "networkx", "rustworkx": "rustworkx", "gcol": "gcol", "SciPy": "scipy"}
BENCH = "auto:balanced", "auto:fast"
ON_GPU = {
    RIVAL: RIVAL_CODE, "Kokkos Kernels": "kokkos", "AmgX": "amgx", "Gunrock": "gunrock",
    "cuSPARSE csrcolor": "csrcolor cusparse", "CHROMA": "CHROMA",
}  # fmt: skip
HEAD = ("library", "call", "inputs", "times as long", "least to most", "fewer, equal, more colors")


@dataclass(frozen=True)
class Pair:
    """The times and colors of a call of lagcolor and of another library on one input."""

    ms: float
    colors: int
    their_ms: float
    their_colors: int

    @classmethod
    def of(cls, mine: tuple[float, int], theirs: Sequence[tuple[float, int]], fast: bool = False) -> Pair:
        """Of a library's codes the one with the fewest colors, of these the fastest; `fast`: the fastest of all."""
        return cls(*mine, *min(theirs, key=lambda code: code if fast else code[::-1]))


def line(library: str, call: str, inputs: str, pairs: Sequence[Pair]) -> list[str]:
    """A row of the table."""
    ratios = [p.their_ms / p.ms for p in pairs]
    fewer, more = (sum(sign * (p.their_colors - p.colors) > 0 for p in pairs) for sign in (1, -1))
    reach = f"{three_digits(min(ratios))} to {three_digits(max(ratios))}"
    colors = f"{fewer}, {len(pairs) - fewer - more}, {more}"
    return [library, call, f"{len(pairs)} {inputs}", three_digits(geometric_mean(ratios)), reach, colors]


def real(records: Sequence[Row]) -> Iterator[list[str]]:
    """Libraries that `benchmarks.losses` ran on real graphs."""
    graphs = large(records).values()
    for prefix, library in LIBRARIES.items():
        pairs = [
            Pair.of((codes[DEFAULT]["ms"], count(codes[DEFAULT])), theirs)
            for codes in graphs
            if (theirs := [(f["ms"], count(f)) for code, f in codes.items() if code.startswith(prefix)])
        ]
        yield line(library, "default", "real graphs", pairs)


def real_on_gpu(records: Sequence[Row]) -> Iterator[list[str]]:
    """ECL-GC, by `benchmarks.losses`."""
    both = ((codes[FAST], codes[RIVAL]) for codes in on_gpu(records).values())
    pairs = [Pair(a["ms"], count(a), b["ms"], count(b)) for a, b in both]
    yield line(RIVAL, "`fast`, GPU", "real graphs", pairs)


def derivatives(records: Sequence[Row]) -> Iterator[list[str]]:
    """asdex, by `benchmarks.derivative_peers`: colorings of patterns."""
    found: dict[tuple[str, str], dict[str, tuple[float, int]]] = {}
    for row in records:
        if row["kind"] == "measurement" and (problem := row["options"]["problem"]) in ("columns", "rows", "star"):
            figures = row["figures"]
            found.setdefault((row["graph"], problem), {})[row["code"]] = figures["ms"], figures["colors"]
    pairs = [Pair.of(codes["lagcolor"], [codes["asdex"]]) for codes in found.values()]
    yield line("asdex", "default", "patterns", pairs)


def bench(results: Results, libraries: Mapping[str, str], code: str, name: str, inputs: str) -> Iterator[list[str]]:
    """Libraries with runs in files of `benchmarks.compare`, and in tables of others' figures."""
    for library, prefix in libraries.items():
        pairs = []
        for graph in results.graphs:
            runs: dict[str, list[Any]] = {}
            for run in results.on(graph):
                if run.code == code or run.style in ("peer", "reference"):
                    runs.setdefault(run.code, []).append((run.time(), run.colors))
            theirs = [figures for other in runs if other.startswith(prefix) for figures in runs[other]]
            if theirs and code in runs:
                pairs.append(Pair.of(runs[code][0], theirs, code == BENCH[1]))
        if pairs:
            yield line(library, name, inputs, pairs)


def table(
    graphs: Sequence[Row], small: Results, patterns: Sequence[Row], gpu: Sequence[Row], large_on_gpu: Results
) -> list[str]:
    """Lines of the table, from result files of several scripts."""
    rows = [
        *real(graphs),
        *bench(small, SMALL, BENCH[0], "default", "small graphs"),
        *derivatives(patterns),
        *real_on_gpu(gpu),
        *bench(large_on_gpu, ON_GPU, BENCH[1], "`fast`, GPU", "large graphs"),
    ]
    return markdown([HEAD, *rows], numbers=(3,))
