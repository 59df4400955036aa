"""Names that users write, with `-`, `_` or nothing between words, in any case; errors propose those like wrong ones."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .errors import OptionError

SHOWN = 3  # names that are proposed
ALIKE = 0.66  # share of letters in common from which on a name with the same first letter is proposed
ALIKE_WITHIN = 0.75  # the same of a name with another first letter


def known(name: Any, among: Iterable[str]) -> str | None:
    """The name that is meant, spelled as it is in the table; None where there is none."""
    if not isinstance(name, str):
        return None
    if type(among) in (dict, tuple) and name in among:  # type: ignore[operator]  # of short calls a list is a part
        return name
    names = list(among)
    if name in names:
        return name
    for alike in (_plain, _joined):  # the nearer spelling first
        wanted = alike(name)
        if (found := next((other for other in names if alike(other) == wanted), None)) is not None:
            return found
    return None


def meant(name: Any, among: Iterable[str]) -> Any:
    """The same, and the name itself where there is none like it."""
    found = known(name, among)
    return name if found is None else found


def close(name: Any, among: Iterable[str]) -> list[str]:
    """Names like an unknown one, the likeliest first: it begins them, or a few letters differ."""
    if not isinstance(name, str):
        return []
    of = {_plain(other): other for other in among}
    wanted = _plain(name)
    begun = sorted((other for other in of if len(wanted) > 1 and other.startswith(wanted)), key=len)
    alike = difflib.get_close_matches(wanted, [other for other in of if other[:1] == wanted[:1]], SHOWN, ALIKE)
    alike += difflib.get_close_matches(wanted, of, SHOWN, ALIKE_WITHIN)
    return [of[other] for other in dict.fromkeys([*begun, *alike])][:SHOWN]


def hint(name: Any, among: Iterable[str], form: str = "{!r}") -> str:
    """What an error says of names like it, as in " (did you mean 'first_fit'?)"; nothing where there are none."""
    words = [form.format(other) for other in close(name, among)]
    return f" (did you mean {' or '.join(words)}?)" if words else ""


class Owner(NamedTuple):
    """Whose options are read: the function that the user called, and what it passes them on to.

    Attributes
    ----------
    function : str
    name : str
        The algorithm or method.
    options : collection of str
        Names of its options.
    parameters : collection of str
        Parameters of the function, which a misspelled option may be meant to be.
    elsewhere : mapping of str to str
        Names that other programs have, and the parameter or option that does the same.
    listed : bool
        Whether an error lists the parameters, too.
    """

    function: str
    name: str
    options: Collection[str]
    parameters: Collection[str] = ()
    elsewhere: Mapping[str, str] = MappingProxyType({})
    listed: bool = False

    def spelled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options by name as the table spells them.

        Raises
        ------
        OptionError
            There is no such option, or one is given twice.
        """
        out = dict[str, Any]()
        for option, value in given.items():
            name = known(option, self.options)
            if name is None:
                raise OptionError(self._unknown(option))
            if name in out:
                raise OptionError(f"option {name!r} of {self.name} is given twice")
            out[name] = value
        return out

    def _unknown(self, option: str) -> str:
        likely = hint(self.elsewhere.get(option, option), [*self.options, *self.parameters])
        own = f"it has: {', '.join(self.parameters)}; " if self.listed else ""
        names = ", ".join(self.options) or "none"
        return f"{self.function} has no option {option!r}{likely}; {own}options of {self.name}: {names}"


def unknown(what: str, name: Any, among: Iterable[str], of: str = "") -> str:
    """The message for an unknown name: those like it, and all there are; `of` says of what."""
    names = list(among)
    return f"unknown {what} {name!r}{of}{hint(name, names)}; there are: {', '.join(names)}"


@functools.lru_cache(1024)
def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def _joined(name: str) -> str:
    return _plain(name).replace("_", "")
