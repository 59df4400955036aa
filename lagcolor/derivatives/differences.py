"""Sparse Jacobians of NumPy functions by finite differences: one or two evaluations per color, one product in memory.

Steps and schemes follow the documentation of SciPy's finite differences, so that both give the same numbers for
float64. A step belongs to a column: an entry is a difference of one row of the function, over the step of its own
column.
"""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..base.device import limited
from ..base.errors import GraphError, OptionError
from ..base.options import choice, is_whole, whole
from ..inputs.checks import unmasked
from . import matrices
from .choose import jacobian
from .compression import NAMES, Compression

METHODS = ("2-point", "3-point", "cs")


class Scheme(NamedTuple):
    """Points of evaluation and steps per column; a color changes only its columns."""

    points: tuple[Any, ...]  # One array per evaluation of a color, shape (n,)
    steps: Any  # shape (n,): The divisor of a difference
    central: Any  # bool, shape (n,): Whether the two points of "3-point" are on both sides; None for other methods


@limited
def fd_jacobian(
    fun: Callable[..., Any], x: Any, C: Any, method: str = "2-point", *, rel_step: Any = None,
    bounds: Any = (-np.inf, np.inf), args: tuple[Any, ...] = (), f0: Any = None, workers: Any = None,
    threads: int | None = None,
) -> Any:  # fmt: skip
    """Compute a sparse Jacobian by finite differences, from few evaluations of the function.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` maps an array of shape (n,) to one of shape (m,), or to a number if m is 1.
    x : array_like, shape (n,)
        The point. Floating-point numbers keep their type, others become float64.
    C : Compression or matrix-like
        A compression of columns, whose pattern has every entry that can be nonzero. If the Jacobian is symmetric, such
        as the Jacobian of a gradient, a direct compression by `lagcolor.derivatives.hessian` also works (the symmetry
        is not checked). Any argument of `Pattern.of` is colored first, in each call.
    method : {"2-point", "3-point", "cs"}
        "2-point": one evaluation per color, forward or backward. "3-point": two evaluations, central, or both on one
        side next to a bound. "cs": one evaluation at complex numbers, without cancellation, for an analytic function
        that accepts them.
    rel_step : float or array_like, shape (n,), optional
        Steps are ``rel_step * sign(x) * abs(x)``, with 1 for the sign of 0. Without `rel_step`, and if such a step does
        not change x, they are ``eps**(1 / s) * sign(x) * max(1, abs(x))``. Here eps belongs to the smaller type of x
        and ``fun(x)``, and s is 3 for "3-point", else 2. "3-point" ignores the sign.
    bounds : pair of array_like, or scipy.optimize.Bounds
        Lower and upper bounds, of shape (n,) or numbers. No evaluation lies outside: steps change direction or shrink.
        "cs" does not change the real part.
    args : tuple
        Further arguments of the function.
    f0 : array_like, shape (m,), optional
        ``fun(x)``, if it is known. Default: one more evaluation.
    workers : int or callable, optional
        A callable like `map`, such as ``multiprocessing.Pool().imap``, which evaluates ``workers(g, points)``. A number
        of processes, or −1 for one per core, starts a pool in each call, for functions that can be pickled. `map`
        stores one or two evaluations at a time.
    threads : int, optional
        The largest number of CPU threads that color a pattern; see `lagcolor.color`.

    Returns
    -------
    scipy.sparse.csr_array, shape (m, n)
        The Jacobian. Every entry of the pattern is stored, in the order of the pattern.

    Raises
    ------
    OptionError
        The method is unknown; C compresses rows or both, or uses substitution; the bounds exclude x or leave no step; x
        or `rel_step` is not finite; a step does not change x in its type; `workers` returns fewer results than points;
        an array is masked or has no numbers; `f0` is real and fun(x) is not; or ``method="cs"`` with a function that
        returns real numbers for complex ones, or complex ones for real ones.
    GraphError
        The size of x, a bound, `rel_step` or a result of the function does not match the pattern.

    See Also
    --------
    jacobian : Compute the compression from a pattern.
    lagcolor.derivatives.jax.jacobian : The Jacobian by automatic differentiation with JAX.

    References
    ----------
    Curtis, Powell, Reid 1974.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> def f(x):  # each value depends on two neighbors
    ...     return x[1:] * x[:-1]
    >>> S = sp.diags_array([1.0, 1.0], offsets=[0, 1], shape=(999, 1000), format="csr")
    >>> C = lagcolor.derivatives.jacobian(S)
    >>> x = np.linspace(1.0, 2.0, 1000)
    >>> J = lagcolor.derivatives.fd_jacobian(f, x, C)  # three evaluations
    >>> bool(np.allclose(J.diagonal(), x[1:]))
    True
    """
    method = choice("method", method, METHODS)
    C = _columns(C if isinstance(C, Compression) else jacobian(C))
    m, n = C.pattern.shape
    x = _point(x, n)
    if not isinstance(args, tuple | list):
        raise OptionError(f"args is the tuple of further arguments of fun: pass args=({args!r},)")
    lower, upper = _bounds(bounds, x, method)
    evaluate = partial(_evaluated, fun, args, m)
    f0 = evaluate(x.copy()) if f0 is None else _fits("f0", _numbers("f0", f0, of_fun=True), m)
    if method == "cs" and f0.imag.any():
        raise OptionError('method="cs" differentiates real functions, and fun(x) is not real: use "3-point"')
    scheme = _scheme(x, _steps(x, f0.dtype, method, rel_step), method, lower, upper)
    _check_steps(x, scheme)
    colors = dev.to_device(C.column_colors, "cpu")
    P = C.pattern.on("cpu")
    rows, values = P.rows_of_entries(), np.empty(P.m, np.result_type(f0, scheme.steps))
    with _mapped(workers, fun) as mapped:
        results = iter(mapped(evaluate, _points(x, colors, C.n_colors, scheme)))
        for color in range(C.n_colors):
            entries, places = (dev.to_device(a, "cpu") for a in C.entries_of(color))
            # In a symmetric matrix, entry (i, j) may be read as (j, i).
            columns = np.where(rows[entries] == places, P.indices[entries], rows[entries])
            found = [result for _, result in zip(scheme.points, results, strict=False)]
            if len(found) < len(scheme.points):
                raise OptionError("workers(g, points) returned fewer results than points: return one per point")
            if method == "cs" and len(entries) and not np.iscomplexobj(found[0]):
                raise OptionError(
                    'method="cs" evaluates fun at complex numbers, and fun returns real numbers: use "3-point", or let '
                    "fun compute with the type of its argument"
                )
            if method != "cs" and any(map(np.iscomplexobj, found)) and not np.iscomplexobj(f0):
                raise OptionError(
                    "fun returns complex numbers, and f0 or fun(x) is real: leave f0 out, and let fun return complex "
                    "numbers at x, too"
                )
            values[entries] = _differences(found, f0, scheme, places, columns)
    return matrices.csr(P, values)


def _columns(C: Compression) -> Compression:
    """Return C, or raise an error if its products are not directional differences."""
    if C.partition not in ("columns", "symmetric") or C.recovery.levels:
        what = "decompressed by substitution" if C.recovery.levels else f"of {NAMES[C.partition]}"
        raise OptionError(
            f"differences are products A @ s, and this compression is {what}: use jacobian(S), or hessian(S) if the "
            "Jacobian is symmetric"
        )
    return C


def _point(x: Any, n: int) -> np.ndarray:
    x = _fits("x", _numbers("x", x), n)
    if not np.isfinite(x).all():
        j = int(np.isfinite(x).argmin())
        raise OptionError(f"x[{j}] is {x[j]}: differences are at finite numbers")
    return x


def _fits(what: str, array: np.ndarray, size: int) -> np.ndarray:
    array = np.atleast_1d(array)
    if array.shape != (size,):
        raise GraphError(f"{what} has shape {array.shape}, and the pattern needs ({size},)")
    return array


def _numbers(what: str, value: Any, of_fun: bool = False) -> np.ndarray:
    """Return a copy of numbers, which may be complex for `fun`; all but floating-point numbers become float64."""
    kinds, numbers = ("fciu", "real or complex") if of_fun else ("fbiu", "real")
    unmasked(value, what, OptionError)
    try:
        array = np.array(value)
    except (TypeError, ValueError) as e:
        raise OptionError(f"{what} must be a number, or an array of numbers: {e}") from None
    if array.dtype.kind not in kinds:
        raise OptionError(f"{what} holds {array.dtype}, not {numbers} numbers: use float64")
    return array if array.dtype.kind in "fc" else array.astype(np.float64)


def _bounds(bounds: Any, x: np.ndarray, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper bounds of each column; raise an error if x violates one."""
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
        raise OptionError("bounds are a pair (lower, upper) or scipy.optimize.Bounds: leave them out if x has none")
    found = []
    for name, bound in zip(("lower bounds", "upper bounds"), pair, strict=True):
        bound = _numbers(name, bound).astype(float)
        found.append(np.full(x.shape, bound) if bound.ndim == 0 else _fits(name, bound, len(x)))
    lower, upper = found
    moved = method != "cs"  # steps at complex numbers leave the real parts
    for outside, what in (
        (~((lower <= x) & (x <= upper)), "is not within"),
        ((lower == upper) & moved, "has no step within"),
    ):
        if outside.any():
            j = int(outside.argmax())
            raise OptionError(f"x[{j}] = {x[j]} {what} its bounds {lower[j]} and {upper[j]}")
    return lower, upper


def _steps(x: np.ndarray, f_dtype: np.dtype, method: str, rel_step: Any) -> np.ndarray:
    """Compute the steps without regard to bounds."""
    eps = max(np.finfo(t).eps for t in (x.dtype, f_dtype) if t.kind in "fc")
    sign = np.where(x >= 0, 1.0, -1.0)
    automatic = np.float64(eps) ** (1 / 3 if method == "3-point" else 0.5) * sign * np.maximum(1.0, np.abs(x))
    if rel_step is None:
        return automatic
    relative = _numbers("rel_step", rel_step).astype(float)
    if not np.isfinite(relative).all():
        raise OptionError("rel_step is infinite or NaN: pass finite numbers")
    if relative.ndim:
        _fits("rel_step", relative, len(x))
    steps = relative * sign * np.abs(x)
    return np.where((x + steps).astype(x.dtype) == x, automatic, steps)


def _scheme(x: np.ndarray, h: np.ndarray, method: str, lower: np.ndarray, upper: np.ndarray) -> Scheme:
    """Choose the points of each column within its bounds."""
    if method == "cs":
        return Scheme((x + h * 1j,), h, None)
    below, above = x - lower, upper - x
    larger = np.where(above >= below, above, -below)  # distance to the farther bound, with its sign
    if method == "2-point":
        outside = (x + h < lower) | (x + h > upper)
        h = np.where(np.abs(h) > np.abs(larger), larger, np.where(outside, -h, h))
        far = (x + h).astype(x.dtype)
        return Scheme((far,), far - x, None)
    h, nearer = np.abs(h), np.minimum(below, above)
    one_sided = np.copysign(np.minimum(h, np.abs(larger) / 2), larger)
    fits = nearer >= h
    central = fits | (np.abs(one_sided) <= nearer)
    h = np.where(fits, h, np.where(central, nearer, one_sided))
    first = np.where(central, x - h, x + h).astype(x.dtype)
    second = np.where(central, x + h, x + 2 * h).astype(x.dtype)
    return Scheme((first, second), second - np.where(central, first, x), central)


def _check_steps(x: np.ndarray, scheme: Scheme) -> None:
    """Raise an error if a point equals x or overflows the type of x."""
    bad = ~np.isfinite(scheme.steps) | np.any([point == x for point in scheme.points], axis=0)
    if bad.any():
        j = int(bad.argmax())
        raise OptionError(
            f"x[{j}] = {x[j]} has no step in {x.dtype} within its bounds: use another rel_step, wider bounds, "
            "or float64"
        )


def _points(x: np.ndarray, colors: np.ndarray, k: int, scheme: Scheme) -> Iterator[np.ndarray]:
    """Yield x with the columns of one color moved, for each color and each of its points."""
    for color in range(k):
        changed = colors == color
        for point in scheme.points:
            yield np.where(changed, point, x)


def _differences(found: list[Any], f0: Any, scheme: Scheme, places: Any, columns: Any) -> np.ndarray:
    """Compute entries: a difference at each place, divided by the step of its column."""
    results = [f[places] for f in found]
    if scheme.central is not None:
        first, second = results
        one_sided = -3 * f0[places] + 4 * first - second
        rise = np.where(scheme.central[columns], second - first, one_sided)
    else:
        rise = results[0].imag if np.iscomplexobj(scheme.points[0]) else results[0] - f0[places]
    return rise / scheme.steps[columns]


def _evaluated(fun: Callable[..., Any], args: tuple[Any, ...], m: int, x: np.ndarray) -> np.ndarray:
    """Evaluate the function, shape (m,); defined in the module so that other processes can load it."""
    return _fits("fun(x)", _numbers("fun(x)", fun(x, *args), of_fun=True), m)


@contextmanager
def _mapped(workers: Any, fun: Any) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a function like `map` that evaluates a function at many points."""
    if workers is None or callable(workers):
        yield workers or map
        return
    if not is_whole(workers) or workers == 0 or workers < -1:
        raise OptionError(f"workers must be a number of processes, -1 for one per core, or like map, not {workers!r}")
    try:
        pickle.dumps(fun)
    except Exception as e:  # `fun` may raise anything while it is pickled
        raise OptionError(
            f"workers={workers} sends fun to other processes, which is not possible ({e}): define it in a module, or "
            "leave workers out"
        ) from e
    with multiprocessing.Pool(None if workers == -1 else whole("workers", workers, 1)) as pool:
        yield pool.imap
