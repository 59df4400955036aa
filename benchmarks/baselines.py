"""The baselines compared with other systems, from rows of `benchmarks.compare`: a Markdown table, and who is faster.

python -m benchmarks.compare --suite h200 --device cuda --out results --import benchmarks.peers --peers csrcolor \\
    --reference benchmarks/peers/h200_peers.csv --algorithms 'speculative_*' cohen_castonguay jpl jp_adg dec_adg_itr
python -m benchmarks.baselines results
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.harness.results import Results, Run, geometric_mean, read

from . import report

RIVALS = {
    "speculative_vb": "kokkos-kernels-VB",
    "speculative_vbbit": "kokkos-kernels-VBBIT",
    "speculative_eb": "kokkos-kernels-EB",
    "cohen_castonguay": "csrcolor cusparse",
}
NO_MORE_COLORS = ("cohen_castonguay",)  # than its rival, too
ALONE = ("jpl", "jp_adg", "dec_adg_itr")  # without figures of another code


def find(runs: Iterable[Run], code: str) -> Run | None:
    """The code's quickest run that has a time."""
    return min((r for r in runs if r.code == code and r.usable and r.ms is not None), key=Run.time, default=None)


def misses(ours: Run | None, rival: Run | None) -> bool:
    """Whether a rival that answered is faster, or has fewer colors if that counts."""
    if ours is None:
        return True
    if rival is None:
        return False
    fewer = ours.code in NO_MORE_COLORS and (ours.colors or 0) > (rival.colors or 0)
    return ours.time() > rival.time() or fewer


def cell(ours: Run | None, rival: Run | None) -> str:
    """Milliseconds and colors of both, ours in bold if it is beaten."""
    if ours is None:
        return "no answer"
    text = f"{ours.time():.2f} ({ours.colors})"
    return f"**{text}**" if misses(ours, rival) else text


def table(results: Results) -> list[str]:
    """Lines of a Markdown table: milliseconds (colors), each rival behind a slash."""
    names = [*RIVALS, *ALONE]
    lines = [["graph", *names]]
    for graph in results.graphs:
        runs = results.on(graph)
        cells = []
        for name in names:
            ours, rival = find(runs, name), find(runs, RIVALS.get(name, ""))
            behind = f" / {rival.time():.2f} ({rival.colors})" if rival else " / –" if name in RIVALS else ""
            cells.append(cell(ours, rival) + behind)
        lines.append([graph, *cells])
    return report.markdown(lines)


def beaten(results: Results) -> list[str]:
    """Code and graph wherever a rival is better."""
    out = []
    for graph in results.graphs:
        runs = results.on(graph)
        out += [f"{n} on {graph}" for n, r in RIVALS.items() if misses(find(runs, n), find(runs, r))]
    return out


def outcomes(results: Results) -> list[str]:
    """A Markdown table, one line per code: where it beats its rival, by how much, and whose colors are fewer."""
    lines = [["code", "rival", "faster on", "by", "least", "fewer colors", "more colors"]]
    details = []
    for code, rival in RIVALS.items():
        found = {g: (find(results.on(g), code), find(results.on(g), rival)) for g in results.graphs}
        pairs = {g: (ours, theirs) for g, (ours, theirs) in found.items() if ours and theirs}
        if not pairs:
            continue
        gains = {g: theirs.time() / ours.time() for g, (ours, theirs) in pairs.items()}
        colors = {g: (ours.colors or 0, theirs.colors or 0) for g, (ours, theirs) in pairs.items()}
        more = {g: c for g, c in colors.items() if c[0] > c[1]}
        lines.append([
            code, rival, f"{sum(x > 1 for x in gains.values())} of {len(gains)}",
            f"{geometric_mean(gains.values()):.2f} ×", f"{min(gains.values()):.2f} ×",
            f"{sum(ours < theirs for ours, theirs in colors.values())}", f"{len(more)}",
        ])  # fmt: skip
        details += [f"{code}: {_listed(more)}"] if more else []
    note = "By: geometric mean of the rival's time over ours; least: on the graph where it is the least. "
    note += f"More colors than the rival: {'; '.join(details) or 'none'}."
    return [*report.markdown(lines), "", note]


def _listed(colors: dict[str, tuple[int, int]]) -> str:
    """Graphs, with our colors and the rival's."""
    return ", ".join(f"{g} ({ours:,} for {theirs:,})" for g, (ours, theirs) in colors.items())


def main(argv: Sequence[str] | None = None) -> int:
    """Print; return 1 if a rival is better."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("results", nargs="+", type=Path, help="result files of benchmarks.compare, or folders of them")
    results = read(p.parse_args(argv).results)
    print("\n".join(table(results)))
    where = beaten(results)
    print(f"\nbeaten: {', '.join(where) or 'nowhere'}")
    return 1 if where else 0


if __name__ == "__main__":
    sys.exit(main())
