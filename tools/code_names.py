"""Short names of codes for the heads and cells of tables, and the libraries that a text may name."""

from __future__ import annotations

import re
from collections.abc import Iterable

NAMES = {
    "ECL-GC v1.2": "ECL-GC",
    "ECL-GC v1.2 ecl_gc": "ECL-GC",
    "ECL-GC v1.2 race-free": "ECL-GC race-free",
    "CHROMA P_SL_WBR": "CHROMA",
    "CHROMA P_SL_WBR_SDC": "CHROMA SDC",
    "csrcolor cusparse": "cuSPARSE csrcolor",
    "csrcolor_best-maxcolor128": "Chen best",
    "csrcolor_pq-maxcolor128": "Chen Data-pq",
    "csrcolor_topo-maxcolor128": "Chen Topology",
    "csrcolor_wlc-maxcolor128": "Chen Data-wlc",
    "kokkos-kernels-EB": "Kokkos EB",
    "kokkos-kernels-VB": "Kokkos VB",
    "kokkos-kernels-VBBIT": "Kokkos VBBIT",
    "kokkos-kernels-VBD": "Kokkos VBD",
    "amgx-MIN_MAX-level1": "AmgX MIN_MAX",
    "amgx-PARALLEL_GREEDY-level1": "AmgX PARALLEL_GREEDY",
    "amgx-GREEDY_RECOLOR-level1": "AmgX GREEDY_RECOLOR",
    "gunrock-essentials-color-predicated": "Gunrock",
    "boost greedy": "Boost",
    "boost32 greedy": "Boost 32-bit",
    "colpack greedy": "ColPack",
    "rustworkx greedy": "rustworkx",
    "networkx greedy": "NetworkX",
    "scipy group_columns": "SciPy",
    "igraph dsatur": "igraph DSATUR",
    "igraph colored_neighbors": "igraph",
    "ref bits": "C++ loop",
    "ref stamp": "C++ loop, stamps",
    "ecl-gc-omp ×2": "ECL-GC OpenMP ×2",
    "boost LARGEST_FIRST": "Boost LF",
    "colpack DISTANCE_ONE:LARGEST_FIRST": "ColPack LF",
}
# Name of a library in texts, and first letters of its codes, in lower case.
LIBRARIES = {
    "AmgX": ("amgx",),
    "asdex": ("asdex",),
    "Boost": ("boost",),
    "CaDiCaL": ("cadical",),
    "CHROMA": ("chroma",),
    "ColPack": ("colpack",),
    "CP-SAT": ("cp-sat",),
    "cuSPARSE": ("csrcolor cusparse",),
    "ECL-GC": ("ecl-gc",),
    "GBBS": ("gbbs",),
    "gcol": ("gcol",),
    "Grappolo": ("grappolo",),
    "Gunrock": ("gunrock-",),
    "igraph": ("igraph",),
    "Kokkos": ("kokkos",),
    "NetworkX": ("networkx",),
    "Picasso": ("picasso",),
    "PyAMG": ("pyamg",),
    "rustworkx": ("rustworkx",),
    "SciPy": ("scipy",),
    "SparseMatrixColorings.jl": ("sparsematrixcolorings.jl",),
}


def short(code: str) -> str:
    """Return a name for a narrow column."""
    if code.startswith("auto:"):
        quality, _, limit = code.removeprefix("auto:").partition("=")
        return f"{quality}, {limit.removesuffix('x')} ×" if limit.endswith("x") else quality
    return NAMES.get(code, code)


def named(text: str) -> list[str]:
    """Return the libraries that a text names outside tables and code."""
    prose = "\n".join(line for line in text.splitlines() if not line.startswith(("|", "    ")))
    prose = re.sub(r"`[^`]*`|<!--.*?-->|\]\([^)]*\)", " ", prose, flags=re.DOTALL)
    return [name for name in LIBRARIES if re.search(rf"\b{re.escape(name)}\b", prose)]


def without(names: Iterable[str], codes: Iterable[str], table: str = "") -> list[str]:
    """Return the libraries that have neither a figure nor their name in the table."""
    begun = tuple(code.lower() for code in codes)
    return [
        name for name in names
        if name.lower() not in table.lower() and not any(code.startswith(LIBRARIES[name]) for code in begun)
    ]  # fmt: skip
