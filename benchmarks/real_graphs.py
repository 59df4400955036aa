"""Tables of real graphs: the default compared with other libraries, on a CPU and on a GPU. `make tables` calls them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.harness.results import Results, Row

from .default_tables import DEFAULT, Codes, Figures, count, found
from .goals import RIVAL
from .report import markdown, source, three_digits

LIBRARIES = {"boost32": "Boost", "colpack": "ColPack", "igraph": "igraph"}  # prefixes of codes
ENTRIES = 10_000  # stored entries of the smallest graph
SHOWN = ("USA-road-d.NY", "copter2", "debian-bookworm-deps", "regalloc_sqlite3_all", "soc-BlogCatalog")  # in README.md
PAGE = "docs/measurements/real_graphs.md"
FAST, BALANCED = "auto:fast", "auto:balanced"


def large(records: Sequence[Row]) -> dict[str, Codes]:
    """Real graphs of `ENTRIES` stored entries and more that other libraries colored as well."""
    every = found(records, "real")
    return {graph: codes for graph, codes in every.items() if codes[DEFAULT]["m"] >= ENTRIES and others(codes)}


def others(codes: Codes) -> Codes:
    """The codes of other libraries."""
    return {code: figures for code, figures in codes.items() if code.startswith(tuple(LIBRARIES))}


def best(codes: Codes) -> tuple[str, Figures]:
    """The code of another library with the fewest colors, and of these the fastest."""
    return min(others(codes).items(), key=lambda item: (count(item[1]), item[1]["ms"]))


def beaten(codes: Codes) -> bool:
    """Whether a code of another library takes at most the default's colors and at most its time."""
    mine = codes[DEFAULT]
    return any(count(f) <= count(mine) and f["ms"] <= mine["ms"] for f in others(codes).values())


def cell(figures: Figures) -> str:
    """Milliseconds and colors."""
    return f"{three_digits(figures['ms'])} ({count(figures):,})"


def theirs(code: str, figures: Figures) -> str:
    """Milliseconds, colors and library."""
    return f"{cell(figures)} {LIBRARIES[code.partition(' ')[0]]}"


def cpu(records: Sequence[Row]) -> list[str]:
    """Lines of a table: the default, `fast`, and the codes of other libraries with the fewest colors and least time."""
    graphs = large(records)
    rows = [["graph", "default", "`fast`", "others: fewest colors", "others: least time"]]
    for graph, codes in sorted(graphs.items(), key=lambda item: item[1][DEFAULT]["m"]):
        code, figures = best(codes)
        name, least = min(others(codes).items(), key=lambda item: item[1]["ms"])
        mark = "\\*" if beaten(codes) else ""
        mine = [f"{cell(codes[DEFAULT])}{mark}", cell(codes["fast"])]
        rows.append([graph, *mine, theirs(code, figures), theirs(name, least)])
    said = f"Medians of calls on converted graphs, without the check. {source(records)}"
    return [*markdown(rows), "", summary(graphs), "", said]


def summary(graphs: Mapping[str, Codes]) -> str:
    """On how many graphs the default has as few colors as others, and on how many none is as good in both."""
    fewest = sum(count(codes[DEFAULT]) <= count(best(codes)[1]) for codes in graphs.values())
    unbeaten = sum(not beaten(codes) for codes in graphs.values())
    return (
        f"On {unbeaten} of {len(graphs)} graphs, no other code takes at most the colors and at most the time of the "
        f"default. \\* marks the other {len(graphs) - unbeaten}. On {fewest} of {len(graphs)} graphs, no other code "
        "has fewer colors than the default."
    )


def pairs(results: Results) -> dict[str, Mapping[str, Any]]:
    """Graph → code → run of the qualities and ECL-GC, where all three are there."""
    out: dict[str, Mapping[str, Any]] = {}
    for name, facts in results.graphs.items():
        runs = {run.code: run for run in results.on(name) if run.usable}
        if (facts.m or 0) >= ENTRIES and {FAST, BALANCED, RIVAL} <= set(runs):
            out[name] = runs
    return out


def gpu(results: Results) -> list[str]:
    """Lines of a table: the qualities compared with ECL-GC."""
    graphs = pairs(results)
    rows = [["graph", "`fast`", "default", RIVAL]]
    for graph, runs in sorted(graphs.items(), key=lambda item: results.graphs[item[0]].m or 0):
        mark = "\\*" if runs[FAST].time() > runs[RIVAL].time() else ""
        cells = [f"{of_run(runs[FAST])}{mark}", of_run(runs[BALANCED]), of_run(runs[RIVAL])]
        rows.append([graph, *cells])
    return [*markdown(rows), "", gpu_summary(graphs)]


def of_run(run: Any) -> str:
    """Milliseconds and colors."""
    return f"{three_digits(run.time())} ({run.colors:,})"


def gpu_summary(graphs: Mapping[str, Mapping[str, Any]]) -> str:
    """On how many graphs the qualities take less time and how often they have more colors."""
    faster = {code: sum(g[code].time() < g[RIVAL].time() for g in graphs.values()) for code in (FAST, BALANCED)}
    more = {code: sum(g[code].colors > g[RIVAL].colors for g in graphs.values()) for code in (FAST, BALANCED)}
    return (
        f"`fast` takes less time than {RIVAL} on {faster[FAST]} of {len(graphs)} graphs, and has more colors on "
        f"{more[FAST]}. \\* marks the graphs on which it takes longer. The default takes less time on "
        f"{faster[BALANCED]} graphs, and has more colors on {more[BALANCED]}."
    )


def front(records: Sequence[Row], results: Results) -> list[str]:
    """Lines of README.md: a table of some graphs, and what is true of all of them."""
    graphs, on_gpu = large(records), pairs(results)
    rows = [["graph", "CPU: default", "CPU: best of others", "GPU: default", "GPU: `fast`", f"GPU: {RIVAL}"]]
    for graph in SHOWN:
        if graph in graphs and graph in on_gpu:
            other = theirs(*best(graphs[graph]))
            runs = [of_run(on_gpu[graph][code]) for code in (BALANCED, FAST, RIVAL)]
            rows.append([graph, cell(graphs[graph][DEFAULT]), other, *runs])
    machine = records[0]["hardware"]
    places = f"{machine['cpu']}, {machine['cores']} cores", results.metas[0].hardware.rpartition(", ")[2]
    where = f"CPU: {places[0]}; the other libraries use one. GPU: {places[1]}."
    return [*markdown(rows), "", *on_all(graphs), *on_all_of_gpu(on_gpu), "", where]


def on_all(graphs: Mapping[str, Codes]) -> list[str]:
    """Lines on all graphs on a CPU."""
    unbeaten = sum(not beaten(codes) for codes in graphs.values())
    text = (
        f"- **CPU**: on {unbeaten} of {len(graphs)} real graphs, no code of Boost, ColPack or igraph takes at most the "
        f"colors and at most the time of the default. On the other [{len(graphs) - unbeaten}]({PAGE}#on-a-cpu), at "
        "least one of them does."
    )
    return textwrap.wrap(text, 118, subsequent_indent="  ")


def on_all_of_gpu(graphs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Lines on all graphs on a GPU."""
    faster, default = (sum(g[code].time() < g[RIVAL].time() for g in graphs.values()) for code in (FAST, BALANCED))
    more = sum(g[BALANCED].colors > g[RIVAL].colors for g in graphs.values())
    text = (
        f"- **GPU**: `fast` takes less time than {RIVAL} on {faster} of {len(graphs)} real graphs, and longer on the "
        f"other [{len(graphs) - faster}]({PAGE}#on-a-gpu). The default takes longer on {len(graphs) - default}, and "
        f"has more colors on {more}."
    )
    return textwrap.wrap(text, 118, subsequent_indent="  ", break_on_hyphens=False)
