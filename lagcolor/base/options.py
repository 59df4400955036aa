"""Names and values of options: checked before any work, and converted to what the code expects.

Names may have `-`, `_` or nothing between words, in any case; errors propose similar names. NumPy's numbers become
Python's. Truth values are no numbers.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
import reprlib
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

from .errors import OptionError

SEEDS = 2**64 - 1
DEFAULT_SEED = "default"
Seed = int | str | None
BYTES = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?))?b?\s*", re.IGNORECASE)
SHOWN = 3  # number of names that an error proposes
ALIKE = 0.66  # share of common letters from which on a name with the same first letter is proposed
ALIKE_WITHIN = 0.75  # share of common letters from which on a name with another first letter is proposed


def whole(name: str, value: Any, low: int = 0, high: int | None = None, *, of: str = "", none: bool = False) -> Any:
    """Return `value` as an int from `low` to `high`; `of` completes the error, `none` allows None."""
    if none and value is None:
        return None
    if is_whole(value) and low <= (x := int(value)) and (high is None or x <= high):
        return x
    where = f"from {low} on" if high is None else f"from {low} to {high}"
    raise _refusal(name, "a whole number", of, where, value, none)


def number(
    name: str, value: Any, low: float = 0.0, high: float = math.inf, *, of: str = "", none: bool = False,
    over: bool = False,
) -> Any:  # fmt: skip
    """Return `value` as a float; for the parameters see `whole`.

    Infinity is allowed if `high` is infinite, NaN is not. With `over`, the value must be larger than `low`.
    """
    if none and value is None:
        return None
    x = _float(value) if is_number(value) else math.nan
    if (low < x if over else low <= x) and x <= high:
        return x
    where = f"over {low:g}" if over else f"from {low:g}"
    end = f" {'and up ' if over else ''}to {high:g}" if high < math.inf else "" if over else " on"
    raise _refusal(name, "a number", of, where + end, value, none)


def choice(
    name: str, value: Any, among: Sequence[str], *, none: bool = False, elsewhere: Mapping[str, str] | None = None
) -> Any:
    """Return the word of `among` that `value` names, in the spelling of `among` (or None).

    Words of other programs are keys of `elsewhere`; the error proposes the equivalent word of this package.
    """
    if none and value is None:
        return value
    if (word := known(value, among)) is not None:
        return word
    refusal = _refusal(name, f"one of {', '.join(among)}", "", "", value, none)
    other = known(value, elsewhere or ())
    raise OptionError(f"{refusal}{hint(elsewhere[other] if elsewhere and other else value, among)}")


def flag(name: str, value: Any, *, none: bool = False) -> Any:
    """Return `value` as a bool, from a bool of Python or NumPy (or None)."""
    if none and value is None:
        return None
    numpy = sys.modules.get("numpy")  # a bool of NumPy's can only come from a process that has imported NumPy
    if isinstance(value, bool) or (numpy is not None and isinstance(value, numpy.bool_)):
        return bool(value)
    raise _refusal(name, "True or False", "", "", value, none)


def text(name: str, value: Any, what: str = "a name", advice: str = "") -> str:
    """Return `value` if it is text; for example, an array cannot be compared with names."""
    if isinstance(value, str):
        return value
    raise OptionError(f"{_refusal(name, what, '', '', value, False)}{advice}")


def size(name: str, value: Any, low: int = 1) -> int:
    """Return a number of bytes: a whole number, or text such as "4GB" (1 GB = 10⁹ bytes), "1.5GiB" (1 GiB = 2³⁰)."""
    if is_whole(value) and int(value) >= low:
        return int(value)
    if isinstance(value, str) and (found := BYTES.fullmatch(value)):
        number_, unit, binary = found.groups()
        bytes_ = int(float(number_) * (1024 if binary else 1000) ** " kmgt".index((unit or " ").lower()))
        if bytes_ >= low:
            return bytes_
    raise OptionError(
        f"{name} must be a number of bytes from {low} on, such as '4GB', '500MB' or 2**30, not {reprlib.repr(value)}"
    )


def seed(value: Any) -> int:
    """Return a seed, 0 … 2⁶⁴ − 1."""
    return whole("seed", value, 0, SEEDS)


def is_whole(x: Any) -> bool:
    """Whether `x` is an integer of Python or NumPy, and no truth value."""
    return isinstance(x, Integral) and not isinstance(x, bool)


def is_number(x: Any) -> bool:
    """Whether `x` is a real number of Python or NumPy, and no truth value."""
    return isinstance(x, Real) and not isinstance(x, bool)


def _float(x: Any) -> float:
    try:
        return float(x)
    except OverflowError:  # a whole number of over 308 digits
        return math.nan


def _refusal(name: str, what: str, of: str, where: str, value: Any, none: bool) -> OptionError:
    words = [what, f"of {of}" if of else "", where]
    wanted = " ".join(word for word in words if word) + (", or None" if none else "")
    return OptionError(f"{name} must be {wanted}, not {reprlib.repr(value)}")


def known(name: Any, among: Iterable[str]) -> str | None:
    """Return the name of `among` that equals `name` up to spelling, or None."""
    if not isinstance(name, str):
        return None
    if isinstance(among, (dict, tuple)) and name in among:  # building the list below takes time in short calls
        return name
    names = list(among)
    if name in names:
        return name
    for alike in (_plain, _joined):  # the closer spelling first
        wanted = alike(name)
        if (found := next((other for other in names if alike(other) == wanted), None)) is not None:
            return found
    return None


def canonical_name(name: Any, among: Iterable[str]) -> Any:
    """Return the name of `among` that equals `name` up to spelling, as `known` does; `name` itself if there is none."""
    found = known(name, among)
    return name if found is None else found


def close(name: Any, among: Iterable[str]) -> list[str]:
    """Return names similar to an unknown one, the likeliest first: it begins them, or a few letters differ."""
    if not isinstance(name, str):
        return []
    of = {_plain(other): other for other in among}
    wanted = _plain(name)
    begun = sorted((other for other in of if len(wanted) > 1 and other.startswith(wanted)), key=len)
    alike = difflib.get_close_matches(wanted, [other for other in of if other[:1] == wanted[:1]], SHOWN, ALIKE)
    alike += difflib.get_close_matches(wanted, of, SHOWN, ALIKE_WITHIN)
    return [of[other] for other in dict.fromkeys([*begun, *alike])][:SHOWN]


def hint(name: Any, among: Iterable[str], form: str = "{!r}") -> str:
    """Return the part of an error that proposes similar names, as in " (did you mean 'first_fit'?)"; "" for none."""
    words = [form.format(other) for other in close(name, among)]
    return f" (did you mean {' or '.join(words)}?)" if words else ""


class Owner(NamedTuple):
    """The owner of options: the function that the user called, and the algorithm or method that receives them."""

    function: str
    name: str  # the algorithm or method; "" if the user named none
    options: Collection[str]  # names of its options
    parameters: Collection[str] = ()  # parameters of the function; a misspelled option may be one of these
    # names in other programs, and the equivalent parameter or option
    elsewhere: Mapping[str, str] = MappingProxyType({})
    listed: bool = False  # whether an error lists the parameters, too

    def spelled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options with their names in the spelling of the table."""
        out = dict[str, Any]()
        for option, value in options.items():
            name = known(option, self.options)
            if name is None:
                raise OptionError(self._unknown(option))
            if name in out:
                raise OptionError(f"option {name!r} of {self.name or self.function} is given twice")
            out[name] = value
        return out

    def _unknown(self, option: str) -> str:
        likely = hint(self.elsewhere.get(option, option), [*self.options, *self.parameters])
        if not self.name:
            every = ", ".join([*self.parameters, *self.options])
            return f"{self.function} has no option {option!r}{likely}; it has: {every}"
        own = f"it has: {', '.join(self.parameters)}; " if self.listed else ""
        names = ", ".join(self.options) or "none"
        return f"{self.function} has no option {option!r}{likely}; {own}options of {self.name}: {names}"


def unknown(what: str, name: Any, among: Iterable[str], of: str = "") -> str:
    """Return the message for an unknown name: similar names, and all names; `of` completes `what`."""
    names = list(among)
    return f"unknown {what} {name!r}{of}{hint(name, names)}; there are: {', '.join(names)}"


@functools.lru_cache(1024)
def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


@functools.lru_cache(1024)
def _joined(name: str) -> str:
    return _plain(name).replace("_", "")


def resolve(seed: Any, default: int | None) -> int | None:
    """Return the seed that breaks ties: a number by its hash, None by vertex id; `default` replaces "default"."""
    if isinstance(seed, str) and seed == DEFAULT_SEED:
        return default
    if seed is None or (type(seed) is int and 0 <= seed <= SEEDS):  # tests for other types of integers take longer
        return seed
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) <= SEEDS:
        raise OptionError(
            f"seed must be a whole number from 0 to 2**64 - 1, None or {DEFAULT_SEED!r}, not {reprlib.repr(seed)}"
        )
    return int(seed)


def seed_of(seed: Seed, rng: Any, default: Seed = DEFAULT_SEED) -> Seed:
    """Return the seed of a call with the parameters `seed` and `rng`, from which a number is drawn (SPEC 7).

    A seed that equals the `default` of the call counts as left out.
    """
    if rng is None:
        return seed
    if type(seed) is not type(default) or seed != default:
        raise OptionError("seed and rng are both given: leave one of them out")
    import numpy as np  # here, because the command line reads options without NumPy

    try:
        return int(np.random.default_rng(rng).integers(2**63))
    except (TypeError, ValueError) as e:
        raise OptionError(
            f"rng must be a numpy.random.Generator, or what numpy.random.default_rng takes, not {rng!r}: {e}"
        ) from None


def stream(seed: Seed) -> int:
    """Return the number that seeds random choices other than ties: 0 for None and for "default"."""
    return resolve(seed, None) or 0
