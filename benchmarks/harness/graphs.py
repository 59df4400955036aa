"""The graphs of a run: files, specs of generators, and named sets of both."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lagcolor.base.errors import LagcolorError, OptionError
from lagcolor.base.options import hint, known, unknown
from lagcolor.generate import FAMILIES, SUITE_CPU, SUITE_H200, from_spec
from lagcolor.generate.families import family
from lagcolor.graph.graph import Graph

INT32_MAX = 2**31 - 1
EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
ENDINGS = (".egr", ".npz", ".mtx", ".graph", ".col", ".gr", ".txt", ".el", ".csv", ".col.b")

# A graph of each family of SUITE_H200, small enough for every algorithm on a CPU; rgg in three sizes, for growth.
_SMALL = (
    "grid2d:64",
    "rmat:12",
    "kron_g500:10",
    "uniform:4096,4",
    "rgg:10",
    "rgg:12",
    "rgg:14",
    "delaunay:12",
    "road:40",
    "stencil27:12",
    "grid3d:16",
    "social:4000,10",
)
# Graphs of the papers that a generator makes: of ECL-GC's Table 3 by its names; meshes of the size of G3_circuit
# (Osama et al., Che et al.) and random graphs of the sizes of Che et al.'s other two.
_PAPERS = {
    "2d-2e20.sym": "grid2d:1024",
    "rmat16.sym": "rmat:16",
    "rmat22.sym": "rmat:22",
    "r4-2e23.sym": "uniform:2**23,4",
    "delaunay_n24": "delaunay:24",
    "kron_g500-logn21": "kron_g500:21",
    "G3_circuit-like": "grid2d:1260",
    "G3_circuit-like-3d": "grid3d:116",
    "dip-like": "barabasi_albert:19928,4",
    "coAuthorsDBLP-like": "barabasi_albert:299067,3",
}


class Source(NamedTuple):
    """A graph by name, and the file or spec that it comes from."""

    name: str
    spec: str


SUITES: Mapping[str, Mapping[str, str]] = {
    "small": {spec: spec for spec in _SMALL},
    "cpu": SUITE_CPU,
    "h200": SUITE_H200,
    "papers": _PAPERS,
    "real": {},  # files: see `_real`
}


def resolve(names: Iterable[str] = (), suite: str | None = None, data: str | Path | None = None) -> list[Source]:
    """Graphs by name."""
    names = list(names)
    out: list[Source] = []
    if suite is not None or not names:
        out += _suite(suite or "small", data)
    for name in names:
        out += _named(name)
    return _unique(out)


def _suite(name: str, data: str | Path | None) -> list[Source]:
    suite = known(name, SUITES)
    if suite is None:
        raise OptionError(unknown("suite", name, SUITES))
    name = suite
    return _real(data) if name == "real" else [Source(*item) for item in SUITES[name].items()]


def _real(data: str | Path | None) -> list[Source]:
    folder = Path(data or os.environ.get("LAGCOLOR_DATA") or EXAMPLES)
    found = _files(folder, deep=True)
    if not found:
        raise OptionError(
            f"no real graphs in {folder}: give --data or set LAGCOLOR_DATA to a folder of graph files "
            "(a checkout has three in examples/data)"
        )
    return found


def _files(folder: Path, deep: bool = False) -> list[Source]:
    paths = sorted(folder.rglob("*") if deep else folder.glob("*"))
    kinds = tuple(e for e in ENDINGS if e not in (".txt", ".csv"))  # in a folder these may be anything
    return [
        Source(_stem(path), str(path))
        for path in paths
        if path.is_file() and path.name.removesuffix(".gz").endswith(kinds)
    ]


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return next((name.removesuffix(e) for e in sorted(ENDINGS, key=len, reverse=True) if name.endswith(e)), name)


def _named(name: str) -> list[Source]:
    path = Path(name)
    if path.is_dir():
        if found := _files(path):
            return found
        raise OptionError(f"no graph file in the folder {name}")
    if path.exists():
        return [Source(_stem(path), name)]
    for suite in SUITES.values():
        if name in suite:
            return [Source(name, suite[name])]
    if name.partition(":")[0] in FAMILIES:
        check_spec(name)
        return [Source(name, name)]
    others = dict.fromkeys(key for suite in SUITES.values() for key in suite if key not in suite.values())
    raise OptionError(
        f"no graph {name!r}{hint(name, [*others, *FAMILIES])}: there is no such file; else a spec such as rgg:16 "
        f"(lagcolor list generators), or one of {', '.join(others)}"
    )


def check_spec(spec: str) -> None:
    """Raise the OptionError of `from_spec` for a spec that is misspelled, without making a graph."""
    name, _, text = spec.partition(":")
    family(name.strip()).parse([a for a in text.split(",") if a.strip()])


def _unique(sources: Iterable[Source]) -> list[Source]:
    out: dict[str, Source] = {}
    for source in sources:
        name = source.name
        if name in out and out[name].spec != source.spec:
            name = f"{Path(source.spec).absolute().parent.name}/{name}"
        if name in out and out[name].spec != source.spec:
            name = source.spec
        out[name] = Source(name, source.spec)
    return list(out.values())


def load(spec: str, device: str) -> Graph:
    """The graph of a file or a spec, on a device; generated on the CPU if the GPU cannot (out of memory, say)."""
    path = Path(spec)
    if path.name.endswith(SCRATCH) and path.exists():
        return read_scratch(path).on(device)
    if path.exists():
        from lagcolor.io import read

        return read(path, symmetrize=True).on(device)
    try:
        return from_spec(spec, device=device)
    except LagcolorError:
        raise
    except Exception:
        if device == "cpu":
            raise
        return from_spec(spec).on(device)


SCRATCH = ".scratch"  # written by `write_scratch`, so that it need not be checked


def write_scratch(path: Path, G: Graph) -> None:
    """Write a graph for C++ drivers and restarted processes: int32 n, m, indptr, indices, like .egr without weights."""
    if G.m > INT32_MAX:
        raise OptionError(f"{G.m:,} stored entries are too many for peers with 32-bit offsets")
    G = G.on("cpu")
    with open(path, "wb") as f:
        for part in (np.array([G.n, G.m]), G.indptr, G.indices):
            np.asarray(part, np.int32).tofile(f)


def read_scratch(path: Path) -> Graph:
    """The graph that `write_scratch` wrote, unchecked."""
    n, m = np.fromfile(path, np.int32, 2).tolist()
    indptr, indices = (np.fromfile(path, np.int32, count, offset=4 * at) for count, at in ((n + 1, 2), (m, n + 3)))
    return Graph(indptr, indices)
