"""Values of options: checked before any work, and turned into what the code behind expects.

NumPy's numbers count as Python's, and become these; truth values count as no numbers.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from .errors import OptionError
from .names import hint, known

SEEDS = 2**64 - 1
BYTES = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?))?b?\s*", re.IGNORECASE)


def whole(name: str, value: Any, low: int = 0, high: int | None = None, *, of: str = "", none: bool = False) -> Any:
    """`value` as an int.

    Parameters
    ----------
    name : str
        What to call the option in an error.
    value : object
    low, high : int
        Least and greatest that will do; None: any number from `low` on.
    of : str
        What is counted, for the error.
    none : bool
        None will do, and is returned.

    Raises
    ------
    OptionError
        It is no whole number, or out of that range.
    """
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
    """`value` as a float; parameters as of `whole`.

    Infinity is a number where `high` is, NaN is none. With `over`, `low` itself will not do.

    Raises
    ------
    OptionError
        It is no number, or out of that range.
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
    """The one of some words that `value` is, in their spelling (or None).

    Words of other programs are keys of `elsewhere`; the error proposes the word of ours for them.

    Raises
    ------
    OptionError
        It is none of them.
    """
    if none and value is None:
        return value
    if (word := known(value, among)) is not None:
        return word
    refusal = _refusal(name, f"one of {', '.join(among)}", "", "", value, none)
    other = known(value, elsewhere or ())
    raise OptionError(f"{refusal}{hint(elsewhere[other] if elsewhere and other else value, among)}")


def flag(name: str, value: Any, *, none: bool = False) -> Any:
    """`value` as a bool, from Python's or NumPy's (or None).

    Raises
    ------
    OptionError
        It is neither True nor False.
    """
    if none and value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise _refusal(name, "True or False", "", "", value, none)


def size(name: str, value: Any, low: int = 1) -> int:
    """A number of bytes: a whole number, or text such as "4GB" (10⁹ bytes each), "500 MB", "1.5GiB" (2³⁰ each).

    Raises
    ------
    OptionError
        It is neither, or under `low` bytes.
    """
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
    """A seed, 0 … 2⁶⁴ − 1.

    Raises
    ------
    OptionError
        It is no whole number, or out of that range.
    """
    return whole("seed", value, 0, SEEDS)


def is_whole(x: Any) -> bool:
    """Whether it is an integer of Python or NumPy, and no truth value."""
    return isinstance(x, Integral) and not isinstance(x, bool)


def is_number(x: Any) -> bool:
    """Whether it is a real number of Python or NumPy, and no truth value."""
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
