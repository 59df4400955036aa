"""Each GPU sorts its own vertices into the order largest_first_spread: what both engines of that order begin with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from ...base.device.pinned import Pinned
from ...base.device.several import each
from ...engines.greedy import cuda
from .parts import Distributed


class Sorts(NamedTuple):
    """Of each GPU its sort, launched, and the word in pinned memory where it counts vertices of degree 64 and over."""

    of: list[cuda.Sorted]
    found: list[Pinned]

    def high(self) -> list[int]:
        """How many of its vertices have degree 64 and over, of each GPU; waits for the sorts."""
        return [int(f.wait()[0]) for f in self.found]


@contextmanager
def launched(D: Distributed, word: Any, states: Sequence[int] | None = None) -> Iterator[Sorts]:
    """The sorts of all GPUs, for as long as pinned memory is held for them."""
    with ExitStack() as stack:
        found = each(D.devices, lambda i, device: stack.enter_context(Pinned.take(1)))

        def sort(i: int, device: int) -> cuda.Sorted:
            part, state = D.parts[i], 0 if states is None else states[i]
            out = cuda.sort(part.indptr, part.n, word, found[i], part.first, state)
            found[i].launched()
            return out

        yield Sorts(each(D.devices, sort), found)
