"""Each public function gives the same result for every kind of input that it takes; `verbs.py` has all of them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import gpu

import lagcolor

from . import kinds, public
from .verbs import EMULATED, NO_INPUT, SEVERAL, VERBS, Verb

# What the error of `Graph.of` says that it takes, and one of its kinds.
ACCEPTED = {
    "a scipy.sparse or cupyx.scipy.sparse matrix": "csr_array",
    "a graphblas.Matrix": "graphblas",
    "a sparse tensor of torch or JAX": "jax bcoo",
    "a square NumPy or CuPy array": "dense float64",
    "a networkx, igraph or rustworkx graph": "igraph",
    "a list of pairs": "list of tuples",
    "a dict of neighbors": "dict of lists",
    "a table with two columns (pandas, polars, pyarrow)": "pandas",
    "integers of shape (2, m) or (m, 2) (NumPy, CuPy or anything with __dlpack__)": "edge index int64",
    "a pair of index arrays (u, v)": "pair int64",
    "a path": "file g.mtx",
    "a generator such as 'rgg:16'": "spec",
    "or a Graph": "Graph",
}


def leaves(x: Any, device: str) -> Iterator[Any]:
    """Arrays and numbers of a result, and whether it is on its device."""
    if isinstance(x, lagcolor.Pattern):
        yield from (x.device == device or x.device, x.indptr, x.indices, x.shape)
    elif isinstance(x, lagcolor.Coloring):
        yield from (x.device == device or x.device, x.colors, x.n_colors, x.lower_bound)
    elif sp.issparse(x):
        yield x.toarray()
    elif isinstance(x, (list, tuple)):
        for part in x:
            yield from leaves(part, device)
    else:
        yield x


def on_host(x: Any) -> Any:
    return x.get() if hasattr(x, "get") else x


def differences(found: Any, wanted: Any, device: str = "cpu") -> list[str]:
    """Return where two results differ in type or value, or the first one is on another device."""
    a, b = list(leaves(found, device)), list(leaves(wanted, "cpu"))
    if len(a) != len(b):
        return [f"{len(a)} parts, not {len(b)}"]
    out = []
    for i, (x, y) in enumerate(zip(map(on_host, a), map(on_host, b), strict=True)):
        if type(x) is not type(y):
            out.append(f"part {i} is {type(x)}, not {type(y)}")
        elif isinstance(y, np.ndarray) and (x.dtype, x.shape) != (y.dtype, y.shape):
            out.append(f"part {i} is {x.dtype} of shape {x.shape}, not {y.dtype} of shape {y.shape}")
        elif not (np.allclose(x, y, 1e-12, 1e-12) if getattr(y, "dtype", None) is not None else x == y):
            out.append(f"part {i} is {x}, not {y}")
    return out


def made(verb: Verb, kind: str, at: Path) -> Any:
    return verb.call(verb.takes[kind](at), at)


def first_of_table(name: str) -> bool:
    """Whether no name before it takes the same kinds."""
    return next(x for x, verb in VERBS.items() if verb.takes is VERBS[name].takes) == name


CASES = [
    pytest.param(name, kind, id=f"{name.removeprefix('lagcolor.')}-{kind}")
    for name in filter(first_of_table, VERBS)
    for kind in VERBS[name].takes
]
REFERENCE: dict[str, Any] = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inputs")


def reference(name: str, at: Path) -> Any:
    """The result of the canonical kind."""
    if name not in REFERENCE:
        REFERENCE[name] = made(VERBS[name], next(iter(VERBS[name].takes)), at)
    return REFERENCE[name]


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_kind(name: str, kind: str, folder: Path) -> None:
    """By the first public name that takes it: a kind whose package is not installed skips."""
    assert differences(made(VERBS[name], kind, folder), reference(name, folder)) == []


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("name", [name for name in VERBS if not first_of_table(name)])
def test_every_name(name: str, folder: Path) -> None:
    """With each kind that is installed."""
    verb, wrong = VERBS[name], {}
    for kind in (k for k in verb.some or verb.takes if k in verb.takes):
        try:
            x = verb.takes[kind](folder)
        except (ModuleNotFoundError, pytest.skip.Exception):
            continue
        if found := differences(verb.call(x, folder), reference(name, folder)):
            wrong[kind] = found
    assert wrong == {}


def moved(x: Any) -> Any:
    """Arrays on the GPU; None of what has none."""
    import cupy

    if isinstance(x, np.ndarray):
        return cupy.asarray(x) if x.dtype.isnative and x.dtype.kind in "biufc" else None
    if type(x) is tuple and all(isinstance(part, np.ndarray) for part in x):
        parts = tuple(map(moved, x))
        return None if any(part is None for part in parts) else parts
    if isinstance(x, lagcolor.Pattern):
        return x.on("cuda")
    if sp.issparse(x) and x.format in ("csr", "csc", "coo") and not emulated.stands_in():
        import cupyx.scipy.sparse

        native = x.dtype.kind in "bfc" and all(a.dtype in (np.int32, np.int64) for a in indices_of(x))
        return getattr(cupyx.scipy.sparse, f"{x.format}_matrix")(x) if native else None
    return None


def indices_of(A: Any) -> tuple[np.ndarray, np.ndarray]:
    return A.coords if A.format == "coo" else (A.indptr, A.indices)


def check_on_gpu(name: str, folder: Path) -> None:
    """Each kind that can be moved there gives the result of the CPU, on the GPU."""
    verb, wrong, seen = VERBS[name], {}, 0
    for kind in verb.takes:
        try:
            x = moved(verb.takes[kind](folder))
        except (ModuleNotFoundError, pytest.skip.Exception):
            continue
        if x is None:
            continue
        seen += 1
        if found := differences(verb.call(x, folder), reference(name, folder), gpu()):
            wrong[kind] = found
    assert wrong == {} and seen > 5


@pytest.mark.emulated
@pytest.mark.parametrize("name", EMULATED)
def test_arrays_on_an_emulated_gpu(name: str, folder: Path) -> None:
    check_on_gpu(name, folder)


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if verb.gpu])
def test_arrays_on_a_gpu(name: str, folder: Path) -> None:
    check_on_gpu(name, folder)


@pytest.mark.emulated(devices=2)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_gpus(name: str, folder: Path) -> None:
    verb = SEVERAL[name]
    wanted = reference("lagcolor.color | fast", folder).to_numpy().tolist()
    for kind in verb.some or ():
        assert verb.call(verb.takes[kind](folder), folder).tolist() == wanted, kind


def test_the_canonical_kinds_are_read_as_they_are() -> None:
    for make, A in ((lagcolor.Graph.of, kinds.adjacency()), (lagcolor.Pattern.of, kinds.jacobian())):
        G = make(A)
        assert G.shape == A.shape and G.indptr.dtype == G.indices.dtype == np.int32
        assert G.indptr.tolist() == A.indptr.tolist() and G.indices.tolist() == A.indices.tolist()


def test_every_public_name_is_in_a_table() -> None:
    found = {
        f"{module}.{name}"
        for module, name in public.listed()
        if callable(getattr(importlib.import_module(module), name))
    }
    named = {name.partition(" ")[0] for name in (*VERBS, *SEVERAL)}
    assert found - named - NO_INPUT == set(), "put it into `VERBS` of verbs.py, or into `NO_INPUT`"
    assert (named | NO_INPUT) - found == set(), "no public name"
    assert named & NO_INPUT == set()


def test_every_kind_that_the_error_names_is_in_the_table() -> None:
    with pytest.raises(lagcolor.GraphError) as caught:
        lagcolor.Graph.of(object())
    accepted = re.split(r", (?![^(]*\))(?!igraph)", str(caught.value).partition("takes ")[2])
    assert accepted == list(ACCEPTED)
    assert set(ACCEPTED.values()) <= set(kinds.GRAPHS)


def test_every_format_is_in_the_table() -> None:
    endings = tuple(name for name in kinds.FILES)
    for name, row in lagcolor.io.FORMATS.items():
        assert any(kind.endswith(row.extensions) for kind in endings), name
