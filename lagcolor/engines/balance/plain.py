"""A round of balancing in a dozen lines: vertices of large classes move to small classes without a neighbor.

The oracle of `scheduled.py`; tests compare them color for color. The library does not call it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...base.device.bits import mix32
from .scheduled import GOLDEN


def one_round(
    near: Sequence[Collection[int]], colors: Sequence[int], sinks: Sequence[Sequence[int]], quota: Sequence[int],
    until: Sequence[int], salt: int,
) -> list[int]:  # fmt: skip
    """Lu et al. 2015, scheduled. Of each class: its sinks, its quota, and the hash below which a vertex moves."""
    color, left = list(colors), list(quota)
    for v, c in enumerate(colors):
        h = int(mix32(v ^ salt))
        if h < until[c]:
            first = int(mix32((h + int(GOLDEN)) % 2**32)) * len(sinks[c]) >> 32
            for d in [*sinks[c][first:], *sinks[c][:first]]:
                if all(color[w] != d for w in near[v]):
                    left[d] -= 1
                    color[v] = d if left[d] >= 0 else c
                    break
    return color
