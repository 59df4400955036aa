"""Tables of the measurements of `benchmarks.defaults`."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.harness.results import Row, geometric_mean

from . import report

Figures = Mapping[str, Any]
Codes = dict[str, Figures]  # code → figures
DEFAULT = "default"
ORDERS = ("natural", "largest_first", "smallest_last")
QUALITIES = {DEFAULT: "balanced", "best 0.1 s": "best, 0.1 s", "best 1 s": "best, 1 s"}
BOOST = "boost32 natural"
MILLION = 1_000_000  # entries
PEERS = ("boost32", "colpack", "igraph", "scipy", "asdex")
LIBRARIES = {"ColPack": "colpack", "Boost": "boost32"}
RELATIONS = ("anti", "general", "qubitwise")


def found(records: Sequence[Row], *groups: str) -> dict[str, Codes]:
    """Return the figures of some sets by graph and code, with figures that others published."""
    out: dict[str, Codes] = {}
    for row in records:
        if row["kind"] == "measurement" and row["options"].get("set") in groups:
            out.setdefault(row["graph"], {})[row["code"]] = {"n": row["n"], "m": row["m"], **row["figures"]}
    for row in records:
        if row["kind"] == "reference" and row["graph"] in out:
            out[row["graph"]][row["code"]] = {"colors": row["colors"], "ms": row["ms"]}
    return out


def count(figures: Figures) -> int:
    """Colors, or products."""
    return int(figures.get("products", figures.get("colors", 0)))


def fewest(codes: Codes, mine: str = DEFAULT) -> tuple[str, Figures]:
    """Return the comparable code with the fewest colors, and the fastest of these, without searches by the clock."""
    others = {code: f for code, f in codes.items() if code not in (mine, *QUALITIES) and alike(mine, code)}
    return min(others.items(), key=lambda item: (count(item[1]), item[1]["ms"] is None, item[1]["ms"]))


def alike(mine: str, code: str) -> bool:
    """Whether a code solves the problem of a call: the same partition, or relation of Pauli strings."""
    if mine in RELATIONS:
        return code.startswith(f"{mine}, ") or (mine == "anti" and code == "Picasso")
    return ", " in code if mine == "auto" else code != "auto" and not code.startswith(("rows, ", "both, "))


def described(code: str, figures: Figures) -> str:
    """Colors, code and time."""
    return f"{count(figures)} ({code}{'' if figures['ms'] is None else f', {milliseconds(figures)}'})"


def milliseconds(figures: Figures) -> str:
    """Three digits, or whole ones."""
    return f"{report.three_digits(figures['ms'])} ms"


def spread(values: Iterable[int]) -> str:
    """The least and the largest."""
    values = list(values)
    return f"{min(values)}" if min(values) == max(values) else f"{min(values)} to {max(values)}"


# ---- the calls -----------------------------------------------------------------------------------------------------

Outcome = tuple[str, str, str]  # now, the best of others, time


def plain(group: str, *graphs: str, unit: str = "colors", mine: str = DEFAULT) -> Callable[..., Outcome | None]:
    """The outcome on some inputs of a set, with a semicolon between them."""

    def outcome(records: Sequence[Row]) -> Outcome | None:
        every = found(records, group)
        rows = [every[graph] for graph in graphs or every if mine in every.get(graph, {})]
        if not rows:
            return None
        now = "; ".join(f"{count(codes[mine])}{classes(codes[mine])}" for codes in rows)
        others = "; ".join(best_of_others(codes, mine) for codes in rows)
        return f"{now} {unit}", others, "; ".join(milliseconds(codes[mine]) for codes in rows)

    return outcome


def best_of_others(codes: Codes, mine: str) -> str:
    """The fewest colors, and the fewest of a peer."""
    best = fewest(codes, mine)
    peers = {code: f for code, f in codes.items() if code.startswith(PEERS)}
    return described(*best) + (f", {described(*fewest(peers, mine))}" if peers and best[0] not in peers else "")


def classes(figures: Figures) -> str:
    """The sizes of the classes, if they are known."""
    return f" (classes from {figures['largest']:,} down to {figures['smallest']:,})" if "largest" in figures else ""


def _ratio(graphs: Mapping[str, Codes], code: str, of: Callable[[Figures], float] | None = None) -> str:
    """The geometric mean of the ratios of colors or times to another code."""
    pairs = [(codes[DEFAULT], codes[code]) for codes in graphs.values() if code in codes]
    if not pairs:
        return ""
    value = of or (lambda figures: figures["ms"])
    mean = geometric_mean(value(mine) / value(other) for mine, other in pairs)
    return f"{mean:.3f} × {code}'s {'colors' if of else 'time'}"


def jacobians(records: Sequence[Row]) -> Outcome | None:
    """Products of random matrices."""
    every = list(found(records, "random").values())
    if not every:
        return None
    best = [min(count(f) for code, f in codes.items() if code.startswith("columns, ")) for codes in every]
    scipy = [count(codes["scipy"]) for codes in every]
    more = {
        name: sum(count(codes[DEFAULT]) > other for codes, other in zip(every, others, strict=True))
        for name, others in (("SciPy", scipy), ("the best order", best))
    }
    now = f"{spread(count(codes[DEFAULT]) for codes in every)} products; more than " + ", ".join(
        f"{name} in {times} of {len(every)}" for name, times in more.items()
    )
    times = [codes[DEFAULT]["ms"] for codes in every]
    others = f"{spread(scipy)} (SciPy), {spread(best)} (best order)"
    return now, others, f"{statistics.median(times):.3g} ms (median)"


def auto(records: Sequence[Row]) -> Outcome | None:
    """How often "auto" takes more products than a partition in an order."""
    every = found(records, "random", "structured", "rectangular")
    if not every:
        return None
    best = {graph: fewest(codes, "auto") for graph, codes in every.items()}
    over = {graph: codes for graph, codes in every.items() if count(codes["auto"]) > count(best[graph][1])}
    first = "".join(
        f"; {graph}: {count(codes['auto'])} for {described(*best[graph])}" for graph, codes in list(over.items())[:1]
    )
    times = [codes["auto"]["ms"] for codes in every.values()]
    return f"more than a single order on {len(over)} of {len(every)}{first}", "", f"at most {max(times):.3g} ms"


CALLS: Sequence[tuple[str, Callable[[Sequence[Row]], Outcome | None]]] = (
    ("`color` of a 500×500 grid", plain("grid", "grid2d:500")),
    (
        "`color` of tetrahedra with 3 unknowns per node, 600,000 rows; the same shuffled",
        plain("meshes", "tetrahedra:200000,3", "tetrahedra:200000,3,shuffled"),
    ),
    ("`jacobian` of random 1000² matrices", jacobians),
    (
        "`jacobian` of a permuted five-point grid",
        plain("structured", "five_point:100", "five_point:300", unit="products"),
    ),
    ('`partition="auto"`', auto),
    ('`pauli.group(commute="anti")` of H6_3D', plain("pauli", "pauli:H6_3D_sto3g", unit="groups", mine="anti")),
    ('`problem="distance2"` on a GPU, 1,000×1,000 grid; 27-point stencil 100³', plain("distance2")),
    ("`derivatives.hessian` on a GPU, grid; rmat of 2²⁰ vertices", plain("hessian", unit="products")),
    ("element colors of hexahedra; shuffled", plain("elements")),
)  # fmt: skip


def calls(records: Sequence[Row]) -> list[str]:
    """Lines of the table of measured default calls."""
    rows = [["call", "result", "fewest of others", "time"]]
    for call, outcome in CALLS:
        if now := outcome(records):
            rows.append([call, *now])
    sources = dict.fromkeys(report.source([row]) for row in records if row["kind"] == "meta")
    note = "Medians of calls on converted inputs, without the check; time of the default call."
    return [*report.markdown(rows), "", f"{note} {' '.join(sources)}"]


def boost(records: Sequence[Row]) -> list[str]:
    """A line on the suite of small graphs: the default compared with Boost in natural order."""
    graphs = {graph: codes for graph, codes in found(records, "small").items() if BOOST in codes and DEFAULT in codes}
    if not graphs:
        return []
    faster = sum(codes[BOOST]["ms"] < codes[DEFAULT]["ms"] for codes in graphs.values())
    means = f"{_ratio(graphs, BOOST)}, {_ratio(graphs, BOOST, count)}"
    return ["", f"{len(graphs)} small generated graphs: {BOOST} is faster on {faster}; geometric means: {means}."]


def same_orders(records: Sequence[Row]) -> list[str]:
    """Lines of a table on the suite of a CPU: the time of another library in an order over the time of `greedy`."""
    cells = {}
    for graph, codes in found(records, "cpu").items():
        for name, library in LIBRARIES.items():
            for order in ORDERS:
                if f"{library} {order}" in codes:
                    ratio = codes[f"{library} {order}"]["ms"] / codes[order]["ms"]
                    cells[graph, f"{name}, {order.replace('_', ' ')}"] = ratio
    columns = list(dict.fromkeys(column for _, column in cells))
    for column in columns:
        cells["geometric mean", column] = geometric_mean(x for (_, other), x in list(cells.items()) if other == column)
    note = "Time over the time of `greedy` in the same order, ordering included, conversion left out. Medians."
    shown = {key: f"{x:.2f}" for key, x in cells.items()}
    return [*report.pivot(shown, "graph", 6), "", f"{note} {report.source(records)}"]


def meshes(records: Sequence[Row]) -> list[str]:
    """Lines of a table on meshes with several unknowns per node: milliseconds (colors)."""
    codes = {"fast": "fast", "largest_first": "largest first", "smallest_last": "smallest last", DEFAULT: DEFAULT}
    cells = {
        (graph, name): f"{report.three_digits(of[code]['ms'])} ({count(of[code])})"
        for graph, of in found(records, "meshes").items() if ",1" not in graph for code, name in codes.items()
    }  # fmt: skip
    return [*report.pivot(cells, "mesh"), "", f"Milliseconds (colors), medians. {report.source(records)}"]


def distance2(records: Sequence[Row]) -> list[str]:
    """Lines of a table of orders at distance 2 on a GPU: milliseconds (colors)."""
    cells = {
        (graph, "a CPU, default" if code == "cpu" else code.replace("_", " ")): (
            f"{report.three_digits(f['ms'])} ({count(f)})"
        )
        for graph, of in found(records, "distance2").items() for code, f in of.items()
    }  # fmt: skip
    return [*report.pivot(cells, "graph"), "", f"Milliseconds (colors), medians. {report.source(records)}"]


def products(records: Sequence[Row]) -> list[str]:
    """Lines of a table: on how many matrices `jacobian` takes more products than others, and how long it takes."""
    every = found(records, "random", "structured", "rectangular")
    if not every:
        return []
    rows = [["`jacobian`", "more products than SciPy", "than asdex", "than the best order, same partition", "slowest"]]
    for call in (DEFAULT, "auto"):
        singles = {code for codes in every.values() for code in codes if ", " in code and alike(call, code)}
        more = [_more(every, call, rivals) for rivals in ({"scipy"}, {"asdex"}, singles)]
        million = {graph: codes[call]["ms"] for graph, codes in every.items() if codes[call]["m"] <= MILLION}
        slowest = max(million, key=lambda graph: million[graph], default="")
        time = f"{million[slowest]:.3g} ms ({slowest})" if slowest else ""
        rows.append([call, *more, time])
    return ["", *report.markdown(rows), "", f"Slowest of those with up to {MILLION:,} entries."]


def _more(every: Mapping[str, Codes], call: str, rivals: set[str]) -> str:
    """Return the number of graphs on which a call has more than the fewest of other codes, and five names."""
    over, seen = [], 0
    for graph, codes in every.items():
        if counts := [count(f) for code, f in codes.items() if code in rivals]:
            seen += 1
            if (mine := count(codes[call])) > min(counts):
                over.append(f"{graph} ({mine}, {min(counts)})")
    names = "; ".join([*over[:5], *(["…"] if over[5:] else [])])
    return f"{len(over)} of {seen}{f': {names}' if names else ''}"


# ---- each input ----------------------------------------------------------------------------------------------------


def each(records: Sequence[Row]) -> list[str]:
    """Lines of tables of each input of the smaller sets."""
    out = []
    for groups, mine in (
        (("grid", "meshes", "elements", "small", "cpu"), (DEFAULT,)),
        (("structured", "rectangular"), (DEFAULT, "auto")),
        (("pauli",), RELATIONS),
        *(((group,), (DEFAULT,)) for group in ("distance2", "hessian", "h200")),
    ):
        out += _inputs(records, groups, mine)
    return out


def _inputs(records: Sequence[Row], groups: Sequence[str], calls: Sequence[str]) -> list[str]:
    """Lines of a table of the inputs of some sets, after an empty one."""
    rows = [["input", "call", "colors", "ms", "× `fast`", "fewest of others", "colors of a CPU"]]
    for graph, codes in found(records, *groups).items():
        rows += [_row(graph, codes, call) for call in calls if call in codes]
    return ["", *report.markdown(rows, numbers=(2, 3, 4))] if len(rows) > 1 else []


def gpu(records: Sequence[Row]) -> list[str]:
    """Lines of a table of the suite on a GPU: whole calls of `fast`, which device times of a bench leave out."""
    rows = [["graph", "colors", "whole call, ms"]]
    for graph, codes in found(records, "h200").items():
        if "fast" in codes:
            rows.append([graph, f"{count(codes['fast']):,}", report.three_digits(codes["fast"]["ms"])])
    if len(rows) == 1:
        return []
    note = f"Medians of calls on a graph on the GPU. {report.source(records)}"
    return [*report.markdown(rows, numbers=(1, 2)), "", note]


def _row(graph: str, codes: Codes, call: str) -> list[str]:
    mine, fast = codes[call], codes.get("fast")
    same = {True: "the same", False: "OTHERS", None: ""}[mine.get("same_as_cpu")]
    others = described(*fewest(codes, call))
    slower = f"{mine['ms'] / fast['ms']:.2f}" if fast else ""
    return [graph, call, f"{count(mine)}{classes(mine)}", report.three_digits(mine["ms"]), slower, others, same]


def qualities(records: Sequence[Row]) -> list[str]:
    """Lines of a table of the colors and times of each quality, as multiples of those with fast."""
    rows = [["geometric mean of", *QUALITIES.values()]]
    if graphs := found(records, "cpu"):
        rows.append([f"{len(graphs)} graphs of the suite", *(_means(graphs, code) for code in QUALITIES)])
    note = "Colors, time: divided by the colors and the time of `fast`, of calls on converted graphs."
    return [*report.markdown(rows), "", f"{note} {report.source(records)}"] if len(rows) > 1 else []


def _means(graphs: Mapping[str, Codes], code: str) -> str:
    pairs = [(codes[code], codes["fast"]) for codes in graphs.values() if code in codes and "fast" in codes]
    if not pairs:
        return ""
    colors = geometric_mean(count(mine) / count(fast) for mine, fast in pairs)
    return f"{colors:.3f}, {geometric_mean(mine['ms'] / fast['ms'] for mine, fast in pairs):.3g}"


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of all tables."""
    parts = (calls, boost, products, each)
    return [*(text for part in parts for text in part(records)), "", *qualities(records)]
