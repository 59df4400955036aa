"""Random inputs for the semirings tests, and how results of two engines are compared."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import emulated
import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from semirings_reference import Reference

import semirings
from semirings.algebra import DTYPES, MONOIDS, SEMIRINGS

THOROUGH = os.environ.get("LAGCOLOR_HYPOTHESIS") == "thorough"
ACCUMS = [semirings.plus, semirings.minus, semirings.min, semirings.first, semirings.second]
R = Reference()


# The engines of tests: on an emulated GPU "emulated" is "cuda", and "emulated-cupyx" is "cupyx".
ENGINES = [
    *emulated.ENGINES,
    pytest.param("emulated-cupyx", marks=emulated.EMULATED, id="cupyx-emulated"),
    pytest.param("cupyx", marks=pytest.mark.gpu),
]


@functools.cache
def engine_of(name: str) -> Any:
    """The engine of a test; the engine of an emulated GPU is one for all tests, so that it keeps its kernels."""
    if name == "reference":
        return R
    return semirings.engine({"emulated": "cuda", "emulated-cupyx": "cupyx"}.get(name, name))


def is_emulated(engine: str) -> bool:
    """Whether a kernel takes a second to compile: few of them, and few examples."""
    return engine.startswith("emulated")


def given(*args: Any, **strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """hypothesis.given for tests with a parameter `engine`: fewer examples where it is emulated."""

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        drawn = hypothesis.given(*args, **strategies)(test)
        few = settings(max_examples=settings().max_examples // 2)(hypothesis.given(*args, **strategies)(test))

        @functools.wraps(drawn)
        def on_engine(*drawn_values: Any, engine: str, **how: Any) -> None:
            (few if is_emulated(engine) and not THOROUGH else drawn)(*drawn_values, engine=engine, **how)

        return on_engine

    return decorated


def fits(semiring: Any, *dtypes: np.dtype) -> bool:
    """Whether the semiring takes entries of these types."""
    try:
        semiring.domain_of(*dtypes)
    except TypeError:
        return False
    return True


ALL_PRODUCTS = [(s, u, a) for s in SEMIRINGS.values() for u in DTYPES for a in DTYPES if fits(s, u, a)]


def sample(rows: list[Any], engine: str, count: int, part: int = 0) -> Any:
    """Any of `rows`; where each row is one more kernel to compile, of a fixed choice of `count` (emulated: fewer).

    On a GPU each `part` has a choice of its own.
    """
    if engine == "cpu" or THOROUGH:
        return st.sampled_from(rows)
    count = min(len(rows), 3 if is_emulated(engine) else max(count // 4, 1) if engine == "cupyx" else count)
    rng = np.random.default_rng([count, 0 if is_emulated(engine) else part])
    return st.sampled_from([rows[i] for i in rng.choice(len(rows), count, replace=False)])


def types(engine: str) -> Any:
    """Any type; where a pair of types is one more kernel to compile, of fewer."""
    few = [np.dtype(t) for t in (bool, np.int32, np.uint64, np.float64)]
    return st.sampled_from(DTYPES if engine == "cpu" or THOROUGH else few[1:3] if is_emulated(engine) else few)


def values(rng: np.random.Generator, n: int, dtype: np.dtype) -> np.ndarray:
    """Small numbers, of integers now and then the extremes; floats are small integers, so that sums are exact."""
    if dtype == np.bool_:
        return rng.random(n) < 0.5
    low = -3 if dtype.kind in "if" else 0
    x = rng.integers(low, 4, n).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        extreme = rng.random(n) < 0.1
        x[extreme] = rng.choice(np.array([info.min, info.max, info.max // 2 + 1], dtype), extreme.sum())
    return x


class Case:
    """One example: vectors and matrices by the same seed on any engine."""

    def __init__(self, seed: int, density: float, constant: bool = False) -> None:
        self.seed, self.density, self.constant = seed, density, constant

    def __repr__(self) -> str:
        return f"Case({self.seed}, {self.density}, {self.constant})"

    def vector(self, E: Any, n: int, dtype: np.dtype, salt: int, density: float | None = None) -> Any:
        rng = np.random.default_rng([self.seed, salt])
        density = self.density if density is None else density
        x, present = values(rng, n, dtype), rng.random(n) < density
        if self.constant and n:
            x[:] = x[0]
        u = E.from_numpy(x, None if density == 1 else present)
        formats = ["bitmap", "sparse"] + ["full"] * (density == 1)
        return E.as_format(u, formats[rng.integers(len(formats))])

    def csr(self, nrows: int, ncols: int, dtype: np.dtype, kind: str) -> tuple[Any, Any, Any]:
        rng = np.random.default_rng([self.seed, 99])
        dense = rng.random((nrows, ncols)) < rng.choice([0.05, 0.3, 1.0])
        indptr = np.concatenate([[0], np.cumsum(dense.sum(1))]).astype(np.int32)
        x = values(rng, int(indptr[-1]), dtype)
        if kind == "pattern":
            return indptr, np.nonzero(dense)[1].astype(np.int32), None
        if kind == "iso" or self.constant:
            return indptr, np.nonzero(dense)[1].astype(np.int32), values(rng, 1, dtype)[0]
        return indptr, np.nonzero(dense)[1].astype(np.int32), x


@st.composite
def cases(draw: Any, constant: bool = False) -> Case:
    return Case(draw(st.integers(0, 2**32)), draw(st.sampled_from([0.0, 0.05, 0.5, 1.0])), constant)


@st.composite
def writes(draw: Any, engine: str, inplace: bool = False) -> dict[str, Any]:
    """Keywords of a verb but for the vectors themselves: "out" and "mask" hold a type or None."""
    out = draw(types(engine) if inplace else st.none() | types(engine))
    accums = st.just(semirings.minus) if is_emulated(engine) else sample(ACCUMS, engine, 3)
    return {
        "out": out,
        "mask": draw(st.none() | st.sampled_from(DTYPES)),
        "complement": draw(st.booleans()),
        "structure": draw(st.booleans()),
        "accum": None if out is None else draw(st.none() | accums),
        "replace": draw(st.booleans()),
    }


def realise(case: Case, E: Any, n: int, w: dict[str, Any]) -> dict[str, Any]:
    """Replace the types in keywords by vectors of size n on engine E."""
    out = None if w["out"] is None else case.vector(E, n, w["out"], 7, [0, 0.5, 1][case.seed % 3])
    mask = None if w["mask"] is None else case.vector(E, n, w["mask"], 8, [0.1, 0.5, 1][case.seed // 3 % 3])
    return {**w, "out": out, "mask": mask}


def check(E: Any, got: Any, want: Any) -> None:
    """`got` on engine E equals `want` of the reference: same type, same entries, floats within rounding."""
    assert E.dtype(got) == R.dtype(want)
    assert got.size == want.size
    indices, x = E.to_coo(got)
    expected, y = R.to_coo(want)
    assert indices.tolist() == expected.tolist()
    assert x.dtype == y.dtype
    if x.dtype.kind == "f":
        np.testing.assert_allclose(x, y, rtol=1e-4 if x.dtype == np.float32 else 1e-10)
    else:
        np.testing.assert_array_equal(x, y)
    assert E.nvals(got) == len(expected)
    if E.format(got) == "full":
        assert len(expected) == got.size


MONOID_ROWS = [(m, t) for m in MONOIDS.values() for t in DTYPES if t in m.types or m.types == (np.dtype(bool),)]
