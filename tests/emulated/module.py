"""The module `cupy`, and a context in which imports find it."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse

from lagcolor.api import warm_up
from lagcolor.base import device
from lagcolor.base.device import pinned, several
from lagcolor.base.device.source import INCLUDE_DIR

from . import runtime
from .array import ndarray, refuse, unwrap, wrap, wrap_all
from .compiler import RawModule, together
from .elementwise import ElementwiseKernel, ReductionKernel
from .runtime import GPU, LEDGER, Device, Gpu

AS_IT_IS = {"result_type", "can_cast", "promote_types", "dtype", "iinfo", "finfo", "ndim", "shape"}


class Cupy(ModuleType):
    """NumPy's functions on the current device, and CuPy's own."""

    cuda = runtime.cuda
    ndarray = ndarray
    RawModule = RawModule
    ElementwiseKernel = ElementwiseKernel
    ReductionKernel = ReductionKernel
    __version__ = "14.0.0"
    __path__ = ()
    host_only = True

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if isinstance(found, type) or not callable(found) or name in AS_IT_IS:
            return found
        return _Ufunc(found) if isinstance(found, np.ufunc) else functools.partial(_call, found)

    @staticmethod
    def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
        """Allocate an array filled with poison, so that entries without a value are found."""
        host = np.empty(shape, dtype, order)
        host.reshape(-1).view(np.uint8)[...] = 1 if host.dtype == bool else GPU.poison
        return wrap(host)

    @staticmethod
    def empty_like(a: Any, dtype: Any = None) -> ndarray:
        return Cupy.empty(a.shape, a.dtype if dtype is None else dtype)

    @staticmethod
    def array(x: Any, dtype: Any = None, copy: bool = True, order: str = "K", **_: Any) -> ndarray:
        """A copy on the current device, from wherever `x` is."""
        host = x.host if isinstance(x, ndarray) else x
        here = isinstance(x, ndarray) and x.device == Device() and x.dtype == np.dtype(dtype or x.dtype)
        if here and not copy and (order != "C" or host.flags.c_contiguous):
            return x
        return wrap(np.array(host, dtype=dtype, order="C" if order == "K" else order))

    @staticmethod
    def asarray(x: Any, dtype: Any = None, order: str = "K", **_: Any) -> ndarray:
        return Cupy.array(x, dtype, copy=False, order=order)

    @staticmethod
    def ascontiguousarray(x: Any, dtype: Any = None) -> ndarray:
        return Cupy.array(x, dtype, copy=False, order="C")

    @staticmethod
    def asnumpy(x: Any, *_: Any, **__: Any) -> np.ndarray:
        return x.get() if isinstance(x, ndarray) else np.asarray(x)

    @staticmethod
    def bincount(x: Any, weights: Any = None, minlength: Any = None) -> ndarray:
        if not x.size:
            raise ValueError("zero-size array to reduction operation cupy_max which has no identity")
        return _call(np.bincount, x, weights, minlength or 0)

    @staticmethod
    def get_default_memory_pool() -> Any:
        return runtime.MemoryPool()


class _Ufunc:
    """A universal function of NumPy on arrays of the device."""

    def __init__(self, function: np.ufunc) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self._function, *args, **kwargs)

    def at(self, array: ndarray, places: Any, values: Any) -> None:
        if self._function is np.subtract and array.dtype.name not in ("int32", "uint32"):
            raise TypeError("cupy.subtract.at only supports int32, uint32, as data type")
        _call(self._function.at, array, places, values)


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    LEDGER.note("kernel")
    refuse(getattr(function, "__name__", ""), kwargs)
    GPU.operates(getattr(function, "__name__", str(function)), *args)
    passed = kwargs.get("out")
    out = function(*unwrap(args), **unwrap(kwargs))
    if isinstance(passed, ndarray):
        return passed
    if isinstance(out, (bool, int)):  # a number of one of CuPy's functions is an array, too
        return wrap(out)
    return wrap_all(out)


class _Matrix:
    """A sparse matrix's arrays."""

    def __init__(self, arrays: tuple[ndarray, ...], shape: tuple[int, int]) -> None:
        self.data, self.shape = arrays[0], shape

    @property
    def device(self) -> Device:
        return self.data.device


class csr_matrix(_Matrix):  # noqa: N801, CuPy's name
    """Rows; made of (data, indices, indptr)."""

    format = "csr"

    def __init__(self, arrays: tuple[ndarray, ndarray, ndarray], shape: tuple[int, int]) -> None:
        super().__init__(arrays, shape)
        self.indices, self.indptr = arrays[1:]
        if len(self.data) != len(self.indices):
            raise ValueError("indices and data should have the same size")

    @property
    def dtype(self) -> np.dtype:
        return self.data.dtype

    @property
    def has_canonical_format(self) -> bool:
        return bool(self._host().has_canonical_format)

    def tocsr(self) -> csr_matrix:
        return self

    def astype(self, dtype: Any) -> csr_matrix:
        return csr_matrix((self.data.astype(dtype), self.indices, self.indptr), self.shape)

    def conj(self) -> csr_matrix:
        return csr_matrix((wrap(unwrap(self.data).conj()), self.indices, self.indptr), self.shape)

    @property
    def T(self) -> csr_matrix:  # noqa: N802, CuPy's name
        """CuPy's is by columns, of the same arrays."""
        host = self._host().T.tocsr()
        return csr_matrix(tuple(map(wrap, (host.data, host.indices, host.indptr))), host.shape)

    def copy(self) -> csr_matrix:
        return csr_matrix(tuple(x.copy() for x in (self.data, self.indices, self.indptr)), self.shape)

    def sum_duplicates(self) -> None:
        """In place: the arrays are others afterwards."""
        host = self._host()
        host.sum_duplicates()
        self.data, self.indices, self.indptr = map(wrap, (host.data, host.indices, host.indptr))

    def _host(self) -> Any:
        return scipy.sparse.csr_array(unwrap((self.data, self.indices, self.indptr)), shape=self.shape)

    def __matmul__(self, x: ndarray) -> ndarray:
        """SciPy's product, of the types that cupyx has."""
        assert self.data.dtype.char in "?fdFD", "Only bool, float32, float64, complex64 and complex128 are supported"
        assert len(x) == self.shape[1]
        LEDGER.note("kernel")
        assert self.has_canonical_format, "CuPy would sort the rows, in the arrays that it was given"
        return wrap(self._host() @ unwrap(x))

    def multiply(self, x: ndarray) -> csr_matrix:
        """SciPy's product of each entry and the element of its column."""
        host = self._host().multiply(unwrap(x)).tocsr()
        return csr_matrix(tuple(map(wrap, (host.data, host.indices, host.indptr))), host.shape)

    def max(self, axis: int) -> coo_matrix:
        """SciPy's; absent entries are zeros."""
        LEDGER.note("kernel")
        largest = scipy.sparse.coo_array(self._host().max(axis=axis).toarray()[:, None])
        return coo_matrix((wrap(largest.data), tuple(map(wrap, largest.coords))), largest.shape)


class coo_matrix(_Matrix):  # noqa: N801, CuPy's name
    """Entries; made of (data, (rows, columns))."""

    format = "coo"

    def __init__(self, arrays: Any, shape: tuple[int, int]) -> None:
        super().__init__(arrays, shape)
        self.row, self.col = arrays[1]

    def toarray(self) -> ndarray:
        return wrap(scipy.sparse.coo_array((unwrap(self.data), unwrap((self.row, self.col))), self.shape).toarray())


class LinearOperator:
    """A linear operator like SciPy's, for arrays of the device; subclasses define `_matvec` and `_matmat`."""

    def __init__(self, dtype: Any, shape: tuple[int, int]) -> None:
        self.dtype, self.shape = np.dtype(dtype), shape

    def matvec(self, x: ndarray) -> ndarray:
        assert isinstance(x, ndarray) and x.shape in ((self.shape[1],), (self.shape[1], 1))
        return self._matvec(x)  # type: ignore[attr-defined]

    def matmat(self, X: ndarray) -> ndarray:
        assert isinstance(X, ndarray) and X.ndim == 2 and len(X) == self.shape[1]
        return self._matmat(X)  # type: ignore[attr-defined]

    def __matmul__(self, x: ndarray) -> ndarray:
        return self.matvec(x) if x.ndim == 1 else self.matmat(x)

    @property
    def H(self) -> LinearOperator:  # noqa: N802, CuPy's name
        return self._adjoint()  # type: ignore[attr-defined, no-any-return]


def _modules() -> dict[str, ModuleType]:
    cupy = Cupy("cupy")
    cupyx, of_scipy, sparse = (ModuleType(name) for name in ("cupyx", "cupyx.scipy", "cupyx.scipy.sparse"))
    cupyx.__path__ = of_scipy.__path__ = []
    sparse.issparse = lambda x: isinstance(x, _Matrix)  # type: ignore[attr-defined]
    sparse.csr_matrix, sparse.coo_matrix = csr_matrix, coo_matrix  # type: ignore[attr-defined]
    linalg = ModuleType("cupyx.scipy.sparse.linalg")
    linalg.LinearOperator = LinearOperator  # type: ignore[attr-defined]
    cupyx.scipy, of_scipy.sparse, sparse.linalg = of_scipy, sparse, linalg  # type: ignore[attr-defined]
    sparse.__path__ = []
    modules = (cupy, cupyx, of_scipy, sparse, linalg)
    return {module.__name__: module for module in modules}


@contextlib.contextmanager
def emulated_gpu(warms: bool = False, **how: Any) -> Iterator[Emulated]:
    """`import cupy` gives an emulated one, also where CuPy is; nothing of it stays in the library afterwards.

    Graphs are not colored beforehand to load code, unless `warms`: that is slow here, and nothing is timed.

    Parameters
    ----------
    warms : bool
    **how
        Attributes of `Gpu`: devices, memory, seed, fail …

    Yields
    ------
    Emulated
    """
    modules = _modules()
    before, small_graphs, launch_each = vars(GPU).copy(), warm_up.small_graphs, several.launch_each
    taken = pinned._TAKEN.copy()  # of the CuPy that is there; a kernel may still write to it
    if not warms:
        warm_up.small_graphs = lambda *_: iter(())
    several.launch_each = _at_the_same_time(launch_each)
    real = _take_out()
    sys.modules.update(modules)
    vars(GPU).update(vars(Gpu(**how)))
    LEDGER.clear()
    forget()
    try:
        yield Emulated(modules["cupy"])
    finally:
        _take_out()
        sys.modules.update(real)
        forget()
        pinned._TAKEN.update(taken)
        vars(GPU).update(before)
        warm_up.small_graphs, several.launch_each = small_graphs, launch_each


def _at_the_same_time(launch_each: Any) -> Any:
    """Kernels of several devices that wait for each other: none runs before all are launched."""

    def launch(launches: Any) -> None:
        with together():
            launch_each(launches)

    return launch


def stands_in() -> bool:
    """Whether `import cupy` gives an emulated one now."""
    return isinstance(sys.modules.get("cupy"), Cupy)


def _take_out() -> dict[str, ModuleType]:
    """The modules of the CuPy that is there, which imports find no more."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in ("cupy", "cupyx")}


class Emulated:
    """The interface of a test to an emulated device.

    Attributes
    ----------
    cp : module
        What `import cupy` gives.
    gpu : Gpu
        Its behavior, which may be changed.
    ledger : Ledger
        The requests to each device.
    """

    def __init__(self, cp: Any) -> None:
        self.cp, self.gpu, self.ledger = cp, GPU, LEDGER

    def array(self, a: Any) -> ndarray:
        """A copy on the current device."""
        return self.cp.array(a)

    def graph(self, G: Any) -> Any:
        """A graph of the CPU on the current device, with nothing cached elsewhere."""
        return type(G)(self.cp.array(G.indptr), self.cp.array(G.indices))


def forget() -> None:
    """Empties the caches of the library: what they hold belongs to another CuPy."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "lagcolor":
            for x in list(vars(module).values()):
                if hasattr(type(x), "cache_clear"):  # not of a function that numba would make for the question
                    x.cache_clear()
    for stored in (
        warm_up._WARM,
        pinned._SPARE,
        pinned._TAKEN,
        pinned._SET_ASIDE,
    ):
        stored.clear()


def kernel(path: Any, name: str, **macros: Any) -> Any:
    """A kernel of a path or `Source` that takes arrays of the host, too, for tests of one kernel by itself.

    Macros have the value given here, also where the source defines or enumerates them itself.
    """
    with_macros = {**GPU.macros, **macros}
    before, GPU.macros = GPU.macros, with_macros
    try:
        found = device.module(Path(getattr(path, "path", path)).read_text(), (f"-I{INCLUDE_DIR}",)).kernel(name)
    finally:
        GPU.macros = before

    def launch(grid: Any, block: Any, args: tuple[Any, ...], **how: Any) -> None:
        found(grid, block, tuple(a.ctypes.data if isinstance(a, np.ndarray) and a.ndim else a for a in args), **how)

    return launch
