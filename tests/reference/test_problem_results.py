"""What a result says and saves, in particular of another problem than distance 1."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from corpus import graph
from derivative_cases import RECTANGULAR

import lagcolor


def by_columns() -> lagcolor.Coloring:
    B = nx.Graph()
    B.add_nodes_from("ab", bipartite=0)
    B.add_nodes_from("xyz", bipartite=1)
    B.add_edges_from([("a", "x"), ("a", "y"), ("b", "z")])
    return lagcolor.color(lagcolor.Pattern.of(B), problem="columns", verify=True)


def test_colors_of_columns_have_the_columns_labels(tmp_path: Path) -> None:
    result = by_columns()
    assert result.to_dict() == {"x": 0, "y": 1, "z": 0}
    assert result.row_colors is None and result.column_colors.tolist() == [0, 1, 0]
    result.save(tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text() == "vertex,color\nx,0\ny,1\nz,0\n"
    result.save(tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["colors"] == {"x": 0, "y": 1, "z": 0}
    facts = {"problem": "columns", "rows": 2, "columns": 3, "entries": 3}
    assert {key: document[key] for key in facts} == facts


def test_a_result_says_its_problem() -> None:
    result = by_columns()
    assert "2 colors for 2 rows, 3 columns and 3 entries, columns," in repr(result)
    assert "<th>problem</th><td>columns</td>" in result._repr_html_()
    assert result.verified and lagcolor.verify(result.graph, result).ok
    assert "2 colors for 10 vertices and 9 edges, auto, balanced" in repr(lagcolor.color(lagcolor.generate.path(10)))


def test_colors_of_rows() -> None:
    result = lagcolor.color(RECTANGULAR["tall"], problem="rows")
    assert result.column_colors is None and result.row_colors is result.colors and len(result) == 60
    offsets, rows = result.groups()
    assert offsets[-1] == 60 and sorted(rows.tolist()) == list(range(60))


def test_several_orders_keep_the_fewest_colors() -> None:
    G = graph("rmat")
    names = ("natural", "largest_first", "smallest_last")
    each = {name: lagcolor.color(G, order=name).n_colors for name in names}
    result = lagcolor.color(G, order=names)
    assert result.n_colors == min(each.values())
    assert {row["name"]: row["colors"] for row in result.notes["tried"]} == each
    assert result.order == next(name for name in names if each[name] == result.n_colors)
    same = lagcolor.color(G, order=tuple(np.arange(G.n).tolist()))  # numbers are priorities
    assert (same.colors == lagcolor.color(G, order=np.arange(G.n)).colors).all() and same.order == "user"
    one, several = (lagcolor.color(G, order=order, seed=None) for order in ("smallest_last", ("smallest_last",)))
    assert (several.order, several.seed, several.colors.tolist()) == (one.order, one.seed, one.colors.tolist())
    assert lagcolor.color(G, "ipgc", order=("natural",)).order == "natural"
    with pytest.raises(lagcolor.OptionError, match="ipgc reads no order"):
        lagcolor.color(G, "ipgc", order=("natural", "random"))


def test_a_coloring_checks_itself() -> None:
    G = graph("rmat")
    result = lagcolor.color(G, verify=False)
    assert not result.verified
    assert result.verify().n_colors == result.n_colors and result.verified
    assert lagcolor.verify(G, result).ok
    result.colors[int(G.indices[0])] = result.colors[np.searchsorted(G.indptr, 0, side="right") - 1]
    with pytest.raises(lagcolor.ColoringError, match="conflicting"):
        result.verify()
