"""Clusters of this machine, and graphs for them."""

from __future__ import annotations

import contextlib
import multiprocessing.forkserver
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus
import dask
import distributed
import numpy as np
import pytest

import lagcolor


def edges_of(name: str, seed: int = 0) -> np.ndarray:
    """Edges of a graph of the corpus as a careless user has them: in either direction, some twice, and loops."""
    n, u, v = corpus.CORPUS[name]
    pairs = np.array([u, v], np.int64).T.reshape(-1, 2)
    r = np.random.default_rng(seed)
    turned = r.random(len(pairs)) < 0.5
    pairs[turned] = pairs[turned][:, ::-1]
    again = pairs[r.integers(0, len(pairs), len(pairs) // 4)] if len(pairs) else pairs
    loops = np.repeat(r.integers(0, max(n, 1), min(n, 3))[:, None], 2, axis=1)
    return r.permutation(np.concatenate([pairs, again[:, ::-1], loops]))


def folder_of(path: Path, name: str) -> Path:
    """A graph of the corpus in a folder."""
    lagcolor.io.write(path, corpus.graph(name))
    return path


def apart(name: str) -> lagcolor.Graph:
    """The graph whose edges are pairs at a distance of one or two."""
    n, u, v = corpus.CORPUS[name]
    near = np.zeros((n, n), np.int64)
    near[u, v] = near[v, u] = 1
    near |= near @ near > 0
    np.fill_diagonal(near, 0)
    return lagcolor.Graph.of(near)


def wanted(name: str, order: Any, seed: int | None, problem: str = "distance1") -> list[int]:
    """Colors of first-fit in plain Python, in the order as the whole graph has it."""
    G = corpus.graph(name) if problem == "distance1" else apart(name)
    return corpus.first_fit(G, lagcolor.Priorities.of(G, order, seed=seed).sequence.tolist())


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
            multiprocessing.get_context("forkserver").set_forkserver_preload(["lagcolor.scale.dask"])
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
