"""How the memory of a conversion is divided, and how much is enough."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import NamedTuple

from ....core.errors import OptionError
from .merge import least
from .sources import Room

LEAST = 16_000_000  # bytes of memory
PARQUET = 20_000_000  # bytes that pyarrow takes beside the arrays that it gives


class Budget(NamedTuple):
    """How memory is divided.

    Attributes
    ----------
    keys : int
        Of a run, and of a range of a merge.
    room : Room
        For sources.
    table : int
        Bytes for names or labels.
    """

    keys: int
    room: Room
    table: int

    @classmethod
    def of(cls, memory: int) -> Budget:
        """Half for keys; less than a quarter for text and what is parsed of it, and for samples."""
        room = Room(min(memory // 32, 8 << 20), min(memory // 256, 1 << 20), memory // 8)
        return cls(memory // 16, room, memory // 4)


def usable(memory: int, kinds: Collection[str]) -> int:
    """Bytes that are left for arrays of the conversion, where files of these formats are read."""
    memory = min(memory, _physical() // 2)  # buffers are as large as they may be, whatever there is to convert
    left = memory - PARQUET * ("parquet" in kinds)
    if left < LEAST:
        raise OptionError(
            f"memory={memory} is too little for Parquet, whose reader takes {PARQUET // 10**6} MB of it: pass "
            f"memory='{(LEAST + PARQUET) // 10**6}MB' or more"
        )
    return left


def _physical() -> int:
    """Bytes of this machine's memory, if it says so."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # other systems than Unix
        return 1 << 36


def too_little(room: int, keys: int) -> str:
    """What an error says of room for so many keys, where there are about so many."""
    enough = least(room, keys) * 16
    return f"memory is too little for about {keys // 2} edges: pass memory='{-(-enough // 10**6)}MB' or more"
