"""A cluster on Dask: the colors of sequential first-fit, whatever is lost; and what is said of what cannot be done."""

from __future__ import annotations

import errno
import functools
import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import pytest
from dask_cases import Unreliable, edges_of, shards, wanted

import lagcolor
from lagcolor.scale.dask import board, call, cluster, files, held, memory, rows, shuffle, sources, tasks
from lagcolor.scale.dask.run import Plan, Run
from lagcolor.scale.keys import AT_DISTANCE_1

NAMES = [name for name in corpus.CORPUS if name not in ("clique 1100", "empty")]


def color(edges: Any, made: Any = None, **more: Any) -> Any:
    """`lagcolor.scale.dask.color` on a cluster of this process."""
    made = made or Unreliable()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call, "Cluster", lambda client: made)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lagcolor.NumberingWarning)
            return lagcolor.scale.dask.color(edges, **more)


@functools.cache
def plain(name: str, order: str, seed: int | None) -> list[int]:
    """What is wanted, once."""
    return wanted(name, order, seed)


@pytest.mark.parametrize("order", AT_DISTANCE_1)
def test_the_colors_of_first_fit(order: str, tmp_path: Path) -> None:
    for i, name in enumerate(NAMES):
        if (i + AT_DISTANCE_1.index(order)) % 3:  # each order on a third of them, each of them in a third of the orders
            continue
        seed = None if order in ("natural", "largest_first") and i % 2 else 3
        edges = shards(tmp_path / str(i), edges_of(name, i), 1 + i % 4) if len(edges_of(name, i)) else None
        if edges is None:
            continue
        parts = 2 if "clique" in name else (1, 2, 3, 7)[(i // 2 + len(order)) % 4]
        made = Unreliable(None if i % 3 == 0 else i)
        more = {"n": corpus.CORPUS[name][0], "core": (None, 0, 40)[i % 3], "trace": True}
        result = color(edges, made, order=order, seed=seed, parts=parts, **more)
        assert result.colors.tolist() == plain(name, order, seed), (name, order, parts)
        assert result.verified and result.rounds == len(result.trace)
        assert result.class_sizes.tolist() == np.bincount(result.colors).tolist()
        assert sum(row["bytes"] for row in result.trace) == result.notes["bytes"]
        if made.reliable:
            assert result.notes["built"] == result.notes["parts"] == parts
            assert result.notes["recomputed"] == 0


def rmat() -> tuple[np.ndarray, list[int]]:
    """Edges, and the colors of the default."""
    return edges_of("rmat"), plain("rmat", "largest_first_spread", 0)


def test_the_colors_of_color(tmp_path: Path) -> None:
    """With nothing said those of `lagcolor.color` with nothing said."""
    edges, expected = rmat()
    result = color(shards(tmp_path / "edges", edges), parts=5)
    one = lagcolor.color(tuple(edges.T))
    assert result.colors.tolist() == one.colors.tolist() == expected[: result.n]
    assert (result.order, result.seed, result.n_colors) == (one.order, one.seed, one.n_colors)


def apart(name: str) -> lagcolor.Graph:
    """The graph whose edges are pairs at a distance of one or two."""
    n, u, v = corpus.CORPUS[name]
    near = np.zeros((n, n), np.int64)
    near[u, v] = near[v, u] = 1
    near |= near @ near > 0
    np.fill_diagonal(near, 0)
    return lagcolor.Graph.of(near)


@pytest.mark.parametrize("order", ["natural", "random", "random_spread", "user"])
def test_distance_2(order: str, tmp_path: Path) -> None:
    """First-fit in plain Python, of workers that lose what they keep, from edges and from a graph folder."""
    for i, name in enumerate(("grid", "star", "random sparse", "path", "clique 5")):
        H, n = apart(name), corpus.CORPUS[name][0]
        values: Any = np.random.default_rng(i).random(n) if order == "user" else order
        sequence = lagcolor.Priorities.of(H, values, 3).sequence.tolist()
        source: Any = shards(tmp_path / str(i), edges_of(name, i), 1 + i % 3)
        if i % 2:
            source = tmp_path / f"{i}.csr"
            lagcolor.io.write(source, corpus.graph(name))
        more = {"n": n, "parts": (3, 1, 5)[i % 3], "core": (None, 0, 20)[i % 3], "order": values, "seed": 3}
        result = color(source, Unreliable(i or None), problem="distance2", **more)
        assert result.colors.tolist() == corpus.first_fit(H, sequence), (name, order)
        assert result.verified and result.problem == "distance2" and "distance2, first_fit" in repr(result)
    assert (order != "natural") or color(source, problem="distance2").order == "natural"  # with nothing said


def test_a_conflict_at_distance_2_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors of distance 1 pass the check of edges, and not that of neighborhoods."""
    edges = shards(tmp_path / "e", edges_of("grid"))
    right = color(edges, parts=2).colors

    def finish(run: Run, part: int, round: int, device: str, folder: str) -> tasks.Finished:
        low, high = run.plan().bounds[part : part + 2]
        np.save(Path(folder) / tasks.file_name(part), right[low:high])
        return tasks.Finished(part, np.bincount(right[low:high]), False)

    monkeypatch.setattr(tasks, "finish", finish)
    monkeypatch.setattr(call, "Cluster", lambda client: Plainly())
    with pytest.raises(lagcolor.ColoringError, match=r"vertices \d+ and \d+ have one color and a neighbor in common"):
        lagcolor.scale.dask.color(edges, parts=2, problem="distance2", output=tmp_path / "colors")
    assert not (tmp_path / "colors").exists()


def text_of(edges: np.ndarray, between: str) -> str:
    return "".join(f"{a}{between}{b}\n" for a, b in edges.tolist())


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind, alone and among others, in pieces that are smaller than the files."""
    import gzip

    import pyarrow as pa
    import pyarrow.parquet as pq

    edges, expected = rmat()
    a, b, c, d, e = np.array_split(edges, 5)
    np.save(tmp_path / "a.npy", a.T)
    table = pa.table({"weight": np.ones(len(b)), "dst": b[:, 1], "src": b[:, 0].astype(np.uint16)})
    pq.write_table(table, tmp_path / "b.parquet", row_group_size=100)
    (tmp_path / "c.csv").write_text("source,target\n# so far a comment\n\n" + text_of(c, ","))
    (tmp_path / "d.txt.gz").write_bytes(gzip.compress(text_of(d, "\t").encode()))
    (tmp_path / "e.edges").write_text(text_of(e, " ").rstrip())
    (tmp_path / "_SUCCESS").write_text("")
    monkeypatch.setattr(memory.Memory, "piece", 250)
    assert len(sources.of_paths(sources.files(tmp_path), 250)) > 20
    assert color(tmp_path, parts=3, n=1024).colors.tolist() == expected
    assert color([tmp_path / "b.parquet", str(tmp_path / "[acde].*")], parts=2, n=1024).colors.tolist() == expected


def test_pieces_of_text_have_each_line_once(tmp_path: Path) -> None:
    edges = np.random.default_rng(1).integers(0, 2000, (300, 2))
    path = tmp_path / "e.txt"
    path.write_text(text_of(edges, " "))
    size = path.stat().st_size
    for step in (1, 2, 5, 7, 64, size):
        pieces = [sources.Piece("text", str(path), at, min(at + step, size)) for at in range(0, size, step)]
        if step < 5:
            pieces = pieces[:200]
        found = [np.stack(piece.read(), axis=1) for piece in pieces]
        joined = np.concatenate(found)
        assert (joined == edges[: len(joined)]).all() and (step < 5 or len(joined) == 300)


def test_pieces_of_text_have_the_columns_that_are_named(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("id,target,source\n" + "".join(f"{k},{k + 1},{k % 7}\n" for k in range(100)) + "100,7\n")
    size = path.stat().st_size
    pieces = [sources.Piece("text", str(path), at, min(at + 64, size - 6)) for at in range(0, size - 6, 64)]
    u, v = np.concatenate([np.stack(piece.read()) for piece in pieces], axis=1)
    assert u.tolist() == [k % 7 for k in range(100)] and v.tolist() == list(range(1, 101))
    with pytest.raises(lagcolor.FormatError, match="line 102: expected vertex numbers in columns 3 and 2"):
        sources.Piece("text", str(path), size - 64, size).read()


def test_a_graph_folder(tmp_path: Path) -> None:
    G = corpus.graph("rmat")
    lagcolor.io.write(tmp_path / "web.csr", G)
    for seed in (None, 1):
        result = color(tmp_path / "web.csr", Unreliable(seed), parts=5)
        assert result.colors.tolist() == rmat()[1]
    assert not list(Path(result.folder).parent.glob("rows"))


def test_an_order_of_the_user(tmp_path: Path) -> None:
    edges = shards(tmp_path / "e", edges_of("rmat"))
    for values in (np.arange(1024) % 7, np.random.default_rng(0).random(1024) - 0.5):
        one = lagcolor.color(corpus.graph("rmat"), order=values, seed=2)
        assert color(edges, Unreliable(1), parts=4, n=1024, order=values, seed=2).colors.tolist() == one.colors.tolist()
    with pytest.raises(lagcolor.OptionError, match=r"shape \(1024,\), one number per vertex, not \(5,\)"):
        color(edges, n=1024, order=[1, 2, 3, 4, 5])
    with pytest.raises(lagcolor.OptionError, match="NaN at vertex 3"):
        color(edges, n=1024, order=np.where(np.arange(1024) == 3, np.nan, 0))


def test_vertices_without_edges(tmp_path: Path) -> None:
    path = tmp_path / "e.npy"
    np.save(path, np.array([[7, 7], [3, 3], [5, 5]]))
    assert color(path, parts=3).colors.tolist() == [0] * 8
    assert color(path, parts=3, n=10).colors.tolist() == [0] * 10
    np.save(path, np.zeros((0, 2), np.int64))
    for n in (None, 0, 3):
        result = color(path, n=n)
        assert result.colors.tolist() == [0] * (n or 0) and result.n_colors == min(n or 0, 1)


def test_ids_past_32_bits(tmp_path: Path) -> None:
    """Runs and rows of ids that take int64; the hash of a vertex, of which there are too many to color here."""
    run = Run(str(tmp_path), "x")
    u, v = np.array([2**33, 5, 2**33, 7]), np.array([5, 2**33, 2**33 + 1, 7])
    about = shuffle.sort(run, 0, u, v)
    assert (about.entries, about.smallest, about.largest) == (4, 5, 2**33 + 1)
    run.write_plan(Plan(np.array([0, 6, 2**33 + 1, 2**33 + 2]), "natural", None, None))
    found = rows.Rows(run, run.plan().bounds)
    shuffle.merge(run, 0, run.plan().bounds, 1)
    shuffle.merge(run, 2, run.plan().bounds, 1)
    assert found.shard(0).indices.tolist() == [2**33] and found.shard(2).indices.tolist() == [2**33]
    assert found.shard(0).indptr.tolist() == [0, 0, 0, 0, 0, 0, 1]
    part = held.partition(run, 2, "cpu")
    assert part.ids.tolist() == [2**33 + 1, 2**33] and part.ghosts == {1: slice(1, 2)}


@pytest.mark.parametrize("parts", [1, 2, 9])
def test_bounds_balance_entries(parts: int) -> None:
    r = np.random.default_rng(parts)
    rows = np.sort((r.random(50_000) ** 3 * 40_000).astype(np.int64))
    census = shuffle.Census()
    for piece in np.array_split(rows, 3):
        shift = max(0, (40_000).bit_length() - shuffle.BINS.bit_length() + 1)
        census.add(shuffle.Sorted(len(piece), 0, 39_999, shift, np.bincount(piece >> shift)))
    bounds = census.bounds(40_000, parts)
    assert bounds[0] == 0 and bounds[-1] == 40_000 and (np.diff(bounds) >= 0).all()
    work = np.histogram(rows, bounds)[0] + np.diff(bounds)
    assert work.max() < 1.1 * 90_000 / parts


def test_a_census_of_unlike_runs() -> None:
    """Bins of all widths, and ids far apart."""
    census = shuffle.Census()
    r = np.random.default_rng(3)
    every = []
    for top in (10, 2**14, 2**14 + 1, 2**20, 2**40):
        rows = r.integers(0, top, 1000)
        every.append(rows)
        shift = max(0, (int(rows.max()) + 1).bit_length() - shuffle.BINS.bit_length() + 1)
        census.add(shuffle.Sorted(1000, int(rows.min()), int(rows.max()), shift, np.bincount(rows >> shift)))
    rows = np.concatenate(every)
    assert (census.entries, census.smallest, census.largest) == (5000, rows.min(), rows.max())
    counts = np.bincount(rows >> census._shift, minlength=shuffle.BINS)
    assert (census._counts == counts).all()


# What goes on from where it was


class StopError(Exception):
    """Whatever ends a client."""


@pytest.mark.parametrize("seed", range(12))
def test_a_run_goes_on_from_its_folder(seed: int, tmp_path: Path) -> None:
    """A client that is lost at any task of any stage, several times; each time another cluster."""
    edges, expected = rmat()
    source = shards(tmp_path / "e", edges)
    if seed % 3 == 2:
        source = str(tmp_path / "web.csr")
        lagcolor.io.write(source, corpus.graph("rmat"))
    resumed = []
    for attempt in range(40):
        made = Unreliable(100 * seed + attempt)
        left = made.random.randrange(1, 25) if attempt < 6 else 10**9

        def stop(name: str, k: int, made: Unreliable = made, left: int = left) -> None:
            if made.wanted >= left:
                raise StopError

        made.stop = stop
        try:
            result = color(source, made, parts=4, n=1024, checkpoint=tmp_path / "run", trace=True)
        except StopError:
            assert not (tmp_path / "run" / "colors").exists()
            continue
        resumed.append(result.notes["resumed"])
        break
    assert result.colors.tolist() == expected and result.rounds == len(result.trace)
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["colors", "run.json"]
    again = color(source, Unreliable(), parts=4, n=1024, checkpoint=tmp_path / "run")
    assert again.colors.tolist() == expected and again.notes == result.notes
    with pytest.raises(lagcolor.OptionError, match="another parts: pass the same, or a new folder"):
        color(source, parts=5, n=1024, checkpoint=tmp_path / "run")
    with pytest.raises(lagcolor.OptionError, match="the run is done, and its colors are in"):
        color(source, parts=4, n=1024, checkpoint=tmp_path / "run", output=tmp_path / "elsewhere")


def test_a_folder_of_other_edges(tmp_path: Path) -> None:
    source = shards(tmp_path / "e", edges_of("grid"))
    color(source, parts=2, checkpoint=tmp_path / "run")
    shards(tmp_path / "e", edges_of("path"))
    with pytest.raises(lagcolor.OptionError, match="of other edges, or they have changed since: pass a new folder"):
        color(source, parts=2, checkpoint=tmp_path / "run")
    color(source, parts=2, checkpoint=tmp_path / "new")
    with pytest.raises(lagcolor.OptionError, match="files of something else: pass a new folder"):
        color(source, parts=2, checkpoint=tmp_path / "e")


def test_the_same_files_whatever_is_lost(tmp_path: Path) -> None:
    """A task of a round gives the same bytes from a worker that knows all and from one that knows nothing."""
    edges, _ = rmat()
    kept: dict[bool, dict[str, bytes]] = {}
    for reliable in (True, False):
        made = Unreliable(None if reliable else 5)
        seen: dict[str, bytes] = {}

        def stop(name: str, k: int, seen: dict[str, bytes] = seen, at: Path = tmp_path / str(reliable)) -> None:
            for path in at.glob("messages/*/*.npy"):
                seen[str(path.relative_to(at))] = path.read_bytes()

        made.stop = stop
        source = shards(tmp_path / "e", edges) if reliable else str(tmp_path / "e" / "*.npy")
        color(source, made, parts=4, n=1024, order="random", seed=1, checkpoint=tmp_path / str(reliable))
        kept[reliable] = seen
    assert len(kept[True]) > 12 and kept[True] == kept[False]


def test_many_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clique: a color depends on all before it. Partitions send all of their boundary now and then."""
    n, parts = 24, 3
    edges = shards(tmp_path / "e", np.stack(np.triu_indices(n, 1), axis=1))
    most = []
    monkeypatch.setattr(board, "MANY", 3)
    made = Unreliable(3)

    def stop(name: str, k: int) -> None:
        states = sorted((tmp_path / "run" / "state").glob("*.json"))
        if states:
            state = json.loads(states[-1].read_text())
            most.append(max(map(len, state["sent"])))
            there = {(int(p.stem), int(p.parent.name)) for p in (tmp_path / "run").glob("messages/*/*.npy")}
            assert {(k, r) for k, rounds in enumerate(state["sent"]) for r in rounds} <= there
            assert len(there) <= parts * (board.MANY + 2) and len(states) <= 2

    made.stop = stop
    result = color(edges, made, parts=parts, order="random", seed=3, core=0, checkpoint=tmp_path / "run")
    assert result.colors.tolist() == lagcolor.color(lagcolor.generate.clique(n), order="random", seed=3).colors.tolist()
    assert sorted(result.colors.tolist()) == list(range(n))
    assert result.rounds > 2 * board.MANY and max(most) == board.MANY


# What is said of what cannot be done


def test_numbers_of_vertices(tmp_path: Path) -> None:
    edges = shards(tmp_path / "e", edges_of("grid"))
    with pytest.raises(lagcolor.GraphError, match="n = 100, but there is a vertex 220: pass n=221 or more"):
        color(edges, n=100, checkpoint=tmp_path / "run")
    assert color(edges, n=221, checkpoint=tmp_path / "run").n == 221  # in the same folder, which has the edges
    lagcolor.io.write(tmp_path / "web.csr", corpus.graph("grid"))
    with pytest.raises(lagcolor.GraphError, match="has 221 vertices: leave n out"):
        color(tmp_path / "web.csr", n=222)
    with pytest.raises(lagcolor.GraphError, match="n must not be negative"):
        color(edges, n=-1)


def test_edges_that_count_from_one(tmp_path: Path) -> None:
    edges = shards(tmp_path / "e", edges_of("grid") + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call, "Cluster", lambda client: Unreliable())
        with pytest.warns(lagcolor.NumberingWarning, match="say so with n=222"):
            result = lagcolor.scale.dask.color(edges)
        assert result.n == 222
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lagcolor.scale.dask.color(edges, n=222)


def write_parquet(path: Path, **columns: Any) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
    return path


def saved(path: Path, array: Any) -> Path:
    np.save(path, np.asarray(array))
    return path


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


WRONG = {
    "names in Parquet": (lambda p: write_parquet(p / "e.parquet", a=["x", "y"], b=["y", "z"]), "'x', which is no"),
    "floats in Parquet": (lambda p: write_parquet(p / "e.parquet", a=[0.5], b=[1.0]), "must be whole numbers"),
    "a gap in Parquet": (lambda p: write_parquet(p / "e.parquet", a=[0, None], b=[1, 2]), "'a' has no value in row 1"),
    "three columns": (lambda p: write_parquet(p / "e.parquet", a=[0], b=[1], c=[1]), "which two of the 3 columns"),
    "one column": (lambda p: write_parquet(p / "e.parquet", a=[0]), "has 1 column: edges take two"),
    "no Parquet": (lambda p: written(p / "e.parquet", "PAR1 of course"), "no Parquet file, or a damaged one"),
    "damaged pages": (lambda p: _zeros(write_parquet(p / "e.parquet", a=list(range(999)), b=list(range(1, 1000)))),
                      "damaged in row groups 0 to 0"),
    "negative": (lambda p: saved(p / "e.npy", [[0, 1], [1, -2], [2, 3]]), r"v\[1\] = -2 is no number of a vertex"),
    "floats": (lambda p: saved(p / "e.npy", [[0.5, 1.0]] * 3), "edges are whole numbers of shape"),
    "a cube": (lambda p: saved(p / "e.npy", np.zeros((2, 2, 2), int)), r"shape \(2, 2, 2\)"),
    "two by two": (lambda p: saved(p / "e.npy", [[0, 1], [2, 3]]), "two edges or the two ends of two"),
    "no array": (lambda p: written(p / "e.npy", "edges"), "no array, or a damaged one"),
    "a short array": (lambda p: _cut(saved(p / "e.npy", np.zeros((99, 2), int))), "no array, or a damaged one"),
    "names": (lambda p: written(p / "e.csv", "Ann,Bob\nBob,Carl\n"), "names vertices: vertices are numbered"),
    "half a line": (lambda p: written(p / "e.txt", "0 1\n" * 300 + "7\n"), "line 301: expected two vertex numbers"),
    "a damaged gzip": (lambda p: written(p / "e.txt.gz", b"\x1f\x8b\x08 and more"), "damaged or truncated gzip"),
    "another format": (lambda p: written(p / "e.mtx", "%%MatrixMarket"), "edges in many files end in .parquet"),
    "no shards": (lambda p: written(p / "e" / "x.mtx", "") if (p / "e").mkdir() else p / "e", "no shards"),
}  # fmt: skip


def _zeros(path: Path) -> Path:
    data = path.read_bytes()
    path.write_bytes(data[:8] + bytes(400) + data[408:])
    return path


def _cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-100])
    return path


@pytest.mark.parametrize("name", sorted(WRONG))
def test_wrong_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, message = WRONG[name]
    monkeypatch.setattr(memory.Memory, "piece", 100)
    path = make(tmp_path)
    path = path if path.name != "x.mtx" else path.parent
    with pytest.raises((lagcolor.GraphError, OSError), match=message) as error:
        color(path, output=tmp_path / "colors")
    assert str(tmp_path) in str(error.value)
    assert not (tmp_path / "colors").exists()


def test_missing_files(tmp_path: Path) -> None:
    for edges in (tmp_path / "none.npy", str(tmp_path / "*.npy"), [tmp_path / "none.parquet"]):
        with pytest.raises(FileNotFoundError, match="no such file"):
            color(edges)
    source = shards(tmp_path / "e", edges_of("grid"))
    made = Unreliable()
    made.stop = lambda name, k: shutil.rmtree(tmp_path / "e", ignore_errors=True)
    with pytest.raises(FileNotFoundError, match=r"[012]\.npy"):  # it was there when the run began
        color(source, made)
    with pytest.raises(lagcolor.GraphError, match="are not read by a cluster: pass paths"):
        color([(0, 1), (1, 2)])
    with pytest.raises(lagcolor.FormatError, match=r"no graph|no such folder|graph\.json"):
        (tmp_path / "x.csr").mkdir()
        color(tmp_path / "x.csr")


def test_a_damaged_graph_folder(tmp_path: Path) -> None:
    """An entry without its mirror image, and one that is no vertex."""
    lagcolor.io.write(tmp_path / "web.csr", corpus.graph("grid"))
    path = tmp_path / "web.csr" / "indices.npy"
    sound = path.read_bytes()
    for value, message in ((219, "no mirror image|not above"), (10_000, "out of range")):
        data = bytearray(sound)
        data[-4:] = int(value).to_bytes(4, "little")
        if value == 219:  # the last row's largest is 219; the one before becomes another
            data = bytearray(sound)
            data[-8:-4] = (5).to_bytes(4, "little")
        path.write_bytes(data)
        with pytest.raises(lagcolor.FormatError, match=message):
            color(tmp_path / "web.csr", parts=3, output=tmp_path / "colors")
        assert not (tmp_path / "colors").exists()


def test_options(tmp_path: Path) -> None:
    edges = shards(tmp_path / "e", edges_of("grid"))
    for more, message in (
        ({"order": "smallest_last"}, "order 'smallest_last' is not made in partitions"),
        ({"order": "DSATUR"}, "is not made in partitions"),
        ({"by": "metis"}, "by must be 'contiguous' on a cluster, where partitions are ranges of ids, not 'metis'"),
        ({"by": [0, 1]}, r"not \[0, 1\]: number the vertices by their partition first"),
        ({"problem": "columns"}, "problem must be one of distance1, distance2"),
        ({"problem": "distance2", "order": "largest_first"}, "counts neighbors of neighbors, which a cluster does not"),
        ({"problem": "distance2", "order": "smallest_last"}, "is not made in partitions"),
        ({"parts": 0}, "parts must be a whole number from 1 on"),
        ({"core": -1}, "core must be"),
        ({"device": "tpu"}, "device must be one of cpu, cuda, auto"),
        ({"seed": -1}, "seed must be"),
        ({"verify": 1}, "verify must be True or False"),
    ):
        with pytest.raises(lagcolor.OptionError, match=message):
            color(edges, **more)
    with pytest.raises(FileExistsError, match="there is something already"):
        color(edges, output=tmp_path / "e")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        color(edges, output=tmp_path / "none" / "colors")


def test_a_conflict_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check reads the edges themselves: here a task writes one color for all."""
    edges = shards(tmp_path / "e", edges_of("grid"))

    def finish(run: Run, part: int, round: int, device: str, folder: str) -> tasks.Finished:
        size = int(np.diff(run.plan().bounds)[part])
        np.save(Path(folder) / tasks.file_name(part), np.zeros(size, np.int32))
        return tasks.Finished(part, np.array([size]), False)

    monkeypatch.setattr(tasks, "finish", finish)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call, "Cluster", lambda client: Plainly())
        with pytest.raises(lagcolor.ColoringError, match=r"vertices \d+ and \d+ have one color and an edge"):
            lagcolor.scale.dask.color(edges, parts=2, output=tmp_path / "colors")
        assert not (tmp_path / "colors").exists()
        assert not lagcolor.scale.dask.color(edges, parts=2, verify=False).verified


class Plainly(Unreliable):
    """Without pickling, for functions that were replaced."""

    def each(self, name: str, function: Any, jobs: Any) -> dict[int, Any]:
        return {k: function(*job) for k, job in jobs.items()}


# Full disks and damaged files


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At any write: an error that says so, nothing half-made, and a call that goes on afterwards."""
    edges, expected = rmat()
    source = shards(tmp_path / "e", edges)
    real, count, full = files.atomic, [0], [10**9]

    def atomic(path: Path) -> Any:
        count[0] += 1
        if count[0] == full[0]:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return real(path)

    for module in (files, tasks):
        monkeypatch.setattr(module, "atomic", atomic)
    assert color(source, parts=3, n=1024).colors.tolist() == expected
    writes = count[0]
    assert writes > 40
    for k, at in enumerate(range(1, writes + 1, 5)):
        run, count[0], full[0] = tmp_path / f"run{k}", 0, at
        with pytest.raises(OSError, match="No space left on device"):
            color(source, parts=3, n=1024, checkpoint=run, output=tmp_path / "colors")
        assert not (tmp_path / "colors").exists() and not list(tmp_path.glob(".colors*"))
        full[0] = 10**9
        result = color(source, parts=3, n=1024, checkpoint=run, output=tmp_path / "colors")
        assert result.colors.tolist() == expected
        shutil.rmtree(run)
        shutil.rmtree(tmp_path / "colors")


def test_what_a_full_disk_says() -> None:
    said = str(cluster.explained(OSError(errno.ENOSPC, "No space left on device", "/x/y.npy")))
    assert "make room, or pass checkpoint=" in said and "/x/y.npy" in said
    other = OSError(errno.EIO, "Input/output error")
    assert cluster.explained(other) is other


@pytest.mark.parametrize("at", [0, 60, 200, -100, -5, -30])
def test_damaged_files(at: int, tmp_path: Path) -> None:
    """A byte anywhere in a file of a run."""
    path = tmp_path / "run" / "rows" / "x.npy"
    array = np.arange(100_000, dtype=np.int64).reshape(2, -1)
    files.save(path, array)
    assert (files.load(path) == array).all() and (np.load(path) == array).all()
    assert files.Reading(path).flat(70_000, 70_003).tolist() == [70_000, 70_001, 70_002]
    data = bytearray(path.read_bytes())
    data[at] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(lagcolor.FormatError, match=r"damaged .*: delete the folder of the run"):
        files.load(path)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(lagcolor.FormatError, match="damaged"):
        files.load(path)
    for empty in (np.zeros((0, 2), np.int32), np.zeros((2, 0))):
        files.save(path, empty)
        assert files.load(path).shape == empty.shape and files.load(path).dtype == empty.dtype


def test_a_damaged_message(tmp_path: Path) -> None:
    """Whoever reads it says so, and no colors are made."""
    source = shards(tmp_path / "e", edges_of("rmat"))
    made, done = Unreliable(), []

    def stop(name: str, k: int) -> None:
        found = sorted((tmp_path / "run" / "messages" / "00001").glob("*.npy"))
        if found and not done and not (tmp_path / "run" / "messages" / "00002").exists():
            for path in found:
                data = bytearray(path.read_bytes())
                data[len(data) * 2 // 3] ^= 1
                path.write_bytes(data)
            done.append(True)

    made.stop = stop
    with pytest.raises(lagcolor.FormatError, match=r"messages.*damaged"):
        color(source, made, parts=4, checkpoint=tmp_path / "run")
    assert done and not (tmp_path / "run" / "colors").exists()


@pytest.mark.parametrize("output", [False, True])
@pytest.mark.parametrize("moment", ["before the record", "after the record", "before the name", "after the name"])
def test_an_interruption_at_the_very_end(
    moment: str, output: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record and the name of the folder are there one after the other; whichever is missing is mended."""
    edges, expected = rmat()
    source = shards(tmp_path / "e", edges)
    more = {"parts": 3, "n": 1024, "checkpoint": tmp_path / "run"} | ({"output": tmp_path / "colors"} if output else {})
    module, name = (call, "save_record") if "record" in moment else (os, "rename")
    real = getattr(module, name)

    def interrupted(*args: Any) -> None:
        if "after" in moment:
            real(*args)
        raise KeyboardInterrupt

    def only_of_the_end(*args: Any) -> None:
        ends = "done" in args[1] if module is call else str(args[1]).endswith("colors")
        interrupted(*args) if ends else real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, only_of_the_end)
        with pytest.raises(KeyboardInterrupt):
            color(source, **more)
    for _ in range(2):
        assert color(source, **more).colors.tolist() == expected
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["run.json"] if output else ["colors", "run.json"]
    assert not list(tmp_path.glob("**/.colors*"))


def test_numbers_of_vertices_that_are_far_apart(tmp_path: Path) -> None:
    np.save(tmp_path / "e.npy", np.array([[0, 3 * 10**7], [5, 10**12], [1, 2]]))
    with pytest.raises(
        lagcolor.GraphError, match=r"there are 1000000000001 vertices, .* at most 3 edges: number the ver"
    ):
        color(tmp_path / "e.npy")


def test_colors_that_are_gone(tmp_path: Path) -> None:
    result = color(shards(tmp_path / "e", edges_of("grid")), parts=3, output=tmp_path / "colors")
    assert [p.name for p in result.files] == [f"part-{k:06d}.npy" for k in range(3)]
    assert result.to_dask().compute(scheduler="synchronous").tolist() == result.colors.tolist()
    assert "3 partitions" in repr(result)
    result.files[1].unlink()
    with pytest.raises(lagcolor.FormatError, match=r"part-000001.npy: missing or damaged .*: color the graph again"):
        result.colors  # noqa: B018
    (tmp_path / "colors" / "colors.json").unlink()
    with pytest.raises(lagcolor.FormatError, match=r"no folder of colors"):
        result.colors  # noqa: B018


def test_a_temporary_folder_goes_with_the_result(tmp_path: Path) -> None:
    result = color(shards(tmp_path / "e", edges_of("grid")), parts=3)
    folder = result.folder
    assert folder.is_dir()
    del result
    assert not folder.parent.exists()


# Memory


def test_too_little_memory(tmp_path: Path) -> None:
    """The number of partitions that the message names will do; and is what is taken where no one says."""
    import re

    edges = shards(tmp_path / "e", np.random.default_rng(0).integers(0, 1000, (8_000, 2)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "LEAST_ROOM", 1 << 10)
        small = 1_200_000
        with pytest.raises(lagcolor.OptionError, match=r"pass parts=\d+ or more, or give workers more memory") as error:
            color(edges, Unreliable(memory=small), parts=2)
        wanted = int(re.search(r"parts=(\d+)", str(error.value))[1])  # type: ignore[index]
        one = lagcolor.color(tuple(np.concatenate([np.load(p) for p in sources.files(edges)]).T))
        result = color(edges, Unreliable(memory=small))
        assert result.notes["parts"] >= wanted - 1 and result.colors.tolist() == one.colors.tolist()
        hub = np.stack([np.zeros(9_000, int), np.arange(9_000)], axis=1)
        np.save(tmp_path / "hub.npy", hub)
        with pytest.raises(lagcolor.OptionError, match="a vertex has 8,999 neighbors, whose partition takes 2 MiB"):
            color(tmp_path / "hub.npy", Unreliable(memory=small))
        with pytest.raises(lagcolor.OptionError, match=r"at distance 2 one of .* the rows of all neighbors, which"):
            color(edges, Unreliable(memory=small), problem="distance2")
    with pytest.raises(lagcolor.OptionError, match=r"give workers memory_limit='\d+ MiB' or more"):
        color(edges, Unreliable(memory=100_000))


def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    """A worker keeps as many partitions as it has room for, those it used last."""
    run, other = Run(str(tmp_path), "x"), Run(str(tmp_path), "y")
    shuffle.sort(run, 0, *edges_of("rmat").T)
    run.write_plan(Plan(np.array([0, 300, 600, 1024]), "natural", None, None))
    for k in range(3):
        shuffle.merge(run, k, run.plan().bounds, 1)
    cache, parts = held.Cache(), [held.Held(held.partition(run, k, "cpu")) for k in range(3)]
    room = parts[1].nbytes + parts[2].nbytes
    cache.put(other, 0, parts[0], 10**9)
    for k in range(3):
        cache.put(run, k, parts[k], max(room, parts[0].nbytes + parts[1].nbytes))
    assert cache.take(other, 0) is None and cache.take(run, 0) is None
    assert cache.take(run, 2) is parts[2] and cache.take(run, 2) is None and cache.take(run, 1) is parts[1]
    cache.put(run, 1, parts[1], 10)
    assert cache.take(run, 1) is None


@pytest.mark.emulated
@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_on_a_gpu(device: str, tmp_path: Path) -> None:
    """Workers color on their GPU; the same colors."""
    edges = shards(tmp_path / "e", edges_of("random sparse"))
    for seed in (None, 2):
        result = color(edges, Unreliable(seed), parts=3, n=500, device=device, order="random", seed=4)
        assert result.colors.tolist() == plain("random sparse", "random", 4)


@pytest.mark.gpu
def test_on_a_real_gpu(tmp_path: Path) -> None:
    edges = shards(tmp_path / "e", edges_of("rmat"))
    result = color(edges, Unreliable(2), parts=3, n=1024, device="cuda")
    assert result.colors.tolist() == plain("rmat", "largest_first_spread", 0)
