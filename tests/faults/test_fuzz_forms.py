"""Random graphs in each form that other packages write, under any extension: the same graph or an error.

Forms that nothing tells from edges are left out, such as numbers of columns, "0,1", above edges: files.md names them.
"""

from __future__ import annotations

import io as stdio
import json
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import rustworkx as rx
import scipy.io
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import lagcolor
from lagcolor import Graph, Pattern, io
from lagcolor.base.errors import LagcolorError

Edges = frozenset[frozenset[Any]]
EXTENSIONS = [ending for row in io.FORMATS.values() for ending in row.extensions if row.name not in ("egr", "npz")]
NAMES: list[Callable[[int], Any]] = [
    lambda v: v, lambda v: v + 1, lambda v: 7 * v + 1, lambda v: 1000003 * v, lambda v: f"v{v}", lambda v: f"a-{v}",
    lambda v: "uvwxyzijabcde"[v], lambda v: f"New York {v}", lambda v: f"Smith, Al {v}", lambda v: (v // 3, v % 3),
    lambda v: f"ex:{v}", lambda v: v + 0.5, lambda v: f'"{v}"',
]  # fmt: skip
MARKS = [" ", "\t", ",", ";", "|", ", "]


def drawn(r: random.Random) -> nx.Graph:
    """A small graph, its nodes in any order."""
    n = r.randrange(3, 9)
    G = r.choice([
        nx.complete_graph(n), nx.cycle_graph(n), nx.path_graph(n), nx.star_graph(n), nx.petersen_graph(),
        nx.complete_bipartite_graph(2, n - 2), nx.circular_ladder_graph(4), nx.random_labeled_tree(n, seed=n),
        nx.gnm_random_graph(n, r.randrange(1, 2 * n), seed=r.randrange(10**6)),
    ])  # fmt: skip
    G = nx.Graph(G)
    return nx.relabel_nodes(G, dict(zip(G, r.sample(list(G), len(G)), strict=True))) if r.random() < 0.5 else G


def listed(G: nx.Graph, r: random.Random) -> list[tuple[Any, Any]]:
    """The edges, in any order and direction, or in both."""
    both = [*G.edges, *((v, u) for u, v in G.edges)]
    return r.choice([list(G.edges), r.sample(list(G.edges), len(G.edges)), [e[::-1] for e in G.edges], both])


def of(write: Callable[[Any], object]) -> str:
    out = stdio.BytesIO()
    write(out)
    return out.getvalue().decode()


def lines(rows: Any, mark: str = " ", end: str = "\n") -> str:
    return "".join(mark.join(map(str, row)) + end for row in rows)


def table(pairs: list[Any], mark: str, r: random.Random, *values: Any) -> str:
    """Return a table as pandas writes it; column names without numbers could be an edge."""
    frame = pd.DataFrame([(*map(cell, e), *values) for e in pairs])
    names = r.choice([("source", "target"), ("from", "to"), ("u", "v"), ("who", "whom")])
    frame.columns = pd.Index([*names, "w"][: frame.shape[1]])
    return str(frame.to_csv(sep=mark[0], index=r.random() < 0.5, header=r.random() < 0.7))


def cell(x: Any) -> Any:
    return x if isinstance(x, int | float) else str(x)


def edge_lists(G: nx.Graph, r: random.Random) -> Iterator[str]:
    """Edges of named nodes, with a separator and perhaps more."""
    mark, E = r.choice(MARKS), listed(G, r)
    w = nx.Graph()
    w.add_weighted_edges_from([(u, v, r.choice([1, 2, 0.5, 7])) for u, v in G.edges])
    yield of(lambda o: nx.write_edgelist(w, o, delimiter=mark, data=r.random() < 0.5))
    yield of(lambda o: nx.write_multiline_adjlist(w, o, delimiter=mark))
    yield of(lambda o: nx.write_weighted_edgelist(w, o, delimiter=mark))
    yield of(lambda o: nx.write_adjlist(G.to_directed(), o, delimiter=mark))
    yield table(E, mark, r)
    yield table(E, mark, r, r.choice([1, 0.5]))
    yield r.choice(["", "\ufeff"]) + lines(E, mark, r.choice(["\n", "\r\n", mark.strip() + "\n", "\r"]))
    yield f"Id{mark}Source{mark}Target\n" + lines([(k, *e) for k, e in enumerate(E)], mark)
    yield f"Source{mark}Target{mark}Type{mark}Weight\n" + lines([(*e, "Undirected", 1) for e in E], mark)
    yield lines([(k, *e) for k, e in enumerate(E)], mark)
    yield lines([[f'"{u}"', f'"{v}"'] for u, v in E], mark)
    for counts in ((len(G), len(E)), (len(E), len(G)), (len(G), len(G), len(E)), (len(G),)):
        numbers = {u for u in G if isinstance(u, int)}  # a count that is a name, too, may be an end
        if not set(counts) & numbers or max(numbers) <= len(G):
            yield lines([counts, *E], mark)
            yield lines([counts, *((*e, r.randrange(1, 5)) for e in E)], mark)
    yield f"# Nodes: {len(G)} Edges: {len(E)}\n# FromNodeId\tToNodeId\n" + lines(E, "\t")
    yield f"% sym unweighted\n% {len(E)} {len(G)} {len(G)}\n" + lines(E)
    yield lines([(f"{u}:", *G[u]) for u in G], mark)
    yield "".join(f"{u} {i}\n" for i, u in enumerate(G)) + "#\n" + lines(nx.convert_node_labels_to_integers(G).edges)
    word = r.choice(["pp", "--"])
    yield lines([(u, word, v) for u, v in E])
    yield str(E)


def matrices(G: nx.Graph, r: random.Random) -> Iterator[str]:
    mark, form = r.choice(MARKS), r.choice(["%d", "%.18e", "%g"])
    A = nx.to_numpy_array(G, dtype=int)
    index = np.array(nx.convert_node_labels_to_integers(G).edges)
    full = nx.incidence_matrix(G).toarray().astype(int)
    frame = nx.to_pandas_adjacency(G, dtype=r.choice([int, float]))
    for B in (A, 7 * A, np.triu(A), index, index + 1, full):
        if len(B) > 2 and (B is index or B.shape[1] > 2):
            yield of(lambda o: np.savetxt(o, B, fmt=form, delimiter=mark))  # noqa: B023
    yield of(lambda o: np.savetxt(o, A, form, mark, header=mark.join(map(str, G)), comments=r.choice(["", "# "])))
    yield str(frame.to_csv(sep=mark[0], index=r.random() < 0.5))
    yield str(A)


def formats(G: nx.Graph, r: random.Random) -> Iterator[str]:
    """Formats of vertices with numbers, and what they are like with a part left out."""
    H, n, m = nx.convert_node_labels_to_integers(G, 1), len(G), G.number_of_edges()
    S, K = nx.relabel_nodes(G, lambda v: str(v).replace(" ", "_")), nx.to_scipy_sparse_array(G, dtype=int)
    for write in (nx.write_graphml, nx.write_gexf, nx.write_gml, nx.write_pajek):
        yield of(lambda o: write(S, o))  # noqa: B023
    yield of(lambda o: nx.write_graph6(H, o))
    yield of(lambda o: nx.write_sparse6(H, o))
    for data in (nx.node_link_data(S), nx.to_dict_of_lists(S), list(S.edges), K.toarray().tolist()):
        yield json.dumps(data, indent=r.choice([None, 2]))
    g = igraph.Graph([(u - 1, v - 1) for u, v in H.edges], vertex_attrs={"name": list(S)})
    g.es["weight"] = [r.choice([1, 2, 0.5]) for _ in g.es]
    no_comma = "," not in "".join(map(str, S))  # else "# a,b" may name two columns
    for name in ("edgelist", "ncol", *["lgl"] * no_comma, "dot"):
        getattr(g, f"write_{name}")("t")
        yield Path("t").read_text()
    field, symmetry = r.choice(["pattern", "integer", "real", "complex"]), r.choice(["general", "symmetric"])
    yield of(lambda o: scipy.io.mmwrite(o, K.tocoo(), field=field, symmetry=symmetry))
    yield of(lambda o: scipy.io.mmwrite(o, K.toarray(), field="integer", symmetry=symmetry))
    for p in ("edge", "col", "band", "sp", "tw", "graph"):
        head = f"c a comment\np {p} {n} {m}\n"
        yield head + lines([("e", *e) for e in H.edges])
        yield head + lines([("e", *e, r.randrange(1, 5)) for e in H.edges])
        yield head + lines(H.edges)
    for fmt in ("", "1", "10", "11", "010", "011", "100"):
        size, edge = fmt.zfill(3)[:2].count("1"), fmt.endswith("1")
        rows = [[r.randrange(1, n)] * size + [x for v in H[u] for x in [v, r.randrange(1, 9)][: 1 + edge]] for u in H]
        yield f"{n} {m} {fmt}\n" + lines(rows)
        if not fmt:
            yield f"{n} {m}\n" + lines(rows)
    if m != n:
        yield f"{m} {n}\n" + lines(H.edges)
    yield f"{m} {n} 1\n" + lines([(r.randrange(1, n), *e) for e in H.edges])


def found(G: Any) -> Edges:
    """The edges of a Graph, or the entries of a Pattern, by name."""
    rows = list(range(G.rows)) if G.labels is None else G.labels
    columns = rows if isinstance(G, Graph) else G.column_labels or range(G.columns)
    i = np.repeat(np.arange(G.rows), np.diff(G.indptr)).tolist()
    return frozenset(frozenset((rows[u], columns[v])) for u, v in zip(i, G.indices.tolist(), strict=True))


def wanted(G: nx.Graph) -> list[Edges]:
    """The edges of a graph by name, and by numbers from 0 or 1 on."""
    number = {u: i for i, u in enumerate(G)}
    names: list[Callable[[Any], Any]] = [
        lambda u: u, str, repr, lambda u: str(u).strip('"'), lambda u: str(u).replace(" ", "_"),
        lambda u: str(float(u)), lambda u: int(u.strip('"')), lambda u: u - 1, lambda u: number[u],
        lambda u: number[u] + 1,
    ]  # fmt: skip
    out = []
    for name in names:
        try:
            out.append(frozenset(frozenset(map(name, e)) for e in G.edges if e[0] != e[1]))
        except (AttributeError, TypeError, ValueError):
            continue
    return out


@example(seed=280380)  # an incidence matrix of a path whose first two columns have no edge in common
@given(seed=st.integers(0, 2**32))
def test_files(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    r = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", lagcolor.NumberingWarning)
        patch.chdir(tmp_path_factory.mktemp("forms"))
        G = drawn(r)
        G = nx.relabel_nodes(G, r.choice(NAMES))
        right = wanted(G)
        for forms in (edge_lists, matrices, formats):
            for text in forms(G, r):
                path = Path(f"g{r.choice(['.txt', '.csv', *EXTENSIONS])}")
                if forms is edge_lists and path.suffix in (".graph", ".metis"):
                    continue  # a triangle below its counts may have self-loops, which the reader of METIS drops
                path.write_bytes(text.encode())
                try:
                    read = found(io.read(path))
                except LagcolorError as e:
                    assert path.name in str(e)
                    continue
                assert read in right, f"{path} {text!r} is read as {set(map(tuple, read))}"


def containers(G: nx.Graph, problem: str) -> Iterator[Any]:
    """A graph in memory, as NetworkX, igraph, rustworkx, SciPy, NumPy, pandas and Python hold it."""
    H, E, M = nx.convert_node_labels_to_integers(G), list(G.edges), nx.MultiGraph(G)
    yield from (G, M, G.to_directed(), nx.DiGraph(E), G.adj, G.adjacency(), G.nodes, G.degree)
    yield from (G.edges, G.edges(data=True), M.edges(keys=True), nx.DiGraph(E).in_edges, {u: set(G[u]) for u in G})
    yield from (tuple(E), set(E), iter(E), set(map(frozenset, E)), [(*e, 0.5) for e in E], [[*e, 3] for e in E])
    yield from ([{"source": u, "target": v} for u, v in E], [f"{u} {v}" for u, v in E], dict.fromkeys(E, 1.5))
    if problem != "columns" and len(E) > 1:  # of a matrix, each has the columns of a row
        yield from (dict(enumerate(E, 1)), json.loads(json.dumps(nx.to_dict_of_lists(H))))
    yield from (
        {"source": [u for u, _ in E], "target": [v for _, v in E]},
        nx.node_link_data(G),
        nx.generate_adjlist(G),
    )
    neighbors = [list(H[v]) for v in H]
    yield from (neighbors, list(map(set, neighbors)), [[v + 1 for v in row] for row in neighbors])
    yield from (list(map(np.array, neighbors)), [(v, *H[v]) for v in H], nx.to_dict_of_lists(G).items())
    a, A = np.array(list(H.edges)), nx.to_numpy_array(H, dtype=int)
    yield from (a.tolist(), tuple(a.T), a.astype(object), np.array([(str(u), str(v)) for u, v in E]))
    if len(a) > 3:  # 2 × 2 numbers, and the ends of three edges, have other readings
        yield from (a, a.T, a + 1, np.concatenate([a, a[:, ::-1]]), list(zip(*E, strict=True)), pd.DataFrame(a.T))
        if problem != "columns":  # which takes floats for a matrix
            yield from (a.astype(float), a.T.astype(float))
    yield from (A, A.tolist(), dict(enumerate(A)), list(A), np.triu(A), A.astype(bool), 7 * A)
    yield from (np.where(A, A, np.inf), np.where(A, A, np.nan), np.ma.masked_equal(A, 0), A.astype(object))
    yield from (sp.csr_array(A), sp.lil_array(A), sp.triu(A), dict(sp.dok_array(A).items()), sp.coo_array(A).coords)
    yield from (np.argwhere(A), sp.lil_array(A).rows)
    columns = pd.DataFrame([tuple(map(cell, e)) for e in E], columns=["source", "target"])
    yield from (columns, columns.assign(w=1), columns.set_index("source"), pl.from_pandas(columns), columns.to_numpy())
    yield from (nx.to_pandas_adjacency(G), nx.to_pandas_adjacency(G, dtype=int).reset_index(), pl.DataFrame(A))
    g, g2 = igraph.Graph([*H.edges]), rx.PyGraph()
    g2.add_nodes_from(list(G))
    g2.extend_from_edge_list(list(H.edges))
    yield from (g, g.es, g.vs, g.get_edgelist(), g.get_adjlist(), g.get_adjacency(), g.get_adjacency_sparse())
    yield from (g2, g2.edge_list(), g2.weighted_edge_list(), g2.edge_index_map(), g2.node_indices())


READERS: dict[str, Callable[[Any], Any]] = {
    "distance1": Graph.of, "columns": Pattern.of,
    "edges": lambda x: lagcolor.color(x, problem="edges", quality="fast").graph,
}  # fmt: skip


@pytest.mark.parametrize("problem", READERS)
@given(seed=st.integers(0, 2**32))
def test_objects(problem: str, seed: int) -> None:
    r = random.Random(seed)
    G = drawn(r)
    G = nx.relabel_nodes(G, r.choice([name for name in NAMES if name(1) != 1.5]))
    right, good = wanted(G), 0
    for k, x in enumerate(containers(G, problem)):
        if problem == "edges" and r.random() < 0.7:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lagcolor.NumberingWarning)
            try:
                read = found(READERS[problem](x))
            except LagcolorError:
                continue
        assert read in right, f"container {k}, {type(x)}, of {list(G.edges)} is read as {set(map(tuple, read))}"
        good += 1
    assert good > 3 * (problem != "edges")  # because it leaves out most containers
