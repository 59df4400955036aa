"""What a call asks for, checked before any work: one table says which options do not go together.

`refuse` words every such refusal. A row of `REFUSALS` names options, says when they are refused, and why. Rows are
read in their order and the first that applies is raised. Values of single options are checked where they are read.
"""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.compile_clock import clock
from ..base.device.several import is_several
from ..base.errors import ColoringError, DeviceError, OptionError
from ..base.options import DEFAULT_SEED, Owner, Seed, choice, flag, known, number, resolve, text
from ..orders import BY_DEGREE, BY_ID, ORDERS
from ..problems import DEFAULT, PROBLEMS, RULED, Problem, named
from ..problems.registry import TABLES, Algorithm
from ..problems.rules import NONE, Given
from ..search import DEFAULT_LIMIT, FAST, QUALITIES
from .strategies import meant

if TYPE_CHECKING:
    from ..engines.balance.even import Evenness

# Parameters of `color` that may be what a misspelled option was to be.
KEYWORDS = (
    "algorithm", "order", "seed", "rng", "n", "problem", "k", "quality", "time_limit", "device", "symmetrize", "verify",
    "trace", "fixed", "forbidden", "allowed", "max_colors", "capacity", "weights", "partial", "balance",
    "equitable", "memory", "progress",
)  # fmt: skip
# Names that other programs have for them.
ELSEWHERE = {
    "strategy": "algorithm", "method": "algorithm", "timeout": "time_limit", "random_state": "rng",
    "n_jobs": "threads", "workers": "threads",
}  # fmt: skip
RULES = Given._fields
EVEN = ("balance", "equitable")
PARTIAL = ("fewest", "lightest")
COLORS = "; colors go to lagcolor.verify, reduce, balance or recolor"  # where an algorithm belongs
FROM_DISK = ("auto", FAST, "greedy")  # algorithms that a call with memory= may name
CHANGED = ("distance1", "distance2")  # problems that `recolor` knows: their constraints follow from rows of a graph
DEFAULTS = {"problem": DEFAULT, "algorithm": "auto", "seed": DEFAULT_SEED}  # others are None, and flags are False
USUAL: dict[str, Any] = {**DEFAULTS, "symmetrize": False, "balance": False, "equitable": False}


class Call(NamedTuple):
    """What refusals depend on."""

    verb: str  # the function that was called: "color", "jacobian", "hessian", "reduce", "balance" …
    # {"memory", "disk", "gpus", "rocm"}: where the graph is: in the memory of one device, on disk, on several GPUs, or
    # on a GPU of AMD's
    place: str = "memory"
    # options that differ from their defaults, by name; of the algorithm's own options the first, as "option". For
    # `recolor` how the old coloring was computed, as "old rules", "old problem", "old algorithm" and "old order"
    given: Mapping[str, Any] = MappingProxyType({})
    # `problem`, `algorithm`, `quality`: as they are meant, "auto" included
    problem: str = DEFAULT
    algorithm: str = "auto"
    quality: str = "fast"
    row: Any = None  # Algorithm: not read where `verb` is another than "color"


class Refusal(NamedTuple):
    """A row: any of these options, where `when` holds, is refused in these words.

    The words are a format of the fields of the call, and of what `_words` adds to them.
    """

    options: Collection[str]
    when: Callable[[Call, str], bool]
    words: str
    error: type[Exception] = OptionError


def _at(place: str) -> Callable[[Call, str], bool]:
    return lambda call, _: call.place == place


def _color(when: Callable[[Call, str], bool]) -> Callable[[Call, str], bool]:
    return lambda call, option: call.verb == "color" and call.place == "memory" and when(call, option)


def _products(call: Call, _: str) -> bool:
    return call.verb in ("jacobian", "hessian")


def _is_first_fit(call: Call) -> bool:
    row = TABLES[call.problem].get(call.given["old algorithm"])  # "first_fit + balance" is no name of a row
    return row is not None and row.oracle == "first_fit"


def _whole_graph(order: Any) -> bool:
    return isinstance(order, str) and known(order, ORDERS) not in (None, *BY_ID, *BY_DEGREE)


def _per_color(call: Call) -> bool:
    return bool(np.ndim(call.given.get("capacity", 0)))


def _own_order(call: Call) -> bool:
    order = call.given.get("order")
    return order is None or (isinstance(order, str) and order == call.row.order)


def _is_fast(call: Call, option: str) -> bool:
    return option == "quality" and call.quality == "fast"


def _not_on_several(call: Call, option: str) -> bool:
    if call.place != "gpus" or _is_fast(call, option):
        return False
    return option != "algorithm" or call.row.name != FAST


REFUSALS = (
    # Products of derivatives: the problem follows, and colors are renumbered.
    Refusal(["problem"], _products, "the problem follows from partition= and decompression=: leave problem= out"),
    Refusal(
        RULES, _products,
        "{option} is a rule for colors, and these are products, renamed and without those that no entry needs: leave "
        'it out, or color with lagcolor.color(pattern, problem="columns", {option}=...) or "rows"',
    ),
    Refusal(EVEN, _products, "{option} is for distance-1 colorings: leave it out"),
    # A folder, colored in bounded memory: first-fit at distance 1, in one order, on one device.
    Refusal(
        ["problem"], _at("disk"),
        "memory is for problem='distance1': for {value!r} leave it out, and the folder is read into memory",
    ),
    Refusal(
        ["algorithm"], lambda call, _: call.place == "disk" and call.given["algorithm"] not in FROM_DISK,
        "with memory the algorithm is 'first_fit', not {value!r}: leave one of them out",
    ),
    Refusal(
        ["option", "quality", "time_limit", "n", "symmetrize", *RULES, "partial", *EVEN],
        lambda call, option: call.place == "disk" and not _is_fast(call, option),
        "{name} is for graphs in memory: leave {name} out, or leave memory out",
    ),
    Refusal(
        ["device"], lambda call, _: call.place == "disk" and is_several(call.given["device"]),
        "memory is for one device, and device={value} names several: pass one, such as 'cuda:0', or leave memory out; "
        "several GPUs read a folder row by row, and each holds the rows of its part",
    ),
    Refusal(
        ["order"], lambda call, _: call.place == "disk" and several(call.given["order"]),
        "several orders are for graphs in memory: pass one order, or leave memory out",
    ),
    Refusal(
        ["order"], lambda call, _: call.place == "disk" and _whole_graph(call.given["order"]),
        "order {value!r} is not made of a folder: a vertex's place in it depends on the whole graph. There are "
        f"{', '.join((*BY_ID, *BY_DEGREE))} (or arrays of priorities)",
    ),
    # Qualities.
    Refusal(
        ["quality", "time_limit"],
        _color(
            lambda call, option: call.algorithm not in ("auto", FAST if _is_fast(call, option) else "auto")
            and not (option == "time_limit" and call.row.limited)
        ),
        "{option} is for algorithm='auto', and this call names {algorithm!r}: leave one of them out",
    ),
    Refusal(
        ["time_limit"], _color(lambda call, _: call.quality != "best" and not call.row.limited),
        "time_limit is for quality='best': the others end by themselves",
    ),
    # Orders.
    Refusal(
        ["order"], _color(lambda call, _: not (call.row.reads_order or _own_order(call))),
        "{row} reads no order: leave it out, or take an algorithm that does, such as first_fit",
    ),
    Refusal(
        ["seed"], _color(lambda call, _: not call.row.reads_order),
        "{row} reads no seed: leave it out, or take an algorithm that does, such as first_fit",
    ),
    # Rules.
    Refusal(
        RULES, _color(lambda call, _: not PROBLEMS[call.problem].keeps_rules),
        f"{{option}} is for problems {', '.join(RULED)}: {{problem}} keeps no rules",
    ),
    Refusal(
        RULES, _color(lambda call, option: option not in call.row.rules),
        "{row} keeps no {option}; algorithms that do: {keeping}",
    ),
    # Vertices without a color.
    Refusal(
        ["algorithm", "order", "option"], _color(lambda call, _: "partial" in call.given),
        "partial chooses the vertices and their order: leave {name} out",
    ),
    Refusal(
        ["partial"],
        _color(lambda call, _: call.given.keys().isdisjoint(("max_colors", "allowed")) and not _per_color(call)),
        "partial is for a limited number of colors: pass max_colors",
    ),
    Refusal(
        ["partial"], _color(lambda call, _: call.given["partial"] == "lightest" and "weights" not in call.given),
        "partial='lightest' needs weights, the cost of leaving each vertex out: pass weights, or partial='fewest'",
    ),
    Refusal(
        ["capacity"], _color(lambda call, _: call.given.get("partial") == "lightest"),
        "with partial='lightest' weights are costs, and with capacity what vertices weigh in their class: leave "
        "capacity out, or pass partial='fewest'",
    ),
    Refusal(
        EVEN, _color(lambda call, _: "partial" in call.given),
        "{option} is for complete colorings: leave it or partial out",
    ),
    # Even classes.
    Refusal(
        EVEN, _color(lambda call, _: not PROBLEMS[call.problem].keeps_rules),
        f"{{option}} is for problems {', '.join(RULED)}: for {{problem!r}} leave it out",
    ),
    Refusal(
        ["equitable"], _color(lambda call, _: "weights" in call.given),
        "equitable counts vertices: leave weights out, or pass balance=1 in its place",
    ),
    Refusal(
        EVEN, _color(lambda call, _: _per_color(call)),
        "{option} goes with one capacity for all colors, not with one per color",
    ),
    # Inputs.
    Refusal(
        ["symmetrize"], _color(lambda call, _: not PROBLEMS[call.problem].symmetric),
        "symmetrize is for problems of graphs, and {problem!r} takes any pattern",
    ),
    Refusal(
        ["n"], _color(lambda call, _: not PROBLEMS[call.problem].symmetric),
        "n is for problems of graphs: for {problem!r} pass Pattern.of(x, shape=(rows, columns))",
    ),
    # Several GPUs, and GPUs of AMD's.
    Refusal(
        ["problem", "quality", "algorithm", *RULES, "partial", *EVEN, "option"], _not_on_several,
        "{said} is for one device, and several GPUs color by first_fit alone: pass one device, such as 'cuda:0'",
    ),
    Refusal(
        ["quality", *RULES], lambda call, option: call.place == "rocm" and not _is_fast(call, option),
        "this CuPy is built for ROCm (HIP), and {said} needs kernels of CUDA's: leave it out, or pass device='cpu'",
        DeviceError,
    ),
    # Colorings that are changed.
    Refusal(
        ["problem"], lambda call, _: call.verb == "reduce" and not PROBLEMS[call.given["problem"]].keeps_rules,
        f"reduce is for colorings of {', '.join(RULED)}, and this one is of {{value}}: pass other orders to color",
    ),
    Refusal(
        ["uncolored"], lambda call, _: call.verb == "reduce",
        "reduce is for complete colorings, and this one leaves {value} vertices without a color: color with a larger "
        "max_colors",
        ColoringError,
    ),
    Refusal(
        ["rules"], lambda call, _: call.verb == "reduce",
        "reduce keeps no rules, and this coloring has rules: pass quality='balanced' to color for fewer, or "
        "reduce(x, result.colors) to drop the rules",
    ),
    Refusal(
        ["problem"], lambda call, _: call.verb == "balance" and not PROBLEMS[call.given["problem"]].keeps_rules,
        f"balance is for colorings of {', '.join(RULED)}, and this one is of {{value}}: it has no balanced colorings",
    ),
    Refusal(
        ["capacity"], lambda call, _: call.verb == "balance" and _per_color(call),
        "balance goes with one capacity for all colors, not with one per color",
    ),
    Refusal(
        ["old rules"], lambda call, _: True,
        "the old coloring keeps rules, which recolor does not: color x anew with them, or pass its array of colors and "
        "leave changed out",
    ),
    Refusal(
        ["old problem"], lambda call, _: call.problem not in CHANGED,
        f"recolor is for problem={' and '.join(CHANGED)}, not {{problem!r}}: color it anew",
    ),
    Refusal(
        ["old problem"], lambda call, option: call.given[option] != call.problem,
        "the old coloring is of {value}, not of {problem}: leave problem out",
    ),
    Refusal(
        ["old order"], lambda call, option: call.given[option] == "user",
        "the old order was an array: pass order=, an array for the vertices of x",
    ),
    Refusal(
        ["old algorithm"], lambda call, _: not _is_first_fit(call),
        "the old colors are of {value}, and only first-fit's follow from a change: pass keep=True, or make them by "
        "lagcolor.color(x, 'first_fit', 'natural')",
    ),
    Refusal(
        ["old order"], lambda call, option: call.given[option] in ORDERS and call.given[option] not in BY_ID,
        "a change reshuffles the order {value!r}, so that most colors may change: pass keep=True to change few, or "
        f"make the old coloring in another order: {', '.join(BY_ID)}, or an array of your own",
    ),
)  # fmt: skip


@functools.cache
def _rows_of(options: tuple[str, ...]) -> list[tuple[Refusal, str]]:
    """The rows that name some options, each with an option, in their order: a search takes as long as a short call."""
    return [(row, option) for row in REFUSALS for option in row.options if option in options]


def refuse(call: Call) -> None:
    """Nothing, where the options of a call go together."""
    for row, option in _rows_of(tuple(call.given)):
        if row.when(call, option):
            raise row.error(row.words.format(**_words(call, option)))


def _words(call: Call, option: str) -> dict[str, Any]:
    """What the words of a refusal may name."""
    value = call.given[option]
    rows = TABLES[call.problem].values() if option in RULES else ()
    name = value if option == "option" else option
    return {
        **call._asdict(), "option": option, "name": name, "row": call.row and call.row.name,
        "value": reprlib.repr(value) if option == "device" else value, "method": call.given.get("method"),
        "said": f"{option}={value!r}" if option in ("problem", "quality", "algorithm") else name,
        "keeping": ", ".join(row.name for row in rows if option in row.rules),
    }  # fmt: skip


def given(parameters: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Parameters that differ from their defaults, and the first of the algorithm's options as "option"."""
    out = {
        name: value
        for name, value in parameters.items()
        if value is not USUAL.get(name) and not _is_default(name, value)
    }
    return {**out, "option": next(iter(options))} if options else out


def _is_default(name: str, value: Any) -> bool:
    if name in DEFAULTS:
        return (isinstance(value, str) and value == DEFAULTS[name]) or (value is None and name == "seed")
    if name == "symmetrize":
        return value is False
    return value is None or (name in EVEN and value is False)


def several(order: Any) -> bool:
    """Whether an order is a tuple of names, which are tried one after the other."""
    if isinstance(order, tuple) and not order:
        raise OptionError("order is an empty tuple: name the orders to try in it, or leave order out")
    return isinstance(order, tuple) and all(isinstance(name, str) for name in order)


@dataclass
class Request:
    """A call that makes colors, checked."""

    problem: Problem
    row: Algorithm  # what colors, or makes the first coloring of a search
    order: Any  # str or array or None
    seed: Seed
    quality: str  # {"fast", "balanced", "best"}: "fast": the row alone, which is all that disks and several GPUs do
    limit: float  # seconds from `begun` on, for "best"
    options: dict[str, Any]  # of the algorithm
    auto: bool  # no algorithm was named
    rules: Given = NONE  # as the user wrote them
    partial: str | None = None  # {"fewest", "lightest"} or None: which vertices may be left without a color
    even: Evenness | None = None  # how even the classes should be
    given: dict[str, Any] = field(default_factory=dict)  # parameters that differ from their defaults
    begun: float = field(default_factory=clock)  # moment of `compile_clock.clock`

    @classmethod
    def of(cls, parameters: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Request:
        """Check parameters of `color`, any of them missing, and options of the algorithm."""
        get = parameters.get
        problem, order = named(get("problem", DEFAULT), get("k")), get("order")
        algorithm = text("algorithm", get("algorithm", "auto"), "a name such as 'first_fit'", COLORS)
        flag("symmetrize", get("symmetrize", False))
        if algorithm != "auto" or order is not None:
            algorithm, order = meant(algorithm, order)
        limit = get("time_limit")
        number("time_limit", limit, of="seconds", none=True, over=True)
        row = TABLES[problem.name][problem.default if algorithm == "auto" else algorithm]
        seed = get("seed", DEFAULT_SEED)
        resolve(seed, row.seed)  # an error where it is none
        even = _evenness(get("balance", False), get("equitable", False))
        quality = choice("quality", get("quality"), QUALITIES, none=True)
        if quality is None and limit is not None and algorithm == "auto":
            quality = "best"  # the only one that reads a limit
        own = {"problem": problem.name, "k": None, "algorithm": algorithm, "order": order, "quality": quality}
        those = given({**parameters, **own}, options)
        if even is None:
            those.pop("balance", None)
            those.pop("equitable", None)
        partial = choice("partial", get("partial"), PARTIAL, none=True)
        quality = quality or _default(those)
        if those:
            refuse(Call("color", "memory", those, problem.name, algorithm, quality, row))
        whose = "" if algorithm == "auto" else row.name
        options = Owner("color", whose, row.options, KEYWORDS, ELSEWHERE).spelled(options) if options else {}
        rules = NONE if those.keys().isdisjoint(RULES) else Given(*(get(name) for name in RULES))
        until = DEFAULT_LIMIT if limit is None else float(limit)
        return cls(problem, row, order, seed, quality, until, options, algorithm == "auto", rules, partial, even, those)

    def refuse_at(self, place: str) -> None:
        """Refuse what cannot be done at a place; `place` as in `Call`."""
        those = {**self.given, "algorithm": self.row.name}
        quality = self.quality if "quality" in self.given else "fast"
        refuse(Call("color", place, those, self.problem.name, "auto", quality, self.row))
        self.quality = quality


def _default(those: Mapping[str, Any]) -> str:
    """The quality of a call that names none: one pass where it names an algorithm, an order or rules."""
    return "fast" if not those.keys().isdisjoint(("algorithm", "order", *RULES)) else "balanced"


def _evenness(balance: Any, equitable: Any) -> Evenness | None:
    """How even classes should be; the module is imported only if they should."""
    if balance is False and equitable is False:
        return None
    from ..engines.balance.even import Evenness

    return Evenness.of(balance, equitable)
