"""How the memory of a conversion is divided, and how much is enough."""

from __future__ import annotations

from typing import NamedTuple

from .merge import least
from .sources import Room

LEAST = 16_000_000  # bytes of memory


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


def too_little(room: int, keys: int) -> str:
    """What an error says of room for so many keys, where there are about so many."""
    enough = least(room, keys) * 16
    return f"memory is too little for about {keys // 2} edges: pass memory='{-(-enough // 10**6)}MB' or more"
