"""Base class of the engines on CuPy: vectors, and the verbs that compute each position separately.

A verb runs on the device of its operands, so that a caller with several GPUs need not change the current device. A verb
without an operand on a GPU, such as ``full`` or ``from_numpy`` of host memory, uses the current device.

Engines add `_make_elementwise`, `_run_elementwise`, `_place`, `_scattered`, `_mask`, `_product` and `reduce`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .algebra import BINARY, BOOL, UNARY, BinaryOp, Monoid, Semiring, UnaryOp, as_dtype, as_monoid, cast
from .contract import FORMATS, Derived, check_indices, check_size, scalar_dtype
from .devices import DeviceError
from .storage import Matrix, Vector

OUT_EMPTY, OUT_FULL, OUT_BITMAP = 0, 1, 2
IDENTITY = UNARY["identity"]
NOTHING = None, None  # values and presence of no vector
PLAIN = frozenset({type(None), bool, int, float, str, BinaryOp, Monoid, Semiring, UnaryOp})  # types without a device


class Write(NamedTuple):
    """Keywords of all verbs."""

    out: Vector | None = None
    mask: Vector | None = None
    complement: bool = False
    structure: bool = False
    accum: BinaryOp | None = None
    replace: bool = False


class Vectors(Derived):
    """Verbs that compute each position separately, and methods that write the results of all verbs."""

    cp: Any
    _elementwise_kernels: dict[Any, tuple[Any, np.dtype]]
    _make_elementwise: Any
    _run_elementwise: Any
    _mask: Any
    _place: Any
    _scattered: Any
    _product: Any

    def vector(self, n: int, dtype: Any) -> Vector:
        cp = self.cp
        return Vector(n, cp.empty(0, as_dtype(dtype)), indices=cp.empty(0, np.int64))

    def full(self, n: int, value: Any, dtype: Any) -> Vector:
        dtype = as_dtype(dtype)
        return Vector(n, self.cp.full(n, cast(value, dtype)[()], dtype))

    def from_numpy(self, values: Any, present: Any = None) -> Vector:
        cp = self.cp
        values = cp.array(values, order="C")
        as_dtype(values.dtype)
        return Vector(len(values), values, None if present is None else cp.array(present, dtype=BOOL, order="C"))

    def from_coo(self, indices: Any, values: Any, n: int, dtype: Any = None) -> Vector:
        cp = self.cp
        at = cp.array(indices, dtype=np.int64, order="C")
        values = cp.asarray(values)
        w = Vector(len(at), cp.array(cp.broadcast_to(values, at.shape), order="C"))
        own = as_dtype(values.dtype)
        if dtype is not None and as_dtype(dtype) != own:
            w = self.apply(IDENTITY, w, out=self.vector(len(at), dtype))
        return Vector(n, w.values, indices=at)

    def to_numpy(self, u: Vector, fill: Any = 0) -> np.ndarray:
        return self.cp.asnumpy(self.to_array(u, fill))

    def to_array(self, u: Vector, fill: Any = 0) -> Any:
        values, present = self._dense(u)
        if present is None:
            return values.copy()
        return self.cp.where(present, values, self.cp.asarray(np.asarray(fill).astype(u.dtype)))

    def to_coo(self, u: Vector) -> tuple[np.ndarray, np.ndarray]:
        cp = self.cp
        if u.indices is None:
            values, present = cp.asnumpy(u.values), None if u.present is None else cp.asnumpy(u.present)
            at = np.arange(u.size) if present is None else np.flatnonzero(present)
            return at, values[at]
        at = cp.asnumpy(u.indices)
        order = np.argsort(at)
        return at[order], cp.asnumpy(u.values)[order]

    def dup(self, u: Vector) -> Vector:
        w = Vector(u.size, *(None if a is None else a.copy() for a in (u.values, u.present, u.indices)))
        w._nvals = u._nvals
        return w

    def dtype(self, u: Any) -> np.dtype:
        return u.dtype

    def format(self, u: Vector) -> str:
        return u.format

    def as_format(self, u: Vector, format: str) -> Vector:
        cp = self.cp
        if format not in FORMATS:
            raise ValueError(f"format {format!r}: use one of {', '.join(FORMATS)}")
        if format == "full" and u.nvals != u.size:
            raise ValueError("as_format: a vector with absent entries cannot be full")
        if format == u.format:
            return u
        values, present = self._dense(u)
        if format == "full":
            u.store(values)
        elif format == "bitmap":
            u.store(values, cp.ones(u.size, BOOL) if present is None else present)
        else:
            at = cp.arange(u.size) if present is None else cp.flatnonzero(present)
            u.store(values[at], indices=at)
        return u

    def nvals(self, u: Vector) -> int:
        return u.nvals

    # ---- products ------------------------------------------------------------------------------------------

    def vxm(self, u: Vector, A: Any, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Vector:
        check_size("vxm", "vector", u.size, A.nrows)
        return self._product("vxm", u, A, semiring, False, direction, Write(**write))

    def mxv(self, A: Any, u: Vector, semiring: Semiring, *, direction: str | None = None, **write: Any) -> Vector:
        check_size("mxv", "vector", u.size, A.ncols)
        return self._product("mxv", u, A, semiring, True, direction, Write(**write))

    # ---- elementwise verbs ---------------------------------------------------------------------------------

    def ewise_add(self, op: BinaryOp, u: Vector, v: Vector, **write: Any) -> Vector:
        check_size("ewise_add", "second vector", v.size, u.size)
        return self._elementwise("ewise_add", "EWISE_ADD", op, (u, v, None), Write(**write))

    def ewise_mult(self, op: BinaryOp, u: Vector, v: Vector, **write: Any) -> Vector:
        check_size("ewise_mult", "second vector", v.size, u.size)
        return self._elementwise("ewise_mult", "EWISE_MULT", op, (u, v, None), Write(**write))

    def apply(self, op: UnaryOp | BinaryOp, u: Vector, *, left: Any = None, right: Any = None, **write: Any) -> Vector:
        if isinstance(op, UnaryOp):
            return self._elementwise("apply", "UNARY", op, (u, None, None), Write(**write))
        kind, number = "BOUND_RIGHT" if left is None else "BOUND_LEFT", _the_number(op, left, right)
        return self._elementwise("apply", kind, op, (u, None, number), Write(**write))

    def select(self, op: UnaryOp | BinaryOp, u: Vector, thunk: Any = None, **write: Any) -> Vector:
        if isinstance(op, UnaryOp):
            return self._elementwise("select", "SELECT_UNARY", op, (u, None, None), Write(**write))
        operands = u, None, _the_number(op, None, thunk)
        return self._elementwise("select", "SELECT_RIGHT", op, operands, Write(**write))

    def extract(self, u: Vector, indices: Any, *, out: Vector | None = None, **write: Any) -> Vector:
        at = self._indices("extract", indices, u.size)
        if out is u:
            u = self.dup(u)  # the kernel reads u at other positions than it writes
        return self._elementwise("extract", "GATHER", None, (u, None, None), Write(out, **write), at)

    def assign(self, out: Vector, x: Any, indices: Any = None, **write: Any) -> Vector:
        if isinstance(x, Vector):
            check_size("assign", "source", x.size, out.size if indices is None else len(indices))
        if indices is None and isinstance(x, Vector):
            return self._identity("assign", x, Write(out, **write))
        if indices is None:
            return self._elementwise("assign", "CONSTANT", None, (None, None, x), Write(out, **write))
        t = self._placed(out, x, indices, write.get("accum") is not None)
        return self._identity("assign", t, Write(out, **write))

    def _placed(self, out: Vector, x: Any, indices: Any, alone: bool) -> Vector:
        """Vector with x at `indices`, and elsewhere the entries of `out`, or (`alone`) none."""
        cp = self.cp
        at, _ = self._indices("assign", indices, out.size)
        x_values, x_present, dtype = self._source(x, out.dtype)
        if alone:
            t = Vector(out.size, cp.empty(out.size, dtype), cp.zeros(out.size, BOOL))
        else:
            values, present = self._dense(out)
            t = Vector(out.size, values.copy(), present if present is None else present.copy())
            if present is None and x_present is not None:
                t.present = cp.ones(out.size, BOOL)
        self._place(at, x_values, x_present, t)
        return t

    def _source(self, x: Any, own: np.dtype) -> tuple[Any, Any, np.dtype]:
        """Values, presence and type of a vector, or of a number as a NumPy scalar."""
        if isinstance(x, Vector):
            return *self._dense(x), x.dtype
        dtype = scalar_dtype(x, own)
        return cast(x, dtype)[()], None, dtype

    def scatter(
        self,
        out: Vector,
        u: Vector,
        x: Any,
        *,
        dup: Monoid | BinaryOp | None = None,
        accum: BinaryOp | None = None,
        **write: Any,
    ) -> Vector:
        if u.dtype.kind not in "iu":
            raise TypeError(f"scatter: the values of u are indices, so of an integer type, not {u.dtype}")
        if isinstance(x, Vector):
            check_size("scatter", "source", x.size, u.size)
        monoid = as_monoid(dup or BINARY["any"])
        x_values, x_present, dtype = self._source(x, out.dtype)
        z = monoid.domain_of(dtype)
        t = Vector(out.size, self.cp.empty(out.size, z), self.cp.zeros(out.size, BOOL))
        self._scattered(monoid, u.size, self._dense(u), x_values, x_present, t)
        return self._identity("scatter", t, Write(out, accum=accum or BINARY["second"], **write))

    # ---- methods that all verbs use ------------------------------------------------------------------------

    def _identity(self, verb: str, t: Vector, write: Write) -> Vector:
        """Write a computed t to `out`."""
        return self._elementwise(verb, "UNARY", IDENTITY, (t, None, None), write)

    def _elementwise(
        self, verb: str, kind: str, op: UnaryOp | BinaryOp | None, operands: tuple[Vector | None, Vector | None, Any],
        write: Write, gathered: tuple[Any, bool] = (None, True),
    ) -> Vector:  # fmt: skip
        """Run one kernel that computes t from two vectors and a number, or `gathered` positions, and writes it."""
        cp = self.cp
        (u, v, number), (at, checked) = operands, gathered
        out, mask, complement, structure, accum, replace = write
        n = len(at) if at is not None else u.size if u is not None else out.size  # type: ignore[union-attr]
        operand = u if u is not None else out
        scalar = None if number is None else scalar_dtype(number, operand.dtype)  # type: ignore[union-attr]
        if out is None:
            accum = None
        types = (None if x is None else x.dtype for x in (u, v, out))
        kernel, t = self._elementwise_kernel(kind, op, accum, scalar, *types)
        u_pair = NOTHING if u is None else self._dense(u)
        v_pair = NOTHING if v is None else self._dense(v)
        write_mask = self._mask(verb, n, mask, complement, structure)
        if out is None:
            out, state = Vector(n, cp.empty(n, t)), OUT_EMPTY
        else:
            check_size(verb, "out", out.size, n)
            state = self._writable(out)
        covers = accum is not None and state == OUT_FULL
        covers = covers or _covers(kind, u_pair[1] is None, v_pair[1] is None, checked)
        keeps = not (mask is not None or complement) or (state == OUT_FULL and not replace)
        present = None if covers and keeps else cp.empty(n, BOOL) if out.present is None else out.present
        inputs = u_pair, v_pair, number, scalar
        positions = at, n if u is None else u.size
        self._run_elementwise(kernel, n, inputs, positions, (out, present, state, replace), write_mask)
        out.store(out.values, present)
        return out

    def _elementwise_kernel(self, *what: Any) -> tuple[Any, np.dtype]:
        """Kernel for a kind, operator, accumulator, and types of scalar, u, v and out; and the type of t."""
        found = self._elementwise_kernels.get(what)
        if found is None:
            kind, op, accum, scalar, u, v, out = what
            domain = None
            if isinstance(op, UnaryOp):
                domain = op.domain_of(u)
            elif isinstance(op, BinaryOp):
                domain = op.domain_of(u, scalar if v is None else v)
            t = scalar if kind == "CONSTANT" else u if op is None or kind.startswith("SELECT") else op.result(domain)
            own = (t if u is None else u, t if out is None else out, t, domain)
            others = (BOOL if v is None else v, BOOL if scalar is None else scalar)
            kernel = self._make_elementwise(kind, op, accum, (*own, *others))
            found = self._elementwise_kernels[what] = kernel, t
        return found

    def _writable(self, out: Vector) -> int:
        """Convert `out` to a format that kernels can write; return its state."""
        if out.indices is not None:
            if not len(out.indices):
                out.store(self.cp.empty(out.size, out.dtype))
                return OUT_EMPTY
            out.store(*self._dense(out))
        return OUT_FULL if out.present is None else OUT_BITMAP

    def _dense(self, u: Vector) -> tuple[Any, Any]:
        """Values and presence (None: all) of every position; the arrays of `u`, unless it is sparse."""
        if u.indices is None:
            return u.values, u.present
        t = Vector(u.size, self.cp.zeros(u.size, u.dtype), self.cp.zeros(u.size, BOOL))
        self._place(u.indices, u.values, None, t)
        return t.values, t.present

    def _indices(self, verb: str, indices: Any, n: int) -> tuple[Any, bool]:
        """Indices on the device, and True if they are known to be in range; device arrays are not checked."""
        if hasattr(indices, "__cuda_array_interface__"):
            return self.cp.asarray(indices, dtype=np.int64, order="C"), False
        return self.cp.asarray(check_indices(verb, indices, n)), True


def _covers(kind: str, u_full: bool, v_full: bool, checked: bool) -> bool:
    """True if a kernel of this kind computes a value for every position."""
    if kind == "EWISE_ADD":
        return u_full or v_full
    if kind == "EWISE_MULT":
        return u_full and v_full
    if kind == "GATHER":
        return u_full and checked
    return kind == "CONSTANT" or (u_full and not kind.startswith("SELECT"))


def _the_number(op: BinaryOp, left: Any, right: Any) -> Any:
    """Number that is bound to a binary operator."""
    if (left is None) == (right is None):
        raise TypeError(f"{op.name} is binary: pass one number, left= or right= (select: thunk)")
    return right if left is None else left


def on_operands_device(engine: type) -> type:
    """Class decorator: each public method of an engine (with CuPy as `cp`) runs on the device of its operands."""
    for name in dir(engine):
        verb = getattr(engine, name)
        if not name.startswith("_") and callable(verb):
            setattr(engine, name, _placed(name, verb))
    return engine


def _placed(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        device = -1
        for x in (*args, *kwargs.values()) if kwargs else args:
            kind = type(x)
            if kind is Vector:
                here = getattr(x.values.data, "device_id", -1)  # x.values.device would create an object
            elif kind is Matrix:
                here = getattr(x.indices.data, "device_id", -1)
            elif kind in PLAIN:
                continue
            else:
                here = getattr(getattr(x, "device", None), "id", -1)
            if here != device and here >= 0:
                if device >= 0:
                    raise DeviceError(f"{name}: operands on devices {device} and {here}; all must be on one")
                device = here
        if device < 0 or device == self.cp.cuda.runtime.getDevice():
            return verb(self, *args, **kwargs)
        with self.cp.cuda.Device(device):
            return verb(self, *args, **kwargs)

    return run
