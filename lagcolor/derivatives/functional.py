"""Derivatives of functions of arrays as matrices, for any library with jvp, vjp and vmap: JAX and torch.

The arguments to differentiate become one flat array, the columns of the matrix, and the results another, its rows. A
product is computed from the number of its color, so that the seeds of other products use no memory.

`of_library` turns `jacobian`, `value_and_jacobian`, `hessian` and `check` into the public functions of a library's
module: it passes the library as the first argument and fills its words into the docstrings.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from string import Template
from typing import Any, Concatenate, NamedTuple

import numpy as np

from ..base import device as dev
from ..base.errors import GraphError, OptionError
from ..base.options import choice, flag, is_whole, number, whole
from . import choose, matrices, missing
from .compression import Compression

VALUES = "values"  # output: the stored entries, not a matrix
FIRST: Any = object()  # default output: the first of the library's outputs


class Library(NamedTuple):
    """The operations that a library of arrays provides."""

    outputs: tuple[str, ...]
    flatten: Callable[[Any], tuple[Any, Callable[[Any], Any]]]  # A tree as one array, and the inverse function
    no_float: Callable[[Any], Any]  # The first type of a leaf that is not floating-point, or None
    jvp: Callable[[Any, Any, Any], Any]  # Derivative of a function with auxiliary results, at an array, times a vector
    grad: Callable[..., Callable[..., Any]]  # Gradient of a function, with argnums and has_aux
    vjp: Callable[[Any, Any], tuple[Any, Any, Any]]  # Value, product as a tuple, and auxiliary results
    over: Callable[[Any, int, int | None], Any]  # Rows f(0) … f(k − 1), in chunks of a size
    seed: Callable[[np.ndarray, Any, Any], Any]  # 1 for vertices of a color, else 0, in the type of an array
    matrix: Callable[[Compression, Any, str], Any]  # The matrix of stored entries, in an output format
    array: Callable[[Any], np.ndarray]  # A NumPy array with at least 32 bits per number
    eps: Callable[[Any], float]  # Machine epsilon of an array's type
    like: Callable[[np.ndarray, Any], Any]  # An array of the library, with the type of another
    check_installed: Callable[[], None] = lambda: None


class Options(NamedTuple):
    """Options of a derivative."""

    output: str
    argnums: Any = 0  # An int, or several
    has_aux: bool = False
    chunk_size: int | None = None


def of_library[**P, R](
    function: Callable[Concatenate[Library, P], R], library: Library, module: str, words: dict[str, str]
) -> Callable[P, R]:
    """Return the public function of a library: a function of this file without its first parameter."""

    def call(*args: P.args, **keywords: P.kwargs) -> R:
        return function(library, *args, **keywords)

    made: Any = dev.limited(call) if "threads" in inspect.signature(function).parameters else call
    _, *parameters = inspect.signature(function).parameters.values()
    parameters = [
        p.replace(default=library.outputs[0], annotation="str") if p.default is FIRST else p for p in parameters
    ]
    made.__signature__ = inspect.signature(function).replace(parameters=parameters)
    made.__name__ = made.__qualname__ = function.__name__
    made.__wrapped__ = function
    made.__module__, made.__doc__ = module, Template(function.__doc__ or "").substitute(words)
    public: Callable[P, R] = made
    return public


def options(library: Library, output: Any, argnums: Any, has_aux: bool, chunk_size: int | None = None) -> Options:
    """Check the options of a call."""
    library.check_installed()
    several = isinstance(argnums, Sequence) and len(argnums) and not isinstance(argnums, str)
    if not all(map(is_whole, argnums if several else [argnums])):
        raise OptionError(f"argnums must be the number of an argument, or a tuple of numbers, not {argnums!r}")
    return Options(
        library.outputs[0] if output is FIRST else choice("output", output, library.outputs),
        tuple(argnums) if several else argnums,
        flag("has_aux", has_aux),
        whole("chunk_size", chunk_size, 1, none=True),
    )


def compression(C: Any, of: str = "jacobian") -> Compression:
    """Return C; color it first if it is a pattern."""
    if not isinstance(C, Compression):
        return getattr(choose, of)(C)
    if of == "hessian" and C.partition != "symmetric":
        raise OptionError("this Compression is of a Jacobian: use jacobian(f, C), or compute C by hessian(pattern)")
    return C


def derivative(
    library: Library, f: Callable[..., Any], C: Compression, how: Options, wanted: bool = False
) -> Callable[..., Any]:  # fmt: skip
    """Return a function of the arguments of f that gives the matrix, and f(x) first if ``wanted``."""
    columns, rows = (c if c is None else dev.to_device(c, "cpu") for c in (C.column_colors, C.row_colors))

    def sparse_jacobian(*args: Any, **keywords: Any) -> Any:
        x, g = flat(library, f, C, how, (args, keywords))
        products, rest = [], None
        if columns is not None:
            product = lambda color: library.jvp(g, x, library.seed(columns, color, x))  # noqa: E731
            products.append(_rows(library, product, C.products[0], how.chunk_size, (x, C.pattern.rows)).T)
        if rows is not None:
            y, transposed, rest = library.vjp(g, x)
            product = lambda color: transposed(library.seed(rows, color, y))[0]  # noqa: E731
            products.append(_rows(library, product, C.products[1], how.chunk_size, (y, C.pattern.columns)))
        elif wanted or how.has_aux:
            rest = g(x)[1]
        value, aux = rest if rest is not None else (None, None)
        values = C.values(products[0] if len(products) == 1 else tuple(products))
        matrix = values if how.output == VALUES else library.matrix(C, values, how.output)
        if wanted:
            return ((value, aux), matrix) if how.has_aux else (value, matrix)
        return (matrix, aux) if how.has_aux else matrix

    return sparse_jacobian


def jacobian(
    library: Library, /, f: Callable[..., Any], C: Any, output: Any = FIRST, *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None, threads: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the sparse Jacobian of a function.

    Parameters
    ----------
    f : callable
        ``f(*args, **kwargs)``, $traced.
        The arguments to differentiate, and the result, have n and m numbers in total. They are
        $values.
        The arguments are real. The result may be complex if C has only products of columns.
    C : Compression or matrix-like
        A compression by `lagcolor.derivatives.jacobian` of an m × n pattern that has every entry that can be nonzero
        (see `check`). If the Jacobian is symmetric, such as the Jacobian of a gradient, a compression by
        `lagcolor.derivatives.hessian` also works (the symmetry is not checked). Any argument of `Pattern.of` is colored
        by `jacobian`, once.
    output : {$outputs}
        The type of the result.
    argnums : int or tuple of int
        The arguments to differentiate. The columns of several arguments follow one another.
    has_aux : bool
        Whether f returns a pair. Its second part$aux is passed on unchanged.
    chunk_size : int, optional
        The number of products that are vectorized together. It limits the memory for intermediate results of the
        function. The products themselves are stored, with the size of ``C.shapes``. Default: all.
    threads : int, optional
        The largest number of CPU threads that color a pattern; see `lagcolor.color`.

    Returns
    -------
    callable
        ``J(*args, **kwargs)`` returns a $result of shape (m, n).
        Rows and columns follow the order of the $leaves.
        With `has_aux` it returns the pair (matrix, aux). It computes as many jvp and vjp as C has products of each
        kind.
        $inside

    Raises
    ------
    OptionError
        `output` is unknown, or `argnums` names no argument. When called: the arguments to differentiate are not real
        floating-point numbers, or the result is complex and C has products of rows.
    GraphError
        When called: the size of the arguments or of the result does not match the pattern.

    Examples
    --------
    >>> import $library
    >>> f = lambda x: x[1:] * x[:-1]
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> J = lagcolor.derivatives.$library.jacobian(f, C)
    >>> J($array([1.0, 2.0, 3.0])).$to_dense().tolist()
    [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]
    """
    how = options(library, output, argnums, has_aux, chunk_size)
    return derivative(library, f, compression(C), how)


def value_and_jacobian(
    library: Library, /, f: Callable[..., Any], C: Any, output: Any = FIRST, *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None, threads: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the result of a function and its sparse Jacobian.

    Parameters
    ----------
    f, C : callable and Compression
        See `jacobian`.
    output : {$outputs}
        The type of the result.
    argnums, has_aux, chunk_size, threads : optional
        See `jacobian`.

    Returns
    -------
    callable
        It returns the pair (f(x), matrix), and with `has_aux` ((f(x), aux), matrix), like `jax.value_and_grad`.

    Raises
    ------
    OptionError, GraphError
        See `jacobian`.

    Examples
    --------
    >>> import $library
    >>> f = lambda x: x[1:] * x[:-1]
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> y, J = lagcolor.derivatives.$library.value_and_jacobian(f, C)($array([1.0, 2.0, 3.0]))
    >>> y.tolist()
    [2.0, 6.0]
    """
    how = options(library, output, argnums, has_aux, chunk_size)
    return derivative(library, f, compression(C), how, wanted=True)


def hessian(
    library: Library, /, f: Callable[..., Any], C: Any, output: Any = FIRST, *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None, threads: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the sparse Hessian of a scalar function.

    Parameters
    ----------
    f : callable
        A function with a scalar result; its arguments are as for `jacobian`.
    C : Compression or matrix-like
        A compression by `lagcolor.derivatives.hessian` of a symmetric n × n pattern that has every entry that can be
        nonzero. Any argument of `Pattern.of` is colored by `hessian`, once.
    output : {$outputs}
        The type of the result.
    argnums, has_aux, chunk_size, threads : optional
        See `jacobian`.

    Returns
    -------
    callable
        ``H(*args, **kwargs)`` returns a $result of shape (n, n) with both triangles.
        With `has_aux` it returns the pair (matrix, aux). It computes as many Hessian–vector products (a jvp of the
        gradient) as C has colors.
        $inside

    Raises
    ------
    OptionError
        C compresses a Jacobian; or see `jacobian`.
    GraphError
        When called: the size of the arguments does not match the pattern.

    Examples
    --------
    >>> import $library
    >>> f = lambda x: (x[1:] * x[:-1]).sum()
    >>> C = lagcolor.derivatives.hessian([(0, 1), (1, 0), (1, 2), (2, 1)])
    >>> H = lagcolor.derivatives.$library.hessian(f, C)
    >>> H($array([1.0, 2.0, 3.0])).$to_dense().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    how = options(library, output, argnums, has_aux, chunk_size)
    gradient = library.grad(f, how.argnums, has_aux=how.has_aux)
    return derivative(library, gradient, compression(C, "hessian"), how)


def flat(library: Library, f: Callable[..., Any], C: Compression, how: Options, arguments: Any) -> tuple[Any, Any]:
    """Return the arguments to differentiate as one array x, and a function of x: flat results, and (f(x), aux)."""
    args, keywords = arguments
    numbers = how.argnums if isinstance(how.argnums, tuple) else (how.argnums,)
    if not all(-len(args) <= i < len(args) for i in numbers):
        raise OptionError(f"argnums={how.argnums!r} names no argument: there are {len(args)}")
    if len({i % len(args) for i in numbers}) < len(numbers):
        raise OptionError(f"argnums={how.argnums!r} names an argument twice: name each once")
    parts = tuple(args[i] for i in numbers)
    if (dtype := library.no_float(parts)) is not None:  # of each leaf: flatten turns integers into floats
        raise OptionError(f"x holds {dtype}: pass floating-point numbers to differentiate")
    x, unflatten = library.flatten(parts)
    _fits("x", x, C.pattern.columns)
    if C.n_colors and _is_complex(x):
        raise OptionError(
            f"x holds {x.dtype}, and a function of complex numbers has two derivatives: use lambda a, b: f(a + 1j * b) "
            "at the real and imaginary parts, with argnums=(0, 1) and a pattern of the columns of both; or, if f is "
            "holomorphic, with argnums=0, which gives the complex derivative"
        )

    def g(x: Any) -> tuple[Any, tuple[Any, Any]]:
        replaced = list(args)
        for i, part in zip(numbers, unflatten(x), strict=True):
            replaced[i] = part
        result = f(*replaced, **keywords)
        value, aux = result if how.has_aux else (result, None)
        y = library.flatten(value)[0]
        advice = ": use hessian(f, C), or pass the gradient of f" if C.partition == "symmetric" else ""
        _fits("f(x)", y, C.pattern.rows, advice)
        if C.products[1] and _is_complex(y):
            raise OptionError(
                f"f(x) holds {y.dtype}, and products of rows lose imaginary parts: color columns only, with "
                'partition="columns", or return real and imaginary parts as real numbers'
            )
        return y, (value, aux)

    return x, g


def check(
    library: Library, /, f: Callable[..., Any], C: Any, *args: Any, argnums: Any = 0, has_aux: bool = False,
    vectors: int = 2, seed: int = 0, rtol: float | None = None, **keywords: Any,
) -> None:  # fmt: skip
    """Look for entries of a Jacobian outside a pattern, which `jacobian` would add to others or lose.

    The derivative of the function and the sparse Jacobian are multiplied with random vectors, and the products are
    compared. This takes one jvp for each vector. It finds every missing entry that is nonzero at these arguments and at
    least `rtol` times the sum of its row. About log₂ n further products then name the entry. A few calls at random
    arguments are enough for most functions. If f has no jvp and the products are of rows, `check` uses a vjp and
    compares by columns.

    Parameters
    ----------
    f : callable
        See `jacobian`. For a Hessian pass the gradient of the function, ``$grad(f)``.
    C : Compression or matrix-like
        See `jacobian`.
    *args
        The arguments of the function.
    argnums, has_aux : optional
        See `jacobian`.
    vectors : int
        The number of random vectors.
    seed : int
        The seed of the vectors.
    rtol : float, optional
        The smallest difference that is an error, relative to the sum of the absolute values of a row. Default: half of
        the digits of the type, 1.5e-8 for float64.
    **keywords
        Further arguments of the function, other than these names.

    Raises
    ------
    GraphError
        The first missing entry; or products differ although no entry is missing, for example because the compression
        is symmetric and the Jacobian is not; or the sizes differ, as for `jacobian`.
    OptionError
        See `jacobian`.

    Examples
    --------
    >>> import $library
    >>> f = lambda x: x[1:] * x[:-1]
    >>> lagcolor.derivatives.$library.check(f, [(0, 0), (0, 1), (1, 1), (1, 2)], $array([1.0, 2.0, 3.0]))
    >>> lagcolor.derivatives.$library.check(f, [(0, 0), (1, 1), (1, 2)], $array([1.0, 2.0, 3.0]))
    Traceback (most recent call last):
    lagcolor.GraphError: ...
    """
    how = options(library, FIRST, argnums, has_aux)._replace(output=VALUES)
    vectors, seed = whole("vectors", vectors, 1), whole("seed", seed)
    rtol = number("rtol", rtol, over=True, none=True)
    C = compression(C)
    x, g = flat(library, f, C, how, (args, keywords))
    found = derivative(library, f, C, how)(*args, **keywords)
    values = found[0] if how.has_aux else found
    matrix = matrices.csr(C.pattern.on("cpu"), library.array(values))
    rtol = rtol or max(library.eps(x), library.eps(values)) ** 0.5

    def forward(v: Any) -> Any:
        return library.array(library.jvp(g, x, library.like(v, x)))

    if C.partition == "rows" and not _runs(forward, matrix.shape[1]):  # f has only a rule for vjp
        y, transposed, _ = library.vjp(g, x)
        missing.check(
            matrix.T.tocsr(), lambda w: library.array(transposed(library.like(w, y))[0]), vectors, seed, rtol, True
        )
        return
    missing.check(matrix, forward, vectors, seed, rtol)


def _rows(library: Library, product: Any, k: int, chunk_size: int | None, empty: tuple[Any, int]) -> Any:
    """Return k products as rows; `empty` has the type and length of a product for k = 0."""
    if k:
        return library.over(product, k, None if chunk_size is None or chunk_size >= k else chunk_size)
    like, length = empty
    return library.like(np.zeros((0, length)), like)


def _runs(product: Callable[[Any], Any], n: int) -> bool:
    try:
        product(np.zeros(n))
    except (TypeError, RuntimeError):  # JAX raises TypeError, torch NotImplementedError, a RuntimeError
        return False
    return True


def _is_complex(array: Any) -> bool:
    return "complex" in str(array.dtype)  # types of JAX and of torch


def _fits(what: str, array: Any, expected: int, advice: str = "") -> None:
    if len(array) != expected:
        raise GraphError(f"{what} has {len(array)} entries, and the pattern has {expected}{advice}")
