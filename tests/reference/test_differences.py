"""Finite differences compared with SciPy's `least_squares`, number by number, and one product at a time."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from derivative_cases import RECTANGULAR, SYMMETRIC, integers
from scipy.optimize import Bounds, least_squares

from lagcolor import ColoringError, GraphError, OptionError
from lagcolor.derivatives import fd_jacobian, hessian, jacobian

METHODS = ["2-point", "3-point", "cs"]


class Function:
    """A function whose Jacobian has the pattern of a random matrix; it counts its calls."""

    def __init__(self, m: int, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.A = sp.random_array((m, n), density=0.3, rng=rng, format="csr")
        self.x = rng.normal(size=n) * 10.0 ** rng.integers(-3, 3, n)
        self.x[rng.random(n) < 0.2] = 0
        self.calls = 0

    def __call__(self, x: Any, scale: float = 1.0) -> Any:
        self.calls += 1
        return np.sin(self.A @ x) + scale * (self.A @ x**3)


def near(x: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds, some of them as near as a step, or at x itself."""
    rng, n = np.random.default_rng(seed), len(x)
    below = np.where(rng.random(n) < 0.3, np.inf, rng.choice([0, 1e-9, 1e-6, 1e-3, 1.0], n))
    above = np.where(rng.random(n) < 0.3, np.inf, rng.choice([1e-10, 1e-9, 1e-6, 1e-3, 1.0], n))
    return x - below, np.maximum(x + above, np.nextafter(x, np.inf))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [0, 6])
def test_the_numbers_of_scipy(seed: int, method: str) -> None:
    f = Function(2 + 3 * seed, 25 - 2 * seed, seed)
    C = jacobian(f.A)
    rng = np.random.default_rng(seed)
    for rel_step in (None, 1e-5, np.full(len(f.x), 1e-20), 1e-3 * rng.random(len(f.x))):
        for bounds in ((-np.inf, np.inf), near(f.x, seed), Bounds(f.x - 1, f.x + 1)):
            common = {"bounds": bounds, "args": (2.0,)}
            options = {"jac_sparsity": C.for_scipy().structure, "jac": method, "diff_step": rel_step, **common}
            fit = least_squares(f, f.x, method="dogbox", max_nfev=1, **options)  # one evaluation
            J = fd_jacobian(f, fit.x, C, method, rel_step=rel_step, **common)
            np.testing.assert_array_equal(J.toarray(), fit.jac.toarray())


@pytest.mark.parametrize(("method", "each"), [("2-point", 1), ("3-point", 2), ("cs", 1)])
def test_one_or_two_evaluations_per_color(method: str, each: int) -> None:
    f = Function(30, 20, 2)
    C = jacobian(f.A)
    for f0, more in ((None, 1), (f(f.x), 0)):
        f.calls = 0
        fd_jacobian(f, f.x, C, method, f0=f0)
        assert f.calls == each * C.n_colors + more


@pytest.mark.parametrize(("patterns", "compress"), [(RECTANGULAR, jacobian), (SYMMETRIC, hessian)])
def test_any_pattern(patterns: Any, compress: Any) -> None:
    """Also of a gradient, whose entries are read from either side. x may be a list; steps may differ a lot."""
    for P in patterns.values():
        A = integers(P, 3, symmetric=compress is hessian).astype(float)
        for how, x, error in (("3-point", [2.0] * P.columns, 1e-6), ("cs", 10.0 ** (np.arange(P.columns) % 7), 1e-9)):
            J = fd_jacobian(lambda x, A=A: A @ x, x, compress(P), how)
            assert isinstance(J, sp.csr_array) and J.nnz == P.m
            np.testing.assert_allclose(J.toarray(), A.toarray(), atol=error)


def test_single_precision_and_whole_numbers() -> None:
    """Points are rounded to the type of x before steps are measured."""
    f = Function(30, 20, 3)
    seen = set()

    def g(x: Any) -> Any:
        seen.add(x.dtype)
        return (f.A.astype(x.dtype) @ x) ** 2

    x = np.random.default_rng(0).uniform(1, 9, 20)
    J = fd_jacobian(g, x.astype(np.float32), f.A, "3-point")
    assert seen == {np.dtype(np.float32)} and J.dtype == np.float32
    np.testing.assert_allclose(J.toarray(), 2 * (f.A @ x)[:, None] * f.A.toarray(), rtol=2e-2, atol=2e-2)
    of_whole, of_floats = (fd_jacobian(f, np.arange(20).astype(kind), f.A).toarray() for kind in (int, float))
    np.testing.assert_array_equal(of_whole, of_floats)


@pytest.mark.parametrize("method", METHODS)
def test_steps_that_single_precision_rounds_away(method: str) -> None:
    """Automatic steps take their place; where bounds leave no number of the type, this is an error."""
    x = np.float32([100, 3])
    J = fd_jacobian(lambda x: x * x, x, np.eye(2), method, rel_step=1e-9)
    np.testing.assert_allclose(J.diagonal(), [200, 6], rtol=2e-2)
    with np.errstate(all="ignore"), pytest.raises(OptionError, match=r"x\[1\] = 1e\+308 has no step in float64"):
        fd_jacobian(lambda x: x, np.array([1, 1e308]), np.eye(2), method, rel_step=10)
    if method != "cs":
        with pytest.raises(OptionError, match=r"x\[0\] = 100.0 has no step in float32 within its bounds: use"):
            fd_jacobian(lambda x: x * x, x, np.eye(2), method, bounds=([100, 0], [100 + 1e-9, 9]))


@pytest.mark.parametrize(("method", "error"), [("2-point", 1e-3), ("3-point", 1e-4)])
def test_single_precision_of_the_function_alone(method: str, error: float) -> None:
    x = np.array([1.0, 2.0, 3.0])
    J = fd_jacobian(lambda x: np.sin(x).astype(np.float32), x, np.eye(3), method)
    np.testing.assert_allclose(J.diagonal(), np.cos(x), atol=error)


def test_complex_steps_at_bounds() -> None:
    """Complex steps do not change the real part, so equal bounds are allowed."""
    J = fd_jacobian(lambda x: x**2, np.ones(3), np.eye(3), "cs", bounds=(1, 1))
    np.testing.assert_allclose(J.diagonal(), 2)


@pytest.mark.parametrize("method", ["2-point", "3-point"])
def test_x_and_results_are_neither_changed_nor_stored(method: str) -> None:
    """A function that returns one buffer each time, and spoils its argument."""
    x, buffer = np.ones(4), np.empty(4)
    x.flags.writeable = False

    def spoils(y: Any) -> Any:
        np.square(y, out=buffer)
        y[:] = 7
        return buffer

    for known in (False, True):
        J = fd_jacobian(spoils, x, np.eye(4), method, f0=spoils(x.copy()) if known else None)
        np.testing.assert_allclose(J.toarray(), 2 * np.eye(4), rtol=1e-6)


def test_results_of_other_types() -> None:
    """As errors advise: complex without f0, or float64. Differences of integers do not wrap around."""
    of_counts = fd_jacobian(lambda x: (9 - 5 * (x > 1)).astype(np.uint8), ONES, EYE, rel_step=1)
    of_objects = fd_jacobian(lambda x: (x * 3).astype(object).astype(np.float64), ONES, EYE)
    of_power = fd_jacobian(lambda x, p: x**p, ONES, EYE, args=(3,))
    of_complex = [fd_jacobian(lambda x: x * (3 + 1j), ONES, EYE, method) for method in ("2-point", "3-point")]
    for J, expected in zip((of_counts, of_objects, of_power, *of_complex), (-5, 3, 3, 3 + 1j, 3 + 1j), strict=True):
        np.testing.assert_allclose(J.diagonal(), expected, rtol=1e-6)


def cubes(x: Any) -> Any:
    """A function of the module, so that it can be pickled."""
    return x**3


def test_workers() -> None:
    x, S = np.linspace(-1, 2, 9), np.ones((9, 9))
    expected = fd_jacobian(cubes, x, S, "3-point").toarray()
    lazy: list[int] = []

    def mapped(g: Any, points: Any) -> Any:
        for k, point in enumerate(points):
            lazy.append(k)
            yield g(point)

    assert (fd_jacobian(cubes, x, S, "3-point", workers=mapped).toarray() == expected).all() and len(lazy) == 18
    assert (fd_jacobian(cubes, x, S, "3-point", workers=2).toarray() == expected).all()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert (fd_jacobian(cubes, x, S, "3-point", workers=pool.map).toarray() == expected).all()


ONES, EYE = np.ones(5), np.eye(5)
MASKED = np.ma.array(ONES, mask=ONES)


@pytest.mark.parametrize(
    ("error", "text", "changed"),
    [
        (OptionError, "method must be one of 2-point", {"method": "4-point"}),
        (GraphError, r"x has shape \(4,\), .* needs \(5,\)", {"x": ONES[:4]}),
        (GraphError, r"fun\(x\) has shape \(4,\)", {"fun": lambda x: x[:4]}),
        (GraphError, r"f0 has shape \(3,\)", {"f0": ONES[:3]}),
        (GraphError, "rel_step has shape", {"rel_step": ONES[:2]}),
        (GraphError, "lower bounds has shape", {"bounds": (ONES[:2], 2)}),
        (OptionError, "bounds are a pair", {"bounds": (0, 1, 2)}),
        (OptionError, "bounds are a pair", {"bounds": None}),
        (OptionError, r"x\[0\] = 1.0 has no step within", {"bounds": (1, 1)}),
        (OptionError, "x holds complex128", {"x": ONES + 1j}),
        (OptionError, "workers must be a number of processes", {"workers": 0}),
        (OptionError, "returned fewer results than points", {"workers": lambda g, points: []}),
        (OptionError, "returned fewer results", {"workers": lambda g, points: [g(next(points))], "method": "3-point"}),
        (OptionError, "rel_step is infinite or NaN", {"rel_step": [1, 1, np.inf, 1, 1]}),
        (OptionError, r"x\[1\] is inf", {"x": [1, np.inf, 1, 1, 1]}),
        (OptionError, r"x\[0\] is nan", {"x": ONES * np.nan, "method": "cs"}),
        (OptionError, r"x must not have masked entries: remove them, or pass x\.filled\(value\)", {"x": MASKED}),
        (OptionError, "f0 must not have masked entries", {"f0": MASKED}),
        (OptionError, r"fun\(x\) must not have masked entries", {"fun": lambda x: MASKED}),
        (OptionError, r"fun\(x\) holds bool, not real or complex numbers: use float64", {"fun": lambda x: x > 0}),
        (OptionError, r"fun\(x\) holds object", {"fun": lambda x: x.astype(object)}),
        (OptionError, r"fun\(x\) must be a number, or an array of", {"fun": lambda x: [[1], [2, 3]]}),
        (OptionError, "f0 holds <U1", {"f0": list("abcde")}),
        (OptionError, r"pass args=\(3,\)", {"args": 3}),
        (OptionError, "f0 or .* is real: leave f0 out", {"fun": lambda x: x * 1j, "f0": ONES}),
        (OptionError, r'fun\(x\) is not real: use "3-point"', {"fun": lambda x: x * 1j, "method": "cs"}),
    ],
)
def test_errors(error: type[Exception], text: str, changed: Any) -> None:
    call = {"fun": lambda x: x**2, "x": ONES, "C": EYE}
    fd_jacobian(**call)
    with pytest.raises(error, match=text):
        fd_jacobian(**call | changed)


def test_for_scipy() -> None:
    C = jacobian(RECTANGULAR["empty rows and columns"])
    structure, groups = C.for_scipy()
    assert isinstance(structure, sp.csr_array) and structure.nnz == C.pattern.m and (structure.data == 1).all()
    np.testing.assert_array_equal(groups, C.column_colors)
    assert (jacobian(np.zeros((3, 4))).for_scipy().groups == 0).all()  # SciPy needs a group


@pytest.mark.parametrize("read", ["array", "dense", "CSR"])
def test_what_cannot_be_written_to(read: str) -> None:
    C = jacobian(np.eye(3))
    A = {"array": np.zeros(3), "dense": np.zeros((3, 3)), "CSR": C.decompress(np.zeros((3, 1)))}[read]
    (A.data if read == "CSR" else A).flags.writeable = False
    for call in (lambda A: C.decompress_into(A, np.ones((3, 1))), lambda A: C.decompress_color_into(A, np.ones(3), 0)):
        with pytest.raises(GraphError, match=r"read-only: use A\.copy\(\)"):
            call(A)
        with pytest.raises(GraphError, match="are written to, not list"):
            call([0.0, 0.0, 0.0])


def test_errors_of_one_product() -> None:
    C = jacobian(np.eye(3, 4))
    write = C.decompress_color_into
    for error, text, call in (
        (GraphError, "the product is a dense array, not list", lambda: write(np.zeros(3), [1], 0)),
        (OptionError, "this compression has no products", lambda: jacobian(np.zeros((3, 3))).entries_of(0)),
        (GraphError, r"\(4,\), and the product of color 0 has \(3,\)", lambda: write(np.zeros(3), np.ones(4), 0)),
        (OptionError, "color must be a whole number from 0 to 0", lambda: C.entries_of(1)),
        (GraphError, r"\(5,\), and the pattern .*, which has 3 entries", lambda: write(np.zeros(5), np.ones(3), 0)),
        (GraphError, "product must not have masked", lambda: write(np.zeros(3), np.ma.array(np.ones(3), mask=1), 0)),
    ):
        with pytest.raises(error, match=text):
            call()


TWO, CLASSES = np.array([[1.0, 1, 0], [0, 1, 1]]), [[0, 2], [1]]


@pytest.mark.parametrize(("text", "call"), [
    (r"colors skip 1: they number products, 0 to k - 1 without gaps", lambda: jacobian(np.eye(3), coloring=[2, 2, 0])),
    ("row colors skip 0", lambda: jacobian(np.eye(3), "both", coloring=([1, -1, -1], [-1, 0, 0]))),
    ("colors skip 0", lambda: hessian(np.eye(3), coloring=[1, 1, 1])),
    ("color 0", lambda: jacobian(TWO, coloring=[0, 0, 1])),
    (r"entry \(0, 0\) is in no product", lambda: jacobian(TWO, coloring=[-1, 0, 1])),
    ("color", lambda: hessian(SYMMETRIC["tridiagonal"], coloring=np.arange(40) % 2)),
    ("color", lambda: jacobian(np.ones((2, 2)), "both", coloring=([-1, 0], [0, -1]))),
    ("colors must be integers, not float64", lambda: jacobian(TWO, coloring=[0.5, 1, 2])),
    ("colors go from 0 to 9", lambda: jacobian(TWO, coloring=[0, 1, 9])),
    ("colors must not have masked", lambda: jacobian(TWO, coloring=np.ma.array([0, 1, 0], mask=[0, 0, 1]))),
    (r"shape \(3,\): for a list of classes, set", lambda: jacobian(TWO, coloring=CLASSES)),
])  # fmt: skip
def test_own_colors_that_lose_entries_are_refused(text: str, call: Any) -> None:
    with pytest.raises(ColoringError, match=text):
        call()


def test_own_colors_are_the_numbers_of_products() -> None:
    colors = np.empty(3, int)
    for k in range(len(CLASSES)):
        colors[CLASSES[k]] = k
    assert jacobian(TWO, coloring=colors).column_colors.tolist() == [0, 1, 0]
    C = jacobian(np.eye(3), coloring=[1, 1, 0])
    assert C.n_colors == 2 and C.seeds().tolist() == [[0, 1], [0, 1], [1, 0]]
    assert C.n_colors == jacobian(np.eye(3), coloring=[1, 1, 0], postprocess=False).n_colors
    with pytest.raises(OptionError, match="verify does not go with coloring="):
        jacobian(TWO, coloring=[0, 1, 2], verify=False)


def test_memory_is_of_one_product() -> None:
    """Not as many as there are colors."""
    n = 4000
    rows, columns = np.zeros(n, int), np.arange(n)
    S = sp.csr_array((np.ones(2 * n), (np.append(rows, columns), np.append(columns, columns))), shape=(n, n))
    C = jacobian(S)
    C.entries_of(0)
    f0 = S @ np.ones(n)
    tracemalloc.start()
    fd_jacobian(lambda x: S @ x, np.ones(n), C, f0=f0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert C.n_colors == n and peak < 50 * 8 * n < 8 * n * C.n_colors
