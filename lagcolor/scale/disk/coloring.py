"""A graph in a folder, colored in a bounded memory: the colors of `lagcolor.color` of the same graph in memory.

Colors of all vertices stay in memory, 4 bytes each; rows are read once, block by block.

In the order of ids, which is that of the folder, each block is colored around the colors of those before, and one pass
is all. In any other order that follows from ids and degrees, what is *ready* in a block is colored as it is read:
vertices whose earlier neighbors all have their colors, before or in the block. The others are kept, with their earlier
neighbors alone, in a file (`spill.py`), sorted by their place in the order, and colored when all blocks were read: at
most half of the entries is written and read once more, whatever the graph. First-fit in an order has one solution, so
the colors are those of one CPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirings.runtime import compile_clock as compiling

from ... import device as dev
from ...core.errors import OptionError
from ...core.options import flag, resolve, size
from ...core.result import Coloring, Log
from ...io.folder import Folder
from ...orders import Priorities
from ...problems import named
from ...progress import stage
from ...run.request import Call, Request, given, refuse
from ...run.session import Work, finish
from . import blocks, check
from .blocks import ENTRY, OFFSET
from .mapped import SURVEYED, largest_degree, mapped, opened
from .on_cpu import OnCpu
from .reading import threads
from .spill import Spill

NATURAL = "natural"
STATE = 4  # bytes per vertex that stay
# Bytes per vertex while an order is made, before there are any blocks; the user's own array comes on top.
MAKING = {NATURAL: 0, "largest_first_spread": 12, "largest_first": 36, "largest_log_first": 40, "user": 48}
OTHERS = 32
SLACK = 1 << 23  # bytes of what is small: stacks of threads, what Python and the file system have in between
LARGEST_BLOCK = 1 << 28  # bytes; larger ones bring nothing
EDGE = 64  # bytes of a block's memory that go to where its arrays begin
NATURAL_LESS = ", or order='natural', which needs less"


@dataclass(frozen=True)
class Budget:
    """How the bytes of a call are shared out.

    Attributes
    ----------
    block : int
        Bytes of a block.
    per_row : int
        What a row of it costs.
    held : int
        All that is held at a time, at most.
    """

    block: int
    per_row: int
    held: int

    @classmethod
    def of(cls, memory: int, folder: Folder, largest: int, name: str, painter: Any) -> Budget:
        """That for `memory` bytes."""
        n, (shares, per_row) = folder.n, painter.shares(name == NATURAL)
        fixed = STATE * n + 4 * (largest + 2) + SLACK
        making = MAKING.get(name, OTHERS) * n + SLACK
        row = ENTRY * largest + per_row + EDGE
        least = max(fixed + math.ceil(row * shares), making)
        if memory < least:
            raise OptionError(
                f"memory={memory} is too little for {n:,} vertices with up to {largest:,} neighbors in the order "
                f"{name}: pass {least} or more{NATURAL_LESS if name != NATURAL and making > memory else ''}"
            )
        whole = ENTRY * folder.entries + per_row * n + EDGE
        block = min(int((memory - fixed) / shares), LARGEST_BLOCK, whole)
        return cls(block, per_row, max(fixed + math.ceil(block * shares), making))


def color(
    x: Any, parameters: Mapping[str, Any], options: Mapping[str, Any], *, memory: Any, verify: bool | None, trace: bool
) -> Coloring:
    """As `lagcolor.color` with these parameters and ``memory=``, which calls this."""
    compiled, memory, verify = compiling.seconds(), size("memory", memory), flag("verify", verify, none=True)
    said = {name: value for name, value in options.items() if value is not None and value is not False}
    refuse(Call("color", "disk", given({**parameters, "problem": named(parameters["problem"]).name}, said)))
    order, seed = parameters["order"], parameters["seed"]
    kind, index = dev.parse_device(parameters["device"] or "cpu")
    folder, log = opened(x), Log(trace)
    row = Request.of({"algorithm": "first_fit", "order": order, "seed": seed}).row
    passed = compiling.stopwatch()
    G, largest = mapped(folder), largest_degree(folder)
    p = Priorities.of(G, row.order if order is None else order, resolve(seed, row.seed))
    converted = passed()
    painter_of = _painter(kind)
    budget = Budget.of(memory, folder, largest, p.name, painter_of)
    with ThreadPoolExecutor(threads()) as pool, on_device(kind, index, memory) as held:
        state = _state(p)
        ordered = passed() - converted
        painter = painter_of(folder, state, largest, pool)
        del state
        slots = painter.slots(budget.block)

        def run() -> Any:
            try:
                _run(folder, painter, slots, p.is_natural, budget, log, pool)
                return painter.colors()
            finally:
                painter.wait()

        def coloring(colors: Any) -> Coloring:
            _note(log, folder, held() or budget.held, order, p)
            return Coloring.of(colors, G, row.name, p, log, (0.0, ordered, converted))

        result = finish(G, lambda: Work(G, run, coloring), verify, compiled, lambda result: _verify(folder, result))
    result.notes["rate"] = round(result.notes["bytes"] / result.seconds) if result.seconds else 0
    return result


def _verify(folder: Folder, result: Coloring) -> None:
    check.verify(folder, result.colors)
    result.verified = True


def _state(p: Priorities) -> np.ndarray:
    """2³² − 1 less the place of each vertex: uint32."""
    n = p.G.n
    if p.is_natural:
        state = np.arange(n, dtype=np.uint32)
    else:
        state = np.empty(n, np.uint32)
        step = SURVEYED
        for begin in range(0, n, step):
            part = p.sequence[begin : begin + step]
            state[part] = np.arange(begin, begin + len(part), dtype=np.uint32)
        p._sequence = None
    return np.invert(state, out=state)


def _painter(kind: str) -> Any:
    if kind == "cpu":
        return OnCpu
    from .on_gpu import OnGpu

    return OnGpu


@contextmanager
def on_device(kind: str, index: int, memory: int) -> Iterator[Callable[[], int]]:
    """The device of the call is the current one and gives so many bytes; with a function that says how many it gave."""
    if kind == "cpu":
        yield lambda: 0
        return
    cp = dev.cupy()
    with cp.cuda.Device(index):
        own = cp.cuda.MemoryPool()  # arrays that outlive it keep their memory
        own.set_limit(size=memory)
        with cp.cuda.using_allocator(own.malloc):
            yield own.total_bytes


def _run(
    folder: Folder, painter: Any, slots: list[Any], in_order: bool, budget: Budget, log: Log, pool: ThreadPoolExecutor
) -> None:
    """Color all vertices."""
    coloring = stage("coloring", folder.indptr.nbytes + folder.indices.nbytes, "bytes")
    todo = list(blocks.cut(folder.indptr, budget.block - EDGE, budget.per_row))
    spill = Spill(folder.path.parent, pool)
    with spill, painter.blocks(todo, slots) as loaded:
        for block, slot in loaded:
            if in_order:
                painter.natural(block, slot)
            else:
                painter.sweep(block, slot, spill)
            log.round(active=block.rows, colored=block.rows, entries=block.entries)
            coloring.at(OFFSET * (block.first + block.rows) + ENTRY * (block.begin + block.entries))
        if spill.rows:
            painter.finish(spill, budget.block - EDGE)
        log.notes["left"], log.notes["spilled"] = spill.rows, spill.nbytes


def _note(log: Log, folder: Folder, held: int, order: Any, p: Priorities) -> None:
    read = folder.indptr.nbytes + folder.indices.nbytes
    log.notes.update(
        blocks=log.rounds, bytes=read, held=held,
        passes=1 + 2 * log.notes["spilled"] / max(read, 1),
    )  # fmt: skip
    log.rounds = 1 + (log.notes["left"] > 0)
    if order is None and log.notes["left"] * 4 > folder.n:
        log.notes["order"] = (
            f"in the order {p.name} {log.notes['left']:,} vertices waited for others and took a second pass; "
            "order='natural' takes one"
        )
