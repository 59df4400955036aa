"""A cluster of processes, of which some are killed, added, or short of memory; and what Dask itself hands us."""

from __future__ import annotations

import contextlib
import multiprocessing.forkserver
import os
import random
import re
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus
import dask
import distributed
import numpy as np
import psutil
import pytest
from dask_cases import edges_of, shards, wanted

import lagcolor
from lagcolor.scale.dask import cluster, memory

TRIALS = 30


@contextlib.contextmanager
def workers(count: int, processes: bool = True, patience: str = "60s", **more: Any) -> Iterator[tuple[Any, Any]]:
    """A cluster of this machine and its client. Processes are forks of one that has imported the library."""
    with dask.config.set(
        {
            "distributed.worker.multiprocessing-method": "forkserver" if processes else "spawn",
            "distributed.scheduler.allowed-failures": 10,
            "distributed.comm.timeouts.connect": patience,
        }
    ):
        if processes:
            distributed.utils.get_mp_context()  # which chooses what to import
            multiprocessing.get_context("forkserver").set_forkserver_preload(["dask_warm"])
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv(
                    "PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
                )
                multiprocessing.forkserver.ensure_running()
        made = distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=processes, dashboard_address=":0", silence_logs=50, **more
        )
        with made, distributed.Client(made) as client:
            yield made, client


@pytest.fixture(scope="module")
def here() -> Iterator[Any]:
    """The client of a cluster in this process."""
    with workers(2, processes=False) as (_, client):
        yield client


def color(edges: Any, client: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lagcolor.NumberingWarning)
        return lagcolor.scale.dask.color(edges, client, **more)


CASES = {  # a graph, an order, partitions
    "skewed": ("rmat", "largest_first_spread", 4),
    "chains": ("clique 5", "natural", 3),
    "random": ("random sparse", "random", 5),
    "mesh": ("grid", "random_spread", 3),
}


def refilled(made: Any, client: Any, count: int) -> list[int]:
    """Processes of workers, of which there are some again. Dask gives up one that is killed while it starts."""
    until = time.monotonic() + 120
    while len(pids := client.run(os.getpid, on_error="ignore")) < count:
        assert time.monotonic() < until
        made.scale(count + 1)
        time.sleep(0.2)
    return sorted(pids.values())


def test_workers_are_killed(tmp_path: Path) -> None:
    """A worker is killed at a random moment of each run: the same bits."""
    expected = {case: wanted(name, order, 0) for case, (name, order, _) in CASES.items()}
    sources = {case: shards(tmp_path / case, edges_of(name), 2) for case, (name, _, _) in CASES.items()}
    disturbed = 0
    with workers(3) as (made, client):

        def run(case: str, **more: Any) -> Any:
            name, order, parts = CASES[case]
            n = corpus.CORPUS[name][0]
            return color(sources[case], client, n=n, order=order, seed=0, parts=parts, **more)

        for case in CASES:
            assert run(case).colors.tolist() == expected[case]
        for trial in range(TRIALS):
            chance = random.Random(trial)
            case = chance.choice(list(CASES)) if trial % 3 else "skewed"
            pid = chance.choice(refilled(made, client, 2))
            killer = threading.Timer(chance.random() * 0.8, os.kill, (pid, signal.SIGKILL))
            killer.start()
            found = run(case, trace=True, verify=trial % 5 == 0)
            killer.join()
            assert found.colors.tolist() == expected[case], (trial, case)
            assert found.rounds == len(found.trace)
            disturbed += found.notes["built"] > found.notes["parts"] or found.notes["recomputed"] > 0
    assert disturbed >= 3  # most of the others were between two tasks, or after the last


def test_workers_are_added_and_the_scheduler_is_restarted(tmp_path: Path) -> None:
    """A run begins on one worker, goes on with three, loses the whole cluster, and ends on another: the same bits."""
    source, expected = shards(tmp_path / "e", edges_of("rmat")), wanted("rmat", "random", 1)
    more = {"n": 1024, "order": "random", "seed": 1, "parts": 6, "core": 0, "checkpoint": tmp_path / "run"}
    rounds: list[int] = []

    def at_round(number: int, do: Any) -> Any:
        """A listener that does something once a round has ended."""

        def listen(progress: Any) -> None:
            rounds[:] = [len(list((tmp_path / "run").glob("messages/*")))]
            if rounds[0] >= number:
                do()

        return listen

    with workers(1, patience="8s") as (made, client):
        added: list[bool] = []

        def add() -> None:
            if not added:
                added.append(True)
                made.scale(3)
                client.wait_for_workers(3, timeout=120)
            elif rounds[0] >= 4:
                made.scheduler.loop.add_callback(made.scheduler.close)

        with pytest.raises((lagcolor.ClusterError, OSError)) as lost:
            color(source, client, progress=at_round(2, add), **more)
        assert isinstance(lost.value, lagcolor.ClusterError), lost.value
        assert "goes on from where it was" in str(lost.value)
    assert not (tmp_path / "run" / "colors").exists()
    with workers(2) as (_, client):
        found = color(source, client, **more)
    assert found.colors.tolist() == expected
    assert found.notes["resumed"] >= 2


def test_more_than_a_worker_has_room_for(tmp_path: Path) -> None:
    """Partitions that fit one by one, in workers that are never over their limit; one partition is refused."""
    r = np.random.default_rng(0)
    edges = np.concatenate([r.integers(0, 60_000, (150_000, 2)), (r.random((150_000, 2)) ** 3 * 60_000).astype(int)])
    source = shards(tmp_path / "e", edges, 6)
    with workers(2) as (_, client):
        used = max(client.run(_loaded).values())
    limit = int((used + (40 << 20)) / cluster.USABLE)
    with workers(2, memory_limit=limit) as (_, client):
        pids = client.run(os.getpid)
        with pytest.raises(lagcolor.OptionError, match=r"pass parts=\d+ or more") as error:
            color(source, client, parts=1)
        parts = int(re.search(r"parts=(\d+)", str(error.value))[1])  # type: ignore[index]
        seen: list[int] = []
        found = color(source, client, parts=parts, progress=lambda p: seen.extend(map(rss, pids.values())))
        assert client.run(os.getpid) == pids  # no nanny has ended its worker
    assert memory.PER_ENTRY * found.notes["entries"] > 40 << 20
    assert max(seen) < 0.95 * limit  # where a nanny ends a worker
    assert (found.colors == lagcolor.color(tuple(edges.T)).colors).all()


@pytest.mark.slow
def test_a_graph_larger_than_the_memory_of_a_worker(tmp_path: Path) -> None:
    """Its rows alone take more than the limit at which Dask ends a worker; nothing of it is ever in one place."""
    reach, block, files = 16, 5000, 16
    with workers(2) as (_, client):
        used = max(client.run(_loaded).values())
    limit = int((used + (30 << 20)) / cluster.USABLE)
    n = int(1.02 * limit / (2 * reach * 4)) // block * block + block
    for k in range(files):
        i = np.arange(n * k // files, n * (k + 1) // files, dtype=np.int32)
        u, v = np.repeat(i, reach), (i[:, None] + np.arange(1, reach + 1, dtype=np.int32)).ravel()
        np.save(tmp_path / f"{k}.npy", np.stack([u, v])[:, u // block == v // block])
    with workers(2, memory_limit=limit) as (_, client):
        pids = client.run(os.getpid)
        seen: list[int] = []
        listen = lambda p: seen.extend(map(rss, pids.values()))  # noqa: E731
        found = color(tmp_path / "*.npy", client, n=n, order="natural", verify=False, progress=listen)
        assert client.run(os.getpid) == pids  # no nanny has ended its worker
    assert 4 * found.notes["entries"] > limit > 1.05 * max(seen)
    assert (found.colors == np.arange(n) % block % (reach + 1)).all()  # an edge joins what is up to `reach` apart


def rss(pid: int) -> int:
    """Memory of a process."""
    return int(psutil.Process(pid).memory_info().rss)


def _loaded(dask_worker: Any) -> int:
    """Memory of a worker with the library loaded."""
    from lagcolor.scale.dask.held import warm_up

    warm_up()
    return rss(os.getpid())


def test_a_data_frame(here: Any, tmp_path: Path) -> None:
    """Of two columns, or of those whose names say so; names are numbered as the message says."""
    import dask.dataframe as dd
    import pandas as pd

    edges, expected = edges_of("rmat"), wanted("rmat", "largest_first_spread", 0)
    frame = pd.DataFrame({"weight": 1.0, "dst": edges[:, 0], "src": edges[:, 1].astype("int32")})
    found = color(dd.from_pandas(frame, npartitions=5), here, n=1024, parts=3)
    assert found.colors.tolist() == expected and found.verified
    array = found.to_dask()
    assert array.shape == (1024,) and (array.compute() == found.colors).all() and int(array.max()) + 1 == found.n_colors
    with pytest.raises(lagcolor.GraphError, match="which two of the 3 columns"):
        color(dd.from_pandas(frame.rename(columns={"src": "x"}), npartitions=2), here)
    with pytest.raises(
        lagcolor.GraphError, match=r"column 'dst' has no value in row .*: leave such rows out, `edges.dropna"
    ):
        gaps = frame.astype({"dst": "float"})
        gaps.loc[7, "dst"] = float("nan")
        color(dd.from_pandas(gaps, npartitions=2), here)
    a, b = "one", "other"
    named = pd.DataFrame({a: [f"v{x}" for x in edges[:300, 0]], b: [f"v{x}" for x in edges[:300, 1]]})
    edges = dd.from_pandas(named, npartitions=2)
    with pytest.raises(lagcolor.GraphError, match="Number names first: ") as error:
        color(edges, here)
    advice = str(error.value).partition("first: ")[2]
    names_by, _, map_by = advice.partition(", then ")
    space: dict[str, Any] = {"dask": dask, "edges": edges, "a": a, "b": b}
    exec(names_by, space)  # names = …
    numbered = edges.copy()
    for column in (a, b):
        numbered[column] = eval(map_by.removesuffix(" and the same of b").replace("a]", "c]").replace("(a,", "(c,"),
                                {**space, "c": column})  # fmt: skip
    found = color(numbered, here)
    number = {name: k for k, name in enumerate(space["names"])}
    one = lagcolor.color((named[a].map(number).to_numpy(), named[b].map(number).to_numpy()))
    assert (found.colors == one.colors).all()


def test_what_a_cluster_must_have(here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = shards(tmp_path / "e", edges_of("grid"))
    with pytest.raises(lagcolor.OptionError, match=r"client must be a distributed\.Client, not str"):
        color(source, "tcp://127.0.0.1:8786")
    with pytest.raises(lagcolor.DeviceError, match="device='auto' takes GPUs where they are"):
        monkeypatch.setattr(cluster.dev, "cupy", _no_gpu)
        color(source, here, device="cuda")
    monkeypatch.setattr(cluster, "Path", lambda path: Path("/none"))
    with pytest.raises(
        lagcolor.OptionError, match=r"does not see the folder .*: pass checkpoint= a folder that is on all"
    ):
        color(source, here)
    monkeypatch.undo()
    answer = cluster.answer

    async def old(token: str, device: str, dask_worker: Any) -> Any:
        return (await answer(token, device, dask_worker))._replace(version="0.0.1")

    monkeypatch.setattr(cluster, "answer", old)
    with pytest.raises(lagcolor.ClusterError, match=r"has lagcolor 0\.0\.1, and this is"):
        color(source, here)
    monkeypatch.undo()
    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    with (
        workers(0, processes=False) as (_, client),
        pytest.raises(lagcolor.ClusterError, match="has had no worker for"),
    ):
        color(source, client)


def _no_gpu() -> None:
    raise lagcolor.DeviceError("no GPU")


def test_a_task_that_ends_its_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask gives up after some workers; the message says what that is, mostly."""
    made = cluster.Cluster.__new__(cluster.Cluster)
    with workers(1) as (_, client):
        made.client, made.homes, made.wanted, made.begun = client, {}, 0, 0
        client.run_on_scheduler(_impatient)
        with pytest.raises(lagcolor.ClusterError, match="too little memory; pass more parts, or give workers more"):
            made.each("ending", _end, {0: (1,)})


def _impatient(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 0


def _end(x: int) -> None:
    os._exit(9)
