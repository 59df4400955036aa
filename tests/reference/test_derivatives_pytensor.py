"""Sparse Jacobians of PyTensor graphs: as docs/how_to/derivatives_pytensor.md has it, against the dense ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lagcolor.derivatives import jacobian

pytensor = pytest.importorskip("pytensor", reason="PyTensor is not installed: pip install pytensor")
pt = pytest.importorskip("pytensor.tensor")


@pytest.mark.parametrize("partition", ["columns", "rows"])
def test_a_sparse_jacobian(partition: str) -> None:
    from pytensor.gradient import Lop, Rop
    from pytensor.sparse import CSR

    n = 30
    x = pt.dvector("x")
    padded = pt.concatenate([pt.zeros(1), x, pt.zeros(1)])
    y = (3 - 2 * x) * x - padded[:-2] - 2 * padded[2:] + 1
    S = sp.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1], format="csr")
    C = jacobian(S, partition)
    products = [(Lop if partition == "rows" else Rop)(y, x, pt.constant(seed)) for seed in C.iter_seeds()]
    B = pt.stack(products, axis=0 if partition == "rows" else 1)
    P = C.pattern
    J = pytensor.function([x], CSR(B.ravel()[C.gather], P.indices, P.indptr.astype(np.int32), np.array(P.shape)))
    at = np.linspace(0.0, 1.0, n)
    found = J(at)
    assert sp.issparse(found) and found.nnz == S.nnz
    np.testing.assert_allclose(
        found.toarray(), pytensor.function([x], pytensor.gradient.jacobian(y, x))(at), atol=1e-14
    )
