"""What samples of a graph on a GPU tell: the same as on a CPU, and odd cycles where there are short ones."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import EMULATED

import lagcolor
from lagcolor.engines.improve import survey
from lagcolor.engines.improve.mesh import is_mesh
from lagcolor.engines.improve.twins import has_twins
from lagcolor.generate import from_spec
from lagcolor.graph.two_colors import bipartite

ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
ODD = ("clique 5", "clique 70", "rmat:9", "delaunay:9", "uniform:3000,8", "cycle:9", "cycle:23")
EVEN = ("path", "star", "crown", "complete bipartite", "grid2d:40", "cycle:24", "cycle:400", "cycle:401")


def named(name: str) -> lagcolor.Graph:
    return from_spec(name) if ":" in name else graph(name)


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [*ODD, *EVEN])
def test_odd_cycles(on: str, name: str) -> None:
    """Short ones are found; a cycle of 401 is longer than a ball is wide."""
    G = named(name)
    seen = survey.survey(G.on("cuda"))
    assert seen.odd == (name in ODD)
    assert not seen.odd or bipartite(G) is None


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n])
def test_it_sees_what_a_cpu_sees(on: str, name: str) -> None:
    G = graph(name)
    for H in (G, lagcolor.Graph(G.indptr.astype(np.int64), G.indices)):
        seen = survey.survey(H.on("cuda"))
        assert (seen.mesh, seen.twins) == (is_mesh(G), has_twins(G))
        assert not seen.odd or bipartite(G) is None


@pytest.mark.parametrize("on", ON)
def test_the_row_of_a_vertex_in_the_middle(on: str) -> None:
    for spec, row in (("grid2d:40", (-40, -1, 1, 40)), ("banded:90,3", (-3, -2, -1, 1, 2, 3)), ("clique:70", ())):
        assert survey.survey(from_spec(spec).on("cuda")).row == row
