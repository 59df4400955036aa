"""Generated graphs: structure where it is known, the same bytes always, graphs by name, wrong parameters."""

from __future__ import annotations

import hashlib
import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import generate
from lagcolor.base.device import at_most_threads
from lagcolor.generate import common, networks
from lagcolor.generate.random import _pair

# A small member of every family, and the first bytes of its SHA-256: a change here changes users' graphs.
PINNED = {
    "grid2d:7,5": "e8ba6564c92796f3",
    "grid3d:4,3,5": "b994659e21a7fd83",
    "stencil27:4,3,5": "7db5e98c4ef45096",
    "stencil27:3,1,2,unknowns=3": "d6a0defe8ca840b3",
    "banded:50,4": "91c030604899c9da",
    "banded:200,9,k=3": "63d47421df5179f0",
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


def same(G: lagcolor.Graph, reference: nx.Graph) -> None:
    """G equals a NetworkX graph, its nodes numbered in their order."""
    number = {v: i for i, v in enumerate(reference)}
    assert G.n == len(number)
    assert edges(G) == {tuple(sorted((number[a], number[b]))) for a, b in reference.edges}
    assert_canonical(G)


def assert_canonical(G: lagcolor.Graph) -> None:
    assert G.indices.dtype == G.indptr.dtype == np.int32
    A = sp.csr_array((np.ones(G.m), G.indices, G.indptr), (G.n, G.n))
    assert A.has_canonical_format, "rows sorted, no duplicates"
    assert (A != A.T).nnz == 0 == A.diagonal().sum(), "symmetric, no self-loops"


# ---- exact families


@pytest.mark.parametrize(("w", "h"), [(1, 6), (5, 3)])
def test_grid2d(w, h):
    same(generate.grid2d(w, h), nx.grid_2d_graph(h, w))


def test_stencil27_with_several_unknowns_per_node():
    """The pattern is of a matrix of full 3 × 3 blocks, one per pair of nodes that are the same or adjacent."""
    nodes, G = generate.stencil27(2, 3, 4), generate.stencil27(2, 3, 4, unknowns=3)
    expected = lagcolor.Graph.of(sp.kron(nodes.to_scipy() + sp.eye_array(nodes.n), np.ones((3, 3))).tocsr())
    assert np.array_equal(G.indptr, expected.indptr) and np.array_equal(G.indices, expected.indices)


@pytest.mark.parametrize("n", [0, 1, 10])
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


# ---- random families


def test_every_family_is_pinned_and_exported():
    assert {spec.partition(":")[0] for spec in PINNED} == set(generate.FAMILIES)
    for name, row in generate.FAMILIES.items():
        assert getattr(generate, name) is row.function
        assert row.summary.endswith(".")
        assert row.source


@pytest.mark.parametrize("spec", PINNED)
def test_same_bytes_for_ever(spec, monkeypatch):
    G = generate.from_spec(spec)
    assert_canonical(G)
    assert digest(G) == PINNED[spec]
    monkeypatch.setattr(common, "CPU_BLOCK", 97)
    assert digest(generate.from_spec(spec)) == PINNED[spec]


def test_threads_change_nothing():
    expected = digest(generate.rmat(15, seed=3))
    with at_most_threads(1):
        assert digest(generate.rmat(15, seed=3)) == expected


@pytest.mark.gpu
@pytest.mark.parametrize("spec", PINNED)
def test_gpu_gives_the_same_bytes(spec):
    G = generate.from_spec(spec, device="cuda")
    assert G.on_gpu
    assert G.on("cuda") is G
    assert digest(G.on("cpu")) == PINNED[spec]


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["rmat:16", "rgg:16", "road:400"])
def test_gpu_equals_cpu_at_size(spec):
    assert digest(generate.from_spec(spec, seed=3, device="cuda").on("cpu")) == digest(generate.from_spec(spec, seed=3))


seeds = st.integers(0, 2**64 - 1)


@given(n=st.integers(0, 60), k=st.integers(2, 9), degree=st.floats(0, 20), clique=st.booleans(), seed=seeds)
def test_planted_properties(n, k, degree, clique, seed):
    if clique and k > n:
        with pytest.raises(lagcolor.OptionError, match="clique"):
            generate.planted(n, k, degree, clique=clique, seed=seed)
        return
    G = generate.planted(n, k, degree, clique=clique, seed=seed)
    assert_canonical(G)
    label = common.permutation(np, n, seed, 0)
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

    G = generate.rgg(scale, radius, sort=sort, seed=seed)
    assert_canonical(G)
    x, y = networks._points(np, G.n, sort, seed)
    reach = 0.55 * np.sqrt(np.log(G.n) / G.n) if radius is None else radius
    near = np.hypot(x[:, None] - x, y[:, None] - y)
    u, v = np.nonzero(np.triu(near <= reach, 1))
    border = np.abs(near[u, v] - reach) < 1e-12  # the last bit of a distance may fall either way
    got = edges(G)
    assert got >= {(int(a), int(b)) for a, b in zip(u[~border], v[~border], strict=True)}
    assert all(near[a, b] <= reach + 1e-12 for a, b in got)


# ---- names and wrong parameters


def test_from_spec_reads_places_names_and_seeds():
    expected = digest(generate.kron_g500(8, 16, seed=3))
    for spec in (
        "kron_g500:8,16,seed=3",
        " kron_g500 : 8 , edge_factor = 16 , seed = 3",
        "kron_g500:scale=8,edge_factor=16,seed=3",
    ):
        assert digest(generate.from_spec(spec)) == expected
    assert digest(generate.from_spec("kron_g500:8,16", seed=3)) == expected
    assert digest(generate.from_spec("grid2d:1_0,height=none")) == digest(generate.grid2d(10))
    assert generate.from_spec("uniform:1e3,2").n == 1000
    assert generate.from_spec("path:2**10").n == 1024
    assert generate.family("rgg").make(["6", "sort=morton"], seed=2).n == 64
    for spec in [*generate.SUITE_H200.values(), *generate.SUITE_CPU.values()]:
        name, _, arguments = spec.partition(":")
        assert generate.family(name).parse(arguments.split(","))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nosuch:3", "unknown family 'nosuch'; there are: .*rmat"),
        ("rmat", "rmat needs scale"),
        ("rmat:x", "rmat: scale must be a whole number, not 'x'"),
        ("rmat:1e999", "whole number"),
        ("rmat:8,a=nan", "a must be a number from 0 to 1"),
        ("rmat:8,a=0.9,b=0.2", "at most 1"),
        ("rmat:8,permute=perhaps", "true or false"),
        ("rmat:8,nosuch=1", "no parameter 'nosuch'; it has: scale"),
        ("rmat:8,device=cuda", "no parameter 'device'"),
        ("rmat:8,scale=8", "scale is given twice"),
        ("rmat:edge_factor=8,8", "without a name follows"),
        ("rmat:8,8,.4,.1,.1,1", "takes 2 values by place"),
        ("rmat:31", "scale must be a whole number from 0 to 30"),
        ("rmat:8,seed=-1", "seed must be"),
        ("grid2d:0", "width must be a whole number from 1"),
        ("grid2d:50000", "2,500,000,000 vertices"),
        ("grid2d:3,seed=1", "no parameter 'seed'"),
        ("erdos_renyi:10", "either p=.* or m="),
        ("erdos_renyi:10,p=1.5", "p must be a number from 0 to 1"),
        ("erdos_renyi:10,m=46", "m must be a whole number from 0 to 45"),
        ("planted:4,5,clique=true", "a clique over k = 5 classes needs as many vertices, and n is 4"),
        ("barabasi_albert:10,0", "k must be"),
        ("barabasi_albert:2e9,2", "draws"),
        ("rgg:10,sort=hilbert", "sort must be 'cells', 'morton' or None, not 'hilbert'"),
        ("rgg:10,radius=-1", "radius"),
        ("delaunay:1", "scale must be a whole number from 2"),
        ("road:10,bends=0", "bends"),
        ("road:10,keep=2", "keep"),
        ("social:100,exponent=1", "exponent"),
        ("cycle:2", "n must be a whole number from 3"),
        ("complete_bipartite:2e9,2e9", "vertices"),
    ],
)
def test_wrong_specs_say_what_is_wrong(spec, message):
    with pytest.raises(lagcolor.OptionError, match=message):
        generate.from_spec(spec)


def test_seed_passed_twice_or_to_a_fixed_graph():
    for name in ("seed", "rng"):
        with pytest.raises(lagcolor.OptionError, match=f"have seed 1, and {name}(=2)? is given, too: leave one"):
            generate.from_spec("rmat:8,seed=1", **{name: 2})
        with pytest.raises(lagcolor.OptionError, match=f"takes no {name}"):
            generate.from_spec("path:8", **{name: 2})


def test_pair_at_the_far_end():

    ends = np.array([0, 1, 2, 3, 2**31 * (2**31 - 1) // 2 - 1, 2**30 * (2**30 - 1) // 2, 2**30 * (2**30 - 1) // 2 - 1])
    i, j = _pair(np, ends)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [
        (1, 0), (2, 0), (2, 1), (3, 0), (2**31 - 1, 2**31 - 2), (2**30, 0), (2**30 - 1, 2**30 - 2)
    ]  # fmt: skip
