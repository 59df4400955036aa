"""Whether NumPy does for what compiled code does faster: for the first entries of a process."""

from __future__ import annotations

ENTRIES = 1 << 20  # for so many NumPy takes as long as it takes to load compiled code that was kept, or less
CALL = 1 << 15  # entries that a call counts as besides its own: a loop over tiny graphs soon has the compiled code


class FirstEntries:
    """The first entries that a process passes to a function: fewer than are worth loading or compiling code for.

    Both ways must give the same. Where the code was never compiled, which takes ten times as long as loading it, a
    first small graph then does not wait for it; from the entry on that makes it pay, small graphs have the fast loop.
    """

    def __init__(self) -> None:
        self._seen = 0

    def has(self, count: int) -> bool:
        """Whether a call with `count` more is still among them; from the first that is not on, none is."""
        self._seen += count + CALL
        return self._seen <= ENTRIES
