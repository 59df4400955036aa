"""Every real graph of the shared data, against its table and against readers that share no code with ours."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import shared_data

from lagcolor import GraphError, io

FOLDERS = sorted({row["file"][0] for row in shared_data.rows()}) or ["none"]


def plain_edges(path: Path) -> tuple[int, np.ndarray]:
    """n and edges, shape (m, 2), by string splitting."""
    if path.name.endswith(".npz"):
        with np.load(path) as z:
            A = sp.csr_array((np.ones(len(z["indices"])), z["indices"], z["indptr"]), shape=(int(z["n"]),) * 2).tocoo()
        return A.shape[0], np.transpose(A.coords)
    lines = gzip.decompress(path.read_bytes()).decode("latin-1").splitlines()
    if path.name.endswith(".col.gz"):
        n = next(int(x.split()[2]) for x in lines if x.startswith("p"))
        return n, np.array([x.split()[1:3] for x in lines if x.startswith("e")], np.int64).reshape(-1, 2) - 1
    rows = [x.split() for x in lines if not x.startswith("%")]
    if path.name.endswith(".mtx.gz"):
        rows = [r for r in rows if r]
        return int(rows[0][0]), np.array([r[:2] for r in rows[1:]], np.int64) - 1
    n = int(rows[0][0])
    return n, np.array([(i, int(x) - 1) for i, r in enumerate(rows[1 : n + 1]) for x in r], np.int64)


@pytest.mark.skipif(FOLDERS == ["none"], reason=shared_data.ABSENT)
@pytest.mark.parametrize("folder", FOLDERS)
def test_against_the_table_and_plain_code(folder: str) -> None:
    seen = 0
    for row in shared_data.rows():
        if row["file"][0] != folder:
            continue
        path = shared_data.file(row["file"])
        n, e = plain_edges(path)
        if n != int(row["vertices"]):  # the table has the bipartite graph of a rectangular matrix
            with pytest.raises(GraphError, match="rectangular"):
                io.read(path)
            continue
        G = io.read(path, symmetrize=True)
        assert (G.n, G.n_edges) == (n, int(row["edges"])), row["name"]
        A = sp.coo_array((np.ones(len(e)), (e[:, 0], e[:, 1])), shape=(n, n))
        A = sp.csr_array(A + A.T - sp.diags_array((A + A.T).diagonal()))
        A.eliminate_zeros()
        A.sort_indices()
        assert np.array_equal(A.indptr, G.indptr) and np.array_equal(A.indices, G.indices), row["name"]
        seen += 1
    assert seen
