"""Colors of a boundary, as one partition sends them to another.

A message carries a *number* that rises with every message of its sender, over restarts, too: the high bits count how
often the sender was started. The receiver keeps per ghost the number that its color came with, and takes a color only
from a higher number. So messages may come in any order, twice, or late, and what was lost may be sent again as it was:
the colors known in the end are those of the last message (a register in which the last writer wins).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STARTS = 1 << 40  # numbers per start of a sender
HEADER = 24  # bytes of a message beside its arrays: sender, receiver, number, length


@dataclass(frozen=True)
class Message:
    """New colors.

    Attributes
    ----------
    sender, receiver : int
    number : int
    positions : array of int32, or None
        Places in the list of what the sender sends to the receiver, which is the receiver's list of ghosts of the
        sender; None: all of them.
    colors : array of int32
    asks : bool
        The sender was restarted, knows no color of the receiver's, and asks for all of them.
    """

    sender: int
    receiver: int
    number: int
    positions: Any
    colors: Any
    asks: bool = False

    @property
    def nbytes(self) -> int:
        """What is sent."""
        return HEADER + self.colors.nbytes + (0 if self.positions is None else self.positions.nbytes)


@dataclass(frozen=True)
class Acknowledgement:
    """That a message with this number has been accepted; `sender` is who accepted it."""

    sender: int
    receiver: int
    number: int

    @property
    def nbytes(self) -> int:
        """What is sent."""
        return HEADER
