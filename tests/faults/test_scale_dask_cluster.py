"""A cluster of processes; some are killed, added, or short of memory."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import corpus
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
import pytest
from dask_cases import edges_of, folder_of, wanted, workers

import lagcolor
from lagcolor.scale.dask import cluster

TRIALS = 5
CASES = {  # a graph, an order, partitions
    "skewed": ("rmat", "largest_first_spread", 4),
    "chains": ("clique 5", "natural", 3),
    "random": ("random sparse", "random", 5),
    "mesh": ("grid", "random_spread", 3),
    "frame": ("rmat", "random", 4),
}


def refilled(made: Any, client: Any, count: int) -> list[int]:
    """Processes of workers, after some exist again. Dask gives up one that is killed while it starts."""
    until = time.monotonic() + 120
    while len(pids := client.run(os.getpid, on_error="ignore")) < count:
        assert time.monotonic() < until
        made.scale(count + 1)
        time.sleep(0.2)
    return sorted(pids.values())


def test_workers_are_killed(tmp_path: Path) -> None:
    """A worker is killed in a stage of each run, also while Dask shuffles: the same bits."""
    expected = {case: wanted(name, order, 0) for case, (name, order, _) in CASES.items()}
    sources: dict[str, Any] = {case: folder_of(tmp_path / f"{case}.csr", row[0]) for case, row in CASES.items()}
    sources["frame"] = dd.from_pandas(pd.DataFrame(edges_of("rmat"), columns=["u", "v"]), npartitions=4)
    killed_in = set()
    with workers(3) as (made, client):
        for trial in range(TRIALS):
            chance = random.Random(trial)
            case = list(CASES)[trial % len(CASES)]
            name, order, parts = CASES[case]
            pid, stages, fatal = chance.choice(refilled(made, client, 2)), [], chance.randrange(2, 9)

            def kill(progress: Any, pid: int = pid, fatal: int = fatal, stages: list[str] = stages) -> None:
                """At the beginning of a stage; some milliseconds later every other time."""
                if progress.stage not in stages:
                    stages.append(progress.stage)
                    if len(stages) == fatal:
                        threading.Timer((fatal % 2) * 0.01, os.kill, (pid, signal.SIGKILL)).start()
                        killed_in.add(progress.stage)

            n = corpus.CORPUS[name][0] if case == "frame" else None
            found = lagcolor.scale.dask.color(
                sources[case], client, n=n, order=order, seed=0, parts=parts, progress=kill
            )
            assert found.to_numpy().tolist() == expected[case], (trial, case)
    assert len(killed_in) >= 3


def test_workers_are_added_and_the_scheduler_is_restarted(tmp_path: Path) -> None:
    """A run begins on one worker, goes on with three, loses the whole cluster, and ends on another: the same bits."""
    path, expected = folder_of(tmp_path / "g.csr", "rmat"), wanted("rmat", "random", 1)
    more = {"order": "random", "seed": 1, "parts": 6, "checkpoint": tmp_path / "run"}
    with workers(1, patience="8s") as (made, client):

        def listen(progress: Any) -> None:
            if progress.stage == "round 2" and progress.done == 0:
                made.scale(3)
                client.wait_for_workers(3, timeout=120)
            elif progress.stage == "round 4":
                made.scheduler.loop.add_callback(made.scheduler.close)

        with pytest.raises((lagcolor.ClusterError, OSError)) as lost:
            lagcolor.scale.dask.color(path, client, progress=listen, **more)
        assert isinstance(lost.value, lagcolor.ClusterError), lost.value
        assert "continues from its last round" in str(lost.value)
    with workers(2) as (_, client):
        found = lagcolor.scale.dask.color(path, client, **more)
    assert found.to_numpy().tolist() == expected
    assert found.notes["resumed"] >= 3


@pytest.mark.slow
def test_a_graph_larger_than_the_memory_of_a_worker(tmp_path: Path) -> None:
    """Its rows take more than the limit at which Dask ends a worker."""
    reach, block = 16, 5000
    with workers(2) as (_, client):
        used = max(client.run(_loaded).values())
    limit = int((used + (120 << 20)) / cluster.USABLE)
    n = int(1.1 * limit / (2 * reach * 4)) // block * block + block
    i = np.arange(n, dtype=np.int32)
    near = [i + d for d in (*range(-reach, 0), *range(1, reach + 1))]
    with lagcolor.scale.disk.Writer(tmp_path / "g.csr", n) as out:
        for low in range(0, n, block):
            around = np.stack([x[low : low + block] for x in near], axis=1)
            inside = (around >= low) & (around < low + block)
            out.append(inside.sum(axis=1), around[inside])
        folder = out.publish()
    with workers(2, memory_limit=limit) as (_, client):
        pids = client.run(os.getpid)
        seen: list[int] = []
        listen = lambda p: seen.extend(psutil.Process(pid).memory_info().rss for pid in pids.values())  # noqa: E731
        found = lagcolor.scale.dask.color(folder.path, client, order="natural", verify=False, progress=listen)
        assert client.run(os.getpid) == pids  # no nanny has ended its worker
    assert 4 * folder.entries > limit > max(seen)
    assert (found.colors == np.arange(n) % block % (reach + 1)).all()  # an edge joins what is up to `reach` apart


def _loaded() -> int:
    """Memory of a worker with the library loaded."""
    from lagcolor.scale.dask.sweep import load_code

    load_code()
    return int(psutil.Process().memory_info().rss)


def test_a_task_that_ends_its_workers() -> None:
    """Dask gives up after some workers; the message says what that is, mostly."""
    with workers(1) as (_, client):
        client.run_on_scheduler(_impatient)
        with pytest.raises(lagcolor.ClusterError, match="too little memory; pass more parts, or give workers more"):
            cluster.Cluster(client).each("ending", _end, {0: (1,)})


def _impatient(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 0


def _end(x: int) -> None:
    os._exit(9)
