"""Every refusal of `refusals.txt` ends with its error, and what the message advises works."""

from __future__ import annotations

import functools
import gzip
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
import semirings
from lagcolor import (
    ColoringError,
    DeviceError,
    FormatError,
    GraphError,
    OptionError,
    Pattern,
    color,
    derivatives,
    generate,
    io,
)

# ---- names in refusals.txt that are not of lagcolor; `at` is a folder ------------------------------------------------

PATH, CLIQUE = generate.path(4), generate.clique(5)
ONE_WAY = sp.csr_array([[0, 1], [0, 0]])
SOLVABLE = sp.csr_array(np.diag([4.0, 4, 4]) - np.eye(3, k=1) - np.eye(3, k=-1))
DAMAGED = sp.csr_array((np.ones(1), np.array([7]), np.array([0, 1, 1, 1, 1])), shape=(4, 2))
SEVERAL = ["cuda:0", "cuda:1"]
# Collecting the tests computes none of these results: a row that uses one computes it.
old = functools.cache(lambda: color(PATH, order="natural"))
star = functools.cache(lambda: color(PATH, problem="star"))
ruled = functools.cache(lambda: color(PATH, fixed={0: 3}))
partial = functools.cache(lambda: color(CLIQUE, max_colors=3, partial="fewest"))
rectangle = functools.cache(lambda: Pattern.of(np.eye(3, 4, dtype=bool)))
jacobian = functools.cache(lambda: derivatives.jacobian(rectangle()))
hessian = functools.cache(lambda: derivatives.hessian(SOLVABLE))
both = functools.cache(lambda: derivatives.jacobian(rectangle(), "both"))
verbs = functools.cache(lambda: semirings.engine("cpu"))


def on_cluster(path: Path, **options: Any) -> Any:
    """A coloring on a Dask cluster, which a test may lack."""
    import lagcolor.scale.dask

    return lagcolor.scale.dask.color(path, **options)


def nx_graph(kind: str, *edges: tuple[Any, ...]) -> Any:
    """A graph of NetworkX, which a test may lack."""
    import networkx as nx

    return getattr(nx, kind)(edges)


def letters() -> Any:
    """A path with names."""
    return nx_graph("Graph", ("a", "b"), ("b", "c"))


def never(us: Any, vs: Any) -> Any:
    """An oracle without edges."""
    return np.zeros((len(us), len(vs)), bool)


# ---- the table -------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A call that is refused, its error, what the message contains, and calls that do what it says."""

    call: str
    error: str
    says: str
    advice: list[str]


def rows() -> dict[str, Row]:
    """Rows by their call; lines that are continued begin with dots or spaces."""
    text = Path(__file__).with_name("refusals.txt").read_text(encoding="utf-8")
    found = {}
    for row in re.sub("^#.*\n+", "", text, flags=re.MULTILINE).strip().split("\n\n"):
        call, error, *advice = re.sub(r"\n(\.\.\. |    )", " ", row).split("\n")
        kind, _, says = error.partition(": ")
        assert call[4:] not in found, call
        found[call[4:]] = Row(call[4:], kind, says, [line[4:] for line in advice])
    return found


TABLE = rows()


def written(folder: Path) -> Path:
    """The files of the table."""
    for name, text in {
        "edges.txt": "0 1\n1 2\n2 3\n",
        "graph.xyz": "0 1\n",
        "short.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n",
        "head.mtx": "3 3 1\n2 1\n",
        "few.graph": "3 2\n2\n1 3\n",
        "beyond.col": "p edge 2 1\ne 1 3\n",
        "colors.txt": "0\nred\n",
        "damaged.npz": "no archive",
    }.items():
        (folder / name).write_text(text)
    (folder / "cut.mtx.gz").write_bytes(gzip.compress(b"%%MatrixMarket matrix coordinate pattern general\n")[:20])
    np.save(folder / "edges.npy", np.array([[0, 1], [1, 2], [2, 3]]))
    for name in ("grid.csr", "other.csr", "damaged.csr"):
        io.write(folder / name, generate.grid2d(3))
    for array in (folder / "damaged.csr").glob("*.npy"):
        array.write_bytes(b"no array")
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("files"))


class Public(dict[str, Any]):
    """Names of lagcolor. A name of this module hides none of them."""

    def __missing__(self, name: str) -> Any:
        if hasattr(lagcolor, name):
            return getattr(lagcolor, name)
        raise KeyError(name)


def run(call: str, at: Path) -> Any:
    return eval(call, globals(), Public(at=at))


@pytest.mark.parametrize("call", TABLE)
def test_refusals(call: str, files: Path) -> None:
    """Each ends with its error, and its advice works."""
    row = TABLE[call]
    with pytest.raises(Exception) as caught:
        run(row.call, files)
    if row.error not in [cls.__name__ for cls in caught.type.__mro__]:
        raise caught.value
    assert row.says in str(caught.value).replace(str(files), "…")
    assert "\n" not in str(caught.value)
    for advice in row.advice:
        run(advice, files)


@pytest.mark.skipif(lagcolor.has_gpu(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1", SEVERAL, "cuda:*"], ids=str)
def test_no_gpu(device: Any) -> None:
    with pytest.raises(DeviceError, match=r"no GPU|CuPy") as caught:
        color(PATH, device=device)
    assert "pip install" in str(caught.value) or "device='cpu'" in str(caught.value)


def test_each_class_of_errors_is_one_of_ours() -> None:
    for error in (GraphError, FormatError, ColoringError, OptionError):
        assert issubclass(error, lagcolor.LagcolorError) and issubclass(error, ValueError)
    for other in (DeviceError, lagcolor.ClusterError):
        assert issubclass(other, lagcolor.LagcolorError) and issubclass(other, RuntimeError)
