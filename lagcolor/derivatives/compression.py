"""The class `Compression`: recover a matrix from its products with few vectors of zeros and ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..api.result import Coloring
from ..base import device as dev
from ..base import imported_from
from ..base.errors import GraphError, OptionError
from ..base.messages import counted, table
from ..base.options import text, whole
from ..graph.pattern import Pattern
from . import matrices, storage
from .recovery import Recovery, recovery

UPLO = ("F", "L", "U")
NAMES = {"columns": "columns", "rows": "rows", "both": "both kinds of products", "symmetric": "a symmetric matrix"}


class Sparsity(NamedTuple):
    """A sparsity structure and its groups, the pair that SciPy's finite differences accept."""

    structure: Any  # csr_array of ones, shape (m, n)
    groups: Any  # int32, shape (n,): Columns of a group are changed together


@imported_from("lagcolor.derivatives")
@dataclass(frozen=True, eq=False)
class Compression:
    """How a sparse matrix A is compressed to few products and decompressed again.

    What a product is depends on `partition`; k is the number of colors of one kind:

    ==============  ==========================================  =============================================
    partition       B                                           as products
    ==============  ==========================================  =============================================
    ``columns``     ``A @ S``, shape (m, k)                     k of A with a vector: forward mode, jvp
    ``rows``        ``W.T @ A``, shape (k, n)                   k of a vector with A: reverse mode, vjp
    ``both``        the pair ``(A @ S, W.T @ A)``               both
    ``symmetric``   ``A @ S``, shape (n, k)                     k of a Hessian with a vector: hvp
    ==============  ==========================================  =============================================

    Attributes
    ----------
    pattern : Pattern
        The pattern of A, m × n, on one device.
    partition : {"columns", "rows", "both", "symmetric"}
        The kind of products.
    coloring : Coloring
        The coloring with its times; for a symmetric matrix, a coloring of its graph without the diagonal.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> A = sp.diags_array([1.0, 4.0, 1.0], offsets=[-1, 0, 1], shape=(6, 6)).tocsr()
    >>> C = lagcolor.derivatives.jacobian(A)
    >>> B = A @ C.seeds()  # three products instead of six
    >>> bool(abs(C.decompress(B) - A).max() == 0)
    True
    """

    pattern: Pattern
    partition: str
    coloring: Coloring

    @cached_property
    def recovery(self) -> Recovery:
        """Positions of the entries in the products; computed at first use."""
        return recovery(self.pattern, self.coloring)

    @property
    def row_colors(self) -> Any:
        """Colors of the rows, int32, shape (m,), −1 for a row in no product; None if only columns have products."""
        return self.coloring.row_colors if self.partition in ("rows", "both") else None

    @property
    def column_colors(self) -> Any:
        """Colors of the columns, int32, shape (n,), −1 for a column in no product; None if only rows have products."""
        if self.partition == "symmetric":
            return self.coloring.colors
        return self.coloring.column_colors if self.partition in ("columns", "both") else None

    @property
    def n_colors(self) -> int:
        """Number of products."""
        return self.coloring.n_colors

    @cached_property  # colors on a GPU are read once
    def products(self) -> tuple[int, int]:
        """Numbers of products ``A @ s`` and ``w @ A``."""
        return matrices.count(self.column_colors), matrices.count(self.row_colors)

    @property
    def gather(self) -> Any:
        """Position of each stored entry in the products: an index of ``flat(B)``, in CSR order, shape (nnz,).

        ``flat(B)[C.gather]`` are the entries in NumPy, CuPy, JAX and torch. int64, or int32 on a GPU if that suffices.

        Raises
        ------
        OptionError
            Decompression is by substitution, which computes entries from several products.
        """
        if self.recovery.levels:
            raise OptionError("decompression by substitution is not a gather: use decompression='direct'")
        return self.recovery.source

    def seeds(self, dtype: Any = np.float64) -> Any:
        """The vectors of the products: S, shape (n, k); for rows W, shape (m, k); for both the pair (S, W).

        Parameters
        ----------
        dtype : dtype
            Entries are zeros and ones.

        Returns
        -------
        array or pair of arrays
            Dense arrays on the pattern's device.
        """
        S, W = (matrices.seeds(colors, dtype) for colors in (self.column_colors, self.row_colors))
        return (S, W) if self.partition == "both" else W if self.partition == "rows" else S

    def iter_seeds(self, dtype: Any = np.float64) -> Iterator[Any]:
        """Iterate over the vectors of the products; one vector at a time is in memory.

        With both kinds of products, column products come first; ``C.products`` is the pair of their numbers.

        Parameters
        ----------
        dtype : dtype
            Entries are zeros and ones.

        Yields
        ------
        array, shape (n,), or (m,) for products ``w @ A``
            On the pattern's device.

        Examples
        --------
        The matrix from one product at a time:

        >>> import numpy as np
        >>> import scipy.sparse as sp
        >>> J = sp.diags_array([1.0, -2.0, 1.0], offsets=[0, 1, 2], shape=(1000, 1002), format="csr")
        >>> C = lagcolor.derivatives.jacobian(J)
        >>> values = np.empty(C.pattern.m)
        >>> for color, seed in enumerate(C.iter_seeds()):
        ...     C.decompress_color_into(values, J @ seed, color)
        >>> bool((values == J.data).all())
        True
        """
        for colors in (self.column_colors, self.row_colors):
            for color in range(matrices.count(colors)):
                with dev.using(colors):
                    seed = (colors == color).astype(dtype)
                yield seed

    def entries_of(self, color: int) -> tuple[Any, Any]:
        """Return the stored entries that are read from one product, and their positions in it.

        The first call sorts the entries by product, and stores 4 bytes for each.

        Parameters
        ----------
        color : int
            Number of the product, 0 … k − 1, in the order of `iter_seeds`.

        Returns
        -------
        entries : array of integers
            Numbers of stored entries, in CSR order.
        places : array of integers, of the same length
            Indices of the product; entry ``entries[e]`` is ``product[places[e]]``.

        Raises
        ------
        OptionError
            Decompression is by substitution, or the color does not exist.
        """
        entries, offsets = self._by_color
        if not self.n_colors:
            raise OptionError("this compression has no products, because its pattern has no entries")
        color = whole("color", color, 0, self.n_colors - 1)
        of_color = entries[offsets[color] : offsets[color + 1]]
        with dev.using(entries):
            return of_color, matrices.in_product(self.gather[of_color], self.partition, self.shapes)[1]

    @cached_property
    def _by_color(self) -> tuple[Any, list[int]]:
        return matrices.by_product(self.gather, self.partition, self.shapes)

    def compress(self, A: Any) -> Any:
        """Compute the products of a matrix.

        Parameters
        ----------
        A : sparse matrix or dense array, shape (m, n)
            A matrix of SciPy or NumPy, or of CuPy if the pattern is on a GPU. For the partition "symmetric" it must be
            symmetric (not Hermitian), which is not checked. On a CPU, an infinite or NaN entry changes only the product
            of its color; on a GPU, it changes its row (or column) in all products.

        Returns
        -------
        array or pair of arrays
            B, as in the table of this class.

        Raises
        ------
        GraphError
            A has another shape, or a nonzero entry outside the pattern, which decompression would lose.
        DeviceError
            A and the pattern are on different devices.
        """
        A = matrices.plain(A, "A")
        matrices.check_device(self.pattern, A, "the matrix is")
        with dev.using(self.pattern.indices):
            matrices.check_entries(self.pattern, A)
            if isinstance(A, np.ndarray):
                right, left = matrices.sums(self.pattern, A, self.row_colors, self.column_colors)
                return (right, left) if self.partition == "both" else left if self.partition == "rows" else right
            right = None if self.column_colors is None else matrices.times_seeds(A, self.column_colors)
            left = None if self.row_colors is None else matrices.times_seeds(A.T, self.row_colors).T
        return (right, left) if self.partition == "both" else left if self.partition == "rows" else right

    def flat(self, B: Any) -> Any:
        """Return the products in one dimension, row by row; for products of both kinds, ``A @ S`` first.

        Parameters
        ----------
        B : array or pair of arrays
            The products, with the shapes in the table of this class.

        Returns
        -------
        array
            All numbers of the products.

        Raises
        ------
        GraphError
            The shape of B does not match that table.
        DeviceError
            The pattern is on a GPU, and B is not.
        """
        parts, shapes = self._parts(B), self.shapes
        for part, shape in zip(parts, shapes, strict=True):
            matrices.check_dense(part, "products are dense arrays")
            matrices.check_device(self.pattern, part, "the products are")
            if tuple(part.shape) != shape:
                raise GraphError(f"the products have shape {tuple(part.shape)}, and this compression needs {shape}")
        with dev.using(parts[0]):
            flat = [part.reshape(-1) for part in parts]
            return flat[0] if len(flat) == 1 else matrices.concatenated(flat)

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Shape of B, or shapes of the pair."""
        (m, n), (right, left) = self.pattern.shape, self.products
        shapes = {"columns": ((m, right),), "symmetric": ((n, right),), "rows": ((left, n),)}
        return shapes.get(self.partition, ((m, right), (left, n)))

    def _parts(self, B: Any) -> list[Any]:
        if self.partition != "both":
            return [matrices.plain(B, "B")]
        if not isinstance(B, tuple | list) or len(B) != 2:
            raise GraphError("products of rows and columns come as a pair (A @ S, W.T @ A)")
        return [matrices.plain(part, f"B[{k}]") for k, part in enumerate(B)]

    def values(self, B: Any) -> Any:
        """Recover the stored entries, in CSR order, from the products.

        Parameters
        ----------
        B : array or pair of arrays
            The products, as returned by `compress`; arrays of NumPy, CuPy, JAX or torch (on a CPU).

        Returns
        -------
        array, shape (nnz,)
            An array of the library and type of B.

        Raises
        ------
        GraphError, DeviceError
            See `flat`.
        """
        return self.recovery(self.flat(B))

    def decompress(self, B: Any, uplo: str = "F") -> Any:
        """Recover the matrix from its products.

        Parameters
        ----------
        B : array or pair of arrays
            Products with a matrix of this pattern, of NumPy or CuPy; entries outside it make the result wrong.
        uplo : {"F", "L", "U"}
            For a symmetric matrix: the full matrix, or its lower or upper triangle with the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            The matrix. Every entry of the pattern is stored, in the order of the pattern.

        Raises
        ------
        GraphError
            The shape of B does not match the table of this class.
        DeviceError
            The pattern is on a GPU, and B is not.
        OptionError
            `uplo` requests a triangle, and the partition is not "symmetric".
        """
        if text("uplo", uplo) not in UPLO:
            raise OptionError(f"uplo must be one of {', '.join(UPLO)}, not {uplo!r}")
        if uplo != "F" and self.partition != "symmetric":
            raise OptionError(f"uplo={uplo!r} is for symmetric matrices: leave it out")
        with dev.using(self.pattern.indices):
            A = matrices.csr(self.pattern, self.values(B))
            return A if uplo == "F" else matrices.triangle(A, uplo)

    def decompress_into(self, A: Any, B: Any) -> None:
        """Write the entries into a matrix of this pattern, in place.

        Parameters
        ----------
        A : CSR matrix of SciPy or CuPy, or dense array, shape (m, n); or array, shape (nnz,)
            A CSR matrix must have the entries of the pattern, in sorted rows, as returned by `decompress`. In a dense
            array, entries outside of the pattern are unchanged. A one-dimensional array receives the stored entries in
            CSR order.
        B : array or pair of arrays
            The products; see `decompress`.

        Raises
        ------
        GraphError
            A or B has the wrong shape, or A has another pattern or format, or a type that cannot represent the entries.
        DeviceError
            A, B and the pattern are on different devices.
        """
        matrices.check_device(self.pattern, A, "the matrix is")
        with dev.using(self.pattern.indices):
            matrices.write(self.pattern, A, self.values(B))

    def decompress_color_into(self, A: Any, product: Any, color: int) -> None:
        """Write the entries that one product gives into a matrix, in place.

        Parameters
        ----------
        A : array, shape (nnz,), or matrix
            The stored entries in CSR order, or a matrix that `decompress_into` accepts.
        product : array, shape (m,), or (n,) for products ``w @ A``
            The product with the vector of this color in `iter_seeds`.
        color : int
            Number of the product, 0 … k − 1.

        Raises
        ------
        GraphError, DeviceError
            See `decompress_into`.
        OptionError
            Decompression is by substitution: entries are differences of several products.
        """
        entries, places = self.entries_of(color)
        product, (rows, columns) = matrices.plain(product, "product"), self.pattern.shape
        matrices.check_dense(product, "the product is a dense array")
        length = rows if color < self.products[0] else columns
        if tuple(product.shape) != (length,):
            raise GraphError(
                f"the product has shape {tuple(product.shape)}, and the product of color {color} has ({length},)"
            )
        for x, what in ((A, "the matrix is"), (product, "the product is")):
            matrices.check_device(self.pattern, x, what)
        with dev.using(self.pattern.indices):
            matrices.write(self.pattern, A, product[places], entries)

    def for_scipy(self) -> Sparsity:
        """Return the pattern and its column colors in the form of SciPy's finite differences.

        ``C.for_scipy()`` is a pair for `approx_derivative(sparsity=…)`, which is private in SciPy. `least_squares`,
        `solve_ivp` and `NonlinearConstraint` accept only the structure, ``C.for_scipy().structure``, and compute their
        own groups. To use these colors there, pass `fd_jacobian` as the Jacobian.

        Returns
        -------
        Sparsity
            Arrays on the CPU: structure, a csr_array of ones, and groups, int32.

        Raises
        ------
        OptionError
            The products are not products with columns.
        """
        if self.partition != "columns":
            raise OptionError(
                f"SciPy needs groups of columns, and this compression is of {NAMES[self.partition]}: use "
                'jacobian(S, "columns")'
            )
        P = self.pattern.on("cpu")
        groups = dev.to_device(self.column_colors, "cpu")
        if not self.n_colors:  # SciPy needs a group
            groups = np.zeros_like(groups)
        return Sparsity(matrices.csr(P, np.ones(P.m, np.int8)), groups)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the compression to a .npz file, completely or not at all; `lagcolor.derivatives.load` reads it.

        The file includes labels of rows and columns that are strings, numbers, True, False, None or tuples of these.

        Parameters
        ----------
        path : path-like
            The file.
        """
        storage.write(path, self.pattern, self.partition, self.coloring)

    def _facts(self) -> list[tuple[str, str]]:
        right, left = self.products
        counts = [f"{right:,} of A @ s"] * (right > 0) + [f"{left:,} of w @ A"] * (left > 0)
        return [
            ("matrix", f"{self.pattern.rows:,} × {self.pattern.columns:,}"),
            ("entries", f"{self.pattern.m:,}"),
            ("products", " and ".join(counts) or "no products"),
            ("partition", self.partition),
            ("decompression", "substitution" if self.recovery.levels else "direct"),
        ]

    def __repr__(self) -> str:
        matrix, _, products, partition, how = (fact for _, fact in self._facts())
        entries = counted(self.pattern.m, "entries")
        return f"<Compression: {matrix}, {entries}, {products}, {partition}, {how}>"

    def _repr_html_(self) -> str:
        return table("Compression", [*self._facts(), ("device", self.pattern.device)])


def load(path: str | os.PathLike[str], *, device: str = "cpu") -> Compression:
    """Read a compression that `Compression.save` wrote.

    Parameters
    ----------
    path : path-like
        A .npz file.
    device : str
        The device of the compression.

    Returns
    -------
    Compression
        The compression. The verifier of its problem has checked its colors.

    Raises
    ------
    FormatError
        The file contains no compression, or its colors do not fit its pattern.
    OSError
        The file cannot be opened.

    Examples
    --------
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)])
    >>> C.save("compression.npz")
    >>> lagcolor.derivatives.load("compression.npz").n_colors
    2
    """
    P, partition, coloring = storage.read(path, device)
    return Compression(P, partition, coloring)
