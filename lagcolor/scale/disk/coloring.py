"""Color a graph in a folder in bounded memory. The colors equal first-fit of the graph in memory.

The colors of all vertices are in memory. Rows are read in the order of coloring, each once, from memory maps of the
folder, so that a vertex is colored after all its earlier neighbors. In the order of ids, which is the order of the
folder, the files are read from front to back. In other orders rows are read from anywhere in the files; in the default
order, runs of 32 ids stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...api.request import Request
from ...api.result import Coloring
from ...api.session import Clock, finished, is_checked
from ...base import compile_clock as compiling
from ...base import device as dev
from ...base.errors import OptionError
from ...base.log import Log
from ...base.options import resolve, size
from ...io.folder import Folder
from ...orders import Priorities
from ...problems.registry import ALGORITHMS
from ...search import FAST
from . import check, on_cpu
from .memory_map import largest_degree, mapped, opened

NATURAL = "natural"
# Bytes per vertex while an order is computed, in addition to the user's own array.
MAKING = {NATURAL: 0, "largest_first_spread": 12, "largest_first": 36, "largest_log_first": 40, "user": 48}
OTHERS = 32
SLACK = 1 << 23  # bytes of small items: stacks of threads, temporary memory of Python and the file system
NATURAL_LESS = ", or order='natural', which needs less"


def color(x: Any, request: Request) -> Coloring:
    """Color a graph in a folder; `lagcolor.color` with ``memory=`` calls this."""
    memory, order, row = size("memory", request.memory), request.order, ALGORITHMS[FAST]
    kind, index = dev.parse_device(request.device or "cpu")
    folder, log = opened(x), Log(request.trace)
    passed = compiling.stopwatch()
    G, largest = mapped(folder), largest_degree(folder)
    p = Priorities.of(G, row.order if order is None else order, seed=resolve(request.seed, row.seed))
    converted = passed()
    engine = _engine(kind)
    used = _used(memory, folder, largest, p.name, engine)
    sequence = None if p.is_natural else p.sequence
    ordered = passed() - converted
    with _on_device(kind, index, memory) as measured:
        with dev.using(G.indices):
            with Clock(G) as watch:
                colors = engine.color(folder, sequence, largest, used - SLACK, log)
            read = folder.indptr.nbytes + folder.indices.nbytes
            log.notes.update(blocks=log.rounds, bytes=read, held=measured() or used)
            log.rounds = 1
            result = Coloring._of(colors, G, row.name, p, log, (0.0, ordered, converted))
            checked = is_checked(request.verify, G)
            finished(result, watch, request.compiled, checked, lambda result: _verify(folder, result))
        result.notes["rate"] = round(result.notes["bytes"] / result.seconds) if result.seconds else 0
    return result


def _used(memory: int, folder: Folder, largest: int, name: str, engine: Any) -> int:
    """Return the most bytes that a coloring in an order uses; raise an OptionError if `memory` is too little."""
    n, making = folder.n, MAKING.get(name, OTHERS) * folder.n + SLACK
    least, used = (SLACK + share for share in engine.share(folder, largest, name == NATURAL, memory - SLACK))
    if memory < max(least, making):
        raise OptionError(
            f"memory={memory} is too little for {n:,} vertices with up to {largest:,} neighbors in the order {name}: "
            f"pass {max(least, making)} or more{NATURAL_LESS if name != NATURAL and making > memory else ''}"
        )
    return used


def _verify(folder: Folder, result: Coloring) -> None:
    check.verify(folder, result.colors)
    result.verified = True


def _engine(kind: str) -> Any:
    """Return the module that colors on a kind of device."""
    if kind == "cpu":
        return on_cpu
    from . import on_gpu

    return on_gpu


@contextmanager
def _on_device(kind: str, index: int, memory: int) -> Iterator[Callable[[], int]]:
    """Make the device current, with a limit of bytes; yield a function that returns the number of allocated bytes."""
    if kind == "cpu":
        yield lambda: 0
        return
    cp = dev.cupy()
    with cp.cuda.Device(index):
        own = cp.cuda.MemoryPool()  # arrays keep their memory after the pool is deleted
        own.set_limit(size=memory)
        with cp.cuda.using_allocator(own.malloc):
            yield own.total_bytes
