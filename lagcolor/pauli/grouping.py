"""group(strings): Pauli strings in groups, and the class of the result."""

from __future__ import annotations

import csv
import functools
import io
import json
import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..api.color_implicit import ComputedColoring, ComputedSession
from ..base import device as dev
from ..base import imported_from
from ..base.compile_clock import importing, stopwatch
from ..base.device import limited
from ..base.errors import GraphError, OptionError
from ..base.messages import counted, table
from ..base.options import DEFAULT_SEED, Seed, choice, seed_of
from ..engines import implicit
from ..engines.implicit import cuda
from ..graph.graph import Graph
from ..io.files import atomic, bare_name, load, malformed
from ..problems.report import Report
from .strings import LETTERS, PauliStrings

RELATIONS = {"qubitwise": implicit.QUBITWISE, "general": implicit.GENERAL, "anti": implicit.ANTI}
ENDINGS = (".json", ".csv", ".txt")
# Names of the relations in other libraries.
ELSEWHERE = {"qwc": "qubitwise", "qubit_wise": "qubitwise", "commuting": "general", "anticommuting": "anti"}


class StringsGraph(implicit.ComputedGraph):
    """The conflict graph of strings: an edge joins two strings that cannot be in one group."""

    def __init__(self, strings: PauliStrings, commute: str, threads: int | None = None, most: int = 0) -> None:
        super().__init__(strings.x, most)
        self.strings, self.commute, self.threads = strings, commute, threads

    def _bits(self, strings: PauliStrings) -> implicit.Strings:
        return implicit.Strings(strings.x, strings.z, strings.qubits, RELATIONS[self.commute])

    @functools.cached_property
    def degrees(self) -> Any:
        """Number of strings that conflict with each string."""
        if self.on_gpu:
            return cuda.degrees(self._bits(self.strings))
        with importing():
            from ..engines.implicit import conflicts

        return conflicts.degrees(self._bits(self.strings), self.threads)

    def first_fit(self, sequence: Any) -> Any:
        """Colors of first-fit, on the device of the strings."""
        if self.on_gpu:
            return cuda.first_fit(self._bits(self.strings), sequence)
        with importing():
            from ..engines.implicit import classes

        return classes.first_fit(self._bits(self.strings), sequence, self.threads)

    @functools.cached_property
    def graph(self) -> Graph | None:
        """The stored graph, if it and a bit for each pair of strings take at most `most` bytes."""
        degrees = dev.to_device(self.degrees, "cpu")
        if 4 * int(degrees.sum(dtype="int64")) + self.n**2 // 8 > self.most:
            return None
        with importing():
            from ..engines.implicit.conflicts import graph

        return Graph(*graph(self._bits(self.strings.on("cpu")), degrees))

    def findings(self, colors: Any) -> Report:
        """Compare all pairs of strings of a group, letter by letter, on the CPU."""
        from .check import findings

        return findings(self.strings.on("cpu"), dev.to_device(colors, "cpu"), self.commute)


@imported_from("lagcolor.pauli")
@dataclass(repr=False, eq=False)
class Grouping(ComputedColoring):
    """The result of `group`: groups of Pauli strings, as colors, with the attributes of `lagcolor.ImplicitColoring`.

    Attributes
    ----------
    strings : PauliStrings
        The strings, on the device of the colors.
    commute : str
        The relation within a group.
    """

    strings: Any = None
    commute: str = ""

    @property
    def n_groups(self) -> int:
        """Number of groups, `n_colors`."""
        return self.n_colors

    @property
    def labels(self) -> list[str]:
        """The strings as text; see `PauliStrings.labels`."""
        return self.strings.labels

    def to_dict(self) -> dict[str, int]:
        """Return a mapping from strings to groups.

        Returns
        -------
        dict
            String → group.

        Raises
        ------
        GraphError
            Equal strings are in different groups, as required by ``commute="anti"``.
        """
        out: dict[str, int] = {}
        for v, (label, color) in enumerate(zip(self.labels, self.to_numpy().tolist(), strict=True)):
            if out.setdefault(label, color) != color:
                raise GraphError(f"string {v}, {label!r}, occurs in two groups: use classes()")
        return out

    def labeled(self) -> list[list[str]]:
        """The strings of each group, as text: a list of lists of str."""
        labels = self.labels
        return [[labels[v] for v in group] for group in self._numbers()]

    def operators(self) -> list[Any]:
        """The part of the operator for each group, with its coefficients.

        Returns
        -------
        list of length `n_groups`
            Operators of the same library: Qiskit's SparsePauliOp or PauliList, OpenFermion's QubitOperator, or
            PennyLane's operators; PauliSentences for a PauliSentence, and lists of operators for a list.

        Raises
        ------
        GraphError
            The strings do not come from an operator of one of these libraries.
        """
        operator = self.strings.operator
        if operator is None:
            raise GraphError("these strings come from no operator of Qiskit, OpenFermion or PennyLane: use labeled()")
        return [operator.part(group) for group in self._numbers()]

    def _numbers(self) -> list[list[int]]:
        """Numbers of the strings of each group."""
        offsets, strings = (dev.to_device(part, "cpu").tolist() for part in self.groups())
        return [strings[begin:end] for begin, end in pairwise(offsets)]

    @property
    def _graph(self) -> StringsGraph:
        return StringsGraph(self.strings, self.commute)

    def provenance(self) -> dict[str, Any]:
        """Return sizes, `commute`, version, settings, times, rules and notes, as plain JSON types."""
        sizes = {"strings": len(self), "qubits": self.strings.qubits, "groups": self.n_groups}
        return {"commute": self.commute, **sizes, **super().provenance()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .json (lists of strings, with provenance), .csv (string, group) or .txt (a group number per line)."""
        ending = Path(bare_name(Path(path))).suffix
        if ending not in ENDINGS:
            raise OptionError(f"{path}: groups are written as {', '.join(ENDINGS)}, perhaps with .gz")
        colors, out = self.to_numpy().tolist(), io.StringIO()
        if ending == ".json":
            out.write(json.dumps({**self.provenance(), "groups": self.labeled()}) + "\n")
        elif ending == ".txt":
            out.writelines(f"{color}\n" for color in colors)
        else:
            rows = [("string", "group"), *zip(self.labels, colors, strict=True)]
            csv.writer(out, lineterminator="\n").writerows(rows)
        with atomic(Path(path)) as f:
            f.write(out.getvalue().encode())

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("groups", f"{self.n_colors:,} ({self.commute})"),
            ("Pauli strings", f"{len(self):,}"),
            ("qubits", f"{self.strings.qubits:,}"),
            ("algorithm", f"{self.quality} ({self.order})"),
            ("device", self.device),
            ("time", f"{self.seconds * 1e3:.3g} ms (+ {self._prepare_seconds * 1e3:.3g} ms to prepare)"),
        ]

    def __repr__(self) -> str:
        *_, algorithm, device, time = (fact for _, fact in self._facts())
        strings, qubits = counted(len(self), "Pauli strings"), counted(self.strings.qubits, "qubits")
        return (
            f"<Grouping: {counted(self.n_colors, 'groups')} ({self.commute}) of {strings} on {qubits}, "
            f"{algorithm} on {device}, {time}>"
        )

    def _repr_html_(self) -> str:
        return table("Grouping", [*self._facts(), ("verified", "yes" if self.verified else "no")])


@limited
def group(
    strings: Any,
    commute: str = "qubitwise",
    order: Any = None,
    *,
    rng: Any = None,
    seed: Seed = DEFAULT_SEED,
    quality: str | None = None,
    time_limit: float | None = None,
    qubits: int | None = None,
    device: str | None = None,
    threads: int | None = None,
    verify: bool | None = None,
    **options: Any,
) -> Grouping:
    """Partition Pauli strings into few groups whose members commute.

    The groups are the colors of a graph whose edges join strings that cannot be in one group. First-fit computes these
    edges. The colors equal sequential first-fit on the stored graph, on every device and for every number of
    threads.

    Parameters
    ----------
    strings : PauliStrings or strings-like
        Anything that `PauliStrings.of` accepts: a list of str, a mapping of str to coefficients, a pair of arrays (x,
        z), or an operator of Qiskit, PennyLane or OpenFermion.
    commute : {"qubitwise", "general", "anti"}
        "qubitwise": on each qubit, all members of a group have the same letter or I, so that one rotation per qubit
        measures them. "general": members commute. "anti": members anticommute pairwise (for unitary partitioning); two
        equal strings do not.
    order : {"natural", "random", "largest_first"} or array of shape (n,), optional
        Which string is grouped first: by position, by a hash, or those with the most conflicts. An array has
        priorities; strings with larger ones are grouped earlier. Default: all three names are tried; for "fast",
        "largest_first".
    rng, seed : optional
        See `lagcolor.color_implicit`. Without a seed the earlier position in `strings` comes first.
    quality : {"fast", "balanced", "best"}, optional
        Default: "balanced"; "best" with `time_limit`; "fast" if the call names `order` or a rule.

        - "fast": first-fit in one order.
        - "balanced": first-fit in each order, passes of iterated greedy from the grouping with the fewest groups, and
          ejection if the graph fits 128 MB. The groups are the same on every run and device.
        - "best": "balanced" with a graph of up to 512 MB, then a search until `time_limit`. It returns the best
          grouping so far, also after Ctrl-C. ``notes["tried"]`` lists the attempts.
    time_limit : float, optional
        See `lagcolor.color_implicit`.
    qubits : int, optional
        Number of qubits. Packed arrays of uint64 need it; other strings must have that many.
    device : str, optional
        "cpu", "cuda", "cuda:1" …; default: the device of the strings.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    verify : bool, optional
        Compare the members of each group afterwards, outside the timing. Default: for up to 10 M pairs.
    **options
        Rules, `balance` and `equitable`, as in `lagcolor.color_implicit`.

    Returns
    -------
    Grouping
        The groups, times and notes.

    Raises
    ------
    GraphError
        The input is not a set of Pauli strings: the message names the first wrong string, and the letter in it.
    OptionError
        The relation, order, seed, quality or time limit is not valid.
    DeviceError
        The call requests a GPU, and there is none.

    See Also
    --------
    lagcolor.color_implicit : Color any graph whose edges a function computes.

    Notes
    -----
    A string is tested against 512 groups at once (128 on a GPU), with as many rows of bits as it has letters.
    "qubitwise" needs one test. The other relations need one test per independent member of the group until all groups
    conflict; random strings need about ten. Memory holds these rows and the strings.

    References
    ----------
    Verteletskyi, Yen, Izmaylov 2020, "Measurement optimization in the variational quantum eigensolver using a minimum
    clique cover". Picasso (Ferdous et al., IPDPS 2024) colors the same graphs with random palettes.

    Examples
    --------
    >>> from lagcolor import pauli
    >>> pauli.group(["ZZI", "ZIZ", "XXI", "IIX"]).labeled()
    [['ZZI', 'ZIZ'], ['XXI', 'IIX']]
    >>> pauli.group(["XX", "YY", "ZZ"]).n_groups, pauli.group(["XX", "YY", "ZZ"], "general").n_groups
    (3, 1)
    """
    passed, commute = stopwatch(), choice("commute", commute, tuple(RELATIONS), elsewhere=ELSEWHERE)
    how = {"order": order, "seed": seed_of(seed, rng), "quality": quality, "time_limit": time_limit, "verify": verify}
    session = ComputedSession("pauli.group", how, options)
    P = PauliStrings.of(strings, qubits)
    P = P if device is None else P.on(device)
    make = functools.partial(Grouping, convert_seconds=passed(), strings=P, commute=commute)
    return session.run(StringsGraph(P, commute, threads, session.most), make)


def read_strings(path: str | os.PathLike[str]) -> list[str]:
    """Read the strings of a text file: the first word of each line, such as ``XIZ 0.5``; # begins a comment."""
    path, found = Path(path), list[str]()
    try:
        text = load(path).tobytes().decode()
    except UnicodeDecodeError as e:
        raise malformed(path, f"this is no text of Pauli strings ({e})") from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if wrong := set(words[0]) - set(LETTERS):
            raise malformed(path, f"{sorted(wrong)[0]!r} is no letter of a Pauli string: I, X, Y and Z are", number)
        if found and len(words[0]) != len(found[0]):
            raise malformed(path, f"{len(words[0])} letters, and the first string has {len(found[0])}", number)
        found.append(words[0])
    return found
