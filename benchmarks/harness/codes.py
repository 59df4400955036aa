"""What is timed: an algorithm of lagcolor or of a peer, in an order, on a number of threads."""

from __future__ import annotations

import fnmatch
import importlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lagcolor.base.errors import OptionError
from lagcolor.base.options import canonical_name, hint

from . import qualities

OURS = "lagcolor"
# greedy is the reference on a CPU: it runs in every order of the peers.
YARDSTICK = "greedy"
YARDSTICK_ORDERS = (
    "natural", "largest_first", "smallest_last", "incidence_degree", "dynamic_largest_first", "random",
)  # fmt: skip


@dataclass(frozen=True)
class Code:
    """One thing to time."""

    peer: str  # "lagcolor" for its own algorithms
    method: str
    order: str  # "" of a quality of `lagcolor.color`
    seed: int | None = None  # None: ties by vertex id, or what the peer does
    threads: int | None = None  # None: the code's own choice
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Name in the field "code" of a row."""
        return self.method if self.peer == OURS else f"{self.peer} {self.method}"

    @property
    def style(self) -> str:
        """Style of the algorithm, "auto" for a quality, or "peer"."""
        from lagcolor.problems.registry import ALGORITHMS

        if self.peer != OURS:
            return "peer"
        return qualities.STYLE if qualities.is_quality(self.method) else ALGORITHMS[self.method].style

    def __str__(self) -> str:
        parts = [self.name, *([self.order] if self.order else [])]
        parts += [f"seed {self.seed}"] if self.seed is not None else []
        parts += [f"{self.threads} threads"] if self.threads is not None else []
        return ", ".join([*parts, *(f"{k}={v}" for k, v in self.options)])

    def word(self) -> str:
        """Return the code as one line, for `Code.parse`."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, word: str) -> Code:
        """Return the code that `word` wrote."""
        fields = json.loads(word)
        return cls(**{**fields, "options": tuple((k, v) for k, v in fields["options"])})


@dataclass(frozen=True)
class Sample:
    """One run: milliseconds of ordering (0 if it cannot be separated) and coloring, and what else is known."""

    order_ms: float
    color_ms: float
    colors: int
    more: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def ms(self) -> float:
        """Ordering and coloring together."""
        return self.order_ms + self.color_ms


def chosen(patterns: Sequence[str] | None, names: Iterable[str], what: str) -> list[str]:
    """The names that patterns such as "che_*" match, all if there are no patterns."""
    names = list(names)
    if patterns is None:
        return names
    patterns = [canonical_name(pattern, names) for pattern in patterns]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise OptionError(f"no {what} {pattern!r}{hint(pattern, names)}; there are: {', '.join(names)}")
    return [name for name in names if any(fnmatch.fnmatch(name, p) for p in patterns)]


def import_algorithms(module: str) -> None:
    """Import a module that registers algorithms, also one in the working folder."""
    from lagcolor.problems.registry import ALGORITHMS

    len(ALGORITHMS)  # raises an error for an algorithm with a name of lagcolor's
    if not {"", str(Path.cwd())} & set(sys.path):
        sys.path.insert(0, str(Path.cwd()))
    try:
        importlib.import_module(module)
    except Exception as e:
        raise OptionError(
            f"cannot import the algorithms of {module!r}: {type(e).__name__}: {e}. Pass the name of a Python module, as"
            " in 'import package.module'"
        ) from e


def ours(
    device: str,
    algorithms: Sequence[str] | None = None,
    orders: Sequence[str] = (),
    seeds: Sequence[int | None] = (None,),
    threads: Sequence[int | None] = (None,),
) -> list[Code]:
    """Algorithms of lagcolor that run on a device, each in its own order and in `orders`, and the qualities.

    None is an algorithm's own seed or number of threads. Kernels without an option `threads` have one count.
    """
    from lagcolor.orders import ORDERS
    from lagcolor.problems.registry import ALGORITHMS

    kind = "cpu" if device == "cpu" else "cuda"
    orders = chosen(orders, ORDERS, "order") if orders else ()
    out: dict[Code, None] = {}
    own_limits = [name for name in algorithms or () if qualities.is_quality(name) and "*" not in name]
    names = dict.fromkeys([*ALGORITHMS, *qualities.NAMES, *own_limits])
    for name in chosen(algorithms, names, "algorithm"):
        if qualities.is_quality(name):
            qualities.parse(name)
            out |= {Code(OURS, name, "", s): None for s in seeds}
            continue
        row = ALGORITHMS[name]
        if kind not in row.engines:
            continue
        own, own_seed = row.order, row.seed
        counts = (None,) if row.style == "sequential" or kind == "cuda" else tuple(threads)
        if row.style == "kernel" and not row.threaded:
            counts = counts[:1]
        others = (*(YARDSTICK_ORDERS if name == YARDSTICK else ()), *orders) if row.reads_order else ()
        for order in (own, *others):
            if order in ORDERS and kind in ORDERS[order].engines:
                tries = seeds if row.reads_order else (None,)
                out |= {Code(OURS, name, order, own_seed if s is None else s, t): None for s in tries for t in counts}
    if not out:
        raise OptionError(f"none of {', '.join(algorithms or ())} runs on {kind}")
    return list(out)
