"""Positions for the vertices of a small graph: distances in the plane follow those in the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..graph.graph import Graph


def positions(pos: Any, G: Graph) -> np.ndarray:
    """A user's positions, float, shape (n, 2), in the order of the vertices."""
    if isinstance(pos, Mapping):
        labels = range(G.n) if G.labels is None else G.labels
        missing = [v for v in labels if v not in pos]
        if missing:
            raise OptionError(f"pos lacks {len(missing)} of {G.n} vertices, the first {missing[0]!r}")
        pos = [pos[v] for v in labels]
    at = np.asarray(pos, float).reshape(-1, 2) if G.n == 0 else np.asarray(pos, float)
    if at.shape != (G.n, 2) or not np.isfinite(at).all():
        raise OptionError(f"pos must be {G.n} finite points, shape ({G.n}, 2); it has shape {at.shape}")
    return at


def texts(labels: Any, G: Graph) -> list[str]:
    """What to write at each vertex, in the order of the vertices, "" for nothing; an empty list without labels."""
    names = range(G.n) if G.labels is None else G.labels
    if labels is None or labels is False:
        return []
    if isinstance(labels, Mapping):
        if unknown := [v for v in labels if v not in set(names)]:
            raise OptionError(f"labels: there is no vertex {unknown[0]!r}; keys are the labels of the graph")
        return [str(labels.get(v, "")) for v in names]
    if isinstance(labels, Set) or not (labels is True or isinstance(labels, Iterable)):
        raise OptionError(f"labels must be True, a sequence of texts or a mapping, not of type {type(labels).__name__}")
    found = [str(text) for text in (names if labels is True else labels)]
    if len(found) != G.n:
        raise OptionError(f"labels must be {G.n} texts, one for each vertex, and these are {len(found)}")
    return found


def layout(G: Graph) -> np.ndarray:
    """Positions such that an edge has a length of about one: the parts of the graph by stress, set in rows."""
    from ..graph.components import components

    A, (n_parts, part) = G.to_scipy(), components(G)
    at = np.zeros((G.n, 2))
    parts = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part, minlength=n_parts))[:-1])
    members = [inside for inside in parts if len(inside)]
    for inside in members:
        at[inside] = _by_stress(A[inside][:, inside])
        at[inside] -= at[inside].min(axis=0)
    _set_in_rows(at, members)
    return at


def _by_stress(A: Any) -> np.ndarray:
    """Distances of points near to distances in a connected graph (Gansner, Koren, North 2004, stress majorisation)."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.csgraph import shortest_path
    from scipy.spatial.distance import cdist

    n = A.shape[0]
    if n < 3:
        return np.column_stack([np.arange(n, dtype=float), np.zeros(n)])
    d = shortest_path(A, directed=False, unweighted=True)
    at = _scaling(d)
    np.fill_diagonal(d, 1)
    weight = d**-2.0
    np.fill_diagonal(weight, 0)
    factor = cho_factor((np.diag(weight.sum(axis=1)) - weight)[1:, 1:])  # vertex 0 stays at the origin
    for _ in range(60):
        far = np.maximum(cdist(at, at), 1e-9)
        pull = weight * d / far
        new = np.zeros_like(at)
        new[1:] = cho_solve(factor, (pull.sum(axis=1)[:, None] * at - pull @ at)[1:])
        moved = np.abs(new - new.mean(axis=0) - at + at.mean(axis=0)).max()
        at = new
        if moved < 0.005:
            break
    return _level(at)


def _scaling(d: np.ndarray) -> np.ndarray:
    """Classical multidimensional scaling by orthogonal iteration: the first guess."""
    square = d**2
    gram = (square.mean(axis=0) + square.mean(axis=1)[:, None] - square - square.mean()) / 2
    axes = np.random.default_rng(0).normal(size=(len(d), 2))
    for _ in range(20):
        axes, stretch = np.linalg.qr(gram @ axes)
    jitter = np.random.default_rng(1).normal(scale=0.1, size=axes.shape)  # twins must not start together
    return axes * np.sqrt(np.abs(np.diag(stretch))) + jitter


def _level(at: np.ndarray) -> np.ndarray:
    """Turned so that the longest extent lies flat."""
    at = at - at.mean(axis=0)
    return at @ np.linalg.svd(at, full_matrices=False)[2].T


def _set_in_rows(at: np.ndarray, members: list[np.ndarray]) -> None:
    """Place the parts, each with its corner at the origin, in rows, the tallest first."""
    boxes = [at[inside].max(axis=0) + 1.0 for inside in members]
    width = max([1.3 * sum(w * h for w, h in boxes) ** 0.5, *(w for w, _ in boxes)], default=0.0)
    x = y = row = 0.0
    for i in sorted(range(len(boxes)), key=lambda i: -boxes[i][1]):
        w, h = boxes[i]
        if x + w > width:
            x, y, row = 0.0, y + row, 0.0
        at[members[i]] += (x, -y - h)
        x, row = x + w, max(row, h)
