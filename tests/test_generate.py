"""Generated graphs: structure where it is known, distributions where it is not, and the same bytes always."""

from __future__ import annotations

import hashlib
import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import generate
from lagcolor.generate import common, counter

# A small member of every family, and the first bytes of its SHA-256: a change here changes users' graphs.
PINNED = {
    "grid2d:7,5": "e8ba6564c92796f3",
    "grid3d:4,3,5": "b994659e21a7fd83",
    "stencil27:4,3,5": "7db5e98c4ef45096",
    "banded:50,4": "91c030604899c9da",
    "banded:200,9,3": "63d47421df5179f0",
    "rmat:9": "65bc3cfe9860df81",
    "rmat:8,edge_factor=4,permute=false,seed=2": "f1d2e9fe86683a53",
    "kron_g500:8,16": "2a8a13ecc5459b0c",
    "uniform:500,4": "c3a3e3b9882ce058",
    "erdos_renyi:300,p=0.02": "c1644a5bab85f969",
    "erdos_renyi:300,m=700,seed=9": "0af9f1c472b4761b",
    "planted:400,7,degree=12,clique=true": "656faed4514d3753",
    "barabasi_albert:600,3": "aebcb255ae251cdf",
    "rgg:9": "889fa4164be803c7",
    "rgg:9,sort=morton": "b6f46011df56c05a",
    "rgg:9,sort=none,seed=4": "cac863e946e95c70",
    "delaunay:8": "03ad38016b2d489a",
    "road:20": "4b8895cc2136b948",
    "road:20,15,keep=0.65,curved=0.38,bends=1,local=true": "f9ed8b8258f8782e",
    "social:3000,10": "f1e589a998ce790d",
    "queen:6,7": "c51fb2e7f36c7c6d",
    "mycielski:5": "5f678e99964ef611",
    "crown:12": "e9a291ebf45e322f",
    "path:9": "7cceb8ec46a434bd",
    "cycle:9": "0b1e030ca96ec632",
    "star:9": "9bb308c3cb5dd7fc",
    "clique:9": "9daa7c8bef7bc529",
    "complete_bipartite:4,6": "f30fbe32659a8770",
}


def digest(G: lagcolor.Graph) -> str:
    h = hashlib.sha256()
    for a in (G.indptr, G.indices):
        h.update(np.ascontiguousarray(a, "<i8").tobytes())
    return h.hexdigest()[:16]


def edges(G: lagcolor.Graph) -> set[tuple[int, int]]:
    u = np.repeat(np.arange(G.n), np.diff(G.indptr))
    return {(int(a), int(b)) for a, b in zip(u, G.indices, strict=True) if a < b}


def same(G: lagcolor.Graph, reference: nx.Graph, number: dict | None = None) -> None:
    """G equals a NetworkX graph, its nodes numbered as given (default: their own numbers)."""
    number = number or {v: v for v in reference}
    assert G.n == reference.number_of_nodes()
    assert edges(G) == {tuple(sorted((number[a], number[b]))) for a, b in reference.edges}
    assert_canonical(G)


def assert_canonical(G: lagcolor.Graph) -> None:
    assert G.indices.dtype == np.int32
    assert G.indptr.dtype == np.int32
    assert G.indptr[0] == 0
    assert G.indptr[-1] == G.m
    assert (np.diff(G.indptr) >= 0).all()
    u = np.repeat(np.arange(G.n), np.diff(G.indptr))
    v = G.indices.astype(np.int64)
    assert ((v >= 0) & (v < G.n)).all()
    key = u * G.n + v
    assert (np.diff(key) > 0).all(), "rows sorted, no duplicates"
    assert (u != v).all(), "no self-loops"
    assert (np.sort(v * G.n + u) == key).all(), "symmetric"


# ---- exact families


@pytest.mark.parametrize(("w", "h"), [(1, 1), (1, 6), (6, 1), (5, 3), (4, 4)])
def test_grid2d(w, h):
    same(generate.grid2d(w, h), nx.grid_2d_graph(h, w), {(y, x): y * w + x for y in range(h) for x in range(w)})


@pytest.mark.parametrize("sides", [(1, 1, 1), (3, 1, 2), (2, 3, 4), (4, 4, 4)])
def test_grid3d(sides):
    w, h, d = sides
    number = {(z, y, x): (z * h + y) * w + x for z in range(d) for y in range(h) for x in range(w)}
    same(generate.grid3d(w, h, d), nx.grid_graph((w, h, d)), number)


@pytest.mark.parametrize("sides", [(1, 1, 1), (3, 1, 2), (2, 3, 4)])
def test_stencil27(sides):
    w, h, d = sides
    box = list(itertools.product(range(d), range(h), range(w)))
    number = {p: i for i, p in enumerate(box)}
    reference = nx.Graph()
    reference.add_nodes_from(box)
    near = [
        (a, b) for a, b in itertools.combinations(box, 2) if max(abs(s - t) for s, t in zip(a, b, strict=True)) <= 1
    ]
    reference.add_edges_from(near)
    same(generate.stencil27(w, h, d), reference, number)


@pytest.mark.parametrize("sides", [(1, 1, 1), (3, 1, 2), (2, 3, 4)])
def test_stencil27_with_several_unknowns_per_node(sides):
    """The pattern is that of a matrix of full 3 × 3 blocks, one per pair of nodes that are the same or adjacent."""
    import scipy.sparse as sp

    nodes = generate.stencil27(*sides)
    A = sp.csr_array((np.ones(nodes.m), nodes.indices, nodes.indptr), shape=(nodes.n, nodes.n)) + sp.eye_array(nodes.n)
    expected = lagcolor.Graph.of(sp.csr_array(sp.kron(A, np.ones((3, 3)))))
    G = generate.from_spec("stencil27:" + ",".join(map(str, sides)) + ",unknowns=3")
    assert np.array_equal(G.indptr, expected.indptr) and np.array_equal(G.indices, expected.indices)
    assert G.indptr.dtype == expected.indptr.dtype and G.indices.dtype == expected.indices.dtype


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
def test_textbook_families(n):
    same(generate.path(n), nx.path_graph(n))
    same(generate.clique(n), nx.complete_graph(n))
    same(generate.complete_bipartite(n, 3), nx.complete_bipartite_graph(n, 3))
    same(generate.complete_bipartite(2, n), nx.complete_bipartite_graph(2, n))
    crown = nx.Graph()
    crown.add_nodes_from(range(2 * n))
    crown.add_edges_from((2 * i, 2 * j + 1) for i in range(n) for j in range(n) if i != j)
    same(generate.crown(n), crown)
    same(generate.star(n + 1), nx.star_graph(n))
    same(generate.cycle(n + 3), nx.cycle_graph(n + 3))
    same(generate.banded(n, 0), nx.empty_graph(n))


@pytest.mark.parametrize(("n", "bandwidth"), [(1, 3), (10, 1), (20, 4), (5, 100)])
def test_full_band(n, bandwidth):
    reference = nx.empty_graph(n)
    reference.add_edges_from((i, j) for i in range(n) for j in range(i) if i - j <= bandwidth)
    same(generate.banded(n, bandwidth), reference)


@pytest.mark.parametrize(("r", "c"), [(1, 1), (1, 5), (3, 5), (8, 8), (6, 2)])
def test_queen(r, c):
    squares = list(itertools.product(range(r), range(c)))
    reference = nx.Graph()
    reference.add_nodes_from(squares)
    reference.add_edges_from(
        (a, b)
        for a, b in itertools.combinations(squares, 2)
        if a[0] == b[0] or a[1] == b[1] or abs(a[0] - b[0]) == abs(a[1] - b[1])
    )
    same(generate.queen(r, c), reference, {s: s[0] * c + s[1] for s in squares})


@pytest.mark.parametrize("k", range(1, 8))
def test_mycielski(k):
    same(generate.mycielski(k), nx.mycielski_graph(k))


@pytest.mark.parametrize("name", ["queen5_5", "queen8_12", "queen10_10", "myciel3", "myciel6"])
def test_dimacs_instances(name):
    import gzip

    import shared_data

    with gzip.open(shared_data.file(f"B/{name}.col.gz"), "rt") as f:
        rows = [line.split() for line in f]
    listed = {tuple(sorted((int(r[1]) - 1, int(r[2]) - 1))) for r in rows if r and r[0] == "e"}
    if name.startswith("queen"):
        rows_, columns = map(int, name[5:].split("_"))
        assert edges(generate.queen(rows_, columns)) == listed
        return
    G = generate.mycielski(int(name[6:]) + 1)
    assert len(edges(G)) == len(listed)
    if G.n < 50:  # the DIMACS numbering is another one
        assert nx.is_isomorphic(nx.Graph(edges(G)), nx.Graph(listed))


# ---- random families


def test_every_family_is_pinned_and_exported():
    assert {spec.partition(":")[0] for spec in PINNED} == set(generate.FAMILIES)
    for name, row in generate.FAMILIES.items():
        assert getattr(generate, name) is row.function
        assert row.summary.endswith(".")
        assert row.source


@pytest.mark.parametrize("spec", PINNED)
def test_same_bytes_for_ever(spec):
    G = generate.from_spec(spec)
    assert_canonical(G)
    assert digest(G) == PINNED[spec]


@pytest.mark.parametrize("spec", [s for s in PINNED if generate.FAMILIES[s.partition(":")[0]].seeded])
def test_blocks_and_threads_change_nothing(spec, monkeypatch):
    monkeypatch.setattr(common, "CPU_BLOCK", 97)
    assert digest(generate.from_spec(spec)) == PINNED[spec]


@pytest.mark.gpu
@pytest.mark.parametrize("spec", PINNED)
def test_gpu_gives_the_same_bytes(spec):
    G = generate.from_spec(spec, device="cuda")
    assert G.on_gpu
    assert G.on("cuda") is G
    assert digest(G.on("cpu")) == PINNED[spec]


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["rmat:16", "social:300000", "rgg:16", "road:400", "erdos_renyi:1e6,m=2e6"])
def test_gpu_equals_cpu_at_size(spec):
    assert digest(generate.from_spec(spec, 3, "cuda").on("cpu")) == digest(generate.from_spec(spec, 3))


small = st.integers(0, 40)
seeds = st.integers(0, 2**64 - 1)


@given(n=small, data=st.data(), seed=seeds)
def test_erdos_renyi_has_exactly_m_edges(n, data, seed):
    m = data.draw(st.integers(0, n * (n - 1) // 2))
    G = generate.erdos_renyi(n, m=m, seed=seed)
    assert_canonical(G)
    assert (G.n, G.n_edges) == (n, m)


@given(n=st.integers(0, 60), k=st.integers(2, 9), degree=st.floats(0, 20), clique=st.booleans(), seed=seeds)
def test_planted_properties(n, k, degree, clique, seed):
    if clique and k > n:
        with pytest.raises(lagcolor.OptionError, match="clique"):
            generate.planted(n, k, degree, clique=clique, seed=seed)
        return
    G = generate.planted(n, k, degree, clique=clique, seed=seed)
    assert_canonical(G)
    label = counter.permutation(np, n, seed, 0)
    colors = np.empty(n, np.int32)
    colors[label] = np.arange(n) % k
    lagcolor.verify(G, colors)
    if clique:
        assert set(itertools.combinations(sorted(label[:k].tolist()), 2)) <= edges(G)


@given(
    scale=st.integers(0, 8),
    radius=st.none() | st.floats(0, 2),
    sort=st.sampled_from(["cells", "morton", None]),
    seed=seeds,
)
def test_rgg_joins_exactly_the_near_points(scale, radius, sort, seed):
    from lagcolor.generate.geometric import _points

    G = generate.rgg(scale, radius, sort=sort, seed=seed)
    assert_canonical(G)
    x, y = _points(np, G.n, sort, seed)
    reach = 0.55 * np.sqrt(np.log(G.n) / G.n) if radius is None else radius
    near = np.hypot(x[:, None] - x, y[:, None] - y)
    u, v = np.nonzero(np.triu(near <= reach, 1))
    border = np.abs(near[u, v] - reach) < 1e-12  # the last bit of a distance may fall either way
    got = edges(G)
    assert got >= {(int(a), int(b)) for a, b in zip(u[~border], v[~border], strict=True)}
    assert all(near[a, b] <= reach + 1e-12 for a, b in got)


def test_road_keeps_and_bends_as_many_as_asked():
    G = generate.road(300, keep=0.7, curved=0.5, bends=3)
    slots = 2 * 300 * 299
    assert (G.n - 300**2) / (slots * 0.7) == pytest.approx(0.5 * 2, rel=0.02)
    assert (G.n_edges - (G.n - 300**2)) / slots == pytest.approx(0.7, rel=0.01)


def test_social_is_skewed_and_local():
    G = generate.social(100_000, 10)
    u = np.repeat(np.arange(G.n), np.diff(G.indptr))
    hop = np.abs(u - G.indices)
    assert np.mean((hop < 200) | (hop > G.n - 200)) > 0.45
    assert G.max_degree > 50 * np.median(G.degrees)


# Measured tables of other codes have these graphs; ours must be of the same family (n, entries, largest degree).
@pytest.mark.parametrize(
    ("spec", "n", "entries", "largest"),
    [
        ("rmat:16", 65536, 1041764, 283),
        ("kron_g500:14", 16384, None, None),
        ("uniform:2**16,4", 65536, 524_240, 22),
        ("rgg:16", 65536, None, None),
        ("delaunay:12", 4096, 6 * 4096 - 60, None),
        ("road:400", 400**2 * 3.719, 400**2 * 8.158, 4),
        ("social:100_000", 100_000, None, None),
        ("stencil27:32", 32768, 94**3 - 32**3, 26),
        ("grid3d:40", 64000, 6 * 40**2 * 39, 6),
        ("grid2d:256", 65536, 4 * 256 * 255, 4),
    ],
)
def test_sizes_of_the_measured_families(spec, n, entries, largest):
    G = generate.from_spec(spec)
    assert G.n == pytest.approx(n, rel=0.01)
    if entries is not None:
        assert G.m == pytest.approx(entries, rel=0.01)
    if largest is not None:
        assert G.max_degree == pytest.approx(largest, rel=0.35)


def test_rmat_quarters_have_their_probabilities():
    from lagcolor.generate.kronecker import _descend

    cuts = [np.uint32(round(p * 2**31)) for p in (0.5, 0.7, 0.9)]
    u, v = _descend(np, [counter.Stream(1, 1), counter.Stream(1, 2)], 3, cuts, 0, 200_000)
    for bit in range(3):
        share = np.bincount(2 * (u >> bit & 1) + (v >> bit & 1), minlength=4) / len(u)
        assert share == pytest.approx([0.5, 0.2, 0.2, 0.1], abs=0.005)


def test_blocks_pass_errors_on():
    def fail(start, stop):
        raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        common.blocks(np, 10 * common.CPU_BLOCK, fail)
