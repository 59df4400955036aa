"""Where in the products of a matrix its entries are: a gather, and for substitution levels of differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..base.errors import GraphError

# As `dev.elementwise` takes them: name, inputs, outputs, and what is done per entry.
SUBSTITUTE = (
    "substitute",
    "I source, I target, I entry, I mirror",
    "raw T rest, raw T values",
    "const T x = rest[source]; values[entry] = x; values[mirror] = x; atomicAdd(&rest[target], (T)(0 - x))",
)
# The type of the same width that CuPy adds atomically; integers wrap around, so that signs do not matter.
ADDED = {
    "float16": "float32", "float32": "float32", "float64": "float64", "int32": "uint32", "uint32": "uint32",
    "int64": "uint64", "uint64": "uint64",
}  # fmt: skip


class Level(NamedTuple):
    """Entries that are known once the earlier levels have been subtracted."""

    source: Any  # int64, shape (l,): Where each of the level's values is in the products
    target: Any  # int64, shape (l,): From where it is then subtracted
    entries: Any  # int64, shape (l,): Its place among the stored entries
    # int64, shape (l,): The place of the entry on the other side of the diagonal; its own place if there is none
    mirror: Any


@dataclass(frozen=True)
class Recovery:
    """How the stored entries are recovered."""

    # int64 or int32, shape (nnz,): Where each entry is in the products; of entries that a level gives, any place
    source: Any
    levels: tuple[Level, ...] = ()  # For substitution, in turn; none where decompression is direct

    def __call__(self, flat: Any) -> Any:
        """The stored entries, from the products in one dimension."""
        if not len(self.source):  # there may be no products either
            return flat[:0]
        if dev.is_cupy(flat):
            with dev.using(self.source):
                return self._on_gpu(flat)
        library = type(flat).__module__.partition(".")[0]
        if library == "torch":
            return self._in_torch(flat)
        values = flat[dev.to_device(self.source, "cpu")]  # also of a pattern on a GPU, for arrays of JAX
        if not self.levels:
            return values
        if library in ("jax", "jaxlib"):
            return self._functional(flat, values)
        if flat.dtype == bool:
            raise GraphError("products of truth values have no differences: take A.astype(int), or decompress directly")
        rest = flat.copy()
        for level in self.levels:
            found = rest[level.source]
            values[level.entries] = found
            values[level.mirror] = found
            np.subtract.at(rest, level.target, found)
        return values

    def _on_gpu(self, flat: Any) -> Any:
        """The same by a kernel per level; of types without an atomic addition, by their parts or in another type."""
        dtype = flat.dtype
        if not self.levels:
            return flat[self.source]
        if dtype.kind == "c":  # recovery is linear
            return self._on_gpu(flat.real.copy()) + dtype.type(1j) * self._on_gpu(flat.imag.copy())
        added = ADDED.get(dtype.name)
        if added is None:
            raise GraphError(f"products of type {dtype} are not decompressed by substitution on a GPU: take float32")
        rest = flat.astype(added) if added == "float32" else flat.copy().view(added)
        values = rest[self.source]
        for level in self.levels:
            dev.elementwise(*SUBSTITUTE)(level.source, level.target, level.entries, level.mirror, rest, values)
        return values.astype(dtype) if added == "float32" else values.view(dtype)

    def _in_torch(self, flat: Any) -> Any:
        """The same for tensors of torch, through which gradients pass; on their device."""
        import torch

        def at(places: Any) -> Any:
            return torch.as_tensor(places, dtype=torch.int64, device=flat.device)

        values, rest = flat[at(self.source)], flat.clone() if self.levels else flat
        for level in self.levels:
            found = rest[at(level.source)]
            values[at(level.entries)] = found
            values[at(level.mirror)] = found
            rest.index_add_(0, at(level.target), -found)
        return values

    def _functional(self, flat: Any, values: Any) -> Any:
        """The same for arrays of JAX, which are never written to: a scan over parts of levels, all of one length."""
        import jax

        def step(state: Any, part: Level) -> Any:
            rest, values = state
            found = rest[part.source]
            values = values.at[part.entries].set(found, mode="drop").at[part.mirror].set(found, mode="drop")
            return (rest.at[part.target].add(-found, mode="drop"), values), None

        (_, values), _ = jax.lax.scan(step, (flat, values), self._parts(flat.size))
        return values

    def _parts(self, size: int) -> Level:
        """The levels as arrays of shape (parts, length), NumPy's; padded by places out of range, which are dropped.

        The length is the mean of the levels', so that there are at most twice as many parts, and twice as many places.
        """
        sizes = np.array([len(level.source) for level in self.levels])
        length = max(int(sizes.mean()), 1)
        parts = -(-sizes // length)
        begin = np.repeat(np.concatenate([[0], np.cumsum(parts)[:-1]]) * length, sizes)
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        outside = (0, size, len(self.source), len(self.source))
        found = []
        for pieces, padding in zip(zip(*self.levels, strict=True), outside, strict=True):
            array = np.full(int(parts.sum()) * length, padding, np.int64)
            array[begin + within] = np.concatenate([dev.to_device(piece, "cpu") for piece in pieces])
            found.append(array.reshape(-1, length))
        return Level(*found)
