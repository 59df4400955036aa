"""Tables of real graphs: the default compared with other libraries, on a CPU and on a GPU. `make tables` calls them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.harness.results import Row, geometric_mean, of_kind

from .report import markdown, source, three_digits

Figures = Mapping[str, Any]
Codes = dict[str, Figures]  # code → figures
DEFAULT = "default"
LIBRARIES = {"boost32": "Boost", "colpack": "ColPack", "igraph": "igraph"}  # prefixes of codes
ENTRIES = 10_000  # stored entries of the smallest graph
FIRST, STEP = 9, 19  # README.md shows the tenth graph by size, and every nineteenth after it
PAGE = "docs/measurements/real_graphs.md"
FAST, RIVAL = "fast", "ECL-GC v1.2"
RIVAL_CODE = f"{RIVAL} ecl_gc"  # in files of benchmarks.compare


def found(records: Sequence[Row], *groups: str) -> dict[str, Codes]:
    """Graph → code → figures of some sets."""
    out: dict[str, Codes] = {}
    for row in records:
        if row["kind"] == "measurement" and row["options"].get("set") in groups:
            out.setdefault(row["graph"], {})[row["code"]] = {"n": row["n"], "m": row["m"], **row["figures"]}
    return out


def count(figures: Figures) -> int:
    """The number of colors."""
    return int(figures.get("colors", 0))


def by_size(graphs: Mapping[str, Codes]) -> dict[str, Codes]:
    """The graphs, the one with the fewest entries first."""
    return dict(sorted(graphs.items(), key=lambda item: item[1][DEFAULT]["m"]))


def compared(records: Sequence[Row]) -> dict[str, Codes]:
    """Real graphs that other libraries colored as well, by size."""
    return by_size({graph: codes for graph, codes in found(records, "real").items() if others(codes)})


def large(records: Sequence[Row]) -> dict[str, Codes]:
    """Graphs of at least `ENTRIES` stored entries."""
    return {graph: codes for graph, codes in compared(records).items() if codes[DEFAULT]["m"] >= ENTRIES}


def others(codes: Codes) -> Codes:
    """The codes of other libraries."""
    return {code: figures for code, figures in codes.items() if code.startswith(tuple(LIBRARIES))}


def best(codes: Codes) -> tuple[str, Figures]:
    """The code of another library with the fewest colors, and of these the fastest."""
    return min(others(codes).items(), key=lambda item: (count(item[1]), item[1]["ms"]))


def quickest(codes: Codes) -> tuple[str, Figures]:
    """The code of another library with the least time."""
    return min(others(codes).items(), key=lambda item: item[1]["ms"])


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
    for graph, codes in graphs.items():
        mark = "\\*" if beaten(codes) else ""
        mine = [f"{cell(codes[DEFAULT])}{mark}", cell(codes["fast"])]
        rows.append([graph, *mine, theirs(*best(codes)), theirs(*quickest(codes))])
    caption = "\\*: another code is as good as the default in both colors and time. Medians of calls on converted"
    return [*markdown(rows), "", f"{caption} graphs, without the check. {source(records)}"]


def cpu_answer(records: Sequence[Row]) -> list[str]:
    """On how many graphs the default has as few colors as other libraries, and on how many none is as good in both."""
    graphs = large(records)
    fewest = sum(count(codes[DEFAULT]) <= count(best(codes)[1]) for codes in graphs.values())
    unbeaten = sum(not beaten(codes) for codes in graphs.values())
    return [
        f"On a CPU the default has as few colors as any code of Boost, ColPack or igraph on {fewest} of {len(graphs)} "
        f"real graphs. On {unbeaten} none of these codes is as good in both colors and time."
    ]


def on_gpu(records: Sequence[Row]) -> dict[str, Codes]:
    """Graphs of `ENTRIES` entries and more with the qualities and ECL-GC, by size; times of `fast` are the device's."""
    every = {graph: codes for graph, codes in found(records, "gpu").items() if {FAST, DEFAULT, RIVAL} <= set(codes)}
    graphs = {graph: codes for graph, codes in every.items() if codes[DEFAULT]["m"] >= ENTRIES}
    for codes in graphs.values():
        codes[FAST] = {**codes[FAST], "ms": codes[FAST]["work_ms"]}
    return by_size(graphs)


def gpu(records: Sequence[Row]) -> list[str]:
    """Lines of a table: the qualities compared with ECL-GC."""
    graphs = on_gpu(records)
    rows = [["graph", "`fast`", "default", RIVAL]]
    for graph, codes in graphs.items():
        mark = "\\*" if codes[FAST]["ms"] > codes[RIVAL]["ms"] else ""
        rows.append([graph, f"{cell(codes[FAST])}{mark}", cell(codes[DEFAULT]), cell(codes[RIVAL])])
    return [*markdown(rows), "", f"\\*: `fast` takes longer than {RIVAL}. Medians. {source(records)}"]


def gpu_answer(records: Sequence[Row]) -> list[str]:
    """Count the graphs on which a quality is slower or uses more colors, in a sentence."""
    graphs = on_gpu(records)
    slower, more = ({code: len(worse(graphs, code, of)) for code in (FAST, DEFAULT)} for of in ("ms", "colors"))
    return [
        f"On a GPU `fast` is slower than {RIVAL} on {slower[FAST]} of {len(graphs)} graphs, and uses more colors on "
        f"{more[FAST]}. The default is slower on {slower[DEFAULT]}, and uses more colors on {more[DEFAULT] or 'none'}."
    ]


def worse(graphs: Mapping[str, Codes], code: str, of: str) -> list[str]:
    """Return the graphs on which a quality takes longer than ECL-GC, or uses more colors."""
    return [graph for graph, codes in graphs.items() if codes[code][of] > codes[RIVAL][of]]


# ---- README.md -----------------------------------------------------------------------------------------------------


def front(files: Sequence[Sequence[Row]]) -> list[str]:
    """Lines of README.md, from records of a CPU and of a GPU: a table of some graphs, and what is true of all."""
    graphs, there = large(files[0]), on_gpu(files[1])
    rows = [
        ["graph", "CPU: default", "others: fewest colors", "others: least time", "GPU: default", "GPU: `fast`", RIVAL]
    ]
    for graph in list(graphs)[FIRST::STEP]:
        codes, device = graphs[graph], there.get(graph, {})
        on_cpu = [cell(codes[DEFAULT]), theirs(*best(codes)), theirs(*quickest(codes))]
        rows.append([graph, *on_cpu, *(cell(device[code]) if device else "" for code in (DEFAULT, FAST, RIVAL))])
    cpu_of, gpu_of = (of_kind(records, "meta")[0]["hardware"] for records in files)
    where = f"CPU: {cpu_of['cpu']}, {cpu_of['cores']} cores; the other libraries use one. GPU: {gpu_of['gpu']}."
    again = "[`make reproduce`](benchmarks/README.md#reproduce-the-table-of-readmemd) measures the CPU columns anew."
    return [*markdown(rows), "", *of_cpu(compared(files[0])), *of_gpu(there), "", f"{where} {again}"]


def of_cpu(every: Mapping[str, Codes]) -> list[str]:
    """Lines on all graphs on a CPU."""
    graphs, small = ({g: c for g, c in every.items() if (c[DEFAULT]["m"] >= ENTRIES) is at} for at in (True, False))
    unbeaten, of_small = (sum(not beaten(codes) for codes in some.values()) for some in (graphs, small))
    text = (
        f"- **CPU**: on {unbeaten} of {len(graphs)} real graphs of {ENTRIES:,} entries and more, none of Boost, "
        f"ColPack and igraph is as good as the default in both colors and time. On the other [{len(graphs) - unbeaten}]"
        f"({PAGE}#on-a-cpu), and on {len(small) - of_small} of {len(small)} smaller graphs, at least one of them is. "
        f"In the geometric mean, the code with the fewest colors takes {times(graphs, best)} × the time of the "
        f"default. The fastest code takes {times(graphs, quickest)} ×. Library by library, the code with the fewest "
        f"colors takes {times(graphs, best, 'boost32')} × (Boost), {times(graphs, best, 'colpack')} × (ColPack) and "
        f"{times(graphs, best, 'igraph')} × (igraph) of the default's time."
    )
    return textwrap.wrap(text, 118, subsequent_indent="  ", break_on_hyphens=False)


def times(graphs: Mapping[str, Codes], chosen: Callable[[Codes], tuple[str, Figures]], library: str = "") -> str:
    """The geometric mean of the time of a code that is chosen on each graph, over the default's."""
    ratios = []
    for codes in graphs.values():
        if some := {code: figures for code, figures in others(codes).items() if code.startswith(library)}:
            ratios.append(chosen(some)[1]["ms"] / codes[DEFAULT]["ms"])
    return three_digits(geometric_mean(ratios)) if ratios else "–"


def of_gpu(graphs: Mapping[str, Codes]) -> list[str]:
    """Lines on all graphs on a GPU."""
    slower = {code: len(worse(graphs, code, "ms")) for code in (FAST, DEFAULT)}
    more, of_default = (len(worse(graphs, code, "colors")) for code in (FAST, DEFAULT))
    mean = three_digits(geometric_mean(codes[DEFAULT]["ms"] / codes[RIVAL]["ms"] for codes in graphs.values()))
    text = (
        f"- **GPU**: `fast` is faster than {RIVAL} on {len(graphs) - slower[FAST]} of {len(graphs)} real graphs of "
        f"{ENTRIES:,} entries and more, slower on the other [{slower[FAST]}]({PAGE}#on-a-gpu), and uses more colors on "
        f"{more}. The default is slower on {slower[DEFAULT]}, and uses more colors on {of_default or 'none'}. In the "
        f"geometric mean, it takes {mean} × ECL-GC's time."
    )
    return textwrap.wrap(text, 118, subsequent_indent="  ", break_on_hyphens=False)
