"""Sparse derivatives of JAX functions against JAX's dense ones, and asdex's colorings as ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor.derivatives import hessian, jacobian

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install 'lagcolor[jax]'")
jnp = jax.numpy
sparse = pytest.importorskip("lagcolor.derivatives.jax")


@pytest.fixture(autouse=True)
def _doubles() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def f(x: Any) -> Any:
    """Second differences and a row that sees all, from 12 numbers to 13."""
    return jnp.concatenate([x**3 - jnp.roll(jnp.sin(x), 1) * x, jnp.sum(x**2, keepdims=True)])


def energy(x: Any) -> Any:
    """Energy of a chain in which each number is next to the following one."""
    return jnp.sum(x**4) + jnp.sum(jnp.cos(x[1:] - x[:-1]) * x[1:])


N = 12
X = np.linspace(0.1, 2.0, N)
ID = np.eye(N, dtype=bool)
JACOBIAN = sp.csr_array(np.vstack([ID | np.roll(ID, -1, 1), np.ones((1, N), bool)]))
HESSIAN = sp.csr_array(np.abs(np.subtract.outer(np.arange(N), np.arange(N))) <= 1)


def dense(A: Any) -> np.ndarray:
    return np.asarray(A.todense() if hasattr(A, "todense") else A)


@pytest.mark.parametrize("output", ["bcoo", "dense"])
@pytest.mark.parametrize(
    ("partition", "decompression"),
    [("columns", "direct"), ("rows", "direct"), ("both", "direct"), ("both", "substitution"), ("auto", "direct")],
)
def test_jacobian(partition: str, decompression: str, output: str) -> None:
    C = jacobian(JACOBIAN, partition, decompression)
    expected = jax.jacfwd(f)(X)
    J = sparse.jacobian(f, C, output)
    for call in (J, jax.jit(J)):
        np.testing.assert_allclose(dense(call(jnp.asarray(X))), expected, rtol=1e-12, atol=1e-13)
    if output == "bcoo":
        assert J(jnp.asarray(X)).nse == JACOBIAN.nnz


def couplings(x: Any) -> Any:
    """All meet the first, and the diagonal of the Hessian is zero."""
    return x[0] * jnp.sum(x[1:])


@pytest.mark.parametrize("output", ["bcoo", "dense"])
@pytest.mark.parametrize("decompression", ["direct", "substitution"])
@pytest.mark.parametrize("function", [energy, couplings])
def test_hessian(function: Any, decompression: str, output: str) -> None:
    """A Hessian, also as the Jacobian of a gradient, and with neutral colors."""
    expected = np.asarray(jax.hessian(function)(X))
    C = hessian(HESSIAN if function is energy else expected, decompression)
    assert function is energy or (C.n_colors == 1 and C.column_colors[0] == 0)
    H = sparse.hessian(function, C, output)
    for call in (H, jax.jit(H), jax.jit(sparse.jacobian(jax.grad(function), C, output))):
        np.testing.assert_allclose(dense(call(jnp.asarray(X))), expected, rtol=1e-11, atol=1e-12)


def test_many_levels_are_one_scan() -> None:
    """A cycle of triangles has long two-colored paths; the program has no part per level."""
    n = 200
    near = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    C, x = hessian(sp.csr_array(near <= 2), "substitution"), jnp.linspace(0.1, 2.0, n)
    assert len(C.recovery.levels) > 8

    def chain(x: Any) -> Any:
        return jnp.sum(x**4) + jnp.sum(jnp.cos(x[2:] - x[:-2]) * x[1:-1])

    H = sparse.hessian(chain, C, "dense")
    np.testing.assert_allclose(jax.jit(H)(x), jax.hessian(chain)(x), rtol=1e-9, atol=1e-9)
    assert len(str(jax.make_jaxpr(H)(x))) < 50_000


def test_levels_of_different_lengths() -> None:
    """Trees have long levels and short ones: parts of a scan that are not full add nothing."""
    for seed in range(10):
        r = np.random.default_rng(seed)
        child = np.arange(1, 30)
        parent = r.integers(0, child)
        tree = np.eye(30, dtype=bool)
        tree[child, parent] = tree[parent, child] = True
        C = hessian(tree, "substitution")
        assert len({len(level.source) for level in C.recovery.levels}) > 1
        A = np.where(tree, r.integers(1, 1000, (30, 30)), 0)
        A = np.tril(A) + np.tril(A, -1).T
        np.testing.assert_array_equal(C.values(jnp.asarray(C.compress(A))), sp.csr_array(A).data)


def test_arrays_of_any_shape_and_type() -> None:
    shaped = lambda x: f(x.reshape(-1)).reshape(1, -1)  # noqa: E731
    J = sparse.jacobian(shaped, jacobian(JACOBIAN), "dense")
    np.testing.assert_allclose(J(jnp.asarray(X).reshape(3, 4)), jax.jacfwd(f)(X), rtol=1e-12, atol=1e-13)
    batch = jnp.stack([X, 2 * X])
    each = jax.vmap(sparse.jacobian(f, jacobian(JACOBIAN), "dense"))(batch)
    np.testing.assert_allclose(each[1], jax.jacfwd(f)(2 * X), rtol=1e-12, atol=1e-12)
    x = jnp.asarray(X, jnp.float32)
    assert sparse.jacobian(f, jacobian(JACOBIAN))(x).dtype == jnp.float32
    assert sparse.hessian(energy, hessian(HESSIAN))(x).dtype == jnp.float32


def test_sizes_and_kinds_are_checked() -> None:
    J, H = jacobian(JACOBIAN), hessian(HESSIAN)
    with pytest.raises(lagcolor.GraphError, match="x has 5 entries, and the pattern has 12"):
        sparse.jacobian(f, J)(jnp.zeros(5))
    for C in (J, jacobian(JACOBIAN, "rows")):
        with pytest.raises(lagcolor.GraphError, match=r"f\(x\) has 12 entries, and the pattern has 13"):
            sparse.jacobian(lambda x: x, C)(jnp.zeros(N))
    with pytest.raises(lagcolor.GraphError, match=r"f\(x\) has 1 entries, .* use hessian\(f, C\), or pass the grad"):
        sparse.jacobian(energy, H)(jnp.zeros(N))
    with pytest.raises(lagcolor.OptionError, match="of a Jacobian: use"):
        sparse.hessian(energy, J)


@pytest.mark.parametrize("output", ["bcoo", "dense"])
def test_no_products(output: str) -> None:
    """Functions whose derivatives are zero need no product; numbers may be complex."""
    S = sp.csr_array((N, N))
    for partition in ("columns", "rows", "both"):
        J = sparse.jacobian(lambda x: 0 * x, jacobian(S, partition), output)
        assert not dense(jax.jit(J)(jnp.asarray(X))).any() and not dense(J(X + 1j)).any()
    for decompression in ("direct", "substitution"):
        H = dense(sparse.hessian(lambda x: jnp.sum(x), hessian(S, decompression), output)(jnp.asarray(X)))
        assert H.shape == (N, N) and not H.any()


def test_complex_numbers() -> None:
    """Of columns, complex results are right; and what the errors advise for rows and for complex arguments."""
    x, z, turned, norms = jnp.asarray(X), X + 0.5j, lambda x: f(x) * (1 + 2j), lambda z: (z * z.conj()).real
    expected, C = jax.jacfwd(turned)(x), jacobian(JACOBIAN, partition="columns")
    np.testing.assert_allclose(jax.jit(sparse.jacobian(turned, C, "dense"))(x), expected, rtol=1e-12, atol=1e-13)
    sparse.check(turned, C, x)
    parts = lambda x: jnp.concatenate([turned(x).real, turned(x).imag])  # noqa: E731
    J = sparse.jacobian(parts, jacobian(sp.vstack([JACOBIAN, JACOBIAN]), "auto"), "dense")(x)
    np.testing.assert_allclose(J[: N + 1] + 1j * J[N + 1 :], expected, rtol=1e-12, atol=1e-13)
    J = sparse.jacobian(lambda a, b: f(a + 1j * b), C, "dense", argnums=0)(z.real, z.imag)
    np.testing.assert_allclose(J, jax.jacfwd(f, holomorphic=True)(z), rtol=1e-12, atol=1e-13)
    J = sparse.jacobian(lambda a, b: norms(a + 1j * b), np.hstack([ID, ID]), "dense", argnums=(0, 1))(z.real, z.imag)
    np.testing.assert_allclose(J, np.hstack([np.diag(2 * z.real), np.diag(2 * z.imag)]), rtol=1e-12)
    of_rows = r'f\(x\) holds complex128, and products of rows .* with partition="columns", or'
    of_complex = "x holds complex128, and a function of complex numbers has two"
    for text, call in (
        (of_rows, lambda: sparse.jacobian(turned, jacobian(JACOBIAN, "rows"))(x)),
        (of_rows, lambda: jax.jit(sparse.value_and_jacobian(turned, jacobian(JACOBIAN, "both")))(x)),
        (of_rows, lambda: sparse.check(turned, jacobian(JACOBIAN, "auto"), x)),
        (of_complex, lambda: sparse.jacobian(norms, jacobian(ID, "rows"))(z)),
        (of_complex, lambda: jax.jit(sparse.jacobian(jnp.conj, ID))(z)),
        (of_complex, lambda: sparse.hessian(lambda z: norms(z).sum(), ID)(z)),
    ):
        with pytest.raises(lagcolor.OptionError, match=text):
            call()


def split(p: Any, scale: Any, *, power: int = 3) -> Any:
    """Return a function f of a tree and further arguments, whose result is a tree, and the sum of its results."""
    x = jnp.concatenate([p["a"], p["b"].ravel()])
    y = jnp.concatenate([scale * x**power - jnp.roll(jnp.sin(x), 1) * x, jnp.sum(x**2, keepdims=True)])
    return {"u": y[:5], "v": (y[5:],)}, {"sum": jnp.sum(y)}


TREE = {"a": X[:4], "b": X[4:].reshape(2, 4)}


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("partition", ["columns", "rows", "both"])
def test_trees_values_and_auxiliary_results(partition: str, chunk_size: int | None) -> None:
    how = {"output": "dense", "chunk_size": chunk_size}
    C = jacobian(JACOBIAN, partition)
    expected = jax.jacfwd(lambda x: f(x) + jnp.append(x**3, 0))(X)
    (value, aux), J = jax.jit(sparse.value_and_jacobian(split, C, has_aux=True, **how))(TREE, 2.0)
    np.testing.assert_allclose(J, expected, rtol=1e-12, atol=1e-13)
    result, sums = split(TREE, 2.0)
    assert jax.tree.structure(value) == jax.tree.structure(result)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-14), (value, aux), (result, sums))
    J, aux = sparse.jacobian(split, C, has_aux=True, **how)(TREE, 2.0)
    np.testing.assert_allclose(J, expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(aux["sum"], sums["sum"])
    value, J = sparse.value_and_jacobian(f, C, **how)(X)
    np.testing.assert_array_equal(value, f(jnp.asarray(X)))
    np.testing.assert_allclose(J, jax.jacfwd(f)(X), rtol=1e-12, atol=1e-13)


def test_further_arguments() -> None:
    """By number, several one after another; and by keyword. Patterns are colored."""

    def g(scale: Any, x: Any, y: Any, *, power: int) -> Any:
        return scale * x**power + y[::-1] * jnp.roll(x, 1)

    n = 6
    x, y, eye = jnp.linspace(1, 2, n), jnp.linspace(2, 3, n), np.eye(n)
    of_x, of_y = eye + np.roll(eye, -1, 1), eye[::-1]
    dense = jax.jacfwd(lambda x, y: g(2.0, x, y, power=3), (0, 1))(x, y)
    for argnums, pattern, expected in (
        (1, of_x, dense[0]), (-1, of_y, dense[1]), ((1, 2), np.hstack([of_x, of_y]), jnp.hstack(dense)),
        ([2, 1], np.hstack([of_y, of_x]), jnp.hstack(dense[::-1])),
    ):  # fmt: skip
        J = jax.jit(sparse.jacobian(g, pattern, "dense", argnums=argnums), static_argnames="power")
        np.testing.assert_allclose(J(2.0, x, y, power=3), expected, rtol=1e-12)
    pattern, z = np.kron(np.ones((2, 2)), np.eye(n)), jnp.concatenate([x, y])
    H = sparse.hessian(lambda x, y: jnp.sum(x**2 * y), pattern, "dense", argnums=(0, 1))(x, y)
    np.testing.assert_allclose(H, jax.hessian(lambda z: jnp.sum(z[:n] ** 2 * z[n:]))(z), rtol=1e-12)


def test_a_hessian_of_trees() -> None:
    def of_tree(scale: Any, p: Any) -> Any:
        x = jnp.concatenate([p["a"], p["b"].ravel()])
        return scale * energy(x), x[:2]

    for C in (HESSIAN, hessian(HESSIAN, "substitution")):
        H, aux = sparse.hessian(of_tree, C, "dense", argnums=1, has_aux=True, chunk_size=2)(2.0, TREE)
        np.testing.assert_allclose(H, 2 * jax.hessian(energy)(X), rtol=1e-11, atol=1e-12)
        np.testing.assert_array_equal(aux, X[:2])


def test_chunks_bound_what_is_vectorized() -> None:
    """No intermediate result of the program has more than two products' worth of numbers."""
    n, wide = 40, 7
    C = jacobian(np.ones((n, n)))

    def g(x: Any) -> Any:
        return jnp.cumsum(x) * jnp.sin(x[:, None] * jnp.ones(wide)).sum(1)

    text = str(jax.make_jaxpr(sparse.jacobian(g, C, "dense", chunk_size=2))(jnp.ones(n)))
    assert f"f64[2,{n},{wide}]" in text and f"f64[{n},{n},{wide}]" not in text
    assert f"f64[{n},{n},{wide}]" in str(jax.make_jaxpr(sparse.jacobian(g, C, "dense"))(jnp.ones(n)))


class TestCheck:
    """Entries that a pattern lacks are found, and named."""

    @pytest.mark.parametrize("partition", ["columns", "rows", "both"])
    def test_any_one_entry(self, partition: str) -> None:
        """Each entry of a random matrix, left out of the pattern."""
        rng = np.random.default_rng(0)
        A = rng.normal(size=(9, 14)) * (rng.random((9, 14)) < 0.3)
        M = jnp.asarray(A)
        sparse.check(lambda x: M @ x, jacobian(A, partition), jnp.ones(14))
        for i, j in np.argwhere(A).tolist():
            pattern = A != 0
            pattern[i, j] = False
            with pytest.raises(lagcolor.GraphError, match=rf"entry \({i}, {j}\) of the derivative is {A[i, j]:.6g} "):
                sparse.check(lambda x: M @ x, jacobian(pattern, partition), jnp.ones(14))

    @pytest.mark.parametrize("decompression", ["direct", "substitution"])
    def test_of_a_hessian(self, decompression: str) -> None:
        C = hessian(HESSIAN, decompression)
        sparse.check(jax.grad(energy), C, X)
        with pytest.raises(lagcolor.GraphError, match=r"entry \((3, 9|9, 3)\) of the derivative is 5 and"):
            sparse.check(jax.grad(lambda x: energy(x) + 5 * x[3] * x[9]), C, X)
        with pytest.raises(lagcolor.GraphError, match=r"row . of the derivative .* the compression is symmetric"):
            sparse.check(lambda x: 3 * jnp.roll(x, 1).at[0].set(x[0]), C, X)

    def test_entries_outside_of_all_others(self) -> None:
        """Rows, and functions, without any entry in the pattern."""
        for pattern in (np.zeros((N, N)), np.diag(np.arange(N) % 2)):
            with pytest.raises(lagcolor.GraphError, match=r"entry \(\d+, \d+\) of the derivative is 1 "):
                sparse.check(lambda x: x, jacobian(pattern.astype(float)), X)
            sparse.check(lambda x: 0 * x, jacobian(pattern.astype(float)), X)

    def test_a_tolerance(self) -> None:
        def g(x: Any) -> Any:
            return x + 1e-5 * jnp.roll(x, 1)

        with pytest.raises(lagcolor.GraphError, match="is 1e-05 and not"):
            sparse.check(g, np.eye(N), X)
        sparse.check(g, np.eye(N), X, rtol=1e-3)

    def test_rounding_in_a_row_without_entries(self) -> None:
        W = jnp.array([[1.0, 0], [1e-25, 0]])
        sparse.check(lambda x: W @ x, np.diag([1.0, 0]), jnp.ones(2))

    def test_seeds_give_other_vectors(self) -> None:
        """An entry as large as the tolerance is found by some vectors alone."""
        W, found = jnp.array([[1, 0.1], [0, 1]]), []
        for seed in range(8):
            try:
                sparse.check(lambda x: W @ x, np.eye(2), jnp.ones(2), vectors=1, seed=seed, rtol=0.1)
                found.append(False)
            except lagcolor.GraphError:
                found.append(True)
        assert len(set(found)) == 2

    def test_trees_and_arguments(self) -> None:
        sparse.check(split, jacobian(JACOBIAN), TREE, 2.0, has_aux=True, power=2)
        lacking = JACOBIAN.toarray()
        lacking[12, 5] = False
        with pytest.raises(lagcolor.GraphError, match=r"entry \(12, 5\)"):
            sparse.check(lambda s, p: split(p, s)[0], jacobian(lacking), 2.0, TREE, argnums=1)

    @pytest.mark.parametrize("partition", ["columns", "rows"])
    def test_a_small_row_under_a_large_one(self, partition: str) -> None:
        """An entry counts relative to its row, also where the products are of rows."""
        W = jnp.array([[1e4, 0], [1, 0.5]], jnp.float32)
        with pytest.raises(lagcolor.GraphError, match=r"entry \(1, 0\) of the derivative is 1 "):
            sparse.check(lambda x: W @ x, jacobian(np.eye(2), partition), jnp.ones(2, jnp.float32))

    def test_a_function_with_a_rule_for_vjp_alone(self) -> None:
        @jax.custom_vjp
        def g(x: Any) -> Any:
            return x**2

        g.defvjp(lambda x: (x**2, x), lambda x, w: (2 * x * w + jnp.zeros(N).at[3].set(w[7]),))
        with pytest.raises(TypeError, match="can't apply forward-mode autodiff"):
            sparse.jacobian(g, np.eye(N))(X)
        with pytest.raises(lagcolor.GraphError, match=r"entry \(7, 3\) of the derivative is 1 .*columns that differ"):
            sparse.check(g, jacobian(np.eye(N), "rows"), X)
        complete = np.eye(N)
        complete[7, 3] = 1
        sparse.check(g, jacobian(complete, "rows"), X)

    def test_types_of_few_digits(self) -> None:
        """In products that NumPy and SciPy have."""
        x, lacking = jnp.asarray(X, "bfloat16"), JACOBIAN.toarray()
        lacking[12, 5] = False
        for partition in ("columns", "rows"):
            sparse.check(f, jacobian(JACOBIAN, partition), x, vectors=5, seed=3)
            with pytest.raises(lagcolor.GraphError, match=r"entry \(12, 5\) .* added to others or lost"):
                sparse.check(f, jacobian(lacking, partition), x)

    def test_rounding_is_named(self) -> None:
        """The error names rounding for a small difference of large numbers, which is right for a seed of ones."""
        with pytest.raises(lagcolor.GraphError, match="this type explains the difference: then pass a larger rtol"):
            sparse.check(lambda x: (1e7 * x + x) - 1e7 * x, np.eye(N), jnp.ones(N, jnp.float32))

    def test_infinity(self) -> None:
        with pytest.raises(lagcolor.GraphError, match="not finite at these arguments"):
            sparse.check(jnp.sqrt, np.eye(N), jnp.zeros(N))


def test_errors_of_arguments() -> None:
    """Integers next to floats are promoted where they are joined, and their derivatives would be zero."""
    x, whole, two = jnp.ones(3), jnp.arange(3), np.hstack([np.eye(3), np.eye(3)])
    product = lambda x, y: x * y  # noqa: E731
    for text, call in (
        ("argnums=1 names no argument: there are 1", lambda: sparse.jacobian(f, JACOBIAN, argnums=1)(X)),
        ("argnums must be the number", lambda: sparse.jacobian(f, JACOBIAN, argnums="x")),
        ("argnums must be the number", lambda: sparse.jacobian(f, JACOBIAN, argnums=())),
        ("names an argument twice", lambda: sparse.jacobian(product, two, argnums=(1, -1))(x, x)),
        ("chunk_size must be a whole number from 1", lambda: sparse.jacobian(f, JACOBIAN, chunk_size=0)),
        ("has_aux must be True or False", lambda: sparse.jacobian(f, JACOBIAN, has_aux=1)),
        ("output must be", lambda: sparse.jacobian(f, JACOBIAN, "csr")),
        ("x holds int64: pass floating-point", lambda: sparse.jacobian(f, JACOBIAN)(jnp.arange(N))),
        ("x holds int64", lambda: sparse.jacobian(lambda t: t[0] * jnp.asarray(t[1]), two)((x, [1, 2, 3]))),
        ("x holds int64", lambda: sparse.check(jnp.multiply, two, x, whole, argnums=(0, 1))),
        ("x holds int64", lambda: jax.jit(sparse.hessian(product, np.eye(6), argnums=(0, 1)))(x, whole)),
        ("vectors must be a whole number from 1", lambda: sparse.check(f, JACOBIAN, X, vectors=0)),
    ):
        with pytest.raises(lagcolor.OptionError, match=text):
            call()


class TestAsdex:
    """The bridge to the package that detects sparsity."""

    @pytest.fixture
    def bridge(self) -> Any:
        pytest.importorskip("asdex", reason="asdex is not installed: pip install 'lagcolor[jax]'")
        return pytest.importorskip("lagcolor.derivatives.asdex")

    @pytest.mark.parametrize("partition", ["columns", "rows"])
    @pytest.mark.filterwarnings("ignore:Coloring used")
    def test_jacobians(self, bridge: Any, partition: str) -> None:
        """Our colors in its Jacobian, and its colors in ours."""
        asdex, from_asdex, pattern_of, to_asdex = bridge.asdex, bridge.from_asdex, bridge.pattern_of, bridge.to_asdex
        detected, expected = asdex.jacobian_sparsity(f, X), jax.jacfwd(f)(X)
        C = jacobian(pattern_of(detected), partition)
        assert jacobian(detected, partition).n_colors == C.n_colors
        J = asdex.jacobian_from_coloring(f, to_asdex(C, detected))(X)
        np.testing.assert_allclose(dense(J), expected, rtol=1e-12, atol=1e-13)
        back = from_asdex(to_asdex(C, detected))
        assert (back.partition, back.n_colors) == (partition, C.n_colors)
        np.testing.assert_array_equal(back.gather, C.gather)
        theirs = from_asdex(asdex.jacobian_coloring(f, X, mode="fwd" if partition == "columns" else "rev"))
        J = sparse.jacobian(f, theirs, "dense")(jnp.asarray(X))
        np.testing.assert_allclose(J, expected, rtol=1e-12, atol=1e-13)

    def test_a_jacobian_that_is_symmetric(self, bridge: Any) -> None:
        """Its mode is one of Jacobians."""
        asdex = bridge.asdex
        colored = asdex.jacobian_coloring(jax.grad(energy), X, symmetric=True)
        there = bridge.to_asdex(bridge.from_asdex(colored), colored.sparsity, mode="fwd")
        J = asdex.jacobian_from_coloring(jax.grad(energy), there)(X)
        np.testing.assert_allclose(dense(J), jax.hessian(energy)(X), rtol=1e-11, atol=1e-12)

    @pytest.mark.filterwarnings("ignore:Coloring used")
    @pytest.mark.parametrize("function", [couplings, energy, jnp.sum])
    def test_hessians(self, bridge: Any, function: Any) -> None:
        """Its colors in our Hessian, ours in its, and there and back; with neutral colors, and without products."""
        asdex, from_asdex, pattern_of, to_asdex = bridge.asdex, bridge.from_asdex, bridge.pattern_of, bridge.to_asdex
        expected = jax.hessian(function)(X)
        theirs = asdex.hessian_coloring(function, X, postprocess=True)
        C = from_asdex(theirs)
        assert C.n_colors == theirs.num_colors and C.coloring.verified
        H = sparse.hessian(function, C, "dense")(jnp.asarray(X))
        np.testing.assert_allclose(H, expected, rtol=1e-11, atol=1e-12)
        ours = hessian(pattern_of(theirs.sparsity))
        assert ours.n_colors <= theirs.num_colors
        for D in (ours, C):
            there = to_asdex(D, theirs.sparsity)
            assert there.num_colors == D.n_colors
            H = asdex.hessian_from_coloring(function, there)(X)
            np.testing.assert_allclose(dense(H), expected, rtol=1e-11, atol=1e-12)
            np.testing.assert_array_equal(from_asdex(there).column_colors, D.column_colors)

    def test_what_is_refused(self, bridge: Any) -> None:
        """asdex makes no neutral color that an entry needs, so this is its object with other colors."""
        asdex, to_asdex = bridge.asdex, bridge.to_asdex
        broken = asdex.hessian_coloring(couplings, X, postprocess=True)
        object.__setattr__(broken, "colors", np.full(N, -1, np.int32))
        with pytest.raises(lagcolor.ColoringError, match=r"entry \(0, 1\) of colors -1 and -1 is alone in neither"):
            bridge.from_asdex(broken)
        with pytest.raises(lagcolor.OptionError, match="asdex has no colorings of both kinds"):
            to_asdex(jacobian(JACOBIAN, "both"))
        with pytest.raises(lagcolor.OptionError, match="sparsity and compression have different entries"):
            to_asdex(jacobian(JACOBIAN), asdex.SparsityPattern.from_dense(np.eye(3)))
