"""The baselines compared with other systems, from rows of `benchmarks.compare`: a Markdown table, and who is faster.

python -m benchmarks.compare --suite h200 --device cuda --out results --import benchmarks.peers --peers csrcolor \\
    --reference benchmarks/peers/h200_peers.csv --algorithms 'speculative_*' cohen_castonguay
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


def find(runs: Iterable[Run], code: str) -> Run | None:
    """The code's quickest run that has a time."""
    return min((r for r in runs if r.code == code and r.usable and r.ms is not None), key=Run.time, default=None)


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
    """Print the table."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("results", nargs="+", type=Path, help="result files of benchmarks.compare, or folders of them")
    print("\n".join(outcomes(read(p.parse_args(argv).results))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
