"""All ids in the order of their hashes on CPU threads: a radix sort by the first bits, then by the next bits.

Hashes are distributed evenly. Their first bits select a bucket of about 4,096 ids. Threads count and write their shares
of the ids. A counting sort by the next 12 bits and an insertion sort then sort each bucket. NumPy's sort uses one
thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import large_pages
from ..base.device.bits import mix32
from ..base.device.compiled import inner
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import barrier, launch, parallel, share, slots

ONE32, ALL32 = np.uint32(1), np.uint64(2**32 - 1)
BITS = 12  # of the position in a bucket
NEXT, COUNTED, PLACED, WRITTEN, SLOTS = np.uint64(0), 8, 16, 24, 32  # of `shared`


def by_hash(n: int, word: int, workers: int) -> np.ndarray:
    """All ids (int32) by decreasing hash of `word` and id; `ties.mix` is the hash."""
    bits = max(1, (n - 1).bit_length() - BITS)
    counts, out = np.zeros((workers, (1 << bits) + 16), np.uint32), large_pages(n, np.uint32)
    launch(sort_share, workers, slots(SLOTS), np.uint64(word), np.uint64(bits), counts, out)
    return out.view(np.int32)


@inner(forceinline=True)
def inverted_hash(v: Any, word: Any) -> Any:
    """Complement of the hash, so that smaller numbers come earlier."""
    return ALL32 - mix32(v ^ word)


@inner(forceinline=True)
def id_of(inverted: Any, word: Any) -> Any:
    """Id with this inverted hash, as `ties.unmix` computes it."""
    h = ALL32 - inverted
    h = ((h ^ (h >> np.uint64(16))) * np.uint64(0x7ED1B41D)) & ALL32
    h = ((h ^ (h >> np.uint64(13)) ^ (h >> np.uint64(26))) * np.uint64(0xA5CB9243)) & ALL32
    return h ^ (h >> np.uint64(16)) ^ word


@parallel
def sort_share(t: Any, shared: Any, word: Any, bits: Any, counts: Any, out: Any) -> None:
    """Thread t counts and writes its share of the ids, then sorts buckets until none is left."""
    workers, n, shift = counts.shape[0], out.size, np.uint64(32) - bits
    own, mine = share(t, workers, n), counts[t]
    for v in own:
        mine[inverted_hash(v, word) >> shift] += ONE32
    barrier(shared, COUNTED, workers)
    if t == 0:
        total = np.uint32(0)
        for k in range(1 << bits):
            for each in counts:
                size = each[k]
                each[k] = total
                total += size
    barrier(shared, PLACED, workers)
    for v in own:
        h = inverted_hash(v, word)
        at = mine[h >> shift]
        out[at] = h
        mine[h >> shift] = at + ONE32
    barrier(shared, WRITTEN, workers)
    starts, buffer = np.empty((1 << BITS) + 2, np.uint32), np.empty(0, np.uint32)
    while True:
        b = np.uint64(fetch_add(shared, NEXT, 1))
        if b >= np.uint64(1) << bits:
            return
        begin = counts[workers - 1, b - np.uint64(1)] if b else np.uint32(0)
        part = out[begin : counts[workers - 1, b]]
        if buffer.size < part.size:
            buffer = np.empty(part.size, np.uint32)
        sort_bucket(part, buffer, starts, shift)
        for i in range(part.size):
            part[i] = id_of(np.uint64(part[i]), word)


@inner()
def sort_bucket(part: Any, buffer: Any, starts: Any, shift: Any) -> None:
    """Sort numbers with equal bits from `shift` on: by the next bits, then by insertion."""
    cut, mask = shift - min(shift, np.uint64(BITS)), np.uint64((1 << BITS) - 1)
    starts[:] = 0
    for x in part:
        starts[((np.uint64(x) >> cut) & mask) + np.uint64(1)] += ONE32
    for b in range(starts.size - 1):
        starts[b + 1] += starts[b]
    for x in part:
        k = (np.uint64(x) >> cut) & mask
        buffer[starts[k]] = x
        starts[k] += ONE32
    for i in range(part.size):
        x, j = buffer[i], i
        while j > 0 and part[j - 1] > x:
            part[j] = part[j - 1]
            j -= 1
        part[j] = x
