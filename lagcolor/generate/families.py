"""The table of families, and graphs by name: "rgg:20", "kron_g500:18,edge_factor=16,seed=3"."""

from __future__ import annotations

import errno
import functools
import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base import imported_from
from ..base import options as names
from ..base.errors import OptionError
from ..graph.graph import Graph
from . import exact, networks, random

POWER = re.compile(r"(\d+)\*\*(\d{1,2})")
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@imported_from("lagcolor.generate")
@dataclass(frozen=True)
class Family:
    """A family of graphs.

    Attributes
    ----------
    name : str
    function : callable
        ``function(*parameters, seed=…, rng=…, device=…) -> Graph``; exact families have neither seed nor rng.
    source : str
        Paper or collection with this family.
    """

    name: str
    function: Callable[..., Graph]
    source: str

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @functools.cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters by name without `seed`, `rng` and `device`; required ones have the default ``Parameter.empty``."""
        every = inspect.signature(self.function).parameters
        return {name: p for name, p in every.items() if name not in ("seed", "rng", "device")}

    @property
    def seeded(self) -> bool:
        """Whether the function has a parameter `seed`."""
        return "seed" in inspect.signature(self.function).parameters

    @property
    def usage(self) -> str:
        """The parameters in one line, e.g. "scale edge_factor=8 a=0.45"."""
        empty = inspect.Parameter.empty
        return " ".join(n if p.default is empty else f"{n}={p.default}" for n, p in self.parameters.items())

    def make(
        self, arguments: Sequence[str] = (), *, seed: int | None = None, rng: Any = None, device: str = "cpu"
    ) -> Graph:
        """Generate the graph for arguments in text form.

        Parameters
        ----------
        arguments : sequence of str
            "value" (in the order of the parameters) or "parameter=value"; ``seed=…`` is also allowed.
            Whole numbers may be written 4_000_000, 4e6 or 2**22.
        seed : int, optional
            The seed. Default: the default of the function.
        rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
            Draws a number that replaces `seed`.
        device : str
            "cpu", "cuda", "cuda:1" ….

        Returns
        -------
        Graph
            The graph.

        Raises
        ------
        OptionError
            A parameter is unknown, missing or given twice, or has an invalid value.
        """
        values, drawn = self.parse(arguments), names.seed_of(seed, rng, None)
        if drawn is not None:
            by, argument = ("seed", f"seed={seed}") if rng is None else ("rng", "rng")
            if "seed" in values:
                both = f"the parameters have seed {values['seed']}, and {argument} is given, too"
                raise OptionError(f"{self.name}: {both}: leave one of them out")
            if not self.seeded:
                raise OptionError(f"{self.name} is one fixed graph for its parameters and takes no {by}")
            values["seed"] = drawn
        return self.function(**values, device=device)

    def parse(self, arguments: Sequence[str]) -> dict[str, Any]:
        """Return arguments in text form as values by name; errors are those that `make` raises."""
        values = self._values(arguments)
        missing = [n for n, p in self.parameters.items() if p.default is inspect.Parameter.empty and n not in values]
        if missing:
            raise OptionError(f"{self.name} needs {', '.join(missing)}; its parameters: {self.usage}")
        return values

    def _values(self, arguments: Sequence[str]) -> dict[str, Any]:
        types = typing.get_type_hints(self.function)
        known = [*self.parameters, *(["seed"] if self.seeded else [])]
        positional = [n for n, p in self.parameters.items() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        values: dict[str, Any] = {}
        named = False
        for place, argument in enumerate(arguments):
            name, equals, text = (part.strip() for part in argument.partition("="))
            if not equals:
                if named:
                    raise OptionError(f"{self.name}: {argument!r} without a name follows a named parameter")
                if place >= len(positional):
                    raise OptionError(f"{self.name} takes {len(positional)} values by place: {self.usage}")
                name, text = positional[place], name
            named = bool(equals)
            name = names.canonical_name(name, known)
            if name not in known:
                hint = names.hint(name, known)
                raise OptionError(f"{self.name} has no parameter {name!r}{hint}; it has: {', '.join(known)}")
            if name in values:
                raise OptionError(f"{self.name}: {name} is given twice")
            values[name] = _value(f"{self.name}: {name}", text, types[name])
        return values


def _value(name: str, text: str, kind: Any) -> Any:
    """Return `text` as a value of an annotated type: int, float, bool or str, or one of these | None."""
    kinds = typing.get_args(kind) or (kind,)
    if type(None) in kinds and text.lower() == "none":
        return None
    try:
        if bool in kinds:
            return WORDS[text.lower()]
        if int in kinds:
            return _whole(text)
        return float(text) if float in kinds else text
    except (KeyError, ValueError, OverflowError) as e:
        wanted = "true or false" if bool in kinds else "a whole number" if int in kinds else "a number"
        raise OptionError(f"{name} must be {wanted}, not {text!r}") from e


def _whole(text: str) -> int:
    if match := POWER.fullmatch(text):
        return int(match[1]) ** int(match[2])
    if "e" not in text.lower():
        return int(text)
    value = float(text)
    if value != int(value):
        raise ValueError(text)
    return int(value)


_TABLE = [
    Family("grid2d", exact.grid2d, "2d-2e20 of Galois; ECL-GC, table 3"),
    Family("grid3d", exact.grid3d, "7-point stencil of finite differences"),
    Family("stencil27", exact.stencil27, "27-point stencil of finite elements"),
    Family("banded", exact.banded, "band matrices of compressed Jacobians; Curtis, Powell, Reid 1974"),
    Family("rmat", random.rmat, "Chakrabarti, Zhan, Faloutsos 2004; rmat16, rmat22 of Galois"),
    Family("kron_g500", random.kron_g500, "Graph500; kron_g500-logn21 of DIMACS10"),
    Family("uniform", random.uniform, "r4-2e23 of Galois; ECL-GC, table 3"),
    Family("erdos_renyi", random.erdos_renyi, "Gilbert 1959; Erdős and Rényi 1959"),
    Family("planted", random.planted, "planted colorings; Blum and Spencer 1995"),
    Family("barabasi_albert", random.barabasi_albert, "Barabási and Albert 1999; Batagelj and Brandes 2005"),
    Family("rgg", networks.rgg, "Holtgrewe, Sanders, Schulz 2010; rgg_n_2_* of DIMACS10"),
    Family("delaunay", networks.delaunay, "Holtgrewe, Sanders, Schulz 2010; delaunay_n* of DIMACS10"),
    Family("road", networks.road, "stand-in for road maps such as europe_osm of DIMACS10"),
    Family("social", networks.social, "stand-in for social networks such as soc-LiveJournal1 of SNAP"),
    Family("queen", exact.queen, "DIMACS coloring instances queen*"),
    Family("mycielski", exact.mycielski, "Mycielski 1955; DIMACS coloring instances myciel*"),
    Family("crown", exact.crown, "Johnson 1974: the worst case of first-fit"),
    Family("path", exact.path, "textbook"),
    Family("cycle", exact.cycle, "textbook"),
    Family("star", exact.star, "textbook"),
    Family("clique", exact.clique, "textbook"),
    Family("complete_bipartite", exact.complete_bipartite, "textbook"),
]
FAMILIES: Mapping[str, Family] = {row.name: row for row in _TABLE}

# The graphs of two tables of measurements, by their names in the tables.
SUITE_H200: Mapping[str, str] = {
    "2d-2e20": "grid2d:1024",
    "rmat22": "rmat:22",
    "kron_g500-logn21": "kron_g500:21",
    "r4-2e23": "uniform:2**23,4",
    "rgg_n_2_22": "rgg:22",
    "delaunay_n20": "delaunay:20",
    "road-24M": "road:3200",
    "fem27-128": "stencil27:128",
    "fd7-200": "grid3d:200",
    "social-4M": "social:4e6,10",
}
SUITE_CPU: Mapping[str, str] = {
    "grid2d_1024": "grid2d:1024",
    "rmat16": "rmat:16",
    "rmat20": "rmat:20",
    "kron18": "kron_g500:18",
    "rgg20": "rgg:20,sort=none",
    "rggs20": "rgg:20,sort=morton",
    "delaunay20": "delaunay:20",
    "r4_20": "uniform:2**20,4",
    "road": "road:1500,keep=0.65,curved=0.38,bends=1,local=true",
}


def family(name: str) -> Family:
    """Return the row of `FAMILIES` for a name.

    Parameters
    ----------
    name : str
        The name of a generator.

    Returns
    -------
    Family
        The row.

    Raises
    ------
    OptionError
        There is no generator with this name; the message lists all names.

    Examples
    --------
    >>> lagcolor.generate.family("rgg").usage
    'scale radius=None sort=cells'
    """
    found = names.known(name, FAMILIES)
    if found is None:
        raise OptionError(names.unknown("family", name, FAMILIES))
    return FAMILIES[found]


def from_spec(spec: str, *, seed: int | None = None, rng: Any = None, device: str = "cpu") -> Graph:
    """Generate the graph of a specification such as ``"rgg:20"`` or ``"kron_g500:18,edge_factor=16,seed=3"``.

    Parameters
    ----------
    spec : str
        ``family`` or ``family:arguments``, with arguments as in `Family.make`, separated by commas.
    seed : int, optional
        The seed, if `spec` has none.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

    Raises
    ------
    OptionError
        The family is unknown, or its arguments are invalid.

    Examples
    --------
    >>> lagcolor.generate.from_spec("grid2d:30,20")
    <Graph: 600 vertices, 1,150 edges, on cpu>
    >>> lagcolor.generate.from_spec("rmat:10,edge_factor=4", seed=1).n
    1024
    """
    name, _, text = spec.partition(":")
    arguments = [a for a in text.split(",") if a.strip()]
    return family(name.strip()).make(arguments, seed=seed, rng=rng, device=device)


def of_text(text: str, device: str | None) -> Graph:
    """Return the graph of an input that is no path of a file."""
    name = text.partition(":")[0].strip()
    if names.known(name, FAMILIES) is None:
        like = names.hint(name, FAMILIES) or " ('rgg:16' is one; lagcolor.generate.FAMILIES lists them)"
        raise FileNotFoundError(errno.ENOENT, f"no such file, and no generator of that name{like}", text)
    return from_spec(text, device=device or "cpu")
