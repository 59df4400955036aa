"""Table 4 of Feluca (Zheng et al. 2020): time and colors of GPU codes.

python -m benchmarks.papers.feluca_rivals --reference benchmarks/peers/h200_peers.csv --out feluca_rivals.jsonl
python -m benchmarks.papers.feluca_rivals rmat:12 road:60 --device cpu --runs 1

Geometric means over the graphs that both colored: the paper's ten, and here the graphs of the GPU table. Feluca's own
code is not available: the rivals' own codes and this library's versions are compared with `feluca`. csrcolor is only in
files that `make tables` reads. Kokkos is COLORING_EB, as the note under Table 4 says; kokkos_MIC is it on 16 threads.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.harness.results import Results

from .. import ratios, report
from ..experiment import ready
from ..ratios import Code

FELUCA = Code("feluca")


class Rival(NamedTuple):
    """A code of Table 4: geometric means of its times and colors over Feluca's, its own code here, and ours."""

    name: str
    slower: float
    colors: float
    theirs: Code | None
    ours: Code | None


RIVALS = (
    Rival("kokkos", 2.7734, 1.0039, Code("kokkos-kernels-EB"), Code("speculative_eb")),
    Rival("kokkos_MIC", 90.4888, 0.9223, None, None),
    Rival("Gunrock", 3.9203, 1.3629, Code("gunrock-essentials-color-predicated"), Code("gunrock_is")),
    Rival("GraphBLAST", 6.6242, 1.3819, None, Code("luby_mis")),
    Rival("ChenGC", 4.3486, 2.904, Code("csrcolor_pq-maxcolor128"), Code("chen_data")),
    Rival("SIRG", 2.4250, 1.3530, None, None),
    Rival("JPL", 19.7367, 3.1312, None, Code("jpl")),
    Rival("cuSPARSE", 10.3602, 1.2516, Code("csrcolor cusparse"), Code("cohen_castonguay")),
)


arguments = functools.partial(ratios.arguments, "benchmarks.papers.feluca_rivals", __doc__)


def outcomes(results: Results) -> list[str]:
    """Lines of a Markdown table: a rival's times, if a GPU took them, then its colors, over Feluca's."""
    timed = any(run.device == "cuda" for run in results.usable)
    lines = []
    for what, over in (("time", ratios.times), ("colors", ratios.colors))[not timed :]:
        for rival in RIVALS:
            sides = (over(results, code, FELUCA) for code in (rival.theirs, rival.ours))
            paper = rival.slower if what == "time" else rival.colors
            name, mean, *cells = ratios.line(f"Table 4: {what} of {rival.name}", paper, *sides)
            lines.append([name, mean, *(cell or "missing" if k % 2 else cell for k, cell in enumerate(cells))])
    return report.markdown([ratios.HEAD, *lines])


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args):
        return 2
    print("\n".join(outcomes(ratios.measured(args, [FELUCA, *(rival.ours for rival in RIVALS if rival.ours)]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
