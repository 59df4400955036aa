"""What a call of `color` runs: an algorithm of the registry, or a search for fewer colors that begins with one."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from semirings.runtime.compile_clock import clock, importing, stopwatch

from .. import device as dev
from ..core.errors import DeviceError, OptionError
from ..core.graph import Graph
from ..core.names import Owner
from ..core.pattern import Pattern
from ..core.registry import TABLES, Algorithm
from ..core.result import Coloring, Log
from ..device import threads as cpu_threads
from ..device.several import is_several
from ..orders import Priorities
from ..orders.seeds import DEFAULT_SEED, Seed, resolve, stream
from ..problems import DEFAULT, PROBLEMS, Problem, named
from ..progress import SECONDS, stage
from ..rules import NONE, Given, Rules
from ..rules.contradictions import check as contradictions
from ..search.qualities import DEFAULT_LIMIT, FAST, Limit, check
from ..search.qualities import run as search
from .rounds_warning import warn as warn_of_rounds
from .strategies import meant
from .timing import priorities

# Parameters of `color` that may be what a misspelled option was to be.
KEYWORDS = (
    "algorithm", "order", "seed", "n", "problem", "quality", "time_limit", "device", "symmetrize", "verify", "trace",
    "fixed", "forbidden", "max_colors", "capacity", "weights", "balance", "equitable", "memory", "progress",
)  # fmt: skip
LEAST = 1e-9  # seconds of a limit that is over
if TYPE_CHECKING:
    from ..engines.balance.even import Evenness

ON_ROCM = "elementwise_min_color"  # stands in for `first_fit` where CuPy is of ROCm


@dataclass
class Plan:
    """A call of `color`, checked before any work is done.

    Attributes
    ----------
    problem : Problem
    row : Algorithm
        What colors, or makes the first coloring of a search.
    order : str or array or None
    seed : int, None or "default"
    quality : {"fast", "balanced", "best"}
        "fast": the row alone.
    limit : float
        Seconds from `begun` on, for "best".
    options : dict
        Of the algorithm.
    auto : bool
        No algorithm was named.
    notes : dict
        What the result is to say of how it was made.
    begun : float
        Moment of `compile_clock.clock`.
    given : Given
        Rules as the user wrote them, or as a call before has made them.
    even : Evenness or None
        How even the classes are to be.
    divided : bool
        The graph is in parts on several GPUs.
    found_by : str
        With rules: the attempt that found the colors where the row did not; "" before and where it did.
    """

    problem: Problem
    row: Algorithm
    order: Any
    seed: Seed
    quality: str
    limit: float
    options: dict[str, Any]
    auto: bool = False
    notes: dict[str, Any] = field(default_factory=dict)
    begun: float = field(default_factory=clock)
    given: Given = NONE
    even: Evenness | None = None
    divided: bool = False
    found_by: str = ""

    @classmethod
    def of(
        cls, problem: str, algorithm: str, order: Any, seed: Seed, quality: str | None, limit: float | None,
        options: dict[str, Any], given: Given = NONE, even: Evenness | None = None,
    ) -> Plan:  # fmt: skip
        """The plan for the parameters of `color`.

        Raises
        ------
        OptionError
            Unknown problem, algorithm, quality or option, or parameters that do not go together, rules among them.
        """
        solved = named(problem)
        problem = solved.name
        algorithm, order = meant(algorithm, order)
        quality = check(algorithm, quality, limit)
        if quality != "fast" and problem != DEFAULT:
            raise OptionError(f"quality={quality!r} is for problem={DEFAULT!r}: for {problem!r} leave quality out")
        row = TABLES[problem][solved.default if algorithm == "auto" else algorithm]
        resolve(seed, row.seed)  # an error where it is none
        own = order is None or (isinstance(order, str) and order == row.order)
        if not (row.reads_order or (own and seed in (None, DEFAULT_SEED))):
            what = "seed" if own else "order"
            raise OptionError(
                f"{row.name} reads no {what}: leave it out, or take an algorithm that does, such as {FAST}"
            )
        options = Owner("color", row.name, row.options, KEYWORDS).spelled(options)
        until = DEFAULT_LIMIT if limit is None else float(limit)
        plan = cls(solved, row, order, seed, quality, until, options, algorithm == "auto", given=given, even=even)
        if given.names:
            plan._refuse_rules()
        if even is not None:
            plan._refuse_evenness(even)
        return plan

    def _refuse_rules(self) -> None:
        """Nothing, where the algorithm keeps each rule that is given.

        Raises
        ------
        OptionError
            It does not, or the problem or the quality goes with no rules.
        """
        keeping = [name for name, table in TABLES.items() if table[PROBLEMS[name].default].rules]
        first, row = self.given.names[0], self.row
        if self.problem.name not in keeping:
            raise OptionError(f"{first} is for problems {', '.join(keeping)}: {self.problem.name} keeps no rules")
        if self.quality != "fast":
            raise OptionError(f"{first} goes with quality='fast' alone; max_colors=k asks for fewer colors")
        for name in self.given.names:
            if name not in row.rules:
                those = ", ".join(other.name for other in TABLES[self.problem.name].values() if name in other.rules)
                raise OptionError(f"{row.name} keeps no {name}; algorithms that do: {those}")

    def _refuse_evenness(self, even: Evenness) -> None:
        """Nothing, where classes can be made even.

        Raises
        ------
        OptionError
            The problem is another than distance 1, or vertices have weights and are to be counted.
        """
        what = "equitable" if even.equitable else "balance"
        if self.problem.name != DEFAULT:
            raise OptionError(f"{what} is for problem={DEFAULT!r}: for {self.problem.name!r} leave it out")
        if even.equitable and self.given.weights is not None:
            raise OptionError("equitable counts vertices: leave weights out, or pass balance=1 in its place")
        if np.ndim(self.given.capacity):
            raise OptionError(f"{what} goes with one capacity for all colors, not with one per color")

    def share(self, calls: int) -> float | None:
        """The time limit of the next of so many calls that share what is left of this one's; None for none."""
        left = self.begun + self.limit - clock()
        return max(left / calls, LEAST) if self.quality == "best" else None

    @property
    def name(self) -> str:
        """What the result says that made it, once it has been run."""
        name = self.row.name if self.quality == "fast" else f"auto, {self.quality}"
        name = f"{name} + {self.found_by}" if self.found_by else name
        return name if self.even is None else f"{name} + {'equitable' if self.even.equitable else 'balance'}"

    def graph(self, x: Any, device: Any, symmetrize: bool, n: int | None = None) -> Any:
        """The canonical graph, or pattern where the problem is not symmetric, on the device where it is colored.

        Raises
        ------
        DeviceError
            CuPy is of ROCm, and the quality needs kernels of CUDA's.
        OptionError
            The algorithm does not run there, or `symmetrize` or `n` is for a problem of any pattern.
        """
        if symmetrize and not self.problem.symmetric:
            raise OptionError(f"symmetrize is for problems of graphs, and {self.problem.name!r} takes any pattern")
        if n is not None and not self.problem.symmetric:
            raise OptionError(
                f"n is for problems of graphs: for {self.problem.name!r} pass Pattern.of(x, shape=(rows, columns))"
            )
        if is_several(device) or _is_in_parts(x):
            return self._in_parts(x, device, symmetrize, n)
        G = Graph.of(x, symmetrize=symmetrize, n=n) if self.problem.symmetric else Pattern.of(x)
        if device is not None:
            G = G.on(device)
        if self.auto and self.problem.name == DEFAULT and G.on_gpu and dev.is_rocm():
            self._stand_in()
        elif self.auto and G.on_gpu:
            self.row = TABLES[self.problem.name][self.problem.auto(on_gpu=True)]
        if ("cuda" if G.on_gpu else "cpu") not in self.row.engines:
            raise OptionError(
                f"{self.row.name} runs on {' and '.join(self.row.engines)} only, and the graph is on {G.device}: "
                f"pass device={self.row.engines[0]!r} or another algorithm"
            )
        return G

    def _in_parts(self, x: Any, device: Any, symmetrize: bool, n: int | None) -> Any:
        """The graph divided among several GPUs.

        Raises
        ------
        OptionError
            Something is asked for that one device alone does, or parts are to go to other devices.
        """
        what = (
            f"problem={self.problem.name!r}" if self.problem.name != DEFAULT
            else f"quality={self.quality!r}" if self.quality != "fast"
            else f"algorithm={self.row.name!r}" if self.row.name != FAST
            else self.given.names[0] if self.given.names
            else "balance" if self.even is not None
            else next(iter(self.options), None)
        )  # fmt: skip
        if what is not None:
            raise OptionError(
                f"{what} is for one device, and several GPUs color by {FAST} alone: pass one device, such as 'cuda:0'"
            )
        self.divided = True
        if _is_in_parts(x):
            if device is not None:
                raise OptionError("the graph is in parts already, on GPUs of its own: leave device out")
            return x
        from ..scale.gpus import distribute

        stage("dividing")
        return distribute(x, device, symmetrize=symmetrize, n=n)

    def on_several(self, D: Any, log: Log, checked: bool) -> Coloring:
        """The coloring of a graph in parts."""
        from ..scale.gpus import color

        log.stage = stage("coloring")
        result = color(D, self.order, resolve(self.seed, self.row.seed), log=log)
        if checked:
            result.verify()
        return result

    def _stand_in(self) -> None:
        """The algorithm with the same colors that needs no kernel of CUDA's, in place of the default.

        Raises
        ------
        DeviceError
            The quality takes steps that do.
        """
        for what in [f"quality={self.quality!r}"] if self.quality != "fast" else self.given.names[:1]:
            raise DeviceError(
                f"this CuPy is built for ROCm (HIP), and {what} needs kernels of CUDA's: leave it out, or pass "
                "device='cpu'"
            )
        fast = self.row
        self.row = TABLES[DEFAULT][ON_ROCM]
        self.order = fast.order if self.order is None else self.order
        self.seed = resolve(self.seed, fast.seed)
        self.options = {}
        self.notes["rocm"] = f"{ON_ROCM} in place of {fast.name}: the same colors from kernels without CUDA's means"

    def priorities(self, G: Graph) -> tuple[Priorities, float]:
        """The order, in the form that the row reads, and seconds; warns where that means very many rounds."""
        stage("ordering")
        with cpu_threads.at_most(self.options.get("threads")):
            p, seconds = priorities(G, self.row, self.order, self.seed, prepare=self.quality == "fast")
        self.notes.update(p.notes)
        if self.row.chain:
            warn_of_rounds(G, self.row, p)
        return p, seconds

    def rules(self, G: Any) -> Rules | None:
        """The rules for a canonical graph or pattern; None where there are none.

        Raises
        ------
        OptionError
            A rule is malformed.
        ColoringError
            Rules contradict each other.
        """
        rules = self.problem.rules(G, self.given)
        if rules is not None:
            contradictions(rules, G, self.problem)
        return rules

    def convert(self, G: Any) -> tuple[Any, float]:
        """What the algorithm takes: the problem's structure, with a form that its style keeps with it; and seconds."""
        passed = stopwatch()
        structure = self.problem.structure(G)
        if self.row.prepare is not None:
            self.row.prepare(structure)
        return structure, passed()

    def run(self, G: Graph, p: Priorities, log: Log, checked: bool, rules: Rules | None = None) -> Any:
        """Colors; `checked`: a check of them must fit in the time limit.

        Raises
        ------
        ColoringError
            No coloring was found that keeps the rules.
        """
        log.notes.update(self.notes)
        timed = self.quality == "best" and self.limit < math.inf
        log.stage = stage("coloring", self.limit, SECONDS) if timed else stage("coloring", unit="rounds")
        colors = self._colors(G, p, log, checked, rules)
        if self.even is None:
            return colors
        from ..engines.balance.even import allowed_by, balanced

        if log.notes.get("uncolored"):
            raise OptionError(f"{self.row.name} leaves vertices uncolored here, and balance is for complete colorings")
        k = None
        if self.even.equitable and rules is not None and rules.max_colors is not None:
            k = rules.on("cpu").enough(G.n)
        return balanced(G, colors, self.even, log, k=k, allowed=allowed_by(rules, G.device), seed=stream(self.seed))

    def _colors(self, G: Graph, p: Priorities, log: Log, checked: bool, rules: Rules | None) -> Any:
        """Before any balancing."""
        if rules is not None:
            with importing():
                from ..rules.attempts import complete

            colors = self.row.run(G, p, log, rules=rules, **self.options)
            colors, self.found_by = complete(G, rules, (self.row.name, colors), log, stream(self.seed))
            return colors
        if self.quality == "fast":
            return self.row.run(G, p, log, **self.options)
        return search(G, p, log, self.quality, stream(self.seed), Limit(self.begun, self.limit, checked), self.options)


def _is_in_parts(x: Any) -> bool:
    """Whether a graph is in parts on several GPUs; what makes these is not imported before."""
    parts = sys.modules.get("lagcolor.scale.gpus.parts")
    return parts is not None and isinstance(x, parts.Distributed)


def several(order: Any) -> bool:
    """Whether it is a tuple of names of orders, of which each is tried.

    Raises
    ------
    OptionError
        The tuple is empty.
    """
    if isinstance(order, tuple) and not order:
        raise OptionError("order is an empty tuple: name the orders to try in it, or leave order out")
    return isinstance(order, tuple) and all(isinstance(name, str) for name in order)
