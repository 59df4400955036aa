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
    """Of a chain: each number meets the next."""
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


@pytest.mark.parametrize("output", ["bcoo", "dense"])
@pytest.mark.parametrize("decompression", ["direct", "substitution"])
def test_hessian(decompression: str, output: str) -> None:
    C = hessian(HESSIAN, decompression)
    expected = jax.hessian(energy)(X)
    H = sparse.hessian(energy, C, output)
    for call in (H, jax.jit(H)):
        np.testing.assert_allclose(dense(call(jnp.asarray(X))), expected, rtol=1e-11, atol=1e-12)


def test_many_levels_are_one_scan() -> None:
    """A cycle of triangles has long two-colored paths; the program has no part per level."""
    n = 200
    near = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    C = hessian(sp.csr_array(near <= 2), "substitution")
    assert len(C.recovery.levels) > 8

    def chain(x: Any) -> Any:
        return jnp.sum(x**4) + jnp.sum(jnp.cos(x[2:] - x[:-2]) * x[1:-1])

    x = jnp.linspace(0.1, 2.0, n)
    H = jax.jit(sparse.hessian(chain, C, "dense"))
    np.testing.assert_allclose(H(x), jax.hessian(chain)(x), rtol=1e-9, atol=1e-9)
    assert len(str(jax.make_jaxpr(sparse.hessian(chain, C))(x))) < 50_000


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


def test_arrays_of_any_shape_and_vmap() -> None:
    shaped = lambda x: f(x.reshape(-1)).reshape(1, -1)  # noqa: E731
    J = sparse.jacobian(shaped, jacobian(JACOBIAN), "dense")
    np.testing.assert_allclose(J(jnp.asarray(X).reshape(3, 4)), jax.jacfwd(f)(X), rtol=1e-12, atol=1e-13)
    batch = jnp.stack([X, 2 * X])
    each = jax.vmap(sparse.jacobian(f, jacobian(JACOBIAN), "dense"))(batch)
    np.testing.assert_allclose(each[1], jax.jacfwd(f)(2 * X), rtol=1e-12, atol=1e-12)


def test_single_precision_stays() -> None:
    x = jnp.asarray(X, jnp.float32)
    assert sparse.jacobian(f, jacobian(JACOBIAN))(x).dtype == jnp.float32
    assert sparse.hessian(energy, hessian(HESSIAN))(x).dtype == jnp.float32


def test_a_direct_decompression_is_one_gather_in_jit() -> None:
    C = jacobian(JACOBIAN)
    A = sp.csr_array(jax.jacfwd(f)(X) * JACOBIAN.toarray())
    B = jnp.asarray(C.compress(A))
    values = jax.jit(lambda b: b.reshape(-1)[C.gather])(B)
    np.testing.assert_array_equal(values, C.decompress(np.asarray(B)).data)


def test_sizes_and_kinds_are_checked() -> None:
    J, H = jacobian(JACOBIAN), hessian(HESSIAN)
    with pytest.raises(lagcolor.GraphError, match="x has 5 entries, and the pattern has 12"):
        sparse.jacobian(f, J)(jnp.zeros(5))
    for C in (J, jacobian(JACOBIAN, "rows")):
        with pytest.raises(lagcolor.GraphError, match=r"f\(x\) has 12 entries, and the pattern has 13"):
            sparse.jacobian(lambda x: x, C)(jnp.zeros(N))
    with pytest.raises(lagcolor.GraphError, match=r"f\(x\) has 1 entries, .* take hessian\(f, C\), or pass the grad"):
        sparse.jacobian(energy, H)(jnp.zeros(N))
    with pytest.raises(lagcolor.OptionError, match="of a Jacobian: take"):
        sparse.hessian(energy, J)
    with pytest.raises(lagcolor.OptionError, match="output must be"):
        sparse.jacobian(f, J, "csr")


def test_a_symmetric_jacobian() -> None:
    """Of a gradient, by as many jvp as a Hessian has products."""
    for decompression in ("direct", "substitution"):
        C = hessian(HESSIAN, decompression)
        J = sparse.jacobian(jax.grad(energy), C, "dense")
        np.testing.assert_allclose(jax.jit(J)(X), jax.hessian(energy)(X), rtol=1e-11, atol=1e-12)


def couplings(x: Any) -> Any:
    """All meet the first, and the diagonal of the Hessian is zero."""
    return x[0] * jnp.sum(x[1:])


def chain(x: Any) -> Any:
    """Each meets the next, and the diagonal is zero."""
    return jnp.sum(x[1:] * x[:-1])


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
def test_neutral_colors(decompression: str) -> None:
    expected = np.asarray(jax.hessian(couplings)(X))
    C = hessian(expected, decompression)
    assert C.n_colors == 1 and C.column_colors[0] == 0
    for call in (sparse.hessian(couplings, C, "dense"), sparse.jacobian(jax.grad(couplings), C, "dense")):
        np.testing.assert_allclose(jax.jit(call)(X), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("output", ["bcoo", "dense"])
def test_no_products(output: str) -> None:
    """Of functions whose derivatives are zero."""
    S = sp.csr_array((N, N))
    for partition in ("columns", "rows", "both"):
        J = sparse.jacobian(lambda x: 0 * x, jacobian(S, partition), output)
        assert not dense(jax.jit(J)(jnp.asarray(X))).any()
    for decompression in ("direct", "substitution"):
        H = dense(sparse.hessian(lambda x: jnp.sum(x), hessian(S, decompression), output)(jnp.asarray(X)))
        assert H.shape == (N, N) and not H.any()


class TestAsdex:
    """The bridge to the package that detects sparsity."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("asdex", reason="asdex is not installed: pip install 'lagcolor[jax]'")

    @pytest.mark.parametrize("partition", ["columns", "rows"])
    def test_our_colors_in_its_jacobian(self, partition: str) -> None:
        import asdex

        from lagcolor.derivatives.asdex import from_asdex, pattern_of, to_asdex

        detected = asdex.jacobian_sparsity(f, X)
        C = jacobian(pattern_of(detected), partition)
        J = asdex.jacobian_from_coloring(f, to_asdex(C, detected))(X)
        np.testing.assert_allclose(dense(J), jax.jacfwd(f)(X), rtol=1e-12, atol=1e-13)
        back = from_asdex(to_asdex(C, detected))
        assert (back.partition, back.n_colors) == (partition, C.n_colors)
        np.testing.assert_array_equal(back.gather, C.gather)

    @pytest.mark.filterwarnings("ignore:Coloring used")
    def test_its_colors_in_our_jacobian_and_hessian(self) -> None:
        import asdex

        from lagcolor.derivatives.asdex import from_asdex

        for mode in ("fwd", "rev"):
            C = from_asdex(asdex.jacobian_coloring(f, X, mode=mode))
            got = sparse.jacobian(f, C, "dense")(jnp.asarray(X))
            np.testing.assert_allclose(got, jax.jacfwd(f)(X), rtol=1e-12, atol=1e-13)
        C = from_asdex(asdex.hessian_coloring(energy, X))
        got = sparse.hessian(energy, C, "dense")(jnp.asarray(X))
        np.testing.assert_allclose(got, jax.hessian(energy)(X), rtol=1e-11, atol=1e-12)

    def test_a_jacobian_that_is_symmetric(self) -> None:
        """Its mode is one of Jacobians."""
        import asdex

        from lagcolor.derivatives.asdex import from_asdex, to_asdex

        def gradient(x: Any) -> Any:
            return jax.grad(energy)(x)

        colored = asdex.jacobian_coloring(gradient, X, symmetric=True)
        C = from_asdex(colored)
        J = asdex.jacobian_from_coloring(gradient, to_asdex(C, colored.sparsity, mode="fwd"))(X)
        np.testing.assert_allclose(dense(J), jax.hessian(energy)(X), rtol=1e-11, atol=1e-12)

    @pytest.mark.filterwarnings("ignore:Coloring used")
    @pytest.mark.parametrize("function", [couplings, chain, energy, jnp.sum])
    def test_neutral_colors(self, function: Any) -> None:
        """Its colors in our Hessian, ours in its, and there and back; also where there are no products."""
        import asdex

        from lagcolor.derivatives.asdex import from_asdex, pattern_of, to_asdex

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

    def test_no_entries(self) -> None:
        """Its own colors of an empty pattern are all neutral."""
        import asdex

        from lagcolor.derivatives.asdex import from_asdex, to_asdex

        for mode in ("fwd", "rev"):
            C = from_asdex(asdex.jacobian_coloring(lambda x: jnp.zeros(3), X, mode=mode))
            assert C.n_colors == 0 and not dense(sparse.jacobian(lambda x: jnp.zeros(3), C)(jnp.asarray(X))).any()
            assert to_asdex(C).num_colors == 0

    def test_a_neutral_color_that_an_entry_needs_is_refused(self) -> None:
        """asdex makes none, so this is its object with other colors."""
        import asdex

        from lagcolor.derivatives.asdex import from_asdex

        broken = asdex.hessian_coloring(couplings, X, postprocess=True)
        object.__setattr__(broken, "colors", np.full(N, -1, np.int32))
        with pytest.raises(lagcolor.ColoringError, match=r"entry \(0, 1\) of colors -1 and -1 is alone in neither"):
            from_asdex(broken)

    def test_what_it_does_not_know_is_refused(self) -> None:
        from lagcolor.derivatives.asdex import pattern_of, to_asdex

        with pytest.raises(lagcolor.OptionError, match="asdex has no colorings of both kinds"):
            to_asdex(jacobian(JACOBIAN, "both"))
        import asdex

        other = asdex.SparsityPattern.from_dense(np.eye(3))
        assert pattern_of(other).m == 3
        with pytest.raises(lagcolor.OptionError, match="other entries than the compression"):
            to_asdex(jacobian(JACOBIAN), other)
