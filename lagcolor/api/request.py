"""The parameters of a call, checked before any work, and a table of options that exclude each other.

`Request` has the parameters of `color` as fields, and values that follow from them. `REFUSALS` lists by kind of call
which options are refused, why, and under which condition. The first row that applies is raised as an error.
"""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import compile_clock
from ..base.device.several import is_several
from ..base.errors import ColoringError, DeviceError, OptionError
from ..base.options import DEFAULT_SEED, Owner, Seed, choice, flag, is_whole, known, number, resolve, text
from ..orders import BY_DEGREE, BY_ID, ORDERS
from ..problems import DEFAULT, PROBLEMS, RULED, named
from ..problems.registry import TABLES, Algorithm
from ..problems.rules import NONE, RuleArguments
from ..search import DEFAULT_LIMIT, FAST, QUALITIES
from .strategies import algorithm_and_order

if TYPE_CHECKING:
    from ..engines.balance.even import Evenness

# Names of parameters in other programs → parameters of `color`.
ELSEWHERE = {
    "strategy": "algorithm", "method": "algorithm", "timeout": "time_limit", "seconds": "time_limit", "gpu": "device",
    "random_state": "rng", "n_jobs": "threads", "jobs": "threads", "workers": "threads", "k": "max_colors",
}  # fmt: skip
NO_K = (  # a number of colors in other programs, and a distance in books
    "color has no option 'k': for at most {k!r} colors pass max_colors={k!r}, for vertices within {k!r} edges "
    "problem='distance{k}'"
)
RULES = RuleArguments._fields
EVEN = ("balance", "equitable")
PARTIAL = ("fewest", "lightest")
COLORS = "; colors go to lagcolor.verify, reduce, balance or recolor"  # in errors about the second argument
FROM_DISK = ("auto", FAST, "greedy")  # algorithms that a call with memory= may name
CHANGED = ("distance1", "distance2")  # problems that `recolor` knows: their constraints follow from rows of a graph
REFUSED_BY_ALGORITHM = "{option} is for algorithm='auto', and this call names {algorithm!r}: leave one of them out"


class Call(NamedTuple):
    """The values on which refusals depend."""

    # Options that differ from their defaults, by name. The first option of the algorithm has the name "option". For
    # `recolor`, "old rules", "old problem", "old algorithm" and "old order" describe the old coloring.
    specified: Mapping[str, Any]
    # after defaults and spellings are resolved; "auto" is an algorithm
    problem: str = DEFAULT
    algorithm: str = "auto"
    quality: str = "fast"
    row: Any = None  # Algorithm, of calls of `color`


class Refusal(NamedTuple):
    """A row of `REFUSALS`: if `when` is true, each of the options is an error with the message `words`.

    `words` is a format string of the values of `_words`.
    """

    options: Collection[str]
    words: str
    when: Callable[[Call, str], bool] = lambda call, option: True
    error: type[Exception] = OptionError


def _is_first_fit(call: Call) -> bool:
    row = TABLES[call.problem].get(call.specified["old algorithm"])  # "first_fit + balance" is no name of a row
    return row is not None and row.oracle == "first_fit"


def _per_color(call: Call, _: str = "") -> bool:
    return bool(np.ndim(call.specified.get("capacity", 0)))


def _own_order(call: Call) -> bool:
    order = call.specified.get("order")
    names = order if isinstance(order, tuple) else (order,)
    return order is None or all(isinstance(name, str) and name == call.row.order for name in names)


def _is_partial(call: Call, _: str) -> bool:
    return "partial" in call.specified


def _has_no_rules(call: Call, _: str) -> bool:
    return not PROBLEMS[call.problem].keeps_rules


def _is_not_symmetric(call: Call, _: str) -> bool:
    return not PROBLEMS[call.problem].symmetric


PRODUCTS = (  # derivatives: the partition determines the problem, and colors are renumbered
    Refusal(["problem"], "the problem follows from partition= and decompression=: leave problem= out"),
    Refusal(
        RULES,
        "{option} is a rule for colors, and these colors number products, without gaps: leave it out, or color with "
        'lagcolor.color(pattern, problem="columns", {option}=...) or "rows"',
    ),
    Refusal(EVEN, "{option} is for distance-1 colorings: leave it out"),
)
# By kind of call: functions, and calls of `color` with a graph in a folder ("disk"), on several GPUs ("gpus") or on a
# GPU of AMD ("rocm").
REFUSALS = {
    "jacobian": PRODUCTS,
    "hessian": PRODUCTS,
    "disk": (  # bounded memory: first-fit at distance 1, in one order, on one device
        Refusal(
            ["problem"],
            "memory is for problem='distance1': for {value!r} leave it out, and the folder is read into memory",
        ),
        Refusal(
            ["algorithm"], "with memory the algorithm is 'first_fit', not {value!r}: leave one of them out",
            lambda call, _: call.algorithm not in FROM_DISK,
        ),
        Refusal(
            ["time_limit", "quality", "n", "symmetrize", *RULES, "partial", *EVEN],
            "{name} is for graphs in memory: leave {name} out, or leave memory out",
        ),
        Refusal(
            ["device"],
            "memory is for one device, and device={value} names several: pass one, such as 'cuda:0', or leave memory "
            "out; several GPUs read a folder row by row, and each holds the rows of its part",
            lambda call, _: is_several(call.specified["device"]),
        ),
        Refusal(
            ["order"], "several orders are for graphs in memory: pass one order, or leave memory out",
            lambda call, _: several(call.specified["order"]),
        ),
        Refusal(
            ["order"],
            "with memory, order {value!r} is not supported, because it depends on the whole graph: pass one of "
            f"{', '.join((*BY_ID, *BY_DEGREE))}, or an array of priorities",
            lambda call, _: known(call.specified["order"], ORDERS) not in (None, *BY_ID, *BY_DEGREE),
        ),
    ),
    "color": (
        # Qualities.
        Refusal(
            ["quality"], REFUSED_BY_ALGORITHM,
            lambda call, _: call.algorithm != "auto" and (call.algorithm, call.quality) != (FAST, "fast"),
        ),
        Refusal(
            ["time_limit"], REFUSED_BY_ALGORITHM,
            lambda call, _: call.algorithm != "auto" and not call.row.limited,
        ),
        Refusal(
            ["time_limit"], "time_limit is for quality='best': other qualities have no time limit",
            lambda call, _: call.quality != "best" and not call.row.limited,
        ),
        # Orders.
        Refusal(
            ["order"], "{row} reads no order: leave it out, or pass an algorithm that reads one, such as first_fit",
            lambda call, _: not (call.row.reads_order or _own_order(call)),
        ),
        Refusal(
            ["seed"], "{row} reads no seed: leave it out, or pass an algorithm that reads one, such as first_fit",
            lambda call, _: not call.row.reads_order,
        ),
        # Rules.
        Refusal(RULES, f"{{option}} is for problems {', '.join(RULED)}: {{problem}} keeps no rules", _has_no_rules),
        Refusal(
            RULES, "{row} keeps no {option}; algorithms that do: {keeping}",
            lambda call, option: option not in call.row.rules,
        ),
        # Vertices without a color.
        Refusal(
            ["algorithm", "order", "option"], "partial chooses the vertices and their order: leave {name} out",
            _is_partial,
        ),
        Refusal(
            ["partial"], "partial is for a limited number of colors: pass max_colors",
            lambda call, _: call.specified.keys().isdisjoint(("max_colors", "allowed")) and not _per_color(call),
        ),
        Refusal(
            ["partial"],
            "partial='lightest' needs weights, the cost of leaving each vertex out: pass weights, or partial='fewest'",
            lambda call, _: call.specified["partial"] == "lightest" and "weights" not in call.specified,
        ),
        Refusal(
            ["capacity"],
            "weights are costs with partial='lightest', and loads of classes with capacity: leave capacity out, or "
            "pass partial='fewest'",
            lambda call, _: call.specified.get("partial") == "lightest",
        ),
        Refusal(EVEN, "{option} is for complete colorings: leave it or partial out", _is_partial),
        # Even classes.
        Refusal(EVEN, f"{{option}} is for problems {', '.join(RULED)}: for {{problem!r}} leave it out", _has_no_rules),
        Refusal(
            ["equitable"], "equitable counts vertices: leave weights out, or pass balance=1 in its place",
            lambda call, _: "weights" in call.specified,
        ),
        Refusal(EVEN, "{option} goes with one capacity for all colors, not with one per color", _per_color),
        # Inputs.
        Refusal(
            ["symmetrize"], "symmetrize is for problems of graphs, and {problem!r} takes any pattern",
            _is_not_symmetric,
        ),
        Refusal(
            ["n"], "n is for problems of graphs: for {problem!r} pass Pattern.of(x, shape=(rows, columns))",
            _is_not_symmetric,
        ),
    ),
    "gpus": (
        Refusal(
            ["problem", "quality", "algorithm", *RULES, "partial", *EVEN],
            "{setting} is for one device, and several GPUs only run first_fit: pass one device, such as 'cuda:0'",
            lambda call, option: option != "algorithm" or call.row.name != FAST,
        ),
    ),
    "rocm": (
        Refusal(
            ["quality", *RULES],
            "this CuPy is built for ROCm (HIP), and {setting} needs CUDA kernels: leave it out, or pass device='cpu'",
            error=DeviceError,
        ),
    ),
    "reduce": (
        Refusal(
            ["problem"],
            f"reduce is for colorings of {', '.join(RULED)}, and this one is of {{value}}: pass other orders to color",
            _has_no_rules,
        ),
        Refusal(
            ["uncolored"],
            "reduce is for complete colorings, and this one leaves {value} vertices without a color: color with a "
            "larger max_colors",
            error=ColoringError,
        ),
        Refusal(
            ["rules"],
            "reduce keeps no rules, and this coloring has rules: pass quality='balanced' to color for fewer, or "
            "reduce(x, result.colors) to drop the rules",
        ),
    ),
    "balance": (
        Refusal(
            ["problem"],
            f"balance is for colorings of {', '.join(RULED)}, and this one is of {{value}}: it has no balanced "
            "colorings",
            _has_no_rules,
        ),
        Refusal(["capacity"], "balance goes with one capacity for all colors, not with one per color", _per_color),
    ),
    "recolor": (
        Refusal(
            ["old rules"],
            "the old coloring keeps rules, which recolor does not: color x anew with them, or pass its array of colors "
            "and leave changed out",
        ),
        Refusal(
            ["old problem"], f"recolor is for problem={' and '.join(CHANGED)}, not {{problem!r}}: color it anew",
            lambda call, _: call.problem not in CHANGED,
        ),
        Refusal(
            ["old problem"], "the old coloring is of {value}, not of {problem}: leave problem out",
            lambda call, option: call.specified[option] != call.problem,
        ),
        Refusal(
            ["old order"], "the old order was an array: pass order=, an array for the vertices of x",
            lambda call, option: call.specified[option] == "user",
        ),
        Refusal(
            ["old algorithm"],
            "the old colors are of {value}, and only colors of first-fit can be updated: pass keep=True, or color by "
            "lagcolor.color(x, 'first_fit', 'natural')",
            lambda call, _: not _is_first_fit(call),
        ),
        Refusal(
            ["old order"],
            "a change reshuffles the order {value!r}, so that most colors may change: pass keep=True to change few, or "
            f"color in another order: {', '.join(BY_ID)}, or an array of your own",
            lambda call, option: call.specified[option] in ORDERS and call.specified[option] not in BY_ID,
        ),
    ),
}  # fmt: skip


@functools.cache
def _rows_of(kind: str, options: tuple[str, ...]) -> list[tuple[Refusal, str]]:
    """The rows that name one of the options, with this option, in order."""
    return [(row, option) for row in REFUSALS[kind] for option in row.options if option in options]


def refuse(kind: str, call: Call) -> None:
    """Raise the error of the first row of ``REFUSALS[kind]`` that applies."""
    for row, option in _rows_of(kind, tuple(call.specified)):
        if row.when(call, option):
            raise row.error(row.words.format(**_words(call, option)))


def _words(call: Call, option: str) -> dict[str, Any]:
    """The values for the format strings of refusals."""
    value = call.specified[option]
    rows = TABLES[call.problem].values() if option in RULES else ()
    name = value if option == "option" else option
    return {
        **call._asdict(), "option": option, "name": name, "row": call.row and call.row.name,
        "value": reprlib.repr(value) if option == "device" else value,
        "setting": f"{option}={value!r}" if option in ("problem", "quality", "algorithm") else name,
        "keeping": ", ".join(row.name for row in rows if option in row.rules),
    }  # fmt: skip


def several(order: Any) -> bool:
    """Whether an order is a tuple of names, which are tried in turn."""
    if isinstance(order, tuple) and not order:
        raise OptionError("order is an empty tuple: name the orders to try in it, or leave order out")
    return isinstance(order, tuple) and all(isinstance(name, str) for name in order)


def _named(algorithm: Any) -> str:
    """Check that an algorithm is a name; the error for a number proposes `max_colors`."""
    if is_whole(algorithm):
        raise OptionError(
            f"the second argument is an algorithm, not {algorithm}: for at most {algorithm} colors pass "
            f"max_colors={algorithm}"
        )
    return text("algorithm", algorithm, "a name such as 'first_fit'", COLORS)


# Parameter → check of its value. Only specified parameters are checked.
CHECKS: dict[str, Callable[[Any], Any]] = {
    "algorithm": _named,
    "quality": lambda value: choice("quality", value, QUALITIES, none=True),
    "time_limit": lambda value: number("time_limit", value, of="seconds", none=True, over=True),
    "symmetrize": lambda value: flag("symmetrize", value),
    "partial": lambda value: choice("partial", value, PARTIAL, none=True),
    "verify": lambda value: flag("verify", value, none=True),
    "seed": lambda value: resolve(value, None),
}


@dataclass(eq=False, slots=True)
class Request:
    """The checked parameters of a call that colors, with names as the tables spell them.

    Attributes that follow from the parameters come last. `problem` becomes the row of the problem.
    """

    algorithm: str = "auto"
    order: Any = None  # str or array or None, or a tuple of names
    seed: Seed = DEFAULT_SEED
    quality: Any = None  # {"fast", "balanced", "best"}; "fast" is the row alone, also on several GPUs
    time_limit: Any = None
    problem: Any = DEFAULT
    distance: int | None = None
    n: int | None = None
    symmetrize: bool = False
    fixed: Any = None
    forbidden: Any = None
    allowed: Any = None
    max_colors: Any = None
    capacity: Any = None
    weights: Any = None
    partial: str | None = None  # {"fewest", "lightest"}: which vertices may stay uncolored
    balance: Any = False
    equitable: Any = False
    device: Any = None
    memory: Any = None
    threads: int | None = None
    verify: bool | None = None
    trace: bool = False
    options: dict[str, Any] = field(default_factory=dict)  # of the algorithm

    compiled: float = field(default_factory=compile_clock.seconds, init=False)  # `compile_clock` at the start
    begun: float = field(default_factory=compile_clock.clock, init=False)  # start of the call, by the same clock
    row: Algorithm = field(init=False)  # the algorithm, or the first algorithm of a search
    auto: bool = field(init=False)  # whether the call names no algorithm
    limit: float = field(init=False)  # seconds from `begun` on, for "best"
    stream: int = field(init=False)  # seed of random choices other than ties
    rules: RuleArguments = field(default=NONE, init=False)  # as passed
    even: Evenness | None = field(default=None, init=False)  # how even the classes should be
    written: dict[str, Any] = field(init=False)  # parameters that differ from their defaults, as passed
    specified: dict[str, Any] = field(init=False)  # the part of them that has an effect, as the tables spell it

    def __post_init__(self) -> None:
        specified = self.specified = self.written = self._differing()
        problem = self.problem = named(self.problem, self.distance)
        for name, check in CHECKS.items() if specified else ():
            if name in specified:
                setattr(self, name, check(specified[name]))
        if "algorithm" in specified or "order" in specified:
            self.algorithm, self.order = algorithm_and_order(self.algorithm, self.order)
        self.auto = self.algorithm == "auto"
        row = self.row = TABLES[problem.name][problem.default if self.auto else self.algorithm]
        self.stream = self.seed if isinstance(self.seed, int) else 0
        if "balance" in specified or "equitable" in specified:
            from ..engines.balance.even import Evenness

            self.even = Evenness.of(self.balance, self.equitable)
        self.limit = DEFAULT_LIMIT if self.time_limit is None else self.time_limit
        if self.quality is None and self.time_limit is not None and self.auto:
            self.quality = "best"  # no other quality has a time limit
        if "k" in self.options and "k" not in row.options:
            raise OptionError(NO_K.format(k=self.options["k"]))
        if specified or self.options:
            specified = self.specified = self._resolved()
        ruled = not specified.keys().isdisjoint(RULES)
        if self.quality is None:  # one pass, if the call names an algorithm, an order or rules
            self.quality = "fast" if ruled or "algorithm" in specified or "order" in specified else "balanced"
        if ruled:
            self.rules = RuleArguments(*(getattr(self, name) for name in RULES))
        if specified:
            self.refuse("color" if self.memory is None else "disk")
        if self.options:
            if of_file := next((name for name in ("columns", "header", "format") if name in self.options), None):
                what = f"pass lagcolor.io.read(path, {of_file}={self.options[of_file]!r}) in place of the path"
                raise OptionError(f"color has no option {of_file!r}: {what}, or Pattern.of for rows and columns")
            whose = "" if self.auto else row.name
            self.options = Owner("color", whose, row.options, KEYWORDS, ELSEWHERE).spelled(self.options)

    def _differing(self, names: Collection[str] | None = None) -> dict[str, Any]:
        """Parameters that differ from their defaults, among all or among `names`."""
        defaults = DEFAULTS if names is None else {name: DEFAULTS[name] for name in names}
        return {
            name: value for name, usual in defaults.items()
            if (value := getattr(self, name)) is not usual and not (type(value) is str and value == usual)
        }  # fmt: skip

    def _resolved(self) -> dict[str, Any]:
        """Parameters that have an effect, as the tables spell them; the first option of the algorithm as "option"."""
        specified = self._differing(dict.fromkeys((*self.specified, "algorithm", "order", "quality")))
        specified.pop("distance", None)
        specified["problem"] = self.problem.name
        for name, usual in (("problem", DEFAULT), ("seed", None), ("symmetrize", False)):
            if name in specified and specified[name] == usual:
                del specified[name]
        if self.even is None:
            specified.pop("balance", None)
            specified.pop("equitable", None)
        return {**specified, "option": next(iter(self.options))} if self.options else specified

    def refuse(self, kind: str) -> None:
        """Refuse options that a kind of call does not support; see `REFUSALS`. Several GPUs and ROCm run one pass."""
        specified = self.specified
        if kind in ("gpus", "rocm"):
            self.quality = self.quality if "quality" in specified else "fast"
            specified = {**specified, "algorithm": self.row.name}
        if kind != "color" and self.quality == "fast":
            specified = {name: value for name, value in specified.items() if name != "quality"}
        refuse(kind, Call(specified, self.problem.name, self.algorithm, self.quality, self.row))

    def again(self, **changes: Any) -> Request:
        """Return the request with some parameters changed."""
        return Request(**{**self.written, "options": self.options, **changes})


DEFAULTS = {f.name: f.default for f in fields(Request) if f.init and f.default is not MISSING}
# Names that errors propose for a misspelled option.
KEYWORDS = (*DEFAULTS, "rng", "progress")
