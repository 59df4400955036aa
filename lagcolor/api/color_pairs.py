"""color_pairs(pairs, n): color the contacts between bodies, or the bodies, on the device of the pairs."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base import device as dev
from ..base import imported_from
from ..base.device import limited
from ..base.errors import GraphError, OptionError
from ..base.messages import counted
from ..base.options import choice, flag, whole
from ..engines.elements import Rows, cuda
from ..engines.elements.sequential import SEED, balance_classes, first_fit
from ..engines.greedy.threads import first_fit_on_threads
from ..graph.classes import ColorClasses
from ..graph.graph import Graph
from ..graph.two_colors import bipartite
from ..inputs.arrays import array_like, as_array
from ..inputs.checks import MOST_VERTICES, unmasked
from ..orders import Priorities
from ..orders.ties import tie_order
from ..problems.contacts import verify_bodies, verify_pairs
from ..problems.report import Report

VERIFY_UP_TO = 10_000_000  # pairs


@imported_from("lagcolor")
@dataclass(repr=False, eq=False)
class PairColoring(ColorClasses):
    """The result of `color_pairs`: colors of pairs or bodies, with the attributes of `Coloring` such as `n_colors`.

    Attributes
    ----------
    colors : array of int32
        0…k−1, shape (m,) for pairs and (n,) for bodies, on the device of the pairs. Static bodies have −1.
    pairs : array, shape (m, 2)
        The pairs.
    n : int
        Number of bodies.
    static : array of bool, shape (n,), or None
        Bodies that do not move.
    of : {"pairs", "bodies"}
        What is colored.
    verified : bool
        Whether the verifier has checked these colors.
    """

    colors: Any
    pairs: Any
    n: int
    static: Any
    of: str
    verified: bool = False
    _launch: Any = field(default=None, repr=False)
    _n_colors: int | None = field(default=None, init=False)

    def verify(self) -> Report:
        """Check the colors with a verifier that shares no code with the algorithms; on a GPU, wait for them.

        Returns
        -------
        Report
            The findings of the check.

        Raises
        ------
        GraphError
            A body is not among the n bodies (only after a call with ``wait=False``).
        ColoringError
            Two constraints of one color share a body, or two bodies of one color share a constraint; or a constraint or
            body has no color, because a call with ``wait=False`` needed more than `max_colors`.
        """
        with dev.using(self.colors):
            if self._launch is not None and self._launch.wait()[1]:
                raise _no_body(self.pairs, self.n)
            check = verify_pairs if self.of == "pairs" else verify_bodies
            findings = check(self.pairs, self.n, self.static, self.colors)
        self.verified = True
        return findings

    def __repr__(self) -> str:
        pairs, bodies = counted(len(self.pairs), "pairs"), counted(self.n, "bodies")
        return f"<PairColoring: {pairs} of {bodies}, colors of {self.of}, on {self.device}>"


@limited
def color_pairs(
    pairs: Any, n: int, static: Any = None, *, out: Any = None, stream: Any = None, of: str = "pairs",
    balance: bool = True, wait: bool = True, max_colors: int = 64, verify: bool | None = None,
    threads: int | None = None,
) -> PairColoring:  # fmt: skip
    """Color the contacts of a simulation so that contacts of one color share no body, on the device of the pairs.

    On a GPU one kernel computes the colors, and nothing is copied to the CPU. The colors equal sequential
    first-fit in the order "random", or two colors of bodies where these suffice, with classes that hashes balance: the
    same on every run, on a CPU and a GPU.

    Parameters
    ----------
    pairs : array of integers, shape (m, 2)
        The two bodies of each constraint, numbered from 0: a NumPy array, or on a GPU any array with
        ``__cuda_array_interface__`` or DLPack (Warp, PyTorch, JAX, Numba, CuPy). A repeated pair is another constraint.
        Use −1 if a constraint has only one body. Contiguous arrays of 32 or 64 bits are not copied.
    n : int
        Number of bodies.
    static : array of bool, shape (n,), optional
        Bodies that do not move. They constrain nothing: any number of constraints of one color may share them.
    out : array of int32, shape (m,) or (n,), optional
        Receives the colors, on the device of the pairs.
    stream : object or int, optional
        The GPU stream: a CuPy stream, an object with ``__cuda_stream__`` or `cuda_stream` (PyTorch, Warp), or the
        number of a stream. Default: CuPy's current stream.
    of : {"pairs", "bodies"}
        "pairs": constraints that share a body have different colors (for Gauss–Seidel on constraints). "bodies": the
        bodies of a constraint have different colors (for vertex block descent). Two colors are used if the constraints
        form no odd cycle, such as in a chain or a grid.
    balance : bool
        Balance the sizes of the classes. No color is added. With few pairs a class may become empty, which removes a
        color.
    wait : bool
        False: return as soon as the kernel is launched, without synchronization. `verify` of the result waits for it.
        Any other code that reads the colors must run on the same stream. At most `max_colors` colors are used, and
        constraints or bodies that find none get −1.
    max_colors : int
        The limit for ``wait=False``, on a CPU and on a GPU, rounded up to a multiple of 64. Each 64 colors take 8 bytes
        per body. A body with d constraints needs d colors. With ``wait=True`` the number of colors is unlimited. More
        than 1024 colors are not balanced.
    verify : bool, optional
        Check the result. Default: with `wait`, for up to 10 M pairs.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.

    Returns
    -------
    PairColoring
        The colors of the pairs or of the bodies.

    Raises
    ------
    GraphError
        `pairs` or `static` has the wrong shape or type, or a body is not in −1 … n − 1. With ``wait=False`` only
        `verify` reports such a body, and it constrains nothing.
    OptionError
        `out`, `stream` or `verify` does not fit the other arguments.

    See Also
    --------
    color : Color the vertices of a graph, or with ``problem="edges"`` its edges.
    lagcolor.mesh.color_elements : Color the elements of a mesh.

    Notes
    -----
    The call takes 24 bytes of device memory per body for up to 64 colors, and 8 for each further 64. The next call on
    the same stream uses this memory again. If constraints need more than 1024 colors and the call waits, it stores
    the pattern of the pairs instead. Mark a body that touches many others, such as the ground, as `static`.

    References
    ----------
    Jones, Plassmann 1993, "A parallel graph coloring heuristic", color the vertices whose random priority is the
    highest among their neighbors. Here edges are colored in this way, without a graph of the edges that share a vertex.

    Examples
    --------
    Box 3 lies on the ground, 0, between two other boxes:

    >>> import numpy as np
    >>> pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 3], [3, 2]])
    >>> static = np.array([True, False, False, False])
    >>> result = lagcolor.color_pairs(pairs, 4, static)
    >>> result.n_colors, result.class_sizes.tolist()
    (3, [2, 2, 1])
    >>> lagcolor.color_pairs(pairs, 4, static, of="bodies").n_colors
    2
    """
    of, even, wait = choice("of", of, ("pairs", "bodies")), flag("balance", balance), flag("wait", wait)
    verify = flag("verify", verify, none=True)
    n, words = whole("n", n, 0, MOST_VERTICES), -(-whole("max_colors", max_colors, 1) // 64)
    if verify and not wait:
        raise OptionError(
            "verify waits for the colors, which wait=False does not: leave one out, or call result.verify()"
        )
    with _on_stream(as_array(pairs), stream):
        array = _pairs_of(pairs)
        static, out = _static_of(static, array, n), _out_of(out, array, len(array) if of == "pairs" else n)
        result = PairColoring(out, array, n, static, of)
        source, steps = cuda.ELEMENTS if of == "pairs" else cuda.BODIES, cuda.COLOR | cuda.BALANCE * even
        if not dev.is_cupy(array):
            _on_cpu(result, even, None if wait else 64 * words)
        elif len(out) and wait:
            if not cuda.until_complete(source, array, static, n, steps, out):
                raise _no_body(array, n)
        elif len(out):
            words = min(words, -(-len(out) // 64))  # no more colors than constraints, or bodies
            result._launch = cuda.launch(source, array, static, n, steps, words, out)
        if wait and (verify or (verify is None and len(array) <= VERIFY_UP_TO)):
            result.verify()
    return result


def _on_cpu(result: PairColoring, even: bool, most: int | None) -> None:
    """Compute the colors of the kernel by loops. Colors from `most` on become −1."""
    pairs, n, out = result.pairs, result.n, result.colors
    if len(pairs) and (pairs.min() < -1 or pairs.max() >= n):
        raise _no_body(pairs, n)
    nodes = np.ascontiguousarray(pairs, np.int32)
    if result.static is not None and n:
        nodes = np.where((nodes >= 0) & ~result.static[nodes], nodes, np.int32(-1))
    if result.of == "pairs":
        P: Any = Rows(nodes, n).pattern()
        colors: Any = first_fit(P, tie_order(np, P.rows, SEED))
    else:
        P = Graph.of(tuple(nodes[(nodes >= 0).all(axis=1)].T), n=n)
        colors = bipartite(P)
        if colors is None:
            colors = first_fit_on_threads(P, Priorities.of(P, "random", seed=SEED), 1)
    out[:] = colors if most is None else np.where(colors < most, colors, np.int32(-1))
    if result.static is not None and result.of == "bodies":
        out[result.static] = -1
    if even:
        balance_classes(P, out)


def _pairs_of(pairs: Any) -> Any:
    """The pairs as a contiguous array of 32 or 64 bits, without a copy if they are one already.

    The stream of the caller is current: it waits for the stream of another library and runs the copies.
    """
    is_list = isinstance(pairs, (list, tuple))
    if any(map(np.ma.is_masked, pairs if is_list else [pairs])):
        raise GraphError(f"bodies are masked: pass {'numpy.ma.stack(pairs)' * is_list}.filled(-1), where −1 is none")
    try:
        array = array_like(pairs)
    except ValueError as e:
        raise GraphError("pairs have different numbers of bodies: each has two, and −1 stands for no body") from e
    if array.size == 0 and array.ndim != 2:
        array = array.reshape(0, 2).astype(np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        turn = "numpy.transpose(pairs)" if is_list else ".T"
        raise GraphError(f"pairs have shape (m, 2), two bodies each, not {tuple(array.shape)}: {turn} turns (2, m)")
    if len(array) == 2 and isinstance(pairs, tuple) and not any(isinstance(part, tuple) for part in pairs):
        raise GraphError(
            "a tuple of two lists of two bodies may be two pairs, or have the two bodies of each pair: say which, with "
            "`numpy.array(pairs)` or `numpy.transpose(pairs)`"
        )
    if array.dtype.kind not in "iu" and array.size:
        raise GraphError(f"pairs are of {array.dtype}, and bodies are integers: convert them with .astype(numpy.int32)")
    with dev.using(array):
        if array.dtype.kind not in "iu" or array.itemsize < 4 or not array.dtype.isnative:
            array = array.astype(np.int32 if array.itemsize <= 4 else np.int64)
        return dev.module_of(array).ascontiguousarray(array)


def _static_of(static: Any, pairs: Any, n: int) -> Any:
    if static is None:
        return None
    array = array_like(static)
    unmasked(array, "static")
    if array.shape != (n,) or array.dtype != bool:
        raise GraphError(
            f"static is an array of bool of shape (n,) = ({n},), not of {array.dtype} and shape {tuple(array.shape)}: "
            "numpy.isin(numpy.arange(n), numbers) makes one of the numbers of bodies"
        )
    return dev.module_of(pairs).ascontiguousarray(dev.to_device(array, dev.device_of(pairs)))


def _out_of(out: Any, pairs: Any, size: int) -> Any:
    if out is None:
        return dev.module_of(pairs).empty(size, np.int32)
    array = as_array(out)
    if array is None or array.shape != (size,) or array.dtype != np.int32 or not array.flags.c_contiguous:
        raise OptionError(f"out is a contiguous array of int32 of shape ({size},)")
    if not getattr(array.flags, "writeable", True):
        raise OptionError("out is read-only: pass out.copy(), or an array of your own")
    if dev.device_of(array) != dev.device_of(pairs):
        raise OptionError(f"out is on {dev.device_of(array)}, and the pairs are on {dev.device_of(pairs)}")
    return array


@contextlib.contextmanager
def _on_stream(pairs: Any, stream: Any) -> Any:
    """Make the device of the pairs and a stream current; `pairs` is None for a list."""
    if stream is not None and not dev.is_cupy(pairs):
        raise OptionError("stream is for pairs on a GPU, and these are on the CPU: leave it out")
    with dev.using(pairs):
        if stream is None:
            yield
            return
        if hasattr(stream, "__cuda_stream__"):
            stream = stream.__cuda_stream__()[1]
        number = getattr(stream, "cuda_stream", getattr(stream, "ptr", stream))
        with dev.cupy().cuda.ExternalStream(whole("stream", number)):
            yield


def _no_body(pairs: Any, n: int) -> GraphError:
    """Make the error for the first pair with a body that is out of range."""
    wrong = (pairs < -1) | (pairs >= n)
    at, side = divmod(int(wrong.reshape(-1).argmax()), 2)
    return GraphError(
        f"pair {at} has body {int(pairs[at, side])}, and bodies are numbered from 0 to n − 1 = {n - 1}; −1 is none"
    )
