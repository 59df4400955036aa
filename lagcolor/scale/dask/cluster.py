"""The Dask cluster of a run: many calls of one function, and errors that say what to do.

Dask schedules tasks, and runs them again after a worker was lost.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from distributed import CancelledError, Client, KilledWorker, as_completed, default_client
from distributed.comm import CommClosedError

from ...base import __version__
from ...base.errors import ClusterError, LagcolorError, OptionError
from ...base.log import stage
from .sweep import load_code

PATIENCE = 60  # seconds in which a worker must appear
USABLE = 0.7  # share of a worker's memory over which Dask writes results to disk, and soon stops the worker


class Worker(NamedTuple):
    """A worker before the run, with the library loaded."""

    version: str  # of this library
    sees: bool  # whether it can access all files of the run
    used: int  # bytes in use
    limit: int  # bytes that it may use
    threads: int

    @property
    def available(self) -> int:
        """Bytes that a task may use."""
        return int((USABLE * self.limit - self.used) / self.threads)


class Cluster:
    """The workers of a client, by default of the current client."""

    def __init__(self, client: Any) -> None:
        if client is None:
            try:
                client = default_client()
            except ValueError as e:
                raise OptionError(
                    "no Dask client: pass client=distributed.Client(address); Client() makes a cluster of this machine"
                ) from e
        if not isinstance(client, Client):
            raise OptionError(f"client must be a distributed.Client, not {type(client).__qualname__}")
        if client.asynchronous:
            raise OptionError("client is asynchronous: pass Client(..., asynchronous=False)")
        if client.status == "closed":
            raise ClusterError("client is closed: pass one that is connected to a scheduler")
        self.client = client
        self.partitions: dict[int, Any] = {}

    def workers(self, *paths: Path) -> list[Worker]:
        """Return all workers; raise an error if one cannot access these files and folders."""
        answers: dict[str, Any] = {}
        with self._tasks([]):
            while not answers:  # a worker that is lost before its answer is left out
                try:
                    self.client.wait_for_workers(1, timeout=PATIENCE)
                except TimeoutError as e:
                    raise ClusterError(f"the cluster has had no worker for {PATIENCE} s: start one") from e
                every = self.client.run(describe, [str(path) for path in paths], on_error="return")
                answers = {a: x for a, x in every.items() if not isinstance(x, CommClosedError)}
        for address, found in answers.items():
            if isinstance(found, ModuleNotFoundError):
                what = f"the worker {address} cannot import {found.name}: install lagcolor[dask] {__version__} there"
                raise ClusterError(what) from found
            if isinstance(found, Exception):
                raise found
            if found.version != __version__:
                raise ClusterError(f"the worker {address} has lagcolor {found.version}, and this is {__version__}")
            if not found.sees:
                raise OptionError(
                    f"the worker {address} does not see {' and '.join(map(str, paths))}: pass a graph and checkpoint= "
                    "in folders that are on all machines under one path"
                )
        return list(answers.values())

    def build(self, function: Callable[..., Any], jobs: Mapping[int, tuple[Any, ...]]) -> None:
        """Build the partitions; Dask keeps each on a worker, which runs its tasks, and rebuilds it after a loss."""
        self.partitions = self._submit("building", function, jobs)
        self.results("building", {self.client.submit(_done, f, pure=False): k for k, f in self.partitions.items()})

    def sweep(self, name: str, function: Callable[..., Any], jobs: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """Return the result of a call per partition, with the partition as the first argument."""
        return self.each(name, function, {k: (self.partitions[k], *args) for k, args in jobs.items()})

    def each(self, name: str, function: Callable[..., Any], jobs: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """Return the result of a call per job."""
        return self.results(name, {future: k for k, future in self._submit(name, function, jobs).items()})

    def _submit(self, name: str, function: Callable[..., Any], jobs: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        unique = uuid.uuid4().hex
        return {
            k: self.client.submit(function, *args, key=(f"lagcolor-{name}-{unique}", k), pure=False)
            for k, args in jobs.items()
        }

    def results(self, name: str, futures: Mapping[Any, int]) -> dict[int, Any]:
        """Return the results of futures, by their numbers."""
        results: dict[int, Any] = {}
        progress = stage(name, len(futures), "tasks")
        with self._tasks(futures):
            # Results are gathered here, because `as_completed` would ignore a lost connection and never end.
            for batch in as_completed(list(futures)).batches():
                results |= dict(zip((futures[f] for f in batch), self.client.gather(batch), strict=True))
                progress.at(len(results))
        return results

    def in_turn(self, name: str, futures: list[Any]) -> Iterator[Any]:
        """Yield the results of futures in order; each is released before the next."""
        progress, count = stage(name, len(futures), "tasks"), len(futures)
        with self._tasks(futures):
            while futures:
                yield self.client.gather(futures.pop(0))
                progress.at(count - len(futures))

    @contextmanager
    def _tasks(self, futures: Collection[Any]) -> Iterator[None]:
        """Explain errors of tasks, and cancel the remaining tasks after any error."""
        try:
            yield
        except BaseException as e:
            explained = explain(e)
            if self.client.status == "running":
                self.client.cancel(list(futures), force=True)
            elif isinstance(e, Exception) and not isinstance(e, LagcolorError):  # a closed client raises various types
                explained = lost(e)
            if explained is e:
                raise
            raise explained from e


def _done(partition: Any) -> None:
    """Run as a task that ends when a partition is built."""


async def describe(paths: list[str], dask_worker: Any) -> Worker:
    """Load the code that a worker will need, and return its description."""
    await asyncio.to_thread(load_code)
    limit = dask_worker.memory_manager.memory_limit or psutil.virtual_memory().total
    used = psutil.Process().memory_info().rss
    return Worker(__version__, all(Path(p).exists() for p in paths), used, limit, dask_worker.state.nthreads)


def explain(error: BaseException) -> BaseException:
    """Return an error of this package for an error of Dask; other errors unchanged."""
    if isinstance(error, KilledWorker):
        return ClusterError(
            f"the task {error.task} ended {error.allowed_failures + 1} workers, the last at "
            f"{error.last_worker.address}: most often they had too little memory; pass more parts, or give workers "
            "more memory. The workers' logs say why they ended"
        )
    connection = isinstance(error, OSError) and error.errno is None and "trying to connect" in str(error)
    if connection or isinstance(error, (CancelledError, CommClosedError)):
        return lost(error)
    return error


def lost(error: BaseException) -> ClusterError:
    """Return the error for a scheduler that does not answer."""
    return ClusterError(
        f"the scheduler was lost, or cancelled the tasks of the run ({error}): with checkpoint=, a call with the "
        "same arguments continues from its last round"
    )
