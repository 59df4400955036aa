"""Colors of the elements, nodes, edges and facets of meshes, against sets of what they share."""

from __future__ import annotations

from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from meshes import hexahedra, share_a_node, tetrahedra

import lagcolor
from lagcolor.engines.elements import plain
from lagcolor.mesh import color_edges, color_elements, color_facets, color_nodes, edges, facets
from lagcolor.orders.ties import tie_order

pytestmark = pytest.mark.inner
qualities = pytest.mark.parametrize("quality", ["fast", "balanced"])
SQUARES = np.array([[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]])  # 2 × 2


@qualities
@pytest.mark.parametrize("seed", range(4))
def test_random_elements(seed: int, quality: str) -> None:
    random = np.random.default_rng(seed)
    m, width, n = random.integers(0, 80), random.integers(1, 7), random.integers(1, 60)
    nodes = random.integers(-1, n, (m, width))
    result = color_elements(nodes, n_nodes=int(n), quality=quality)
    assert result.verified and result.colors.dtype == np.int32 and not share_a_node(result.colors, nodes)
    expected = plain.first_fit(nodes.tolist(), tie_order(np, int(m), 0).tolist())
    uneven = color_elements(nodes, n_nodes=int(n), quality=quality, balance=False)
    if quality == "fast":
        assert uneven.colors.tolist() == expected
    by_number = max(plain.first_fit(nodes.tolist(), range(m)), default=-1) + 1
    assert uneven.n_colors == result.n_colors and (quality == "fast" or result.n_colors <= by_number)


def triples(seed: int) -> np.ndarray:
    """Eight elements of three of nine nodes."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(9), (8, 1)), axis=1)[:, :3]


def test_the_last_color_too_many_goes() -> None:
    """The first of the orders takes one color more than the lower bound, and another takes as many."""
    for seed in (5, 10, 11, 22):
        result = color_elements(triples(seed))
        counts = [row["colors"] for row in result.notes["tried"] if "colors" in row]
        assert result.n_colors == result.lower_bound == min(counts[1:]) == counts[0] - 1


def test_an_order_without_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise MemoryError("9 bytes")

    monkeypatch.setattr("lagcolor.mesh.coloring.breadth_first", fails)
    result = color_elements(triples(5))
    why = {row["name"]: row.get("why") for row in result.notes["tried"]}
    assert result.verified and why["breadth_first"] == "out of memory: 9 bytes"


@qualities
def test_classes_of_a_few_elements_that_get_empty(quality: str) -> None:
    random = np.random.default_rng(3)
    cases = [[[6, 4, 7], [1, 1, 2], [8, 5, 1], [4, 5, 0], [4, 0, 0], [3, 0, 5], [4, 5, 4], [3, 0, 3]]]
    cases += [random.integers(0, 9, (int(random.integers(1, 12)), 3)).tolist() for _ in range(100)]
    for cells in cases:
        even, uneven = (color_elements(cells, quality=quality, balance=b) for b in (True, False))
        assert even.verified and even.n_colors <= uneven.n_colors and min(even.class_sizes)


def test_more_colors_than_a_word_has() -> None:
    nodes = np.stack((np.zeros(200, int), np.arange(1, 201)), axis=1)
    for quality in ("fast", "balanced"):
        assert sorted(color_elements(nodes, quality=quality).colors.tolist()) == list(range(200))


@pytest.mark.parametrize("local", [False, True])
def test_shuffled_hexahedra_take_8_colors(local: bool) -> None:
    result = color_elements(hexahedra(12, 1, local))
    assert result.class_sizes.tolist() == [12**3 // 8] * 8 and result.optimal


def test_tetrahedra_take_few_colors() -> None:
    for cells in (tetrahedra(10, 3), tetrahedra(10)):
        assert color_elements(cells).n_colors <= 28


@qualities
def test_classes_are_even(quality: str) -> None:
    cells = np.stack((np.arange(9999), np.arange(1, 10000)), axis=1)[np.random.default_rng(0).permutation(9999)]
    result, uneven = (color_elements(cells, quality=quality, balance=even) for even in (True, False))
    assert result.notes["balance"]["reached"] and max(result.class_sizes) <= 1.05 * min(result.class_sizes)
    assert "balance" not in uneven.notes and uneven.n_colors == result.n_colors


def test_what_a_mesh_may_be() -> None:
    """Forms that the contract does not have."""
    cells = hexahedra(3, 1)
    expected, block = color_elements(cells).colors, SimpleNamespace(type="hexahedron", data=cells)
    wide = np.full((len(cells), 20), -1, np.int64)
    wide[:, ::2][:, :8] = cells
    mesh = SimpleNamespace(cells=[block], points=np.zeros((64, 3)))
    for x in (cells.tolist(), list(cells), [("hexahedron", cells)], block, [block], mesh, wide):
        np.testing.assert_array_equal(color_elements(x).colors, expected)


def test_mixed_elements_are_numbered_through_all_blocks() -> None:
    triangles, squares = np.array([[8, 5, 9], [7, 8, 9]]), SQUARES
    result = color_elements([("quad", squares), ("triangle", triangles)])
    padded = np.concatenate((squares, np.insert(triangles, 3, -1, axis=1)))
    assert len(result) == 6 and not share_a_node(result.colors, padded)
    np.testing.assert_array_equal(result.colors, color_elements(padded).colors)
    mesh = SimpleNamespace(cells=[SimpleNamespace(type="quad", data=squares)], points=np.zeros((50, 2)))
    assert color_elements(mesh).graph.shape == (4, 50)


def test_a_mesh_of_several_dimensions_is_not_assembled_as_one() -> None:
    solid, surface = tetrahedra(2), np.array([[0, 1, 3], [1, 3, 4]])
    kinds = {"vertex": np.array([[0], [7]]), "triangle6": np.hstack((surface, surface)), "tetra": solid}
    blocks = [SimpleNamespace(type=name, data=cells) for name, cells in kinds.items()]
    words = r"dimensions \(vertex, triangle6, tetra\): .* if block.type in \('tetra',\)\], or of all, mesh.cells"
    for mesh in (SimpleNamespace(cells=blocks, points=np.zeros((27, 3))), kinds):
        with pytest.raises(lagcolor.GraphError, match=words):
            color_elements(mesh)
    inside = color_elements([block for block in blocks if block.type in ("tetra",)])
    np.testing.assert_array_equal(inside.colors, color_elements(solid).colors)
    assert len(color_elements(blocks)) == len(solid) + 4 and len(color_elements({"tetra": solid})) == len(solid)


def test_what_is_no_mesh() -> None:
    """Errors that are not in the table of refusals, and what they advise."""
    turned = np.array([[0, 1, 2, 3, 4], [1, 3, 3, 5, 5], [2, 2, 4, 4, 6]])
    block = SimpleNamespace(type="triangle", data=turned)
    tables = ("triangle", turned.tolist()), {"triangle": turned}, block, SimpleNamespace(cells=[block])
    rows = [np.ma.array([0, 1, 2], mask=[0, 0, 1]), np.ma.array([2, 3, 4], mask=False)]
    for cells, words in (
        *((x, "'triangle' have 3 nodes, not 5; if columns are elements, transpose by .T, or numpy") for x in tables),
        *((x, r"are masked: pass numpy.ma.stack\(cells\).filled\(-1\), where") for x in (rows, ("triangle", rows))),
        ([(0, [0, 1, 2]), (1, [1, 2, 3])], "this list is no array of nodes; cells are"),
        *(((name, np.arange(width)[None]), f"type '{name}' have {count} node[s,].* not {width}(;|$)")
          for name, count, width in (("tetra", 4, 8), ("tetra10", 10, 4), ("quad8", 8, 9), ("vertex", 1, 2))),
    ):  # fmt: skip
        for call in (color_elements, facets):
            with pytest.raises(lagcolor.GraphError, match=words):
                call(cells)
    assert color_elements(np.ma.stack(rows).filled(-1)).n_colors == 1 < color_elements([[0, 1, 2], rows[1]]).n_colors
    for cells in (turned.T, np.transpose(turned.tolist()), np.insert(turned, 3, -1, axis=0).T):
        assert color_elements(("triangle", cells)).colors.tolist() == color_elements(turned.T).colors.tolist()
    for name in ("polygon", "VTK_LAGRANGE_TRIANGLE", "tetra2"):
        assert len(color_elements((name, turned))) == 3


@pytest.mark.parametrize("empty", [[], np.empty((0, 4), int), ("tetra", np.empty((0, 4), int))])
def test_no_elements(empty: Any) -> None:
    assert facets(("tetra", [])).shape[0] == len(edges(("tetra", []))) == 0
    result = color_elements(empty, n_nodes=5)
    assert len(result) == 0 and result.n_colors == 0 and result.groups()[1].tolist() == []
    assert color_elements(np.full((3, 2), -1)).colors.tolist() in ([0, 0, 0],)


CUBE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def plain_facets(kind: str, cells: np.ndarray) -> list[list[frozenset[int]]]:
    """The facets of each element, by what a facet is."""
    if kind in ("triangle", "tetra"):
        return [[frozenset(f) for f in combinations(e, len(e) - 1)] for e in cells.tolist()]
    faces = [[i for i, at in enumerate(CUBE) if at[axis] == side] for axis, side in product(range(3), (0, 1))]
    return [[frozenset(e[i] for i in face) for face in faces] for e in cells.tolist()]


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("triangle", np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])),
        ("tetra", tetrahedra(2, 1)),
        ("hexahedron", hexahedra(3, 1)),
    ],
)
def test_facets_and_edges(kind: str, cells: np.ndarray) -> None:
    of = plain_facets(kind, cells)
    found = [frozenset(row) - {-1} for row in facets((kind, cells)).tolist()]
    assert set(found) == {f for own in of for f in own} and len(found) == len(set(found))
    by_facet = color_elements((kind, cells), by="facet").colors
    neighbors = [(a, b) for a, b in combinations(range(len(cells)), 2) if set(of[a]) & set(of[b])]
    assert neighbors and all(by_facet[a] != by_facet[b] for a, b in neighbors)
    assert max(by_facet) < max(color_elements(cells).colors)
    fluxes = dict(zip(found, color_facets((kind, cells)).colors.tolist(), strict=True))
    assert all(len({fluxes[f] for f in own}) == len(own) for own in of)
    at_nodes = color_facets((kind, cells), by="node").colors
    assert not share_a_node(at_nodes, facets((kind, cells)))
    lines = edges((kind, cells))
    assert not share_a_node(color_edges((kind, cells)).colors, lines)
    if kind != "hexahedron":
        assert {tuple(e) for e in lines.tolist()} == {p for e in cells.tolist() for p in combinations(sorted(e), 2)}
    else:
        assert len(lines) == 3 * 3 * 16


@pytest.mark.parametrize(
    ("kind", "width", "n_edges", "sizes"),
    [
        ("line3", 3, 1, [1, 1]),
        ("quad9", 9, 4, [2] * 4),
        ("pyramid", 5, 8, [3, 3, 3, 3, 4]),
        ("wedge15", 15, 9, [3, 3, 4, 4, 4]),
    ],
)
def test_facets_of_other_shapes(kind: str, width: int, n_edges: int, sizes: list[int]) -> None:
    one = (kind, np.arange(width)[None, :])
    assert len(edges(one)) == n_edges and sorted((facets(one) >= 0).sum(axis=1).tolist()) == sizes
    if sizes[0] > 1:  # each edge of a solid is in two facets, and each corner of a polygon
        mine = [set(row) - {-1} for row in facets(one).tolist()]
        parts = edges(one).tolist() if sizes[0] > 2 else [[v] for v in np.unique(edges(one)).tolist()]
        assert all(sum(set(part) <= facet for facet in mine) == 2 for part in parts)


def test_facets_of_collapsed_elements() -> None:
    blocks = [("hexahedron", [[0, 1, 2, 2, 3, 4, 5, 5]]), ("wedge", [[0, 1, 2, 6, 7, 8]])]
    assert facets(blocks[0]).tolist() == facets(("wedge", [[0, 1, 2, 3, 4, 5]])).tolist()
    assert edges(blocks[0]).tolist() == edges(("wedge", [[0, 1, 2, 3, 4, 5]])).tolist()
    assert sorted(color_elements(blocks, by="facet").colors.tolist()) == [0, 1]
    quads = [[0, 1, 2, 2], [1, 2, 3, 3], [4, 5, 6, 7]]
    by_facet = color_elements(("quad", quads), by="facet")
    assert by_facet.verified and by_facet.colors[0] != by_facet.colors[1]
    assert facets(("quad", quads)).tolist()[:5] == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    assert facets(("line", [[3, 3], [3, 4]])).tolist() == [[3], [4]]
    assert edges(("line", [[3, 3]])).tolist() == []


def test_facets_where_sheets_meet() -> None:
    cells = [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    found = map(tuple, facets(("triangle", cells)).tolist())
    fluxes = dict(zip(found, color_facets(("triangle", cells)).colors, strict=True))
    for a, b, c in cells:
        assert len({fluxes[a, b], fluxes[a, c], fluxes[b, c]}) == 3
    colors = color_facets(("line", [[0, 1], [1, 2], [1, 3]])).colors
    assert colors[1] not in colors[[0, 2, 3]]


def test_nodes_of_an_element_differ() -> None:
    cells = tetrahedra(4, 2)
    colors = color_nodes(cells).colors
    assert all(len({*colors[e]}) == 4 for e in cells) and max(colors) < 20
