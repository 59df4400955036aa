"""Certificates of lower bounds on the number of colors, and their check.

The check reads the graph through the plain neighborhoods of its problem (`Problem.neighborhood`) and shares no code
with any search. It checks an "exhaustive search" by another search: DSATUR with backtracking in plain Python, with a
limit of nodes.

References
----------
Brélaz 1979, "New methods to color the vertices of a graph".
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import ColoringError, OptionError
from ..base.messages import counted
from ..base.options import whole
from . import DEFAULT, input_of, named

CLIQUE, ODD_CYCLE, EXHAUSTIVE, OVERFULL = KINDS = ("clique", "odd cycle", "exhaustive search", "overfull")
EFFORT = 20_000  # nodes


@dataclass(frozen=True, eq=False)
class Certificate:
    """A reason why every coloring needs at least k colors.

    Attributes
    ----------
    kind : {"clique", "odd cycle", "exhaustive search", "overfull"} or None
        "clique": any two of the vertices are in conflict. "odd cycle": each vertex is in conflict with the next, the
        last with the first, and their number is odd. "exhaustive search": the graph that the vertices induce has no
        coloring with k − 1 colors. "overfull": the vertices are edges with n different ends, more than (k − 1) ⌊n / 2⌋
        of them; at most ⌊n / 2⌋ edges can have one color. None: the bound is 0, or follows from sizes alone.
    k : int
        Number of colors that every coloring needs.
    vertices : array of int64
        Numbers of the vertices (of the edges, for problem "edges"), on the CPU.

    Examples
    --------
    >>> result = lagcolor.color(lagcolor.generate.cycle(5))
    >>> result.certificate.kind, sorted(result.certificate.vertices.tolist())
    ('odd cycle', [0, 1, 2, 3, 4])
    >>> from lagcolor.problems import certificates
    >>> certificates.check(lagcolor.generate.cycle(5), result.certificate)
    True
    """

    kind: str | None
    k: int
    vertices: np.ndarray

    def __repr__(self) -> str:
        if self.kind is None:
            return f"<Certificate: at least {counted(self.k, 'colors')}, of no kind>"
        return (
            f"<Certificate: at least {counted(self.k, 'colors')}, {self.kind} of "
            f"{counted(len(self.vertices), 'vertices')}>"
        )


def check(
    x: Any, certificate: Certificate, *, problem: str = DEFAULT, symmetrize: bool = False, effort: int = EFFORT
) -> bool | None:  # fmt: skip
    """Check a certificate.

    Parameters
    ----------
    x : object
        Anything that `Graph.of` accepts, or `Pattern.of` for a problem that is not symmetric.
    certificate : Certificate
        The certificate of a result for `x`.
    problem : str
        A name in `lagcolor.problems.PROBLEMS` whose constraints are pairs.
    symmetrize : bool
        As for `lagcolor.color`.
    effort : int
        The largest number of nodes of the search that repeats an "exhaustive search".

    Returns
    -------
    bool or None
        True if the certificate holds. None if it has no kind, or if the search needs more nodes than `effort`.

    Raises
    ------
    ColoringError
        The certificate does not hold, or does not fit the graph.
    OptionError
        The problem is unknown, or `effort` is not a whole number from 0 on.

    Examples
    --------
    >>> from lagcolor.problems import certificates
    >>> G = lagcolor.generate.cycle(5)
    >>> certificate = lagcolor.color(G).certificate
    >>> certificate.kind, certificates.check(G, certificate)
    ('odd cycle', True)
    """
    row, effort = named(problem), whole("effort", effort, 0)
    if not isinstance(certificate, Certificate):
        raise OptionError(f"certificate must be the Certificate of a result, not {reprlib.repr(certificate)}")
    if not row.keeps_rules:
        raise OptionError(f"certificates are for problems whose constraints are pairs, unlike {row.name!r}")
    G: Any = input_of(row, x, symmetrize).on("cpu")
    kind, k = certificate.kind, whole("k of the certificate", certificate.k, 0)
    vertices = _numbers(certificate, row.size(G))
    if kind is None:
        return True if k == 0 else None
    if kind not in KINDS:
        raise ColoringError(f"a certificate is of kind {', '.join(KINDS)} or None, not {kind!r}")
    if kind == CLIQUE and k > len(vertices):
        raise ColoringError(f"a clique of {len(vertices)} vertices does not prove {k} colors")
    if kind == ODD_CYCLE and (k > 3 or len(vertices) % 2 == 0 or len(vertices) < 3):
        raise ColoringError(f"a cycle of {len(vertices)} vertices does not prove {k} colors")
    if kind == OVERFULL:
        return _too_many_edges(row, G, vertices, k)
    near = [set(row.neighborhood(G, v).tolist()) for v in vertices]
    if kind == EXHAUSTIVE:
        return _no_coloring(vertices, near, k - 1, effort)
    n = len(vertices)
    for i, j in ((u, v) for u in range(n) for v in (range(u) if kind == CLIQUE else [(u + 1) % n])):
        if vertices[j] not in near[i]:
            raise ColoringError(f"no {kind}: vertices {vertices[i]} and {vertices[j]} are not in conflict")
    return True


def _too_many_edges(row: Any, G: Any, edges: list[int], k: int) -> bool:
    """True if k − 1 classes cannot contain all these edges, by the number of their ends."""
    if row.colored != ("edges",):
        raise ColoringError(f"a certificate of kind {OVERFULL!r} has edges, but problem={row.name!r} colors none")
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr))
    u, v = rows[rows < G.indices], G.indices[rows < G.indices]
    n = len(np.union1d(u[edges], v[edges]))
    if len(edges) <= (k - 1) * (n // 2):
        raise ColoringError(f"{len(edges)} edges between {n} vertices do not prove {k} colors")
    return True


def _numbers(certificate: Certificate, n: int) -> list[int]:
    """Vertices of a certificate, which must be distinct numbers from 0 to n − 1."""
    array = np.asarray(certificate.vertices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ColoringError(f"vertices of a certificate are numbers, not {array.dtype} of shape {array.shape}")
    numbers = [int(v) for v in array.tolist()]
    if numbers and not 0 <= min(numbers) <= max(numbers) < n:
        raise ColoringError(f"vertices of a certificate must be from 0 to {n - 1}")
    if len(set(numbers)) < len(numbers):
        raise ColoringError("a certificate has a vertex twice")
    return numbers


def _no_coloring(vertices: list[int], near: list[set[int]], k: int, effort: int) -> bool | None:
    """True if the induced graph has no coloring with k colors; None if the limit of nodes is reached."""
    place = {v: i for i, v in enumerate(vertices)}
    around = [[place[u] for u in row if u in place] for row in near]
    found = _color(around, k, effort)
    if found:
        raise ColoringError(f"the vertices of the certificate have a coloring with {k} colors")
    return None if found is None else True


def _color(around: list[list[int]], k: int, effort: int) -> bool | None:
    """True if a graph has a coloring with k colors; None if the limit of nodes is reached.

    The next vertex is one with the fewest possible colors, ties by the most neighbors. It tries each possible color in
    use, and one new color.
    """
    n = len(around)
    colors, seen = [-1] * n, [[0] * k for _ in range(n)]
    path: list[tuple[int, int, int]] = []  # vertex, colors in use before it, next color to try
    left = [k] * n

    def change(v: int, c: int, by: int) -> None:
        for u in around[v]:
            seen[u][c] += by
            if seen[u][c] == (by > 0):
                left[u] -= by

    def following() -> int:
        return min((v for v in range(n) if colors[v] < 0), key=lambda v: (left[v], -len(around[v])))

    used, c = 0, 0
    v = following() if n else -1
    while v >= 0:
        while c < min(used + 1, k) and seen[v][c]:
            c += 1
        if c < min(used + 1, k):
            if effort == 0:
                return None
            effort -= 1
            colors[v] = c
            change(v, c, 1)
            path.append((v, used, c + 1))
            used, c = max(used, c + 1), 0
            if len(path) == n:
                return True
            v = following()
            continue
        if not path:
            return False
        v, used, c = path.pop()
        change(v, c - 1, -1)
        colors[v] = -1
    return True
