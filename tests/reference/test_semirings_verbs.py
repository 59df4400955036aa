"""Every verb on every engine equals the dense specification, whatever the types, masks, accumulators and formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphblas as gb
import hypothesis.strategies as st
import numpy as np
import pytest
from semirings_cases import (
    ALL_PRODUCTS,
    ENGINES,
    MONOID_ROWS,
    Case,
    R,
    cases,
    check,
    engine_of,
    fits,
    given,
    is_emulated,
    realise,
    sample,
    types,
    values,
    writes,
)

import lagcolor
import semirings
from semirings import cupyx
from semirings.algebra import BINARY, DTYPES, UNARY, as_monoid
from semirings.storage import Vector

sizes = st.integers(0, 40)


def same(engine: str, run: Callable[[Any], Any]) -> None:
    """The engine has the result of the dense specification."""
    E = engine_of(engine)
    check(E, run(E), run(R))


def operator_rows() -> list[Any]:
    rows = []
    for op in (op for op in BINARY.values() if op.name != "any"):  # that may be either of the two
        for a in DTYPES:
            for b in DTYPES:
                try:
                    op.domain_of(a, b)
                except TypeError:
                    continue
                rows.append((op, a, b))
    return rows


BINARY_ROWS = operator_rows()
COMPARISONS = [row for row in BINARY_ROWS if row[0].name in ("eq", "ne", "lt", "le", "gt", "ge", "plus", "lxor")]
DUPS = [getattr(semirings, name) for name in ("plus", "times", "min", "max", "lor", "land", "lxor")]
PRODUCTS = [(verb, direction) for verb in ("vxm", "mxv") for direction in (None, "pull", "push")]
UNARY_ROWS = [(op, t) for op in UNARY.values() for t in DTYPES]


@pytest.mark.parametrize(("verb", "direction"), PRODUCTS)
@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
def test_product(engine: str, verb: str, direction: str | None, data: Any) -> None:
    semiring, ut, at = data.draw(sample(ALL_PRODUCTS, engine, 40, PRODUCTS.index((verb, direction))))
    ordered = semiring.add.name == "any"  # any of the values is right: make them all equal
    case = data.draw(cases(constant=ordered))
    nrows, ncols, w = data.draw(sizes), data.draw(sizes), data.draw(writes(engine))
    kinds = ["values", "iso"] + ["pattern"] * fits(semiring, ut, np.dtype(bool))
    kind = data.draw(st.sampled_from(kinds))
    symmetric = data.draw(st.booleans())
    ncols = nrows if symmetric else ncols

    def run(E: Any) -> Any:
        indptr, indices, x = case.csr(nrows, ncols, at, kind)
        if symmetric:
            indptr, indices, x = symmetrised(indptr, indices, x)
        A = E.matrix(indptr, indices, x, ncols=ncols, symmetric=symmetric)
        if verb == "vxm":
            u = case.vector(E, nrows, ut, 1)
            return E.vxm(u, A, semiring, direction=direction, **realise(case, E, ncols, w))
        u = case.vector(E, ncols, ut, 1)
        return E.mxv(A, u, semiring, direction=direction, **realise(case, E, nrows, w))

    same(engine, run)


def symmetrised(indptr: Any, indices: Any, x: Any) -> Any:
    """The entries on or below the diagonal, and their mirror images."""
    n = len(indptr) - 1
    rows = np.repeat(np.arange(n), np.diff(indptr))
    dense: dict[tuple[int, int], Any] = {}
    for k, (i, j) in enumerate(zip(rows.tolist(), indices.tolist(), strict=True)):
        if j <= i:
            dense[i, j] = dense[j, i] = x[k] if isinstance(x, np.ndarray) else x
    keys = sorted(dense)
    new = np.bincount(np.array([i for i, _ in keys], int), minlength=n) if n else np.zeros(0, int)
    entries = np.array([dense[k] for k in keys], x.dtype) if isinstance(x, np.ndarray) else x
    columns = np.array([j for _, j in keys], np.int32)
    return np.concatenate([[0], np.cumsum(new)]).astype(np.int32), columns, entries


def ewise_add(draw: Any, engine: str, case: Case, n: int, verb: str = "ewise_add") -> Callable[[Any], Any]:
    (op, a, b), w = draw(sample(BINARY_ROWS, engine, 30)), draw(writes(engine))
    other = draw(st.sampled_from([None, 0.0, 0.5, 1.0]))  # density of the second vector; None: as the first

    def run(E: Any) -> Any:
        u, v = case.vector(E, n, a, 1), case.vector(E, n, b, 2, other)
        return getattr(E, verb)(op, u, v, **realise(case, E, n, w))

    return run


def ewise_mult(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    return ewise_add(draw, engine, case, n, "ewise_mult")


def apply(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    bound, w = draw(st.sampled_from([None, "left", "right"])), draw(writes(engine))
    if bound is None:
        op, a = draw(sample(UNARY_ROWS, engine, 20))
        if op.name == "minv":
            case = Case(case.seed, 0.0 if case.density == 0 else 1.0, constant=True)
        keywords = {}
    else:
        op, a, b = draw(sample(BINARY_ROWS, engine, 30))
        keywords = {bound: values(np.random.default_rng(case.seed), 1, b)[0]}
    return lambda E: E.apply(op, case.vector(E, n, a, 1), **keywords, **realise(case, E, n, w))


def select(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    (op, a, b), w = draw(sample(COMPARISONS, engine, 30)), draw(writes(engine))
    thunk = values(np.random.default_rng(case.seed), 1, b)[0]
    return lambda E: E.select(op, case.vector(E, n, a, 1), thunk, **realise(case, E, n, w))


def assign(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    w, dtype, rng = draw(writes(engine, inplace=True)), draw(types(engine)), np.random.default_rng(case.seed)
    indices = None if draw(st.booleans()) else rng.permutation(n)[: rng.integers(0, n + 1)]
    number = values(rng, 1, dtype)[0] if draw(st.booleans()) else None

    def run(E: Any) -> Any:
        x = case.vector(E, n if indices is None else len(indices), dtype, 1) if number is None else number
        keywords = realise(case, E, n, w)
        return E.assign(keywords.pop("out"), x, indices, **keywords)

    return run


def extract(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    w, dtype, rng = draw(writes(engine)), draw(types(engine)), np.random.default_rng(case.seed)
    indices = rng.integers(0, n, rng.integers(0, 50)) if n else np.zeros(0, np.int64)
    return lambda E: E.extract(case.vector(E, n, dtype, 1), indices, **realise(case, E, len(indices), w))


def reduce_rows(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    monoid, dtype = draw(sample([r for r in MONOID_ROWS if r[0].name != "any"], engine, 12))
    ncols, w = draw(sizes), draw(writes(engine))

    def run(E: Any) -> Any:
        A = E.matrix(*case.csr(n, ncols, dtype, "values"), ncols=ncols)
        return E.reduce(monoid, A, **realise(case, E, n, w))

    return run


def scatter(draw: Any, engine: str, case: Case, n: int) -> Callable[[Any], Any]:
    size, w, dtype = draw(sizes), draw(writes(engine, inplace=True)), draw(types(engine))
    index_types = [t for t in DTYPES if t.kind in "iu"]
    index_type = draw(st.sampled_from(index_types[::3] if is_emulated(engine) else index_types))
    scalar, other = draw(st.booleans()), draw(st.sampled_from([None, 0.5, 1.0]))
    dup = semirings.any if scalar else draw(st.sampled_from(DUPS))
    number = values(np.random.default_rng(case.seed), 1, dtype)[0]

    def run(E: Any) -> Any:
        x = number if scalar else case.vector(E, n, dtype, 1)
        keywords = realise(case, E, size, w)
        return E.scatter(keywords.pop("out"), case.vector(E, n, index_type, 2, other), x, dup=dup, **keywords)

    return run


VERBS = (ewise_add, ewise_mult, apply, select, assign, extract, reduce_rows, scatter)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
def test_verb(engine: str, verb: Callable[..., Callable[[Any], Any]], data: Any) -> None:
    same(engine, verb(data.draw, engine, data.draw(cases()), data.draw(sizes)))


@pytest.mark.parametrize("verb", ["ewise_add", "ewise_mult"])
@pytest.mark.parametrize("engine", ENGINES)
def test_ewise_of_a_full_and_another_vector(engine: str, verb: str) -> None:
    """Each as first and as second operand, in every format; what is chosen is not left to chance here."""
    n = 9
    full, values = np.arange(n, dtype=np.int32) + 1, np.arange(n, dtype=np.int32) * 10
    for present in (np.arange(n) % 3 == 0, np.zeros(n, bool), np.ones(n, bool)):
        for format in ("bitmap", "sparse"):
            for first in (True, False):

                def run(E: Any, present: Any = present, format: str = format, first: bool = first) -> Any:
                    u, v = E.from_numpy(full), E.as_format(E.from_numpy(values, present), format)
                    return getattr(E, verb)(semirings.minus, *((u, v) if first else (v, u)))

                same(engine, run)


@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
def test_reduce(engine: str, data: Any) -> None:
    monoid, dtype = data.draw(sample(MONOID_ROWS, engine, 30))
    case = data.draw(cases(constant=monoid.name == "any"))
    n = data.draw(sizes if engine == "cpu" else st.integers(0, 3000))
    accum = data.draw(st.sampled_from([None, semirings.plus, semirings.max]))

    def run(E: Any) -> Any:
        return E.reduce(monoid, case.vector(E, n, dtype, 1), accum=accum, initial=1)

    got, want = run(engine_of(engine)), run(R)
    assert type(got) is type(want)
    assert got == pytest.approx(want, rel=1e-4) if isinstance(want, float) else got == want


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "if"], ids=str)
def test_any_of_numbers_up_to_zero(engine: str, dtype: np.dtype) -> None:
    E = engine_of(engine)
    for x in ([0, -1], [-1], [0, 0], []):
        assert E.any(E.from_numpy(np.array(x, dtype))) == any(x)


@pytest.mark.parametrize("direction", ["pull", "push"])
@pytest.mark.parametrize("engine", ENGINES)
def test_products_that_some_rows_have_no_part_in(engine: str, direction: str) -> None:
    """Rows without entries, a mask that keeps what out had, and a monoid of bool whose identity is True."""

    def run(E: Any) -> list[Any]:
        indptr, indices = np.array([0, 2, 2, 5, 5, 6]), np.array([0, 2, 1, 2, 4, 0], np.int32)
        A = E.matrix(indptr, indices, ncols=5)
        u, flags = E.from_numpy(np.arange(5, dtype=np.int32) - 2), E.from_numpy(np.array([1, 0, 1, 1, 1], bool))
        mask, found = E.from_numpy(np.array([1, 1, 0, 0, 0], bool)), []
        for verb in (lambda *a, **k: E.vxm(a[0], A, a[1], **k), lambda *a, **k: E.mxv(A, a[0], a[1], **k)):
            found.append(verb(u, semirings.max_times, direction=direction))
            found.append(verb(flags, semirings.land_land, direction=direction))
            for replace in (False, True):
                out = E.full(5, 77, np.int32)
                found.append(verb(u, semirings.max_times, direction=direction, mask=mask, out=out, replace=replace))
        return [E.to_coo(w) for w in found]

    for got, want in zip(run(engine_of(engine)), run(R), strict=True):
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_array_equal(got[1], want[1])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_product_that_is_written_to_changes_no_other(engine: str) -> None:
    """Writing to a product changes no other result, for a matrix of floats with an empty row."""
    E = engine_of(engine)
    A = E.matrix(np.array([0, 1, 1, 2]), np.array([2, 0], np.int32), np.array([2.0, 3.0]), ncols=3)
    u = E.from_numpy(np.array([1.0, 10.0, 100.0]))
    first = E.mxv(A, u, semirings.plus_times)
    E.assign(first, 7.0, mask=E.from_numpy(np.array([False, True, False])))
    assert E.to_coo(first)[1].tolist() == [200.0, 7.0, 3.0]
    assert E.to_coo(E.mxv(A, u, semirings.plus_times))[0].tolist() == [0, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_entries_come_in_order(engine: str) -> None:
    E = engine_of(engine)
    at, x = E.to_coo(E.from_coo([5, 1, 3], np.array([50, 10, 30], np.int32), 7))
    assert at.tolist() == [1, 3, 5] and x.tolist() == [10, 30, 50]


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "cpu"])
def test_indices_on_the_device_that_are_out_of_range(engine: str) -> None:
    """Indices on the device are not checked; out of range they give no entry, and no access is out of bounds."""
    E, n = engine_of(engine), 4
    u = E.from_numpy(np.arange(1, n + 1, dtype=np.int32))
    at = E.cp.asarray(np.array([-1, 3, n, 0, 2**40]))
    found = E.to_coo(E.extract(u, at))
    assert found[0].tolist() == [1, 3] and found[1].tolist() == [4, 1]
    x = E.from_numpy(np.array([9, 8, 7, 6, 5], np.int32))
    for write in (
        lambda t: E._place(at, x.values, None, t),
        lambda t: E._scattered(as_monoid(semirings.plus), 5, (at, None), x.values, None, t),
    ):
        more, there = E.cp.zeros(2 * n, np.int32), E.cp.zeros(2 * n, bool)
        write(Vector(n, more[:n], there[:n]))
        assert E.cp.asnumpy(more).tolist() == [6, 0, 0, 8, 0, 0, 0, 0]
        assert E.cp.asnumpy(there).tolist() == [True, False, False, True, False, False, False, False]


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_of_long_vectors(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than what the threads and blocks of one step add up."""
    monkeypatch.setattr(cupyx, "THREADS", 256)
    n = 3000 if engine == "emulated-cupyx" else 300_000
    E, x = engine_of(engine), np.zeros(n, np.int32)
    x[[0, n // 3, n - 1]] = 1, 20, 300
    assert E.reduce(semirings.plus, E.from_numpy(x)) == 321
    assert E.reduce(semirings.max, E.from_numpy(x, np.arange(n) != n - 1)) == 20


@pytest.mark.parametrize("present", [None, [True, False, True, False], [False] * 4])
def test_values_are_read_without_taking_over_memory(present: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An array that owns memory of SuiteSparse ends a Python 3.13 that checks its allocations when it is freed."""
    E = semirings.engine("cpu")
    monkeypatch.setattr(type(gb.Vector(int, 1).ss), "export", None)
    for dtype in (np.int32, np.float64, np.bool_):
        values = np.array([1, 0, 3, 4]).astype(dtype)
        u = E.from_numpy(values) if present is None else E.from_numpy(values, np.array(present))
        expected = values if present is None else np.where(present, values, dtype(1))
        got = E.to_numpy(u, 1)
        assert got.dtype == dtype and got.tolist() == expected.tolist()
    assert E.to_numpy(E.full(3, 7, np.int32)).tolist() == [7, 7, 7]
    for name in ("jones_plassmann_gb", "jones_plassmann_min", "luby_is", "luby_mis"):
        assert lagcolor.color("rgg:5", name, verify=True).verified
