"""Edges in files, and a cluster of one process that loses what its workers keep."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import corpus
import numpy as np

import lagcolor
from lagcolor.scale.dask.cluster import Worker
from lagcolor.scale.dask.held import CACHE

MEMORY = 1 << 30


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


def shards(folder: Path, pairs: np.ndarray, count: int = 3) -> str:
    """The same in so many .npy files, as a pattern of their names."""
    folder.mkdir(exist_ok=True)
    for k in range(count):
        mine = pairs[k::count]
        mine = np.concatenate([mine, mine[:1]]) if len(mine) == 2 else mine  # shape (2, 2) may be two things
        np.save(folder / f"{k}.npy", mine.astype(np.int64 if k % 2 else np.int32))
    return str(folder / "*.npy")


def wanted(name: str, order: str, seed: int | None) -> list[int]:
    """Colors of first-fit in plain Python, in the order as the whole graph has it."""
    G = corpus.graph(name)
    return corpus.first_fit(G, lagcolor.Priorities.of(G, order, seed).sequence.tolist())


class Unreliable:
    """What the driver takes for a cluster: tasks run here, in random order, some twice, and lose what they keep.

    Parameters
    ----------
    seed : int, optional
        None: nothing is lost, and tasks run once.
    device : str
    memory : int
        Of each of two workers.
    """

    def __init__(self, seed: int | None = None, memory: int = MEMORY) -> None:
        self.random = random.Random(seed)
        self.reliable = seed is None
        self.memory = memory
        self.wanted = self.begun = 0
        self.stop: Callable[[str, int], None] = lambda name, k: None

    def ask(self, folder: Path, device: str) -> list[Worker]:
        return [Worker(lagcolor.__version__, True, 0, self.memory, 1)] * 2

    def settle(self, parts: int) -> None:
        pass

    def forget(self, function: Callable[..., Any], *args: Any) -> None:
        function(*args)

    def each(self, name: str, function: Callable[..., Any], jobs: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        results = {}
        keys = list(jobs)
        self.random.shuffle(keys)
        for k in keys:
            self.stop(name, k)
            for _ in range(1 if self.reliable else 1 + (self.random.random() < 0.15)):
                if not self.reliable and self.random.random() < 0.15:
                    CACHE.__init__()  # type: ignore[misc]  # the worker is lost
                function_, arguments = pickle.loads(pickle.dumps((function, jobs[k])))  # as tasks travel
                results[k] = function_(*arguments)
                self.begun += 1
            self.wanted += 1
        return results
