"""Stand-ins for tensors of other libraries."""

from __future__ import annotations

import types
from typing import Any

import numpy as np


class OnlyDLPack:
    """A tensor of another library with only the DLPack interface."""

    def __init__(self, a: Any) -> None:
        self._a = a

    def __dlpack__(self, **options: Any) -> Any:
        return self._a.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._a.__dlpack_device__()


class TorchTensor(OnlyDLPack):
    """The part of `torch.Tensor` that lagcolor may use, as in PyTorch's documentation of sparse tensors.

    Parameters
    ----------
    layout : str
        "torch.strided", "torch.sparse_coo" …, which `str` gives of torch's own layouts.
    shape : tuple of int
    parts : arrays
        The dense array; or the indices of COO, shape (dimensions, nse); or offsets and inner indices.
    """

    def __init__(self, layout: str, shape: tuple[int, ...], *parts: Any, coalesced: bool = True) -> None:
        super().__init__(parts[0])
        self.layout, self.shape, self._parts, self._coalesced = layout, shape, parts, coalesced

    def _part(self, layout: str, k: int) -> TorchTensor:
        if self.layout != f"torch.{layout}":
            raise RuntimeError(f"expected layout {layout}, got {self.layout}")
        return TorchTensor("torch.strided", self._parts[k].shape, self._parts[k])

    def sparse_dim(self) -> int:
        return self._parts[0].shape[0]

    def dense_dim(self) -> int:
        return len(self.shape) - self.sparse_dim()

    def coalesce(self) -> TorchTensor:
        return TorchTensor(self.layout, self.shape, np.unique(self._parts[0], axis=1))

    def indices(self) -> TorchTensor:
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._part("sparse_coo", 0)

    def crow_indices(self) -> TorchTensor:
        return self._part("sparse_csr", 0)

    def col_indices(self) -> TorchTensor:
        return self._part("sparse_csr", 1)

    def ccol_indices(self) -> TorchTensor:
        return self._part("sparse_csc", 0)

    def row_indices(self) -> TorchTensor:
        return self._part("sparse_csc", 1)

    def __dlpack__(self, **options: Any) -> Any:
        if self.layout != "torch.strided":
            raise BufferError("Can't export tensors with layout other than torch.strided")
        return super().__dlpack__(**options)


def torch_module() -> types.ModuleType:
    """A stand-in for the module `torch`, for `sys.modules`."""
    module: Any = types.ModuleType("torch")
    module.Tensor = TorchTensor
    return module


class DenseTorchTensor:
    """The part of a dense `torch.Tensor` on a CPU that decompression uses, with shared memory.

    Parameters
    ----------
    array : array
        Shared, as by `torch.from_numpy`.
    """

    __module__ = "torch"
    device = "cpu"

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    def numpy(self) -> np.ndarray:
        return self._array

    def reshape(self, *shape: int) -> DenseTorchTensor:
        return DenseTorchTensor(self._array.reshape(*shape))

    def clone(self) -> DenseTorchTensor:
        return DenseTorchTensor(self._array.copy())

    def __getitem__(self, at: DenseTorchTensor | slice) -> DenseTorchTensor:
        return DenseTorchTensor(self._array[at if isinstance(at, slice) else at._array])

    def __setitem__(self, at: DenseTorchTensor, values: DenseTorchTensor) -> None:
        self._array[at._array] = values._array

    def __neg__(self) -> DenseTorchTensor:
        return DenseTorchTensor(-self._array)

    def index_add_(self, dim: int, index: DenseTorchTensor, source: DenseTorchTensor) -> None:
        assert dim == 0
        np.add.at(self._array, index._array, source._array)


def dense_torch_module() -> types.ModuleType:
    """A stand-in for the module `torch` where tensors are `DenseTorchTensor`, for `sys.modules`."""
    module: Any = types.ModuleType("torch")
    module.Tensor, module.from_numpy, module.int64 = DenseTorchTensor, DenseTorchTensor, np.int64
    module.as_tensor = lambda data, dtype, device: DenseTorchTensor(np.asarray(data, dtype))
    module.cat = lambda parts: DenseTorchTensor(np.concatenate([part.numpy() for part in parts]))
    return module
