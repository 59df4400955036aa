"""`ndarray`: NumPy's arithmetic on memory that belongs to a device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from .runtime import GPU, LEDGER, Device, current, demand

# Methods that only look at the array from another side; the memory stays where it is.
VIEWS = {"view", "reshape", "ravel", "transpose", "squeeze"}
METHODS = VIEWS | {
    "sum", "max", "min", "any", "all", "argmax", "argmin", "argsort", "sort", "astype", "copy", "cumsum", "fill",
    "nonzero", "mean", "prod", "repeat", "searchsorted", "take", "dot", "flatten",
}  # fmt: skip

REDUCTIONS = {"sum", "max", "min", "any", "all", "prod", "mean", "amax", "amin"}


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):  # noqa: N801, CuPy's name
    """An array on a device. Every operation demands that its device be the current one, as kernels do.

    Parameters
    ----------
    host : numpy.ndarray
    device : int
    """

    def __init__(self, host: np.ndarray, device: int) -> None:
        self.host, self._device = host, device

    # ---- what it is ------------------------------------------------------------------------------------------

    dtype = property(lambda self: self.host.dtype)
    shape = property(lambda self: self.host.shape)
    ndim = property(lambda self: self.host.ndim)
    size = property(lambda self: self.host.size)
    itemsize = property(lambda self: self.host.itemsize)
    nbytes = property(lambda self: self.host.nbytes)
    strides = property(lambda self: self.host.strides)
    flags = property(lambda self: self.host.flags)
    device = property(lambda self: Device(self._device))
    T = property(lambda self: ndarray(self.host.T, self._device))
    real = property(lambda self: ndarray(self.host.real, self._device))
    imag = property(lambda self: ndarray(self.host.imag, self._device))

    @property
    def data(self) -> Any:
        """Pointer to the memory of the array."""
        return SimpleNamespace(ptr=self.host.ctypes.data, device_id=self._device, mem=self.host)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        pointer = (self.host.ctypes.data, False)
        return {"shape": self.shape, "typestr": self.dtype.str, "data": pointer, "version": 3, "strides": self.strides}

    def __len__(self) -> int:
        return len(self.host)

    def __repr__(self) -> str:
        return repr(self.host)

    # ---- to the host: a copy, from any device ----------------------------------------------------------------

    def get(self, *_: Any, out: np.ndarray | None = None, **__: Any) -> np.ndarray:
        GPU.finish()
        if out is None:
            return self.host.copy()
        np.copyto(out, self.host)
        return out

    def set(self, x: np.ndarray) -> None:
        demand(self._device, "an array written to")
        GPU.finish()
        np.copyto(self.host, x)

    def tolist(self) -> Any:
        GPU.finish()
        return self.host.tolist()

    def item(self, *args: int) -> Any:
        GPU.finish()
        return self.host.item(*args)

    def __bool__(self) -> bool:
        GPU.finish()
        return bool(self.host)

    def __int__(self) -> int:
        GPU.finish()
        return int(self.host)

    def __index__(self) -> int:
        GPU.finish()
        return self.host.__index__()

    def __float__(self) -> float:
        GPU.finish()
        return float(self.host)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    # ---- on the device ---------------------------------------------------------------------------------------

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        out = self.host[unwrap(key)]
        if not isinstance(out, np.ndarray):
            return ndarray(self.host[(*key, ...) if isinstance(key, tuple) else (unwrap(key), ...)], self._device)
        if _basic(key):
            return ndarray(out, self._device)
        demand(self._device, "an indexed array")
        GPU.operates("take", self, *(key if isinstance(key, tuple) else (key,)))
        return wrap(out)

    def __setitem__(self, key: Any, value: Any) -> None:
        demand(self._device, "an array written to")
        GPU.operates("put", self, value, *(key if isinstance(key, tuple) else (key,)))
        LEDGER.note("kernel")
        assert not (isinstance(value, np.ndarray) and value.ndim), "CuPy takes no NumPy array here"
        self.host[unwrap(key)] = unwrap(value)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(name)

        def method(*args: Any, **kwargs: Any) -> Any:
            refuse(name, kwargs)
            if name not in VIEWS and not (name == "copy" or (name == "astype" and self._keeps(args, kwargs))):
                demand(self._device, f"an array for {name}")
                GPU.operates(name, self)
            out = getattr(self.host, name)(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})
            if isinstance(out, np.ndarray) and out.size and np.may_share_memory(out, self.host):
                return self if out is self.host else ndarray(out, self._device)
            return kwargs["out"] if isinstance(kwargs.get("out"), ndarray) else wrap(out)

        return method

    def _keeps(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether `astype` gives the array itself back."""
        return kwargs.get("copy", True) is False and np.dtype(args[0] if args else kwargs["dtype"]) == self.dtype

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        for x in inputs:
            if isinstance(x, np.ndarray) and x.ndim:
                raise TypeError(f"Unsupported type {type(x)}")
        hosts = [unwrap(x) for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(unwrap(x) for x in out)
        GPU.operates(ufunc.__name__, *inputs)
        result = getattr(ufunc, method)(*hosts, **kwargs)
        LEDGER.note("kernel")
        if out is not None:
            return out[0] if len(out) == 1 else out
        return tuple(map(wrap, result)) if isinstance(result, tuple) else wrap(result)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return wrap_all(function(*unwrap(args), **unwrap(kwargs)))


def refuse(name: str, kwargs: dict[str, Any]) -> None:
    """Arguments of NumPy's that CuPy's functions of the same name do not take."""
    for missing in {"initial", "where"} & set(kwargs) if name in REDUCTIONS else ():
        raise TypeError(f"{name}() got an unexpected keyword argument '{missing}'")


def _basic(key: Any) -> bool:
    """Whether indexing by `key` gives a view."""
    keys = key if isinstance(key, tuple) else (key,)
    return all(k is None or k is Ellipsis or isinstance(k, (int, np.integer, slice)) for k in keys)


def unwrap(x: Any) -> Any:
    """The host's side of arrays of the current device, also within tuples, lists and dicts."""
    if isinstance(x, ndarray):
        demand(x._device, "an array")
        return x.host
    if isinstance(x, (tuple, list)):
        return type(x)(unwrap(y) for y in x)
    if isinstance(x, dict):
        return {k: unwrap(v) for k, v in x.items()}
    return x


def wrap(host: Any) -> ndarray:
    """New memory of the current device."""
    host = np.asarray(host)
    LEDGER.allocate(host.nbytes)
    owner = host
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    LEDGER.register(owner, owner.ctypes.data, owner.nbytes)
    return ndarray(host, current())


def wrap_all(result: Any) -> Any:
    """Wrap the results of a NumPy function, which may be several arrays or other objects."""
    if isinstance(result, (np.ndarray, np.generic)):
        return wrap(result)
    if isinstance(result, (tuple, list)):
        return type(result)(wrap_all(x) for x in result)
    return result
