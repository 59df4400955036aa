"""What a product with a mask must move, in whole sectors of memory, beside one without; no GPU.

python -m benchmarks.semirings_floor [GRAPH …] [--out FILE]

GRAPH is a name of the H200 suite or a generator's spec. The mask keeps a random tenth of the rows. Counted are the mask
and presence (one byte per row each), and all sectors of offsets, columns, the vector and the sums (4 bytes each) in
which there is something that a kept row needs; of 32 bytes, the least that memory hands out, and of 64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import facts, measurement, parser, recorded

BANDWIDTH = 4.2e12
GRAPHS = ("2d-2e20", "fd7-200", "rgg_n_2_22")


def touched(first: np.ndarray, last: np.ndarray, sector: int) -> int:
    """Bytes of the sectors that 4-byte words `first` … `last` − 1 lie in, over all such ranges."""
    some = last > first
    if not some.any():
        return 0
    lo, hi = first[some] * 4 // sector, (last[some] * 4 - 1) // sector
    size = int(hi.max()) + 2
    inside = np.cumsum(np.bincount(lo, minlength=size) - np.bincount(hi + 1, minlength=size))
    return int((inside > 0).sum()) * sector


def floor(G: lagcolor.Graph, keep: np.ndarray, sector: int) -> dict[str, float]:
    """Bytes by array, for a product whose mask keeps the rows `keep`."""
    first, last = G.indptr[keep].astype(np.int64), G.indptr[keep + 1].astype(np.int64)
    count = last - first
    entries = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    columns = np.unique(G.indices[entries]).astype(np.int64)
    parts = {
        "mask_bytes": G.n,
        "offsets_bytes": touched(keep, keep + 2, sector),
        "columns_bytes": touched(first, last, sector),
        "vector_bytes": touched(columns, columns + 1, sector),
        "presence_bytes": G.n,
        "sums_bytes": touched(keep, keep + 1, sector),
    }
    total, unmasked = sum(parts.values()), 4 * (G.n + 1) + 4 * len(G.indices) + 8 * G.n
    return {**parts, "total_bytes": total, "of_unmasked": total / unmasked, "floor_ms": total / BANDWIDTH * 1e3}


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: MB by array, in sectors of 32 bytes."""
    parts = [f"{part}_bytes" for part in ("offsets", "columns", "vector", "sums", "total")]
    lines = [
        [
            "MB",
            "mask",
            *(part.removesuffix("_bytes") for part in parts),
            "share",
            "floor, ms",
        ]
    ]
    for r in of_kind(records, "measurement"):
        if r["options"]["sector_bytes"] == 32:
            f = r["figures"]
            megabytes = [
                f"{x / 1e6:.0f}" for x in (f["mask_bytes"] + f["presence_bytes"], *(f[part] for part in parts))
            ]
            lines.append([r["graph"], *megabytes, f"{100 * f['of_unmasked']:.0f} %", f"{f['floor_ms']:.2g}"])
    said = f"MB; mask: with presence; share: of the unmasked product; floor at {BANDWIDTH / 1e12:g} TB/s."
    return [*report.markdown(lines), "", f"{said} Counted, not measured: commit {records[0]['commit']}."]


def main() -> None:
    """Prints the table; a record for each graph and size of sector."""
    p = parser("benchmarks.semirings_floor", __doc__)
    p.add_argument("graphs", nargs="*", default=GRAPHS, metavar="GRAPH")
    p.set_defaults(device="cpu")
    args = p.parse_args()
    out = recorded(args)
    for name in args.graphs:
        spec = lagcolor.generate.SUITE_H200.get(name, name)
        G = lagcolor.generate.from_spec(spec)
        keep = np.flatnonzero(np.random.default_rng(1).random(G.n) < 0.1)
        for sector in (32, 64):
            options = {"sector_bytes": sector}
            out.add(measurement(facts(G, name, spec), "vxm, mask of 10 %", options, **floor(G, keep, sector)))
    print("\n".join(markdown(out.rows)))


if __name__ == "__main__":
    main()
