"""What conversions are checked against: a graph by SciPy, from pairs of numbers; and budgets that give several runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from lagcolor.scale.disk.convert.sources import MemoryShares

SMALL = MemoryShares(keys=4096, block=3000, edges=1200, line=1 << 16, table=1 << 20)


def graph_of(pairs: Sequence[tuple[int, int]] | np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and columns of A ∪ Aᵀ without its diagonal."""
    array = np.asarray(pairs, np.int64).reshape(-1, 2)
    A = sp.coo_array((np.ones(len(array), bool), (array[:, 0], array[:, 1])), shape=(n, n)).tocsr()
    A = sp.csr_array(A + A.T)
    A.setdiag(False)
    A.eliminate_zeros()
    A.sort_indices()
    return A.indptr.astype(np.int64), A.indices


def agrees(path: Path, pairs: Sequence[tuple[int, int]] | np.ndarray, n: int) -> bool:
    """Whether the arrays of a folder, read by NumPy, equal SciPy's arrays."""
    indptr, indices = graph_of(pairs, n)
    found = np.load(path / "indptr.npy"), np.load(path / "indices.npy")
    return np.array_equal(found[0], indptr) and np.array_equal(found[1], indices)


def contents(path: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def small(monkeypatch: pytest.MonkeyPatch, parts: MemoryShares = SMALL) -> None:
    """Conversions have a budget that graphs of some thousand edges exceed."""
    monkeypatch.setattr(MemoryShares, "of", classmethod(lambda cls, memory: parts))


def text(pairs: Sequence[tuple[int, int]] | np.ndarray, separator: str = "\t") -> str:
    """Lines of an edge list."""
    return "".join(f"{a}{separator}{b}\n" for a, b in np.asarray(pairs).tolist())


def random_pairs(seed: int, n: int, m: int) -> np.ndarray:
    """Pairs with hubs, self-loops and repetitions."""
    r = np.random.default_rng(seed)
    pairs = (n * r.random((m, 2)) ** 2).astype(np.int64)
    pairs[r.random(m) < 0.02, 1] = 3 % n
    return np.concatenate([pairs, pairs[: m // 5, ::-1], pairs[: m // 9]])
