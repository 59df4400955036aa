"""Figures 13 to 19 of ECL-GC (Alabandi and Burtscher 2022): colors and throughput of GPU and CPU codes.

python -m benchmarks.papers.ecl_gc_rivals --out ecl_gc_rivals.jsonl
python -m benchmarks.papers.ecl_gc_rivals rmat:14 --device cpu

On a GPU, this library's versions of the GPU codes run, for Figures 13 to 15. On a CPU, versions of the CPU codes run,
for Figures 16 and 18. Figures 17 and 19 compare a GPU with CPUs: `make tables` reads result files of both for
docs/measurements/paper_ecl_gc.md, and only these have ECL-GC's own code, to which the authors' codes are compared.
Each pair is a geometric mean over the graphs that both colored: the paper's, of the authors' codes, of ours.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.harness.results import Results

from .. import ratios
from ..experiment import ready
from ..ratios import Code
from ..real_graphs import RIVAL_CODE

PAPER_COLORS = 30.6  # geometric mean of ECL-GC's colors over the 18 graphs
ECL_GC, OWN = Code("ecl_gc", device="cuda"), Code(RIVAL_CODE)
OWN_ON_CPU = Code("ecl-gc-omp ×2")  # its OpenMP version, of the same colors


class Rival(NamedTuple):
    """A code of the paper: geometric mean of colors, times of ECL-GC's that it takes, its own code here, and ours."""

    name: str
    colors: float
    slower: tuple[float, ...]
    theirs: Code | None
    ours: Code | None


def _on_cpu(name: str, order: str = "") -> Code:
    return Code(name, order, "cpu")


ON_GPU = (  # slower: on a Titan V, on an RTX 2070 Super
    Rival("Data-wlc", 37.2, (3.7, 5.4), Code("csrcolor_wlc-maxcolor128"), Code("chen_data")),
    Rival("Data-pq", 34.3, (2.9, 4.9), Code("csrcolor_pq-maxcolor128"), Code("chen_data")),
    Rival("csrcolor", 149.4, (5.5, 4.2), Code("csrcolor cusparse"), Code("cohen_castonguay")),
    Rival("Kokkos-VB", 39.5, (4.1, 3.6), Code("kokkos-kernels-VB"), Code("speculative_vb")),
)
PARALLEL = (  # on 20 cores
    Rival("GMMP-NT (ColPack)", 36, (7.2,), Code("colpack SMP:D1_OMP_GMMP ×2"), _on_cpu("gebremedhin_manne")),
    Rival("FirstFit", 34.3, (4.0,), None, _on_cpu("chen_data")),
    Rival("Grappolo", 34, (7.8,), Code("grappolo OPT ×2"), None),
    Rival("Kokkos-VB", 36.3, (14.9,), Code("kokkos VB ×2"), _on_cpu("speculative_vb")),
    Rival("JP-IADG-AVG-IS", 29.2, (65.7,), None, _on_cpu("jp_adg")),
    Rival("DEC-ADG-ITR", 29, (36,), None, _on_cpu("dec_adg_itr")),
)
LARGEST_FIRST = Code("colpack DISTANCE_ONE:LARGEST_FIRST")
SERIAL = (
    Rival("LF-D1 (ColPack)", 30.9, (42.9,), LARGEST_FIRST, _on_cpu("greedy", "largest_first")),
    Rival("FirstFit", 35, (13.2,), Code("ref BITS"), _on_cpu("greedy", "natural")),
    Rival("Boost", 35, (324,), Code("boost NATURAL"), None),
    Rival("Kokkos-Serial", 35, (49.4,), Code("kokkos SERIAL"), None),
)
# Graph of the GPU table → graph of its family in the CPU table; the first two have equal sizes, too.
KIN = {
    "2d-2e20": "grid2d_1024", "delaunay_n20": "delaunay20", "rmat22": "rmat20", "r4-2e23": "r4_20",
    "road-24M": "road", "rgg_n_2_22": "rgg20", "kron_g500-logn21": "kron18",
}  # fmt: skip


arguments = functools.partial(ratios.arguments, "benchmarks.papers.ecl_gc_rivals", __doc__)


def on_gpu(results: Results) -> list[str]:
    """Lines of a Markdown table, Figures 13 to 15: a rival's colors and times over ECL-GC's."""
    lines = [_colors("Figure 13", rival, results, OWN, ECL_GC) for rival in ON_GPU]
    for k, figure in enumerate(("Figure 14 (Titan V)", "Figure 15 (RTX 2070 Super)")):
        for rival in ON_GPU:
            sides = (ratios.times(results, rival.theirs, OWN), ratios.times(results, rival.ours, ECL_GC))
            lines.append(ratios.line(f"{figure}: time of {rival.name}", rival.slower[k], *sides))
    return ratios.table(lines)


def on_cpu(results: Results) -> list[str]:
    """Lines of a Markdown table, Figures 16 to 19: colors, and vertices a second of ECL-GC on a GPU over CPU codes."""
    lines = []
    for colors, speed, rivals in (("Figure 16", "Figure 17", PARALLEL), ("Figure 18", "Figure 19", SERIAL)):
        lines += [_colors(colors, rival, results, OWN_ON_CPU, _on_cpu("ecl_gc")) for rival in rivals]
        for rival in rivals:
            mine = zip((OWN, ECL_GC), (rival.theirs, rival.ours), strict=True)
            sides = [ratios.speeds(results, base, code, KIN) for base, code in mine]
            lines.append(ratios.line(f"{speed}: ECL-GC's speed over {rival.name}", rival.slower[0], *sides))
    return ratios.table(lines)


def _colors(figure: str, rival: Rival, results: Results, own: Code, ours: Code) -> list[str]:
    sides = (ratios.colors(results, rival.theirs, own), ratios.colors(results, rival.ours, ours))
    return ratios.line(f"{figure}: colors of {rival.name}", rival.colors / PAPER_COLORS, *sides)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args):
        return 2
    rivals = (*PARALLEL, *SERIAL) if args.device == "cpu" else ON_GPU
    codes = list(dict.fromkeys([ECL_GC._replace(device=""), *(r.ours._replace(device="") for r in rivals if r.ours)]))
    results = ratios.measured(args, codes)
    print("\n".join(on_cpu(results) if args.device == "cpu" else on_gpu(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
