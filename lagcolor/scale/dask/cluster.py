"""A Dask cluster as the driver uses it: many calls of one function, and errors that say what to do.

Scheduling, retries after a worker was lost, and moving tasks to idle workers are Dask's.
"""

from __future__ import annotations

import asyncio
import errno
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from dask import delayed
from dask.delayed import Delayed
from distributed import CancelledError, Client, KilledWorker, as_completed, default_client, get_worker
from distributed.comm import CommClosedError

from ... import __version__
from ... import device as dev
from ...core.errors import ClusterError, DeviceError, OptionError
from ...progress import stage
from .held import warm_up

PATIENCE = 60  # seconds until there must be a worker
USABLE = 0.7  # of a worker's memory: Dask writes results to disk from there on, and soon stops a worker


class Worker(NamedTuple):
    """What a worker says of itself: its process as it is before the run, with the library loaded."""

    version: str
    sees: bool
    used: int
    limit: int
    threads: int


class Cluster:
    """The workers of a run.

    Parameters
    ----------
    client : distributed.Client, optional
        None: the current one.

    Raises
    ------
    OptionError
        There is none.
    """

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
        self.client = client
        self.homes: dict[int, Any] = {}
        self.begun = self.wanted = 0

    def ask(self, folder: Path, device: str) -> list[Worker]:
        """What all workers say of themselves."""
        token = folder / f".{uuid.uuid4().hex}"
        token.touch()
        try:
            answers: dict[str, Any] = {}
            while not answers:  # those that are lost while they are asked are left out
                self.client.wait_for_workers(1, timeout=PATIENCE)
                given = self.client.run(answer, str(token), device, on_error="return")
                answers = {a: x for a, x in given.items() if not isinstance(x, CommClosedError)}
        except TimeoutError as e:
            raise ClusterError(f"the cluster has had no worker for {PATIENCE} s: start one") from e
        finally:
            token.unlink()
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
                    f"the worker {address} does not see the folder {folder}: pass checkpoint= a folder that is on all "
                    "machines under one path"
                )
        return list(answers.values())

    def each(self, name: str, function: Callable[..., Any], jobs: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """The results of one call per job, in whatever order they end."""
        if not jobs:
            return {}
        progress = stage(name, len(jobs), "tasks")
        unique = uuid.uuid4().hex
        results: dict[int, Any] = {}
        futures: dict[Any, int] = {}
        topic = f"lagcolor-{unique}"
        try:
            calls = [(self.homes.get(k), *args) for k, args in jobs.items()]
            keys = [(f"lagcolor-{name}-{unique}", k) for k in jobs]
            futures = dict(zip(self._start(Call(topic, function), calls, keys), jobs, strict=True))
            # Results are asked for here: where `as_completed` asks, a lost connection is no error, and it never ends.
            for ended in as_completed(list(futures)).batches():
                results |= dict(zip((futures[f] for f in ended), self.client.gather(ended), strict=True))
                progress.at(len(results))
            begun = self.client.get_events(topic) or ()
        except KilledWorker as e:
            raise ClusterError(
                f"the task {e.task} ended {e.allowed_failures + 1} workers, the last at {e.last_worker.address}: most "
                "often they had too little memory; pass more parts, or give workers more memory. The workers' logs say "
                "why they ended"
            ) from e
        except (CancelledError, CommClosedError) as e:
            raise lost(e) from e
        except OSError as e:
            if e.errno is None and "trying to connect" in str(e):  # as Dask has it
                raise lost(e) from e
            raise explained(e) from e
        finally:
            if len(results) < len(futures) and self.client.status == "running":
                self.client.cancel(list(futures), force=True)
        self.wanted += len(jobs)
        self.begun += max(len(begun), len(jobs))
        return results

    def settle(self, parts: int) -> None:
        """Give each partition a worker, where its tasks run unless others are idle.

        Dask runs a task where the results are that it takes. Tasks of a partition take its *home*, which is nothing,
        and is made anew on another worker when its worker is lost. (Naming workers for a task would do until all are
        lost at one time: such tasks wait for these for ever, also where others may run them.)
        """
        unique = uuid.uuid4().hex
        keys = [(f"lagcolor-home-{unique}", k) for k in range(parts)]
        self.homes = dict(enumerate(self.client.map(home, range(parts), key=keys, pure=False)))

    def _start(self, call: Call, jobs: list[tuple[Any, ...]], keys: list[Any]) -> list[Any]:
        """Futures of calls; arguments that are to be computed are computed where their task runs."""
        if not any(isinstance(x, Delayed) for x in jobs[0]):
            return self.client.map(call, *zip(*jobs, strict=True), key=keys, pure=False)
        made = [delayed(call, pure=False)(*job, dask_key_name=key) for job, key in zip(jobs, keys, strict=True)]
        return self.client.compute(made)

    def forget(self, function: Callable[..., Any], *args: Any) -> None:
        """Call a function on all workers, if they can be reached."""
        if self.client.status != "running":
            return
        try:
            self.client.run(function, *args)
        except Exception:  # what workers keep does no harm, and the run is over
            return


class Call:
    """A function of the arguments of a job, without the home of its partition; tells when it begins."""

    def __init__(self, topic: str, function: Callable[..., Any]) -> None:
        self.topic, self.function = topic, function

    def __call__(self, home: None, *job: Any) -> Any:
        get_worker().log_event(self.topic, "begun")
        return self.function(*job)


def home(part: int) -> None:
    """Where a partition is."""


async def answer(token: str, device: str, dask_worker: Any) -> Worker:
    """What a worker says of itself, with the code loaded that it will need."""
    refuse_missing(device, dask_worker.address)
    await asyncio.to_thread(warm_up)
    limit = dask_worker.memory_manager.memory_limit or psutil.virtual_memory().total
    used = psutil.Process().memory_info().rss
    return Worker(__version__, Path(token).exists(), used, limit, dask_worker.state.nthreads)


def refuse_missing(device: str, address: str) -> None:
    """Nothing, where a worker has the device."""
    if device == "cuda":
        try:
            dev.cupy()
        except DeviceError as e:
            raise DeviceError(f"{address}: {e}; device='auto' takes GPUs where they are") from e


def lost(error: BaseException) -> ClusterError:
    """The error of a scheduler that cannot be reached."""
    return ClusterError(
        f"the scheduler was lost, or cancelled the tasks of the run ({error}): with checkpoint=, a call with the same "
        "arguments goes on from where it was"
    )


def explained(error: OSError) -> OSError:
    """The same, of a full disk with what to do."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return error
    return OSError(
        error.errno,
        f"{error.strerror}: make room, or pass checkpoint= a folder with more; with checkpoint=, a call with the same "
        "arguments goes on from where it was",
        error.filename,
    )
