"""The documented algorithms in the verbs on every engine; operators of the user's own; errors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from semirings_cases import ENGINES, R, engine_of

import semirings
from semirings import max_times, minus, plus
from semirings.algebra import DTYPES

DOCS = Path(__file__).parents[2] / "docs" / "algorithms" / "semirings.md"
RANDOM = nx.gnp_random_graph(60, 0.1, seed=1)
engines = pytest.mark.parametrize("engine", ENGINES)


def matrix(E: Any, G: nx.Graph) -> Any:
    a = nx.to_scipy_sparse_array(G, format="csr", dtype=np.int8)
    return E.matrix(a.indptr, a.indices, symmetric=True)


@pytest.mark.parametrize("title", ["Breadth-first search", "PageRank"])
@engines
def test_documented_example(engine: str, title: str) -> None:
    """The examples of docs/algorithms/semirings.md run as they stand."""
    text = re.findall(r"```python\n(.*?)```", DOCS.read_text().split(f"## {title}\n")[1], re.DOTALL)[0]
    E, G = engine_of(engine), nx.karate_club_graph()
    names = {"semirings": semirings, "E": E, "A": matrix(E, G), "n": len(G), "source": 0, "np": np}
    exec(text, names)
    if title == "Breadth-first search":
        expected = nx.single_source_shortest_path_length(G, 0)
        assert E.to_numpy(names["level"]).tolist() == [expected[v] for v in G]
    else:
        rank = nx.pagerank(G, weight=None, tol=1e-12)
        np.testing.assert_allclose(E.to_numpy(names["rank"]), [rank[v] for v in G], rtol=1e-6)


TWICE_MINUS = semirings.binary_op("twice_minus", "ops::minus(ops::plus(x, x), y)", lambda x, y: 2 * x - y)
ODD = semirings.unary_op("odd", "x % 2 != 0", lambda x: x % 2 != 0, returns=bool, types=(np.int32, np.uint64))
FARTHEST = semirings.monoid(
    semirings.binary_op("farthest", "x > y ? x : y", lambda x, y: x if x > y else y), lambda t: np.iinfo(t).min
)


def same(engine: str, run: Callable[[Any], list[Any]]) -> None:
    """The engine has the results of the reference."""
    for got, want in zip(run(engine_of(engine)), run(R), strict=True):
        np.testing.assert_array_equal(got, want)


@engines
@pytest.mark.parametrize("dtype", ["int32", "uint64"])
def test_own_operators(engine: str, dtype: str) -> None:
    def run(E: Any) -> list[Any]:
        A = matrix(E, RANDOM)
        u = E.from_numpy((np.random.default_rng(7).permutation(60) + 1).astype(dtype), np.arange(60) % 3 > 0)
        mixed = E.ewise_add(TWICE_MINUS, u, E.apply(plus, u, right=1))
        odd = E.select(ODD, u)
        own = semirings.semiring(FARTHEST, TWICE_MINUS)
        vectors = [mixed, odd, E.apply(ODD, u), E.vxm(u, A, own), E.mxv(A, u, own)]
        vectors += [E.vxm(u, A, own, direction=d) for d in ("push", "pull")]
        return [*itertools.chain(*(E.to_coo(v) for v in vectors)), E.reduce(FARTHEST, u)]

    same(engine, run)


@engines
def test_floats_with_nan_and_infinity(engine: str) -> None:
    def run(E: Any) -> list[Any]:
        u = E.from_numpy(np.array([np.nan, np.inf, -np.inf, -0.0, 3e9, -2.5]))
        limits = [sign * 2.0**bits for bits in (31, 32, 63, 64) for sign in (1, -1)]
        casts = [E.to_numpy(E.assign(E.vector(6, t), u)) for t in DTYPES]
        casts += [E.to_numpy(E.assign(E.vector(8, t), E.from_numpy(np.array(limits)))) for t in DTYPES]
        v = E.from_numpy(np.array([1.0, np.nan, 2.0, np.nan, 0.0, -3.0]))
        masked = E.to_coo(E.apply(semirings.identity, v, mask=u))
        return [*casts, *masked, E.to_numpy(E.ewise_mult(semirings.min, u, v)), E.reduce(semirings.max, u)]

    same(engine, run)


@engines
def test_in_place_with_itself(engine: str) -> None:
    def run(E: Any) -> list[Any]:
        A = matrix(E, RANDOM)
        u = E.from_numpy(np.random.default_rng(7).permutation(60).astype(np.int32) + 1, np.arange(60) % 4 > 0)
        E.vxm(u, A, max_times, out=u)
        first = E.to_coo(u)
        E.vxm(u, A, max_times, out=u, mask=u, accum=minus)
        second = E.to_coo(u)
        E.extract(u, np.arange(60)[::-1], out=u)
        E.assign(u, E.dup(u), np.arange(60)[::-1], mask=u)
        E.ewise_add(plus, u, u, out=u, mask=u, complement=True, structure=True, replace=True)
        return [*first, *second, *E.to_coo(u)]

    same(engine, run)


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_errors_say_what_is_wrong(engine: str) -> None:
    E = engine_of(engine)
    A, u, v = matrix(E, RANDOM), E.zeros(60), E.zeros(7)
    for error, message, call in (
        (ValueError, "vxm: vector has size 7, expected 60", lambda: E.vxm(v, A, max_times)),
        (ValueError, "mxv: mask has size 7, expected 60", lambda: E.mxv(A, u, max_times, mask=v)),
        (ValueError, "apply: out has size 7, expected 60", lambda: E.apply(semirings.ainv, u, out=v)),
        (ValueError, "direction 'sideways'", lambda: E.vxm(u, A, max_times, direction="sideways")),
        (ValueError, "cannot be full", lambda: E.as_format(E.vector(3, np.int32), "full")),
        (TypeError, "bor does not support int32", lambda: E.vxm(u, A, semirings.bor_first)),
        (TypeError, "plus is binary: pass one number", lambda: E.apply(plus, u)),
        (TypeError, "of an integer type, not float64", lambda: E.scatter(u, E.zeros(60, np.float64), 1)),
        (TypeError, "minus has no monoid", lambda: E.reduce(minus, u)),
        (TypeError, "type int8 is not supported", lambda: E.vector(3, np.int8)),
        (IndexError, "extract: index -1 is outside 0 … 6", lambda: E.extract(v, [2, -1, 3])),
        (IndexError, "assign: index 7 is outside 0 … 6", lambda: E.assign(v, 1, [2, 7, 3])),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_indices_that_repeat(engine: str) -> None:
    """To assign they must not, for engines would differ in what stays; to extract they may."""
    E = engine_of(engine)
    u, x = E.zeros(7), E.from_numpy(np.array([1, 2, 3], np.int32))
    for what, at in ((x, [4, 0, 4]), (5, [4, 4])):
        for accum in (None, plus):
            with pytest.raises(ValueError, match="assign: index 4 occurs twice"):
                E.assign(u, what, at, accum=accum)
    assert E.to_numpy(u).tolist() == [0] * 7
    assert E.to_numpy(E.extract(x, [2, 2, 0, 2])).tolist() == [3, 3, 1, 3]
    assert E.to_numpy(E.assign(u, x, [4, 0, 6])).tolist() == [2, 0, 0, 0, 1, 0, 3]


@pytest.mark.parametrize("verb", ["vxm", "mxv"])
@engines
def test_adds_to_a_full_vector_what_it_casts(engine: str, verb: str) -> None:
    """SuiteSparse 9.4 adds garbage there, most of the time."""
    E = engine_of(engine)
    a = np.arange(9, dtype=np.int32)
    A = E.matrix(
        np.array([0, 3, 6, 9]), np.tile(np.arange(3), 3), (a.reshape(3, 3) + a.reshape(3, 3).T).ravel(), symmetric=True
    )
    for _ in range(20):
        out, u = E.full(3, 1, np.int32), E.from_numpy(np.array([False, True, True]))
        product = (u, A) if verb == "vxm" else (A, u)
        getattr(E, verb)(*product, semirings.plus_times, accum=plus, out=out)
        assert E.to_numpy(out).tolist() == [13, 21, 29]
