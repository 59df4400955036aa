"""Pictures: what is drawn is what the coloring says; layouts are legible; wrong input is refused."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
from corpus import random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import generate, plot
from lagcolor.api.result import Coloring
from lagcolor.plot.drawing import layout
from lagcolor.plot.series import bin_names, degree_bins

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402


def axes():
    return Figure().subplots()


def colored(G, colors) -> Coloring:
    return Coloring(np.array(colors, np.int32), G, "by hand", "natural")


def drawn(ax) -> tuple[np.ndarray, list[str]]:
    """Positions and hues of the vertices of a drawing."""
    points = ax.collections[1]
    return np.asarray(points.get_offsets()), [to_hex(c) for c in points.get_facecolors()]


# ---- class sizes


def test_a_bar_a_color():
    ax = plot.class_sizes(colored(generate.path(6), [0, 1, 0, 1, 0, 2]), ax=axes())
    assert [bar.get_height() for bar in ax.patches] == [3, 2, 1]
    assert ax.get_title(loc="left") == "3 colors, 6 vertices"
    assert ax.get_yscale() == "linear"


class DevNull:
    def write(self, b):
        return len(b)

    def flush(self): ...


# ---- drawings


@pytest.mark.parametrize("k", [2, 8, 9, 40])
def test_vertices_of_a_color_share_a_hue_and_others_do_not(k):
    G = generate.clique(k)
    _, hues = drawn(plot.graph(colored(G, list(range(k))), ax=axes()))
    assert len(set(hues)) == k
    assert to_hex("white") not in hues


def test_numbers_are_in_the_vertices_and_uncolored_ones_are_white():
    ax = plot.graph(colored(generate.path(4), [0, 1, 0, -1]), ax=axes())
    _, hues = drawn(ax)
    assert hues[0] == hues[2] != hues[1]
    assert hues[3] == to_hex("white")
    assert [t.get_text() for t in ax.texts] == ["0", "1", "0", ""]


def test_every_edge_is_drawn_once_between_its_ends():
    G = generate.queen(4)
    pos = np.random.default_rng(3).random((16, 2))
    ax = plot.graph(lagcolor.color(G), pos, ax=axes())
    assert (drawn(ax)[0] == pos).all()
    u = np.repeat(np.arange(G.n), np.diff(G.indptr))
    expected = {(tuple(pos[a]), tuple(pos[b])) for a, b in zip(u, G.indices, strict=True) if a < b}
    segments = ax.collections[0].get_segments()
    assert len(segments) == G.n_edges
    assert {(tuple(a), tuple(b)) for a, b in segments} == expected


def test_positions_by_label():
    nx = pytest.importorskip("networkx")
    H = nx.Graph([("a", "b"), ("b", "c")])
    pos = {"a": (0, 0), "b": (1, 2), "c": (3, 1)}
    ax = plot.graph(lagcolor.color(H), pos, ax=axes())
    assert drawn(ax)[0].tolist() == [[0, 0], [1, 2], [3, 1]]
    with pytest.raises(lagcolor.OptionError, match="pos lacks 1 of 3 vertices, the first 'c'"):
        plot.graph(lagcolor.color(H), {"a": (0, 0), "b": (1, 2)}, ax=axes())


def test_labels():
    """Below the vertices, next to the numbers of colors; nothing of them is read as mathematics."""
    c = lagcolor.color([("a$^", "b"), ("b", "c_$")], order="natural")
    numbers = [str(k) for k in c.colors]
    for labels, expected in (
        (None, []),
        (False, []),
        (True, ["a$^", "b", "c_$"]),
        ({"b": "B", "c_$": 7}, ["", "B", "7"]),
        (("x", "y", "z"), ["x", "y", "z"]),
        (np.array([1.5, 2, 3]), ["1.5", "2.0", "3.0"]),
    ):
        ax = plot.graph(c, ax=axes(), labels=labels)
        ax.figure.savefig(DevNull(), format="png")
        assert [t.get_text() for t in ax.texts] == numbers + expected
    at, _ = drawn(ax)
    assert [tuple(t.xy) for t in ax.texts[3:]] == [tuple(xy) for xy in at]
    ax = plot.graph(lagcolor.color(generate.path(2)), ax=axes(), labels=True)
    assert [t.get_text() for t in ax.texts[2:]] == ["0", "1"]
    with pytest.raises(lagcolor.OptionError, match="labels must be 3 texts, one for each vertex, and these are 2"):
        plot.graph(c, ax=axes(), labels=["x", "y"])
    with pytest.raises(lagcolor.OptionError, match="labels: there is no vertex 'B'; keys are the labels of the graph"):
        plot.graph(c, ax=axes(), labels={"B": "b"})
    for wrong, kind in ((1, "int"), ({"x", "y", "z"}, "set")):
        with pytest.raises(lagcolor.OptionError, match=f"labels must be True, .* not of type {kind}"):
            plot.graph(c, ax=axes(), labels=wrong)


# ---- layout


@given(n=st.integers(0, 40), m=st.integers(0, 80), seed=st.integers(0, 10**6))
def test_layout_is_finite_repeatable_and_keeps_vertices_apart(n, m, seed):
    G = random_graph(n, m, seed)
    at = layout(G)
    assert at.shape == (n, 2)
    assert np.isfinite(at).all()
    assert (at == layout(G)).all()
    apart = np.hypot(*(at[:, None] - at).transpose(2, 0, 1))[np.triu_indices(n, 1)]
    assert (apart > 0.02).all()


# ---- summary


def test_summary_shows_names_sizes_and_bounds(tmp_path):
    mesh, queens = generate.delaunay(8), generate.queen(6)
    rows = {
        "mesh_$1-a": [lagcolor.color(mesh, "greedy", o) for o in ("natural", "largest_first")],
        "queens": lagcolor.color(queens),
    }
    matplotlib.rcParams["svg.fonttype"] = "none"
    plot.summary(rows, tmp_path / "s.svg", at_least={"queens": 6})
    text = (tmp_path / "s.svg").read_text()
    best = min(rows["mesh_$1-a"], key=lambda c: c.n_colors)
    for shown in (
        "mesh_$1-a", "queens", "36 vertices, 290 edges", "clique = 6", "degeneracy + 1 = ", "Δ + 1 = 20",
        "greedy, natural", "greedy, largest_first", f"color ({best.algorithm}, {best.order})",
    ):  # fmt: skip
        assert shown in text
    assert text.count("clique = ") == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "s.svg"]


def test_wrong_summaries_leave_no_file(tmp_path):
    c = lagcolor.color(generate.path(3))
    with pytest.raises(lagcolor.OptionError, match="at least one coloring"):
        plot.summary({}, tmp_path / "s.png")
    with pytest.raises(lagcolor.OptionError, match="at least one coloring"):
        plot.summary({"a": []}, tmp_path / "s.png")
    with pytest.raises(lagcolor.OptionError, match=r"s\.doc.* must be one of .*png"):
        plot.summary({"a": c}, tmp_path / "s.doc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", ["gunrock_hash", "luby_is"])
def test_rounds_equal_the_trace(code):
    c = lagcolor.color(generate.rgg(9), code, trace=True)
    ax = plot.rounds(c, ax=axes())
    drawn = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert drawn["colored"] == [row["colored"] for row in c.trace]
    assert drawn["active"] == [row["active"] for row in c.trace]
    assert ("conflicts" in drawn) == any(row["conflicts"] for row in c.trace)
    assert sum(drawn["colored"]) == 512
    with pytest.raises(lagcolor.OptionError, match="color with trace=True"):
        plot.rounds(lagcolor.color(generate.rgg(6)), ax=axes())
    assert not plot.rounds(lagcolor.color([], code, n=0, trace=True), ax=axes()).lines


def test_degrees_are_bars():
    ax = plot.degrees(generate.star(20), ax=axes())
    heights = [bar.get_height() for bar in ax.patches]
    assert (heights[0], heights[-1], sum(heights)) == (19, 1, 20)
    hubs = lagcolor.generate.from_spec("rmat:9")
    assert sum(bar.get_height() for bar in plot.degrees(hubs, ax=axes()).patches) == hubs.n
    assert [t.get_text() for t in ax.get_xticklabels()][-1] == "19"
    low = [low for low, _ in degree_bins(generate.star(1000))]
    assert bin_names(low)[:8] == ["1", "2", "3", "4", "5", "6+", "8+", "10+"] and bin_names(low)[-1].endswith("+")
    assert low[-1] <= 999 < low[-1] * 1.3 and all(b - a <= max(1, a / 3) for a, b in itertools.pairwise(low))


def test_what_cannot_be_drawn_is_reported():
    empty = lagcolor.color(generate.path(0))
    for draw in (plot.class_sizes, plot.graph, lambda c, ax: plot.degrees(c.graph, ax=ax)):
        draw(empty, ax=axes()).figure.savefig(DevNull(), format="png")  # nothing can be
    wide = lagcolor.derivatives.jacobian(np.eye(2, 401))
    with pytest.raises(lagcolor.OptionError, match=r"400 rows and columns at most, and this matrix is \(2, 401\)"):
        plot.compression(wide)
    with pytest.raises(lagcolor.OptionError, match=r"up to 2,000 vertices, and this graph has 2,001"):
        plot.graph(lagcolor.color(generate.path(2001)), ax=axes())
    with pytest.raises(lagcolor.OptionError, match=r"is of a pattern: use plot\.compression"):
        plot.graph(lagcolor.color(lagcolor.Pattern.of(np.eye(3)), problem="columns"), ax=axes())


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_saved_figure_opens_and_says_its_note(ending, tmp_path):
    file = tmp_path / f"f.{ending}"
    figure = plot.class_sizes(lagcolor.color(generate.path(3)), ax=axes()).figure
    plot.save(figure, file, note="seen from afar")
    data = file.read_bytes()
    assert data.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    assert (b"seen from afar" in data) == (ending != "pdf")
    if ending == "svg":
        assert b"</text>" in data  # text as text
    with pytest.raises(lagcolor.OptionError, match=r"f\.doc.* must be one of"):
        plot.save(figure, tmp_path / "f.doc")
    assert list(tmp_path.iterdir()) == [file]


def test_without_matplotlib_the_extra_is_named(monkeypatch, tmp_path):
    c = lagcolor.color(generate.path(3))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (
        lambda: plot.class_sizes(c),
        lambda: plot.graph(c),
        lambda: plot.summary({"a": c}, tmp_path / "a.png"),
        lambda: plot.degrees(c.graph),
    ):
        with pytest.raises(lagcolor.LagcolorError, match=r"pip install 'lagcolor\[plot\]'"):
            draw()


@pytest.mark.gpu
def test_colors_on_the_gpu_are_drawn(tmp_path):
    c = lagcolor.color(generate.grid2d(6, device="cuda"))
    plot.class_sizes(c, ax=axes())
    plot.graph(c, ax=axes())
    plot.summary({"grid": c}, tmp_path / "s.png")
    assert (tmp_path / "s.png").stat().st_size > 1000
