"""A cluster on Dask in this process: the colors of sequential first-fit, and errors for what cannot be done."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus
import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from dask_cases import edges_of, folder_of, wanted, workers

import lagcolor
from lagcolor.scale.dask import cluster
from lagcolor.scale.dask.sweep import RunFiles

NAMES = ("one vertex", "no edges", "path", "star", "clique 70", "grid", "disconnected", "random sparse", "rmat")
ORDERS = ("natural", "random", "random_spread", "largest_first", "largest_first_spread", "largest_log_first",
          "smallest_last", "incidence_degree")  # fmt: skip


@pytest.fixture(scope="module")
def here() -> Iterator[Any]:
    """The client of a cluster in this process."""
    with workers(2, processes=False) as (_, client):
        yield client


def color(edges: Any, client: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lagcolor.NumberingWarning)
        return lagcolor.scale.dask.color(edges, client, **more)


@pytest.mark.parametrize("order", ORDERS)
def test_the_colors_of_first_fit(order: str, here: Any, tmp_path: Path) -> None:
    for i, name in enumerate(NAMES):
        if (i + ORDERS.index(order)) % 3:  # each order on a third of them, each of them in a third of the orders
            continue
        seed = None if order in ("natural", "largest_first") and i % 2 else 3
        parts = (1, 2, 3, 7)[(i // 2 + len(order)) % 4]
        result = color(folder_of(tmp_path / f"{i}.csr", name), here, order=order, seed=seed, parts=parts, trace=True)
        assert result.to_numpy().tolist() == wanted(name, order, seed), (name, order, parts)
        assert result.verified and result.rounds == len(result.trace) and (result.order, result.seed) == (order, seed)
        assert result.notes["visited"] == sum(row["active"] for row in result.trace)


@pytest.mark.parametrize("order", ["natural", "random_spread", "user"])
def test_distance_2(order: str, here: Any, tmp_path: Path) -> None:
    for i, name in enumerate(("grid", "star", "random sparse")):
        values: Any = np.random.default_rng(i).random(corpus.CORPUS[name][0]) if order == "user" else order
        path = folder_of(tmp_path / f"{i}.csr", name)
        result = color(path, here, problem="distance2", order=values, seed=3, parts=(40, 1, 5)[i])
        assert result.to_numpy().tolist() == wanted(name, values, 3, "distance2"), (name, order)
        assert result.verified and result.problem == "distance2"


def test_the_colors_of_color(here: Any, tmp_path: Path) -> None:
    """By default, and with more colors than a word has bits."""
    for name, how in (
        ("rmat", {}), ("clique 1100", {}), ("star", {"problem": "distance2"}), ("rmat", {"order": "random", "rng": 7}),
        ("random sparse", {"problem": "distance2", "order": "smallest_last"}),
    ):  # fmt: skip
        path = folder_of(tmp_path / f"{name}{len(how)}.csr", name)
        quality = {} if "order" in how else {"quality": "fast"}
        result, one = color(path, here, **how), lagcolor.color(corpus.graph(name), **how, **quality)
        assert result.to_numpy().tolist() == one.to_numpy().tolist()
        assert (result.order, result.seed, result.algorithm) == (one.order, one.seed, one.algorithm)
        assert result.notes["parts"] == 2


def test_a_seed_of_none(here: Any, tmp_path: Path) -> None:
    """Ties are broken by id; the default is the seed of `first_fit`."""
    path = folder_of(tmp_path / "g.csr", "rmat")
    for seed, used in ((None, None), ("default", 0)):
        made = color(path, here, order="largest_first", seed=seed, parts=3)
        assert made.seed == used and made.to_numpy().tolist() == wanted("rmat", "largest_first", used)


# Checkpoints


def test_any_colors_to_begin_with(here: Any, tmp_path: Path) -> None:
    """A checkpoint may have any colors; a run writes its last ones."""
    run = tmp_path / "run"
    path, expected = folder_of(tmp_path / "g.csr", "rmat"), wanted("rmat", "random", 1)
    first = color(path, here, order="random", seed=1, parts=3, checkpoint=run)
    assert first.notes["resumed"] is None and [p.name for p in run.iterdir()] == ["colors.npz"]
    again = color(path, here, order="random", seed=1, parts=5, checkpoint=run)
    assert again.notes["resumed"] == first.rounds and again.rounds == first.rounds + 1
    for colors in (np.random.default_rng(0).integers(-3, 90, 1024), np.zeros(1024)):
        np.savez(run / "colors.npz", colors=colors.astype(np.int32), round=7)
        found = color(path, here, order="random", seed=1, parts=4, checkpoint=run)
        assert found.to_numpy().tolist() == again.to_numpy().tolist() == expected and found.notes["resumed"] == 7
    colors, number = (np.load(run / "colors.npz")[name] for name in ("colors", "round"))
    assert colors.tolist() == expected and number == found.rounds


def test_a_run_goes_on_after_an_interruption(here: Any, tmp_path: Path) -> None:
    """After any round: the same colors, and no files are left next to the checkpoint."""
    path, expected = folder_of(tmp_path / "g.csr", "rmat"), wanted("rmat", "random", 1)
    more = {"order": "random", "seed": 1, "parts": 4, "checkpoint": tmp_path / "run"}

    for last in (2, 7):

        def stop(progress: Any, last: int = last) -> None:
            if progress.stage == f"round {last}":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            color(path, here, progress=stop, **more)
        assert [p.name for p in (tmp_path / "run").iterdir()] == ["colors.npz"]
    result = color(path, here, **more)
    assert result.notes["resumed"] == 6 and result.to_numpy().tolist() == expected


def test_checkpoints_that_do_not_fit(here: Any, tmp_path: Path) -> None:
    path, file = folder_of(tmp_path / "g.csr", "grid"), tmp_path / "run" / "colors.npz"
    color(path, here, parts=2, checkpoint=file.parent)
    sound = file.read_bytes()
    other = folder_of(tmp_path / "h.csr", "path")
    with pytest.raises(lagcolor.OptionError, match="has colors of 221 vertices, and the graph has"):
        color(other, here, checkpoint=file.parent)
    for damaged in (sound[:-100], sound[:300] + b"\xff" * 40 + sound[340:], b""):
        file.write_bytes(damaged)
        with pytest.raises(lagcolor.FormatError, match=r"damaged .*: delete it, and color the graph anew"):
            color(path, here, checkpoint=file.parent)


# DataFrames


def test_a_data_frame(here: Any, tmp_path: Path) -> None:
    """A data frame has two columns, or two columns with names of ends; a checkpoint has its graph."""
    edges, expected = edges_of("rmat"), wanted("rmat", "largest_first_spread", 0)
    frame = pd.DataFrame({"weight": 1.0, "dst": edges[:, 0], "src": edges[:, 1].astype("int32")})
    made = dd.from_pandas(frame, npartitions=5)
    for attempt in range(2):
        stages: list[str] = []
        listen = lambda p, stages=stages: stages.append(p.stage)  # noqa: E731
        found = color(made, here, n=1024, parts=3, checkpoint=tmp_path / "run", progress=listen)
        assert found.to_numpy().tolist() == expected and found.verified
        assert ("shuffling" in stages) == (attempt == 0)
    assert len(list((tmp_path / "run").glob("*.csr"))) == 1
    one = lagcolor.color(tuple(edges.T), quality="fast")
    assert (color(made[["src", "dst"]], here).to_numpy() == one.to_numpy()).all()


def test_data_frames_without_edges(here: Any) -> None:
    loops = dd.from_pandas(pd.DataFrame({"u": [7, 3], "v": [7, 3]}), npartitions=2)
    assert color(loops, here).to_numpy().tolist() == [0] * 8
    assert color(loops[loops.u > 9], here, n=3).to_numpy().tolist() == [0] * 3
    assert color(loops[loops.u > 9], here).to_numpy().tolist() == []  # no vertices, and no folder has any


def test_vertices_that_count_from_one(here: Any) -> None:
    edges = np.stack([np.arange(1, 300), np.arange(2, 301)])
    frame = dd.from_pandas(pd.DataFrame({"u": edges[0], "v": edges[1]}), npartitions=2)
    with pytest.warns(lagcolor.NumberingWarning, match="vertex 0 has no edge"):
        lagcolor.scale.dask.color(frame, here)


def frame(u: Any, v: Any, **more: Any) -> Any:
    return dd.from_pandas(pd.DataFrame({"u": u, "v": v, **more}), npartitions=1)


def objects(u: list[Any], v: list[Any]) -> Any:
    with dask.config.set({"dataframe.convert-string": False}):
        return frame(pd.Series(u, dtype=object), v)


@pytest.mark.parametrize(
    ("make", "n", "message"),
    [
        (lambda: frame([1], [2], w=[3]).rename(columns={"u": "x"}), None, "which two of the 3 columns"),
        (lambda: frame([1], [2])[["u"]], None, "has 1 column: edges take two"),
        (lambda: frame([0.0, float("nan")], [1, 2]), None, "column 'u' has no value in row 1: .*`edges.dropna"),
        (lambda: frame([0, 3], [1, -2]), None, "column 'v' has -2 in row 1, which is no number of a vertex"),
        (lambda: frame([2.0, 0.5, 9.0], [1, 2, 3]), None, "column 'u' has 0.5 in row 1, which is no number"),
        (lambda: objects([3, "a"], [1, 2]), None, "column 'u' has 'a', which is no number of a vertex"),
        (lambda: frame([0, 3], [1, 2]), 3, r"n = 3, but there is a vertex 3: pass n=4 or more"),
        (lambda: frame([0, 5], [1, 10**12]), None, "there are 1000000000001 vertices, .* at most 2 edges: number the"),
        (lambda: frame([0, 5], [1, 2]), -1, "n must not be negative, but is -1"),
    ],
)  # fmt: skip
def test_wrong_data_frames(make: Any, n: Any, message: str, here: Any) -> None:
    with pytest.raises(lagcolor.GraphError, match=message):
        color(make(), here, n=n)


def test_names_of_vertices_are_numbered_as_the_message_says(here: Any) -> None:
    a, b, pairs = "one", "other", edges_of("rmat")[:300]
    named = pd.DataFrame({a: [f"v{x}" for x in pairs[:, 0]], b: [f"v{x}" for x in pairs[:, 1]]})
    edges = dd.from_pandas(named, npartitions=2)
    with pytest.raises(lagcolor.GraphError, match="Number names first: ") as error:
        color(edges, here)
    names_by, _, map_by = str(error.value).partition("first: ")[2].partition(", then ")
    space: dict[str, Any] = {"dask": __import__("dask"), "edges": edges, "a": a, "b": b}
    exec(names_by, space)  # names = …
    numbered = edges.copy()
    for column in (a, b):
        numbered[column] = eval(map_by.removesuffix(" and the same of b").replace("a]", "c]").replace("(a,", "(c,"),
                                {**space, "c": column})  # fmt: skip
    number = {name: k for k, name in enumerate(space["names"])}
    one = lagcolor.color((named[a].map(number).to_numpy(), named[b].map(number).to_numpy()), quality="fast")
    assert (color(numbered, here).to_numpy() == one.to_numpy()).all()


# What is refused


def test_other_edges(here: Any, tmp_path: Path) -> None:
    with pytest.raises(lagcolor.GraphError, match=r"list are not read by a cluster: pass a graph folder.* DataFrame"):
        color([(0, 1), (1, 2)], here)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        color(tmp_path / "none.csr", here)
    (tmp_path / "e.npy").touch()
    with pytest.raises(lagcolor.FormatError, match=r"lagcolor.convert makes one of files of edges"):
        color(tmp_path / "e.npy", here)
    with pytest.raises(lagcolor.GraphError, match="n = 5, but the graph has 221 vertices"):
        color(folder_of(tmp_path / "g.csr", "grid"), here, n=5)


def test_a_damaged_graph_folder(here: Any, tmp_path: Path) -> None:
    """An entry without its mirror image, one out of order, and one that is no vertex."""
    path = folder_of(tmp_path / "g.csr", "grid") / "indices.npy"
    sound = path.read_bytes()
    for at, value, message in ((-4, 10_000, "out of range"), (-8, 219, "not above|self-loop"), (-8, 5, "mirror image")):
        data = bytearray(sound)
        data[at : at + 4 or None] = int(value).to_bytes(4, "little")
        path.write_bytes(data)
        with pytest.raises(lagcolor.FormatError, match=message):
            color(path.parent, here, parts=3)


def test_options(here: Any, tmp_path: Path) -> None:
    path = folder_of(tmp_path / "g.csr", "grid")
    for more, message in (
        ({"order": "DSATUR"}, "DSATUR is an algorithm here"),
        ({"parts": 0}, "parts must be a whole number from 1 on"),
        ({"order": [1, 2, 3]}, r"shape \(221,\), one number per vertex, not \(3,\)"),
        *(({"checkpoint": x}, "checkpoint must be the path of a folder, such as 'run', not") for x in (True, "")),
        ({"client": "tcp://127.0.0.1:8786"}, r"client must be a distributed\.Client, not str"),
    ):
        with pytest.raises(lagcolor.OptionError, match=message):
            color(path, **{"client": here, **more})


def test_too_little_memory(here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of partitions that the message names will do; and is what is taken where no one says."""
    path = folder_of(tmp_path / "g.csr", "rmat")
    one = cluster.Cluster.workers

    def allow(nbytes: int) -> None:
        limit = int(nbytes / cluster.USABLE) + 1
        less = lambda self, *paths: [w._replace(used=0, limit=limit) for w in one(self, *paths)]  # noqa: E731
        monkeypatch.setattr(cluster.Cluster, "workers", less)

    allow(50_000)
    with pytest.raises(lagcolor.OptionError, match=r"pass parts=\d+ or more, or give workers more memory") as error:
        color(path, here, parts=2)
    parts = int(str(error.value).partition("parts=")[2].split()[0])
    assert color(path, here).notes["parts"] == color(path, here, parts=parts).notes["parts"] == parts > 2
    allow(20_000)
    with pytest.raises(lagcolor.OptionError, match=r"a task takes 1 MiB for 1,024 vertices, and a worker has 1 MiB"):
        color(path, here)


def test_what_a_cluster_must_have(here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_of(tmp_path / "g.csr", "grid")
    monkeypatch.setattr(cluster, "Path", lambda path: Path("/none"))
    with pytest.raises(
        lagcolor.OptionError, match=r"does not see .*: pass a graph and checkpoint= in folders that are"
    ):
        color(path, here)
    monkeypatch.undo()
    describe = cluster.describe

    async def old(paths: list[str], dask_worker: Any) -> Any:
        return (await describe(paths, dask_worker))._replace(version="0.0.1")

    monkeypatch.setattr(cluster, "describe", old)
    with pytest.raises(lagcolor.ClusterError, match=r"has lagcolor 0\.0\.1, and this is"):
        color(path, here)

    async def failing(paths: list[str], dask_worker: Any) -> Any:
        raise ModuleNotFoundError(name="lagcolor")

    monkeypatch.setattr(cluster, "describe", failing)
    with pytest.raises(lagcolor.ClusterError, match=r"cannot import lagcolor: install lagcolor\[dask\]"):
        color(path, here)
    monkeypatch.undo()
    with (
        monkeypatch.context() as patch,
        pytest.raises(lagcolor.OptionError, match="client is asynchronous: pass Client"),
    ):
        patch.setattr(distributed.Client, "asynchronous", True)
        color(path, here)
    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    with (
        workers(0, processes=False) as (_, client),
        pytest.raises(lagcolor.ClusterError, match="has had no worker for"),
    ):
        color(path, client)
    with pytest.raises(lagcolor.ClusterError, match="client is closed: pass one that is connected"):
        color(path, client)


def test_a_conflict_is_found(here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_of(tmp_path / "g.csr", "grid")
    monkeypatch.setattr(
        "lagcolor.scale.dask.fixed_point.ClusterRounds.color", lambda self, *args: np.zeros(221, np.int32)
    )
    with pytest.raises(lagcolor.ColoringError, match="not a valid coloring"):
        color(path, here, parts=2)
    assert not color(path, here, parts=2, verify=False).verified
    assert distributed.default_client() is here


def test_a_client_that_is_not_the_default(tmp_path: Path) -> None:
    """The call works in a process without a default client."""
    G = lagcolor.generate.from_spec("rmat:8")
    lagcolor.io.write(tmp_path / "g.csr", G)
    one = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None)
    with one as made, distributed.Client(made, set_as_default=False) as own:
        result = lagcolor.scale.dask.color(tmp_path / "g.csr", own, parts=2)
    assert np.array_equal(result.colors, lagcolor.color(G, quality="fast").colors)


def test_a_folder_that_is_replaced_meanwhile(here: Any, tmp_path: Path) -> None:
    """An error, since parts of the colors would belong to different graphs."""
    G, H = (lagcolor.generate.from_spec(f"uniform:400,6,seed={seed}") for seed in (1, 2))
    path = tmp_path / "g.csr"
    lagcolor.io.write(path, G)

    def replace(progress: lagcolor.base.progress.Progress) -> None:
        if progress.stage == "ordering":
            lagcolor.io.write(path, H)

    with pytest.raises(lagcolor.FormatError, match="it was changed while it was read"):
        lagcolor.scale.dask.color(path, here, verify=False, progress=replace)


def test_a_full_disk_is_noticed(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    run = RunFiles("", str(tmp_path), 1)
    (tmp_path / "place").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        run.save("place", np.zeros(5, np.int32))


def test_a_scheduler_that_is_lost_before_the_run(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "g.csr", "grid")
    with workers(1, processes=False, patience="2s") as (made, client):
        client.sync(made.scheduler.close)
        with pytest.raises(lagcolor.ClusterError, match=r"the scheduler was lost|client is closed"):
            color(path, client)
