"""recolor(x, coloring): update a coloring after a change of its graph, in time proportional to the change."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base import compile_clock as compiling
from ..base import device as dev
from ..base.device import extremes, limited
from ..base.errors import ColoringError, OptionError
from ..base.log import Log, listened, stage
from ..base.options import DEFAULT_SEED, Seed, canonical_name, flag, resolve, seed_of
from ..engines.change.incremental import Change, Turns, changed_vertices, first_fit_again, widened
from ..engines.change.keep import keep as keep_proper
from ..graph.graph import Graph
from ..inputs.arrays import values_of
from ..inputs.checks import no_graph
from ..orders import ORDERS, Priorities
from ..problems import named
from ..problems.registry import TABLES, Algorithm
from ..problems.rules import Rules
from .request import Call, Request, refuse
from .result import Coloring
from .session import Clock, Session, finished, is_checked, made_for

KEEP = "keep"  # `algorithm` of results with `keep`


@listened
@limited
def recolor(
    x: Any,
    coloring: Any,
    changed: Any = None,
    *,
    order: Any = None,
    rng: Any = None,
    seed: Seed = DEFAULT_SEED,
    keep: bool = False,
    problem: str | None = None,
    device: str | None = None,
    threads: int | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    progress: Any = None,
) -> Coloring:
    """Update a coloring after edges or vertices of its graph changed.

    The colors equal ``color(x, order=…)`` in the order of `coloring`, bit for bit, but only vertices whose color
    may have changed are visited. This works because first-fit in a fixed order is the only coloring where each
    vertex has the least color that no earlier neighbor has.

    Parameters
    ----------
    x : Graph or graph-like
        The changed graph: anything that `Graph.of` accepts. Its vertices correspond to those in `coloring` by number,
        or by label if both graphs have labels. Numbers from the length of `coloring` on are new vertices. Vertices that
        `x` lacks are removed.
    coloring : Coloring, array of integers, shape (n,), or mapping of vertices to colors
        A first-fit coloring in the order `natural`, `random`, `random_spread` or your own, which do not depend on
        edges. −1 marks a vertex without a color. With `keep`, any coloring.
    changed : array of integers or mask, optional
        Vertices whose row may have changed: both ends of each edge that was added or removed. An edge index of shape
        (2, k) also works. For graphs with labels, labels or pairs of labels. New vertices and vertices without a color
        need not be named. An edge that is not named is ignored. Default: the rows that differ from the graph of
        `coloring`; all rows if `coloring` is an array.
    order : str or array of shape (n,), optional
        See `lagcolor.color`. Default: the order of `coloring`; "natural" if `coloring` is an array. If `coloring` used
        your own order, pass the array for the vertices of `x`.
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`, also the seed of `coloring` if it is a Coloring.
    seed : int, None or "default", optional
        See `lagcolor.color`. Default: the seed of `coloring`.
    keep : bool
        Keep the old colors where possible. Each new vertex, and at least one vertex of each edge between two vertices
        of one color, gets the least color that no neighbor has. No other vertex changes. It works for any order.
    problem : {"distance1", "distance2"}, optional
        Default: the problem of `coloring`.
    device : str, optional
        Where to compute; see `lagcolor.color`.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    symmetrize : bool
        Use A ∪ Aᵀ if the input is not symmetric.
    verify : bool, optional
        Check the result. Default: for graphs of up to 10 M edges.
    progress : callable, True or None
        See `lagcolor.color`; the stage "recoloring" counts nothing.

    Returns
    -------
    Coloring
        ``notes["visited"]`` is the number of vertices whose color was computed; it is n if coloring from scratch was
        faster. With `keep`, ``notes["recolored"]`` is the number of vertices that changed. If a color is no longer in
        use, ``notes["gaps"]`` says so, and the old colors of the other vertices become rules, so that the verifier
        accepts the gap.

    Raises
    ------
    OptionError
        The order of `coloring` depends on degrees, or its algorithm is not first-fit, and `keep` is not set; or
        `changed` names vertices that do not exist.
    ColoringError
        `coloring` is not an array of colors; or the check of the result finds that `changed` is incomplete.
    GraphError, FormatError, DeviceError
        See `lagcolor.color`.

    See Also
    --------
    color : Color a graph from scratch.
    reduce : Lower the number of colors of a coloring.

    References
    ----------
    Jones, Plassmann 1993: first-fit by priorities, where a color depends only on earlier neighbors. We know of no
    paper that follows changes in this way.

    Examples
    --------
    >>> path = lagcolor.Graph.of(([0, 1, 2], [1, 2, 3]))
    >>> old = lagcolor.color(path, order="natural")
    >>> old.colors
    array([0, 1, 0, 1], dtype=int32)
    >>> with_chord = lagcolor.Graph.of(([0, 1, 2, 0], [1, 2, 3, 2]))
    >>> lagcolor.recolor(with_chord, old, changed=[0, 2]).colors
    array([0, 1, 2, 0], dtype=int32)
    """
    compiled, keep = compiling.seconds(), flag("keep", keep)
    source = _Source.of(coloring, order, seed_of(seed, rng), problem, keep)
    session = Session(Request(**source._asdict(), device=device, symmetrize=symmetrize, verify=verify))
    G, log = session.input(x), session.log
    with dev.using(G.indices):
        change = _change(G, coloring, changed)
        H, convert_seconds = session.structure(G)
        p = Priorities.of(H, source.order, seed=source.seed)
        passed = compiling.stopwatch()
        turns = None if keep or change.vertices is None else Turns.of(p)
        if turns is not None and H.on_gpu and len(turns.place):
            dev.cupy().cuda.get_current_stream().synchronize()
        taken = (0.0, passed(), G.convert_seconds + convert_seconds)
        log.stage = stage("recoloring")
        with Clock(H, log) as watch:
            out = _keep(H, change, log) if keep else _updated(session.request.row, H, p, turns, change, log)
        unchanged = log.notes.pop("unchanged", None)  # by these rules, the verifier accepts a color without vertices
        rules, name = None if unchanged is None else Rules(unchanged), KEEP if keep else source.algorithm
        result = Coloring._of(out, G, name, p, log, taken, source.problem, rules)
        checked = is_checked(verify, G)
        return finished(result, watch, compiled, checked, lambda result: _verify(result, changed is not None))


class _Source(NamedTuple):
    """How the old coloring was computed, and how to compute the new one."""

    problem: str
    algorithm: str
    order: Any
    seed: int | None

    @classmethod
    def of(cls, old: Any, order: Any, seed: Seed, problem: str | None, keep: bool) -> _Source:
        """Read the problem, algorithm, order and seed of `old`; values of the call replace them."""
        ours = isinstance(old, Coloring)
        name = old.algorithm if ours else "first_fit"
        problem = made_for(old) if problem is None else named(problem).name
        old_problem = old.problem if ours and not keep else problem
        found: dict[str, Any] = {"old rules": old.rules if ours and name != KEEP else None, "old problem": old_problem}
        if not keep:
            order = (old.order if ours else "natural") if order is None else canonical_name(order, ORDERS)
            found |= {"old algorithm": name, "old order": order if isinstance(order, str) else None}
        refuse("recolor", Call({name: value for name, value in found.items() if value is not None}, problem))
        if keep:
            return cls(problem, "first_fit", "natural", None)
        return cls(problem, name, order, resolve(seed, old.seed if ours else TABLES[problem][name].seed))


def _change(G: Graph, old: Any, changed: Any) -> Change:
    """The old colors, and the first vertices to visit; None for all vertices."""
    xp, before = G.xp, old.graph if isinstance(old, Coloring) else None
    if isinstance(old, Mapping):
        old = _of_mapping(G, old)
    array = _colors_of(old)
    labels = before.labels if before is not None else None
    if G.labels is not None and labels is not None and list(G.labels) != list(labels):
        pairs = zip(labels, dev.to_device(array, "cpu").tolist(), strict=True)
        return Change(xp.asarray(_of_mapping(G, dict(pairs)), dtype=np.int32), None)
    array = array[: min(G.n, len(array))]
    if dev.device_of(array) != G.device:
        array = dev.to_device(array, G.device)
    colors = xp.ascontiguousarray(array, np.int32)
    if changed is not None:
        return Change(colors, _vertices_of(G, changed))
    return Change(colors, None) if before is None else Change(colors, *changed_vertices(G, before))


def _of_mapping(G: Graph, old: Mapping[Any, Any]) -> np.ndarray:
    """Colors by label, or by number without labels; −1 for vertices that are not in the mapping."""
    names = range(G.n) if G.labels is None else G.labels
    colors = [old.get(name, -1) for name in names]
    wrong = next((v for v, c in enumerate(colors) if isinstance(c, bool) or not isinstance(c, (int, np.integer))), None)
    if wrong is not None:
        raise ColoringError(
            f"colors: vertex {names[wrong]!r} has {colors[wrong]!r}: a color is a whole number from 0 on"
        )
    return np.array(colors, np.int64)


def _colors_of(old: Any) -> Any:
    """The old colors as an array of whole numbers."""
    if isinstance(old, Coloring):
        return old.colors
    no_graph(old, "colors", ColoringError)
    array = values_of(old, "coloring", ColoringError)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ColoringError(
            f"coloring must be a Coloring or an array of whole numbers, one per vertex, not {_described(old, array)}"
        )
    with dev.using(array):
        low, high = extremes.span(array) if len(array) else (0, 0)
        if low < -1 or high >= 2**31:
            wrong = low if low < -1 else high
            raise ColoringError(
                f"colors must be from 0 to 2**31 - 1, or -1 for a vertex without a color, not {int(wrong)}"
            )
    return array


def _described(value: Any, array: Any) -> str:
    """Text for messages: a single value, or type and shape of an array."""
    return reprlib.repr(value) if array.ndim == 0 else f"an array of {array.dtype} of shape {array.shape}"


def _vertices_of(G: Graph, changed: Any) -> Any:
    """The vertices of `changed`, as numbers."""
    if isinstance(changed, set | frozenset):
        changed = list(changed)
    array = changed if dev.is_cupy(changed) else None
    if array is None and (G.labels is None or _is_mask(changed, G.n)):
        array = np.asarray(changed)
    if array is None:
        array = np.array([v for one in changed for v in _of_label(G, one)], np.int32)
    if _is_mask(array, G.n):
        array = G.xp.ascontiguousarray(dev.to_device(array, G.device))
        return array if G.on_gpu else np.flatnonzero(array).astype(np.int32)
    if array.size and array.dtype.kind not in "iu":
        what = _described(changed, array)
        raise OptionError(f"changed must be numbers of vertices, or a mask of shape ({G.n},), not {what}")
    array = array.ravel()
    if not (G.on_gpu and dev.is_cupy(array)):
        _refuse_outside(G, array)
        return dev.to_device(dev.to_device(array, "cpu").astype(np.int32), G.device)
    array = dev.to_device(array, G.device)
    if array.dtype == np.uint64:
        _refuse_outside(G, array)
    return array if array.dtype == np.int32 else array.astype(np.int64)  # the kernel reports numbers out of range


def _refuse_outside(G: Graph, changed: Any) -> None:
    """Raise an error if `changed` has a vertex that x does not have."""
    low, high = extremes.span(changed) if len(changed) else (0, -1)
    if low < 0 or high >= G.n:
        wrong = low if low < 0 else high
        raise OptionError(f"changed names vertex {wrong}, and x has vertices 0 to {G.n - 1}: name those that x has")


def _is_mask(changed: Any, n: int) -> bool:
    return getattr(changed, "dtype", None) == np.dtype(bool) and changed.shape == (n,)


def _of_label(G: Graph, one: Any) -> list[int]:
    """The number of a label, or both numbers of a pair of labels."""
    number = G._cached("number_of_label", lambda: {label: v for v, label in enumerate(G.labels)})
    for labels in ([one], one if isinstance(one, tuple | list) and len(one) == 2 else [one]):
        try:
            return [number[label] for label in labels]
        except (KeyError, TypeError):  # an unknown label, or a list, which is no label
            continue
    raise OptionError(f"changed names {one!r}, which is no vertex of x: name those that x has")


def _verify(result: Coloring, partial: bool) -> None:
    """Check the colors. A fault may mean that `changed`, if passed, is incomplete."""
    try:
        result.verify()
    except ColoringError as e:
        if not partial:
            raise
        raise ColoringError(
            f"{e}; the old colors belong to another graph, or `changed` is incomplete: leave changed out, and all rows "
            "are compared"
        ) from e


def _updated(row: Algorithm, H: Any, p: Priorities, turns: Turns | None, change: Change, log: Log) -> Any:
    """First-fit of the vertices that may change; of all vertices, if the change is unknown or affects many."""
    done = None if turns is None else first_fit_again(H, turns, change, begin=log.begin)
    if done is not None and done.outside:
        _refuse_outside(p.G, change.vertices)
    if done is None or done.colors is None:
        log.notes["visited"] = H.n
        return row.run(H, p, log)
    log.notes["visited"], log.rounds = done.visits, done.rounds
    return done.colors


def _keep(H: Any, change: Change, log: Log) -> Any:
    """Change few colors. If a color is no longer in use, the notes have the colors that are unchanged."""
    colors, vertices = change.of_all(H), change.vertices
    if vertices is not None:
        if change.count is None and vertices.dtype != bool:
            _refuse_outside(H, vertices)
        vertices = widened(H, H.xp.concatenate([change.numbers(H.xp), H.xp.flatnonzero(colors < 0).astype(np.int32)]))
    colors, active = keep_proper(H, colors, vertices)
    log.notes["recolored"] = len(active)
    if gaps := extremes.largest(colors) + 1 - len(H.xp.unique(colors)):
        unchanged = colors.copy()
        unchanged[active] = -1
        log.notes["gaps"], log.notes["unchanged"] = gaps, unchanged
    return colors
