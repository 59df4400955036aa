"""The base class of multicolor preconditioners: a `LinearOperator` that sweeps over the colors forward and backward."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import device as dev
from ..base import imported_from
from ..base.device import at_most_threads, extremes
from ..base.errors import GraphError, OptionError
from ..base.options import choice, flag, whole
from ..inputs.checks import unmasked
from .matrix import BlockLayout, check_matrix, here
from .symbolic import Symbolic

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator
else:
    LinearOperator = object  # `operator_class` adds the class of the matrix's library

SWEEPS = ("symmetric", "forward", "backward")
STORED = {"float32": ("float32", "float64"), "complex64": ("complex64", "complex128")}  # narrow type → types of vectors


@imported_from("lagcolor.solvers")
class Multicolor(LinearOperator):  # type: ignore[misc]  # SciPy has no types
    """Base of the preconditioners. Each is also a `LinearOperator` of SciPy, or of cupyx for a matrix of cupyx.

    `multicolor_sor`, `multicolor_ilu0`, `multicolor_ic0` and `multicolor_dilu` return preconditioners.

    With the permuted matrix A = L + D + U, each method has triangles and factors such that it is applied by
    ``w = scale (r − L w)``, color by color, and then ``z = weight w − scale U z``, in reverse.

    Attributes
    ----------
    shape : pair of int
    dtype : dtype
        Type of vectors.
    coloring : Coloring
        The coloring of the block rows.
    notes : dict
        Notes about the structure, for example that the pattern is not symmetric.
    """

    dtype: Any
    _conjugate: Any = None  # the value of `H`, after its first use
    _origin: Any = None  # a weak reference to the operator whose `H` this is, while both have the same values
    coloring: Any

    def _begin(
        self,
        A: Any,
        sweep: str,
        coloring: Any,
        block_size: int | None,
        balance: bool,
        storage: Any,
        threads: int | None,
    ) -> None:
        self._sweep = choice("sweep", sweep, SWEEPS)
        self._threads = whole("threads", threads, 1, none=True)
        with here(A), at_most_threads(self._threads):
            self._layout, values = BlockLayout.of(A, block_size)
            layout = self._layout
            S = Symbolic(layout.pattern, layout.block_size, coloring, flag("balance", balance), layout.graph)
            self._symbolic, self.coloring = S, S.coloring
            self.notes: dict[str, Any] = {"colors": S.coloring.n_colors}
            if S.alone is not None:
                i, j = S.alone
                self.notes["asymmetric"] = (
                    f"the pattern is not symmetric, as {S.named(i, j)} is in it and ({j}, {i}) is not: the graph of "
                    "A ∪ Aᵀ is colored, so that rows of one color are independent in both sweeps"
                )
            self._stored = stored_type(storage, values.dtype)
            self._engine = engine_of(S)(S, values.dtype, self._threads)
            linear_operator(values).__init__(self, values.dtype, self._layout.shape)
            self._load(values)
            self._A = A

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the matrix, its coloring and the options; everything else is computed again."""
        return functools.partial(create, self._method, self._A, **self._options()), ()

    @property
    def order(self) -> Any:
        """The rows in the order of a forward sweep: int32, shape (n,), on the matrix's device."""
        return self._symbolic.unknowns()

    @property
    def block_size(self) -> int:
        """Number of unknowns per block."""
        return self._symbolic.block_size

    def update(self, A: Any) -> None:
        """Use the values of another matrix with the same entries; the coloring stays unchanged.

        Parameters
        ----------
        A : sparse matrix, shape (n, n)
            The matrix.

        Raises
        ------
        GraphError
            The matrix has other entries, or values that the method does not accept. The operator is unchanged.
        OptionError
            The vectors would have another type.
        """
        with here(A), at_most_threads(self._threads):
            values = self._layout.values(A)
            if values.dtype != self.dtype:
                lossy = values.dtype.kind == "c"  # a real type would lose the imaginary part
                raise OptionError(
                    f"update: the matrix is of type {values.dtype}, and the one before of {self.dtype}: "
                    + ("" if lossy and self.dtype.kind != "c" else f"take A.astype('{self.dtype}'), or ")
                    + "make the operator anew"
                )
            self._load(values)
            self._A = A
            self._part()

    def sweep(self, x: Any, b: Any, *, iterations: int = 1) -> None:
        """Improve an approximate solution of ``A x = b`` in place.

        Parameters
        ----------
        x : array, shape (n,) or (n, k)
            The approximate solution, which is overwritten.
        b : array of the same shape
            The right-hand side.
        iterations : int
            Number of sweeps.

        Raises
        ------
        GraphError
            Shapes do not match, or x cannot store the result.
        """
        iterations = whole("iterations", iterations)
        with dev.using(self._symbolic.pattern.indices):
            x_columns, b_columns = self._columns("x", x), self._columns("b", b)
            if len(x_columns) != len(b_columns):
                raise GraphError(f"sweep: x has shape {tuple(x.shape)}, and b {tuple(b.shape)}: give both the same")
            self._check_target(x, b)
            if x_columns and _overlap(x, b):
                b_columns = [column.copy() for column in b_columns]
            for column, right in zip(x_columns, b_columns, strict=True):
                self._improve_any(column, right, iterations)

    # ---- for the methods --------------------------------------------------------------------------------------

    def _load(self, values: Any) -> None:
        """Compute triangles and factors from the blocks, and pass them to the engine."""
        raise NotImplementedError

    @property
    def _method(self) -> Any:
        """The class without the base class of the library."""
        return type(self).__mro__[1]

    def _options(self) -> dict[str, Any]:
        """Return the keywords that create this operator from its matrix again."""
        return {
            "coloring": self.coloring,
            "block_size": self.block_size,
            "balance": False,
            "storage": None if self._stored == self.dtype else "float32",
            "threads": self._threads,
        }

    def _improve(self, x: Any, b: Any, iterations: int) -> None:
        """Repeat ``x += M (b − A x)`` for a contiguous vector of the operator's type."""
        for _ in range(iterations):
            x += self._apply(b - self._A @ x)

    def _hand_over(self, lower: Any, upper: Any, scale: Any, weight: float) -> None:
        """Convert factors from the vectors' type to the storage type, check them, and load them."""
        S, parts = self._symbolic, [lower, upper, scale]
        if self._stored != self.dtype:
            with np.errstate(over="ignore"):
                parts = [part.astype(self._stored) for part in parts]
            if any(extremes.count_true(~S.xp.isfinite(part)) for part in parts):
                raise self._out_of_range()
            # A GPU replaces numbers under the least normal number by zero.
            lost = (abs(parts[2]) < np.finfo(self._stored).tiny).reshape(S.n, S.block_size**2).all(axis=1)
            if len(places := S.xp.flatnonzero(lost)):
                raise self._out_of_range(
                    f"the pivot of {S.where(int(places[0]))}", "has inverses of numbers up to 8e37"
                )
        self._engine.load(*parts, weight)

    def _out_of_range(
        self, what: str = "an entry, or the inverse of a pivot,", limit: str = "has numbers up to 3e38"
    ) -> GraphError:
        return GraphError(
            f"{what} is too large for storage='float32', which {limit}: leave storage out, or scale the matrix so that "
            "its diagonal is near 1"
        )

    # ---- as LinearOperator calls them -------------------------------------------------------------------------

    def _adjoint(self) -> Any:
        """Return the operator of Aᴴ with the same coloring; forward SOR becomes backward SOR, and vice versa."""
        origin = None if self._origin is None else self._origin()
        if origin is not None:
            return origin
        if self._conjugate is None:
            with here(self._A):
                self._conjugate = create(self._method, self._A.conj().T, **self._turned())
            self._conjugate._origin = weakref.ref(self)  # a cycle of references would delay freeing the memory of both
        return self._conjugate

    def _part(self) -> None:
        """Separate this operator from its conjugate transpose, after a change of values."""
        if self._conjugate is not None:
            self._conjugate._origin = self._conjugate = None
        origin = None if self._origin is None else self._origin()
        if origin is not None:
            origin._part()

    def _turned(self) -> dict[str, Any]:
        """Return the options of the conjugate transpose."""
        return self._options()

    def _matvec(self, r: Any) -> Any:
        self._refuse_stacks(r)
        with dev.using(self._symbolic.pattern.indices):
            return self._apply(self._symbolic.xp.asarray(r).reshape(-1)).reshape(r.shape)

    def _matmat(self, R: Any) -> Any:
        self._refuse_stacks(R)
        with dev.using(self._symbolic.pattern.indices):
            xp = self._symbolic.xp
            columns = [self._apply(R[:, i]) for i in range(R.shape[1])]
            return xp.stack(columns, axis=1) if columns else xp.zeros(R.shape, self.dtype)

    def _refuse_stacks(self, x: Any) -> None:
        if x.ndim > 2:
            n = self.shape[0]
            raise GraphError(f"the operand must be of shape ({n},) or ({n}, k), not {tuple(x.shape)}")

    def _apply(self, r: Any) -> Any:
        """Return M r for one vector, of any type of numbers."""
        xp = self._symbolic.xp
        if r.dtype.kind == "c" and self.dtype.kind != "c":
            return self._apply(r.real) + 1j * self._apply(r.imag)
        r = xp.ascontiguousarray(r, dtype=self.dtype)
        out = xp.empty(len(r), self.dtype)
        self._engine.apply(r, out, self._sweep)
        return out

    def _improve_any(self, x: Any, b: Any, iterations: int) -> None:
        """Sweep over one vector of any type and strides; if A is real, separately over real and imaginary parts."""
        xp = self._symbolic.xp
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            parts = [xp.array(part, dtype=self.dtype) for part in (x.real, x.imag)]
            for part, right in zip(parts, (b.real, b.imag), strict=True):
                self._improve(part, xp.ascontiguousarray(right, dtype=self.dtype), iterations)
            x[...] = parts[0] + 1j * parts[1]
            return
        fits = x.dtype == self.dtype and x.flags.c_contiguous
        mine = x if fits else xp.array(x, dtype=self.dtype, order="C")
        self._improve(mine, xp.ascontiguousarray(b, dtype=self.dtype), iterations)
        if not fits:
            x[...] = mine

    def _columns(self, name: str, x: Any) -> list[Any]:
        xp, n = self._symbolic.xp, self.shape[0]
        if not isinstance(x, xp.ndarray) or x.ndim not in (1, 2) or len(x) != n:
            kind = "a CuPy array" if xp is not np else "a NumPy array"
            shape = tuple(getattr(x, "shape", ()))
            raise GraphError(
                f"sweep: {name} must be {kind} of shape ({n},) or ({n}, k), not {type(x).__name__} {shape}"
            )
        unmasked(x, name)
        x = xp.asarray(x)  # columns of a numpy.matrix would be matrices
        return [x] if x.ndim == 1 else [x[:, i] for i in range(x.shape[1])]

    def _check_target(self, x: Any, b: Any) -> None:
        wanted = np.result_type(self.dtype, np.complex64) if b.dtype.kind == "c" else self.dtype
        if not np.can_cast(wanted, x.dtype, "same_kind"):
            raise GraphError(f"sweep: x is of type {x.dtype} and is written to in place: take x.astype('{wanted}')")
        if not getattr(x.flags, "writeable", True):
            raise GraphError("sweep: x is read-only, and is written to in place: take x.copy()")


def _overlap(x: Any, b: Any) -> bool:
    """Whether writing to x may change b."""
    if not dev.is_cupy(x):
        return bool(np.may_share_memory(x, b))
    (first, end), (other, other_end) = _bytes_of(x), _bytes_of(b)
    return first < other_end and other < end


def _bytes_of(x: Any) -> tuple[int, int]:
    """Return the addresses of the first byte of an array, and of the byte after its last."""
    if not x.size:
        return 0, 0
    steps = [(size - 1) * stride for size, stride in zip(x.shape, x.strides, strict=True)]
    first = x.data.ptr + sum(step for step in steps if step < 0)
    return first, x.data.ptr + sum(step for step in steps if step > 0) + x.itemsize


@functools.cache
def operator_class(method: Any, base: type) -> type:
    """Return the class of a method as a subclass of a library's `LinearOperator`."""
    return type(method.__name__, (method, base), {"__doc__": method.__doc__, "__module__": method.__module__})


def linear_operator(array: Any) -> Any:
    """Return SciPy's `LinearOperator`, or cupyx's for an array of CuPy."""
    if dev.is_cupy(array):
        from cupyx.scipy.sparse.linalg import LinearOperator
    else:
        from scipy.sparse.linalg import LinearOperator
    return LinearOperator


def create(method: Any, A: Any, **how: Any) -> Any:
    """Return a preconditioner of a matrix, of the class for the matrix's library."""
    check_matrix(A)
    array = A.data if hasattr(A, "data") else A.tocsr().data
    return operator_class(method, linear_operator(array))(A, **how)


def engine_of(S: Symbolic) -> Any:
    """Return the backend for the device of a matrix."""
    if S.xp is np:
        from .cpu import CPUBackend as Backend
    else:
        from .gpu import GPUBackend as Backend  # type: ignore[assignment]
    return Backend


def stored_type(storage: Any, dtype: Any) -> Any:
    """Return the type of the stored factors: the type of vectors, or the narrow type of the same kind."""
    if isinstance(storage, np.dtype) or (isinstance(storage, type) and issubclass(storage, np.generic)):
        storage = np.dtype(storage).name
    choice("storage", storage, ("float32", "float64"), none=True)
    if storage is None or storage == "float64":
        if storage == "float64" and dtype.name in STORED:
            raise OptionError(f"storage='float64' for a matrix of {dtype} keeps no more digits: leave storage out")
        return dtype
    return np.dtype("complex64" if dtype.kind == "c" else "float32")
