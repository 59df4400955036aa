"""The algebra as tables of types, unary and binary operators, monoids and semirings.

An operator computes in one type, its *domain*: the type of its inputs (promoted as in NumPy), unless the user names it,
``plus["int64"]``. All engines obey the rules of this module:

- integers wrap around;
- logical operators (lor, land, lxor) and semirings with a logical part cast their inputs to bool;
- arithmetic in bool is the two-valued one of GraphBLAS: plus and max are "or", times and min are
  "and", minus is "exclusive or";
- min and max of floats ignore NaN as C's fmin and fmax do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

BOOL, INT32, INT64 = np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.int64)
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
DTYPES = (BOOL, INT32, INT64, UINT32, UINT64, FLOAT32, FLOAT64)
_FLOATS = (FLOAT32, FLOAT64)


def as_dtype(x: Any) -> np.dtype:
    """Convert to one of the seven supported types; TypeError for others."""
    dtype = np.dtype(x)
    if dtype not in DTYPES:
        raise TypeError(f"type {dtype} is not supported: use one of {', '.join(map(str, DTYPES))}")
    return dtype


@functools.cache
def unify(a: np.dtype, b: np.dtype) -> np.dtype:
    """Common type of entries of types `a` and `b`."""
    return np.promote_types(a, b)


def cast(x: Any, dtype: np.dtype) -> Any:
    """Convert `x` to `dtype` by GraphBLAS's rules: to bool is "≠ 0", integers wrap, floats saturate, NaN becomes 0."""
    x = np.asarray(x)
    if dtype == BOOL:
        return x != 0
    if x.dtype.kind == "f" and dtype.kind in "iu":
        info = np.iinfo(dtype)
        inside = (x > float(info.min)) & (x < float(info.max))
        exact = np.where(inside, x, 0).astype(dtype)
        bound = np.where(x > 0, dtype.type(info.max), dtype.type(info.min))
        return np.where(inside | np.isnan(x), exact, bound)
    with np.errstate(over="ignore"):
        return x.astype(dtype)


class Op:
    """Base class of operators, which compute in the type of the input or in a named type: ``op[dtype]``."""

    name: Any
    types: Any
    domain: Any
    _typed: dict[np.dtype, Any]

    def __getitem__(self, dtype: Any) -> Any:
        key = as_dtype(dtype)
        if key not in self._typed:
            if key not in self.types:
                raise TypeError(f"{self.name} does not support {key}, only {', '.join(map(str, self.types))}")
            self._typed[key] = replace(self, domain=key, _typed=self._typed)  # type: ignore[type-var]
        return self._typed[key]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}{'' if self.domain is None else f'[{self.domain}]'}>"


def _domain(name: str, types: tuple[np.dtype, ...], dtype: np.dtype) -> np.dtype:
    """`dtype` if the operator supports it, else the type in which it computes instead."""
    if dtype in types:
        return dtype
    if types == (BOOL,):
        return BOOL
    if types == _FLOATS:
        return FLOAT64
    raise TypeError(f"{name} does not support {dtype}, only {', '.join(map(str, types))}; cast, or name the type")


@dataclass(frozen=True, eq=False, repr=False)
class UnaryOp(Op):
    """A unary operator z = f(x).

    Attributes
    ----------
    name : str
        Name of the operator.
    cuda : str
        f as a CUDA C++ expression in ``x``, of type ``D`` (the domain).
    numpy : callable
        f for arrays of the domain.
    python : callable or None
        f for one number; only of operators that a user defined.
    returns : dtype or None
        Type of z; None: the domain.
    types : tuple of dtype
        Supported domains.
    domain : dtype or None
        Type that the user named, ``op[dtype]``; None: the type of the input.
    """

    name: str
    cuda: str
    numpy: Callable[[Any], Any]
    returns: np.dtype | None = None
    types: tuple[np.dtype, ...] = DTYPES
    python: Callable[[Any], Any] | None = None
    domain: np.dtype | None = None
    _typed: dict[np.dtype, UnaryOp] = field(default_factory=dict)

    def domain_of(self, dtype: np.dtype) -> np.dtype:
        """Domain of the computation for the type of the input."""
        return self.domain or _domain(self.name, self.types, dtype)

    def result(self, domain: np.dtype) -> np.dtype:
        """Type of the value for a domain."""
        return self.returns or domain


@dataclass(frozen=True, eq=False, repr=False)
class BinaryOp(Op):
    """A binary operator z = f(x, y); attributes as in `UnaryOp`, with a CUDA expression in ``x`` and ``y``."""

    name: str
    cuda: str
    numpy: Callable[[Any, Any], Any]
    returns: np.dtype | None = None
    types: tuple[np.dtype, ...] = DTYPES
    python: Callable[[Any, Any], Any] | None = None
    domain: np.dtype | None = None
    _typed: dict[np.dtype, BinaryOp] = field(default_factory=dict)

    def domain_of(self, a: np.dtype, b: np.dtype) -> np.dtype:
        """Domain of the computation for the types of the inputs."""
        return self.domain or _domain(self.name, self.types, unify(a, b))

    def result(self, domain: np.dtype) -> np.dtype:
        """Type of the value for a domain."""
        return self.returns or domain


@dataclass(frozen=True, eq=False, repr=False)
class Monoid(Op):
    """An associative and commutative operator with its identity.

    Attributes
    ----------
    op : BinaryOp
        The operator.
    identity : callable
        Function from a dtype to the identity of this type.
    terminal : callable or None
        Function from a dtype to a value z with op(z, x) = z for all x, at which a reduction may stop; or to None.
    """

    op: BinaryOp
    identity: Callable[[np.dtype], Any]
    terminal: Callable[[np.dtype], Any] = lambda dtype: None
    domain: np.dtype | None = None
    _typed: dict[np.dtype, Monoid] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the operator."""
        return self.op.name

    @property
    def types(self) -> tuple[np.dtype, ...]:
        """Supported domains."""
        return self.op.types

    @property
    def is_any(self) -> bool:
        """True for the monoid that returns any of the values."""
        return self.op.name == "any" and self.op.python is None

    def stops(self, dtype: np.dtype) -> bool:
        """True if a reduction in this type may stop early."""
        return self.is_any or self.terminal(dtype) is not None

    def domain_of(self, dtype: np.dtype) -> np.dtype:
        """Domain of the reduction for the type of the input."""
        return self.domain or self.op.domain_of(dtype, dtype)


@dataclass(frozen=True, eq=False, repr=False)
class Semiring(Op):
    """A semiring: a monoid ⊕ over the values of a binary operator ⊗; `name` is ``add_multiply``."""

    add: Monoid
    multiply: BinaryOp
    domain: np.dtype | None = None
    _typed: dict[np.dtype, Semiring] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Names of the monoid and of the multiplicative operator."""
        return f"{self.add.name}_{self.multiply.name}"

    @property
    def types(self) -> tuple[np.dtype, ...]:
        """Supported domains."""
        return self.multiply.types

    def domain_of(self, a: np.dtype, b: np.dtype) -> np.dtype:
        """Domain of ⊗ for the types of the inputs; TypeError if ⊕ does not accept the values of ⊗."""
        logical = self.add.types == (BOOL,) and self.multiply.returns is None
        domain = BOOL if logical else self.domain or self.multiply.domain_of(a, b)
        self.result(domain)
        return domain

    def result(self, domain: np.dtype) -> np.dtype:
        """Type of the sum for a domain."""
        z = self.multiply.result(domain)
        if z not in self.add.types:
            raise TypeError(f"{self.name}: monoid {self.add.name} does not support {z}, from {self.multiply.name}")
        return z


for _kind in (UnaryOp, BinaryOp, Monoid, Semiring):
    _kind.__module__ = "semirings"  # tracebacks name what users import


def _least(dtype: np.dtype) -> Any:
    """Least value of a type, the identity of max."""
    return False if dtype == BOOL else -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _greatest(dtype: np.dtype) -> Any:
    return True if dtype == BOOL else np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _zero_absorbs(dtype: np.dtype) -> Any:
    return None if dtype.kind == "f" else dtype.type(0)  # a float 0 · NaN is NaN


def _plus_terminal(dtype: np.dtype) -> Any:
    return True if dtype == BOOL else None


def _minus(x: Any, y: Any) -> Any:
    return np.not_equal(x, y) if np.asarray(x).dtype == BOOL else np.subtract(x, y)


def _ainv(x: Any) -> Any:
    return x if np.asarray(x).dtype == BOOL else np.negative(x)


_first: Callable[[Any, Any], Any] = lambda x, y: x  # noqa: E731
_second: Callable[[Any, Any], Any] = lambda x, y: y  # noqa: E731
_pair: Callable[[Any, Any], Any] = lambda x, y: np.ones_like(x)  # noqa: E731

_UNSIGNED = (UINT32, UINT64)

UNARY = {
    op.name: op
    for op in (
        UnaryOp("identity", "x", np.copy),
        UnaryOp("ainv", "ops::ainv(x)", _ainv),
        UnaryOp("abs", "ops::abs(x)", np.abs),
        UnaryOp("lnot", "!x", np.logical_not, types=(BOOL,)),
        UnaryOp("one", "D(1)", np.ones_like),
        UnaryOp("minv", "D(1) / x", lambda x: np.reciprocal(x), types=_FLOATS),
    )
}

BINARY = {
    op.name: op
    for op in (
        BinaryOp("plus", "ops::plus(x, y)", np.add),
        BinaryOp("minus", "ops::minus(x, y)", _minus),
        BinaryOp("times", "ops::times(x, y)", np.multiply),
        BinaryOp("truediv", "x / y", np.true_divide, types=_FLOATS),
        BinaryOp("min", "ops::min(x, y)", np.fmin),
        BinaryOp("max", "ops::max(x, y)", np.fmax),
        BinaryOp("first", "x", _first),
        BinaryOp("second", "y", _second),
        BinaryOp("any", "x", _first),
        BinaryOp("pair", "D(1)", _pair),
        BinaryOp("lor", "x || y", np.logical_or, types=(BOOL,)),
        BinaryOp("land", "x && y", np.logical_and, types=(BOOL,)),
        BinaryOp("lxor", "x != y", np.logical_xor, types=(BOOL,)),
        BinaryOp("bor", "x | y", np.bitwise_or, types=_UNSIGNED),
        BinaryOp("eq", "x == y", np.equal, returns=BOOL),
        BinaryOp("ne", "x != y", np.not_equal, returns=BOOL),
        BinaryOp("lt", "x < y", np.less, returns=BOOL),
        BinaryOp("le", "x <= y", np.less_equal, returns=BOOL),
        BinaryOp("gt", "x > y", np.greater, returns=BOOL),
        BinaryOp("ge", "x >= y", np.greater_equal, returns=BOOL),
    )
}

MONOIDS = {
    m.name: m
    for m in (
        Monoid(BINARY["plus"], lambda t: t.type(0), _plus_terminal),
        Monoid(BINARY["times"], lambda t: t.type(1), _zero_absorbs),
        Monoid(BINARY["min"], _greatest, _least),
        Monoid(BINARY["max"], _least, _greatest),
        Monoid(BINARY["lor"], lambda t: False, lambda t: True),
        Monoid(BINARY["land"], lambda t: True, lambda t: False),
        Monoid(BINARY["lxor"], lambda t: False),
        Monoid(BINARY["bor"], lambda t: t.type(0), _greatest),
        Monoid(BINARY["any"], lambda t: t.type(0)),  # stops at the first entry
    )
}

MULTIPLY = ("times", "plus", "first", "second", "pair", "land")
SEMIRINGS = {f"{m.name}_{op}": Semiring(m, BINARY[op]) for m in MONOIDS.values() for op in MULTIPLY}


def as_monoid(op: Monoid | BinaryOp) -> Monoid:
    """Return a monoid, or the monoid of an operator in the table, so that ``reduce(plus, u)`` works."""
    if isinstance(op, Monoid):
        return op
    if op.name not in MONOIDS or op.python is not None:
        raise TypeError(f"operator {op.name} has no monoid: define one with semirings.monoid(op, identity)")
    found = MONOIDS[op.name]
    return found if op.domain is None else found[op.domain]


@functools.cache
def for_ones(s: Semiring, swap: bool) -> Semiring:
    """`s` for a matrix of ones, whose values need not be read: first (second if it is on the left) replaces times."""
    if s.multiply is not BINARY["times"]:
        return s
    return replace(s, multiply=BINARY["second" if swap else "first"], _typed={})


def unary_op(
    name: str, cuda: str, python: Callable[[Any], Any], returns: Any = None, types: tuple[Any, ...] = DTYPES
) -> UnaryOp:
    """Define a unary operator for every engine.

    Parameters
    ----------
    name : str
        The name.
    cuda : str
        A CUDA C++ expression in ``x``, a value of type ``D``.
    python : callable
        The operator for one number. Numba compiles it for the CPU engine.
    returns : dtype, optional
        The type of the value. Default: the domain.
    types : tuple of dtype, optional
        The domains. Default: all.

    Returns
    -------
    UnaryOp
        The operator.

    Examples
    --------
    >>> square = unary_op("square", "x * x", lambda x: x * x)
    """
    return UnaryOp(name, f"({cuda})", _vectorize(python), _maybe(returns), tuple(map(as_dtype, types)), python)


def binary_op(
    name: str, cuda: str, python: Callable[[Any, Any], Any], returns: Any = None, types: tuple[Any, ...] = DTYPES
) -> BinaryOp:
    """Define a binary operator for every engine.

    Parameters
    ----------
    name : str
        The name.
    cuda : str
        A CUDA C++ expression in ``x`` and ``y``, values of type ``D``.
    python : callable
        The operator for two numbers. Numba compiles it for the CPU engine.
    returns : dtype, optional
        The type of the value. Default: the domain.
    types : tuple of dtype, optional
        The domains. Default: all.

    Returns
    -------
    BinaryOp
        The operator.

    Examples
    --------
    >>> import semirings
    >>> distance = semirings.binary_op("distance", "x > y ? x - y : y - x", lambda x, y: abs(x - y))
    >>> distance
    <BinaryOp distance>
    """
    return BinaryOp(name, f"({cuda})", _vectorize(python), _maybe(returns), tuple(map(as_dtype, types)), python)


def monoid(op: BinaryOp, identity: Any, terminal: Any = None) -> Monoid:
    """Define a monoid by an associative and commutative operator.

    Parameters
    ----------
    op : BinaryOp
        The operator.
    identity : number or callable
        The identity, or a function that returns it for a dtype.
    terminal : number or callable, optional
        A value that no further operand changes; see `Monoid`.

    Returns
    -------
    Monoid
        The monoid.

    Examples
    --------
    >>> import semirings
    >>> semirings.monoid(semirings.max, 0)
    <Monoid max>
    """
    return Monoid(op, _constant(identity), _constant(terminal))


def semiring(add: Monoid | BinaryOp, multiply: BinaryOp) -> Semiring:
    """Define a semiring by a monoid and a multiplicative operator, such as ``semiring(semirings.min, my_op)``.

    Parameters
    ----------
    add : Monoid or BinaryOp
        The monoid, or an operator in the table of monoids.
    multiply : BinaryOp
        The multiplicative operator.

    Returns
    -------
    Semiring
        The semiring.

    Examples
    --------
    >>> import semirings
    >>> E = semirings.engine("cpu")
    >>> A = E.matrix([0, 1, 3, 4], [1, 0, 2, 1], symmetric=True)
    >>> E.to_numpy(E.vxm(E.from_numpy([5, 7, 6]), A, semirings.semiring(semirings.min, semirings.first)))
    array([7, 5, 7])
    """
    return Semiring(as_monoid(add), multiply)


def _maybe(dtype: Any) -> np.dtype | None:
    return None if dtype is None else as_dtype(dtype)


def _constant(value: Any) -> Callable[[np.dtype], Any]:
    return value if callable(value) else lambda dtype: value


def _vectorize(python: Callable[..., Any]) -> Callable[..., Any]:
    """Apply `python` to arrays of one length, number by number; integers wrap silently."""

    def on_arrays(*arrays: Any) -> Any:
        with np.errstate(all="ignore"):
            values = [python(*numbers) for numbers in zip(*arrays, strict=True)]
        return np.array(values) if values else np.empty(0, arrays[0].dtype)

    return on_arrays
