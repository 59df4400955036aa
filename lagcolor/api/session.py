"""The steps of a call, from the input to the checked result. A clock measures the coloring alone.

`Session.color` has the steps of `lagcolor.color` in their order. Each call that colors on one device measures the
coloring by `Clock` and ends with `finished`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

from ..base import compile_clock
from ..base import device as dev
from ..base.compile_clock import clock, importing, load, stopwatch
from ..base.device import extremes
from ..base.device.several import is_several
from ..base.errors import ColoringError, OptionError
from ..base.log import SECONDS, Log, stage
from ..base.options import Seed, resolve
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..orders import Priorities, priorities_of
from ..problems import DEFAULT, PROBLEMS, Problem, input_of
from ..problems.registry import TABLES, Algorithm
from ..problems.rules import NONE, Rules
from ..problems.rules.check import refuse_contradictions
from ..search import COUNTS, Limit
from . import PARTS, place
from .request import Request
from .result import Coloring

VERIFY_UP_TO = 10_000_000  # edges, up to which `verify=None` checks the result
LEAST = 1e-9  # seconds that stand for a time limit that has passed
MANY_ROUNDS = 1000  # rounds, from which on a note mentions them
ON_ROCM = "elementwise_min_color"  # replaces `first_fit` if CuPy is built for ROCm


class Clock:
    """Seconds of a block that colors: by events on a GPU, which must be the current device, else by `clock`.

    On a GPU the time begins with the block, or when the block calls `Log.begin` of its log. It ends with the block, or
    when the block calls `Log.end` after its last launch. Only `seconds` waits for the GPU, so that launches after the
    block, such as a check, run in the meantime.
    """

    def __init__(self, G: Any, log: Log | None = None) -> None:
        self._on_gpu, self._log, self._seconds = G.on_gpu, log, 0.0

    def __enter__(self) -> Clock:
        if not self._on_gpu:
            self._begun = clock()
            return self
        cp = dev.cupy()
        self._spare = _events(cp.cuda.runtime.getDevice())
        try:
            self._begin, self._end = self._spare.pop()
        except IndexError:
            self._begin, self._end = cp.cuda.Event(), cp.cuda.Event()
        if self._log is not None:
            self._log.begin, self._log.end = self._first_launch, self._last_launch
        self._first_launch()
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if not self._on_gpu:
            self._seconds = max(clock() - self._begun, 0.0)
        elif kind is None and (self._log is None or not self._log.ended):
            self._last_launch()

    def _first_launch(self) -> None:
        self._before = self._after = compile_clock.seconds()  # without the code that this launch loads
        self._begin.record()  # the second record of an event replaces the first

    def _last_launch(self) -> None:
        self._after = compile_clock.seconds()  # later loads are not between the events
        self._end.record()

    @property
    def seconds(self) -> float:
        """Seconds without the time to compile and load code. Read it once, after the block."""
        if self._on_gpu:
            self._end.synchronize()
            passed = dev.cupy().cuda.get_elapsed_time(self._begin, self._end) / 1e3
            self._spare.append((self._begin, self._end))
            self._seconds = max(passed - (self._after - self._before), 0.0)
        return self._seconds


@functools.cache
def _events(device: int) -> list[tuple[Any, Any]]:
    """Unused pairs of events. Creating a pair takes as long as a launch."""
    return []


def finished[R](
    result: R, watch: Clock, compiled: float, verify: bool, check: Callable[[R], object] | None = None
) -> R:
    """Set the times of a result, whose device is the current one, and check it with `verify`.

    On a GPU the check is launched before the call waits for the colors, so that one wait serves both. `compiled` is
    the time of `compile_clock` at the start of the call.
    """
    made: Any = result
    if verify:
        made.verify() if check is None else check(result)
    made.seconds = watch.seconds
    made.compile_seconds = compile_clock.seconds() - compiled
    return result


class Session:
    """The steps of a call that colors. On a GPU, a session may replace the row of its request."""

    request: Request
    log: Log
    notes: dict[str, Any]  # part of the notes of the result
    found_by: str  # with rules: the attempt that found the colors; "" for the row
    leaves_out: bool  # whether an error at the time limit has a partial coloring

    def __init__(self, request: Request, leaves_out: bool = True) -> None:
        self.request, self.log = request, Log(request.trace)
        self.notes, self.found_by, self.leaves_out = {}, "", leaves_out

    @property
    def name(self) -> str:
        """`algorithm` of the result, after the run."""
        request = self.request
        if request.partial is not None:
            return f"leave_out, {request.quality}"
        name = request.row.name if request.quality == "fast" else f"auto, {request.quality}"
        name = f"{name} + {self.found_by}" if self.found_by else name
        return name if request.even is None else f"{name} + {'equitable' if request.even.equitable else 'balance'}"

    def color(self, x: Any) -> Coloring:
        """Color an input."""
        request, log = self.request, self.log
        problem, G = request.problem, self.input(x)
        if not isinstance(G, Pattern):
            return self._on_several(G)
        checked = is_checked(request.verify, G)
        with dev.using(G.indices):
            rules = None if request.rules is NONE else self._rules(G)
            here, copied = self._where_it_is_colored(G) if G.on_gpu and rules is None else (G, 0.0)
            H, converted = self.structure(here)
            p, ordered = self.order(H)
            taken = 0.0, ordered, G.convert_seconds + copied + converted
            with Clock(H, log) as watch:
                if rules is not None or request.row.limited:
                    log.lower_bound = problem.lower_bound(here)
                colors = self._colors(H, p, rules, checked)
            result = Coloring._of(colors, here, self.name, p, log, taken, problem.name, rules)
            finished(result, watch, request.compiled, checked)
            if here is not G:
                result.graph, result.colors = G, dev.to_device(colors, G.device)
        return result

    # ---- the input -----------------------------------------------------------------------------------------

    def input(self, x: Any) -> Any:
        """The canonical graph, or pattern if the problem is not symmetric, on the device of the call."""
        request, device = self.request, self.request.device
        if (device is not None and is_several(device)) or type(x).__module__ == PARTS:
            return self._divide(x)
        G = input_of(request.problem, x, request.symmetrize, request.n)
        if device is not None:
            G = G.on(device)
        if request.auto and G.on_gpu:
            if request.problem.is_graph and dev.is_rocm():
                self._stand_in()
            else:
                request.row = TABLES[request.problem.name][request.problem.auto(on_gpu=True)]
        row = request.row
        if ("cuda" if G.on_gpu else "cpu") not in row.engines and not request.auto:
            raise OptionError(
                f"{row.name} runs on {' and '.join(row.engines)} only, and the graph is on {G.device}: "
                f"pass device={row.engines[0]!r} or another algorithm"
            )
        return G

    def _divide(self, x: Any) -> Any:
        """Divide the graph among several GPUs."""
        request = self.request
        request.refuse("gpus")
        if type(x).__module__ == PARTS:
            if request.device is not None:
                raise OptionError("the graph is divided among GPUs already: leave device out")
            return x
        stage("dividing")
        return place("several GPUs").distribute(x, request.device, symmetrize=request.symmetrize, n=request.n)

    def _on_several(self, D: Any) -> Coloring:
        """Color a divided graph."""
        request, self.log.stage = self.request, stage("coloring")
        seed = resolve(request.seed, request.row.seed)
        result = place("several GPUs").color(D, request.order, seed=seed, log=self.log)
        if is_checked(request.verify, D):
            result.verify()
        result.compile_seconds = compile_clock.seconds() - request.compiled
        return result

    def _stand_in(self) -> None:
        """Replace the default by the algorithm with the same colors that needs no CUDA kernel."""
        request = self.request
        request.refuse("rocm")
        fast, request.row = request.row, TABLES[DEFAULT][ON_ROCM]
        request.order = fast.order if request.order is None else request.order
        request.seed, request.options = resolve(request.seed, fast.seed), {}
        self.notes["rocm"] = f"{ON_ROCM} in place of {fast.name}: the same colors without CUDA kernels"

    # ---- rules, structure and order -------------------------------------------------------------------------------

    def _rules(self, G: Pattern) -> Rules | None:
        """The rules of the call, after a check that they do not contradict each other."""
        request = self.request
        if (rules := request.problem.rules(G, request.rules)) is not None:
            refuse_contradictions(rules, G, request.problem, complete=request.partial is None)
        return rules

    def _where_it_is_colored(self, G: Pattern) -> tuple[Pattern, float]:
        """The graph on the GPU, or a copy on the CPU if this saves colors or time; and the seconds of the copy."""
        request, problem, begun = self.request, self.request.problem, clock()
        why = request.auto and _search_of(problem).reason_for_cpu(problem, G, request.quality)
        if not why:
            return G, 0.0
        request.row = TABLES[problem.name][problem.default]
        self.notes["on_cpu"] = f"colored on the CPU, in a copy of the graph: {why}"
        return G._lent_to_cpu(), clock() - begun

    def structure(self, G: Any) -> tuple[Any, float]:
        """The structure of the problem, prepared for the algorithm; and seconds."""
        problem, prepare = self.request.problem, self.request.row.prepare
        if problem.name == DEFAULT and prepare is None:
            return G, 0.0
        begun = clock()
        structure = problem.structure(G)
        if prepare is not None:
            prepare(structure)
        return structure, max(clock() - begun, 0.0)

    def order(self, H: Any) -> tuple[Priorities, float]:
        """The order, in the form that the row reads; and seconds."""
        request = self.request
        stage("ordering")
        order = request.order if request.partial is None else "natural"  # breaks ties
        p, seconds = priorities(H, request.row, order, request.seed, prepare=request.quality == "fast")
        if p.made_on_cpu:
            self.notes.update(p.notes)
        return p, seconds

    # ---- colors --------------------------------------------------------------------------------------------

    def _colors(self, H: Any, p: Priorities, rules: Rules | None, checked: bool) -> Any:
        """Colors with classes as even as requested. If `checked`, the time limit includes a check."""
        request, log = self.request, self.log
        log.notes.update(self.notes)
        limited = request.quality == "best" and request.limit < math.inf
        log.stage = stage("coloring", request.limit, SECONDS) if limited else stage("coloring", unit="rounds")
        colors = self.first(H, p, rules, checked)
        return colors if request.even is None else self.even(H, p, rules, colors)

    def even(self, H: Any, p: Priorities, rules: Rules | None, colors: Any) -> Any:
        """Balance the classes as `request.even` says, with more colors if the colors do not allow it."""
        request, log, wanted = self.request, self.log, self.request.even
        if wanted is None:
            return colors
        from ..engines.balance.even import allowed_by, even_classes

        if log.notes.get("uncolored"):
            raise OptionError(
                f"{request.row.name} leaves vertices uncolored here, and balance is for complete colorings"
            )
        k = None
        if wanted.equitable and rules is not None and rules.max_colors is not None:
            k = rules.on("cpu").enough(H.n)
        until = request.begun + request.limit if is_timed(request) else math.inf
        wanted = replace(wanted, until=until)
        even = functools.partial(even_classes, H, wanted=wanted, log=log, k=k, allowed=allowed_by(rules, H.device))
        colors = even(colors=colors, seed=request.stream)
        ends = log.notes["balance"]["reached"] or "interrupted" in log.notes
        if request.quality == "balanced" and not (ends or "quality" in request.specified):
            return self._with_more_colors(colors, self._pass(H, p), even)
        return colors

    def _with_more_colors(self, colors: Any, of_pass: Any, even: Callable[..., Any]) -> Any:
        """Even classes with one more color, else from the colors of one pass, else the colors unchanged.

        The search for an equitable one may be long. It runs only if the pass has still more colors.
        """
        log, seed = self.log, self.request.stream
        note, k, of_one = log.notes.pop("balance"), extremes.largest(colors) + 1, extremes.largest(of_pass) + 1
        if of_one > k + 1 or not (self.request.even and self.request.even.equitable):
            again = even(colors=colors, seed=seed, k=k + 1)
            if log.notes["balance"]["reached"]:
                log.notes["balance"].update(before=note["before"], added=1)
                return again
            log.notes.pop("balance")
        again = even(colors=of_pass, seed=seed)
        if log.notes["balance"]["reached"]:
            log.notes["balance"]["quality"] = "fast: the fewer colors of balanced do not allow even classes"
            return again
        log.notes["balance"] = note
        return colors

    def first(self, H: Any, p: Priorities, rules: Rules | None, checked: bool) -> Any:
        """The colors before balancing."""
        request, log = self.request, self.log
        fast = request.quality == "fast"
        if request.partial is not None and rules is not None:
            return self._leave_out(H, rules, checked)
        limit = Limit(request.begun, request.limit, checked)
        limit = limit if request.even is None else limit.earlier()
        if fast and rules is None:
            return self._pass(H, p, limit=limit)
        if rules is None:
            return self._search(H, p, limit)
        with importing():
            from ..search.rules import complete, fewer, is_partial

        search = functools.partial(self._search, H, p)
        seed, passed, seconds = request.stream, stopwatch(), 0.0
        first = limit.earlier() if rules.limit_number_alone else limit  # leaves time for other attempts
        if fast or not rules.limit_number_alone:
            name, colors = request.row.name, self._pass(H, p, rules, first)
            seconds = passed()
        else:
            name, colors = request.row.name, rules.within_number(search(first))
        if fast and rules.limit_number_alone and request.problem.name == "edges" and is_partial(colors):
            name, colors = "fans", rules.within_number(search(limit))  # fans need at most Δ + 1 colors
            self.found_by = "" if is_partial(colors) else name
        limit = limit.from_now(0.0 if fast else seconds) if is_timed(request) else COUNTS
        colors, found_by = complete(H, rules, (name, colors), log, seed, limit, self.leaves_out)
        self.found_by = found_by or self.found_by
        if not (fast or rules.limit_number_alone):
            colors, found_by = fewer(H, rules, colors, log, seed, limit, seconds)
            self.found_by = found_by or self.found_by
        return colors

    def _leave_out(self, H: Any, rules: Rules, checked: bool) -> Any:
        """Color a part of the vertices; the others get −1."""
        request = self.request
        with importing():
            from ..search.partial_colorings import EFFORT, leave_out

        effort = EFFORT[request.quality]
        # The search for all vertices takes far longer than a fast choice, which is good enough without capacities.
        several = request.quality != "fast" or rules.capacity is not None
        others = functools.partial(self._whole, H, rules, checked) if several else None
        if request.quality == "best":
            effort = effort._replace(end=Limit(request.begun, request.limit, checked).deadline(0.0))
        return leave_out(H, rules, str(request.partial), self.log, request.stream, effort, others)

    def _whole(self, H: Any, rules: Rules, checked: bool) -> Any:
        """The colors of the call without `partial`, or of its error; with a limit, in half of the remaining time."""
        request = copy(self.request)
        request.partial = None
        if request.quality == "best" and request.limit < math.inf:
            now = clock()
            request.limit = now - request.begun + max(request.begun + request.limit - now, 0.0) / 2
        session = Session(request, leaves_out=False)
        session.log.stage = self.log.stage
        p, _ = priorities(H, request.row, request.order, request.seed, prepare=request.quality == "fast")
        try:
            return session.first(H, p, rules, checked)
        except (ColoringError, KeyboardInterrupt) as e:
            partial = getattr(e if isinstance(e, ColoringError) else e.__cause__, "partial", None)
            if partial is None:
                raise
            return partial
        finally:
            if "interrupted" in session.log.notes:
                self.log.notes["interrupted"] = True

    def _pass(self, H: Any, p: Priorities, rules: Rules | None = None, limit: Limit | None = None) -> Any:
        """Colors by the row alone, with the rules, and until the limit if the row has one."""
        request, more = self.request, self._options()
        if rules is not None:
            more["rules"] = rules
        if limit is not None and request.row.limited and is_timed(request):
            more["until"] = limit.deadline(0.0)
        colors = request.row.run(H, p, self.log, **more)
        if request.row.passes and not H.on_gpu and self.log.rounds > MANY_ROUNDS:
            self.log.notes["rounds"] = (
                f"{request.row.name} took {self.log.rounds:,} rounds, each over all uncolored vertices. "
                "algorithm='greedy' takes one pass"
            )
        return colors

    def _search(self, H: Any, p: Priorities, limit: Limit) -> Any:
        """Colors by the search of the quality until a limit, without rules."""
        request, row = self.request, self.request.row
        if options := self._options():
            row = replace(row, run=functools.partial(row.run, **options))
        return _search_of(request.problem).run(H, p, self.log, request.quality, request.stream, limit, row)

    def _options(self) -> dict[str, Any]:
        """The options of the row, with the number of threads if the row reads it."""
        request = self.request
        threads = {"threads": request.threads} if request.threads is not None and request.row.threaded else {}
        return {**request.options, **threads}


def _search_of(problem: Problem) -> Any:
    """Return the module with the qualities of a problem."""
    if problem.is_graph:
        return load("..search.qualities", __package__)
    if problem.name == "edges":
        return load("..search.edges", __package__)
    return load("..search.nets" if problem.keeps_rules else "..search.two_colored", __package__)


def priorities(G: Graph, row: Algorithm, order: Any, seed: Seed, prepare: bool = True) -> tuple[Priorities, float]:
    """The order of a call, with `prepare` in the form that the algorithm reads; and seconds."""
    begun = clock()
    if order is None:
        order = row.order if row.uneven is None else row.order_for(G)
    p = priorities_of(G, order, row.seed if isinstance(seed, str) else seed)
    if prepare and (form := row.form_of(p)) is not None:
        getattr(p, form)
        if G.on_gpu:
            dev.cupy().cuda.get_current_stream().synchronize()
    return p, max(clock() - begun, 0.0)


def is_checked(verify: bool | None, G: Pattern) -> bool:
    """Whether to check a result: as requested, else for up to 10 M edges, or entries of a pattern."""
    if verify is not None:
        return verify
    return getattr(G, "n_edges", G.m) <= VERIFY_UP_TO


# ---- inputs and limits -----------------------------------------------------------------------------------------------


def graph_of(x: Any, device: str | None, symmetrize: bool = False, problem: str = DEFAULT) -> Any:
    """The canonical graph, or pattern, of an input, on the device of the call."""
    G = input_of(PROBLEMS[problem], x, symmetrize)
    return G if device is None else G.on(device)


def made_for(colors: Any) -> str:
    """Problem of the given colors. Default: "distance1"."""
    return getattr(colors, "problem", DEFAULT)


def share(request: Request, calls: int) -> float | None:
    """The time limit of the next of several calls that share the remaining time; None without a limit."""
    left = request.begun + request.limit - clock()
    return max(left / calls, LEAST) if is_timed(request) else None


def is_timed(request: Request) -> bool:
    """Whether a time limit ends the call."""
    return request.quality == "best" or (request.row.limited and "time_limit" in request.specified)
