"""The parser of arguments: errors in one line, names as people write them, and a guess at what an unknown one is."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..core import options as names
from . import exits


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Fills paragraphs; one with a command or a line that is indented stays as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(
            block if re.search(r"^ |^\w+: +lagcolor ", block, re.M) else textwrap.fill(block, width)
            for block in paragraphs
        )


class Parser(argparse.ArgumentParser):
    """Takes commands, flags and words of a choice in any case and with `_` for `-`."""

    def error(self, message: str) -> NoReturn:
        """One line, as every other error of this command."""
        exits.complain(f"{message} (see '{self.prog} --help')")
        sys.exit(exits.BAD_INPUT)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of argparse; of a flag that is unknown the error names those like it."""
        parsed, extras = self.parse_known_args(args, namespace)
        if extras:
            getattr(parsed, "parser", self)._refuse(extras)
        return parsed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of argparse, with flags as they are spelled here."""
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        return super().parse_known_args([*map(self._flag, words[:end]), *words[end:]], namespace)

    @property
    def flags(self) -> list[str]:
        """Long flags without their dashes."""
        return [flag[2:] for flag in self._option_string_actions if flag.startswith("--")]

    @property
    def parameters(self) -> list[str]:
        """Names of the library's parameters that have a flag here."""
        return [name.replace("-", "_") for name in self.flags]

    def _flag(self, word: str) -> str:
        """A word of the command line; a flag, with its value perhaps, as it is spelled here."""
        flag, equals, value = word.partition("=")
        found = names.known(flag[2:], self.flags) if flag.startswith("--") else None
        return word if found is None else f"--{found}{equals}{value}"

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.choices is not None:
            first = 1 if action.nargs == argparse.PARSER else len(arg_strings)  # what follows a command is its own
            words = [names.meant(word, _words(action.choices)) for word in arg_strings[:first]]
            arg_strings = [*words, *arg_strings[first:]]
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        words = _words(action.choices)
        if isinstance(action, argparse._SubParsersAction):
            color = f"; to color it: lagcolor color {value}" if _is_input(value) else ""
            self.error(names.unknown("command", value, words) + color)
        known = names.hint(value, words)
        raise argparse.ArgumentError(action, f"invalid choice: {value!r}{known}; choose from {', '.join(words)}")

    def _refuse(self, extras: Sequence[str]) -> NoReturn:
        """Say what is wrong with words that no argument takes."""
        flag = next((word for word in extras if word.startswith("--")), extras[0]).partition("=")[0]
        if flag in self._option_string_actions:
            self.error(f"{flag} goes after the command: {self.prog} … {flag}")
        hint = names.hint(flag[2:], self.flags, "--{}") if flag.startswith("--") else ""
        if not any(word.startswith("-") for word in extras):
            hint = "; files go together, before all flags or after them"
        self.error(f"unrecognized arguments: {' '.join(extras)}{hint}")


def _words(choices: Iterable[Any]) -> list[str]:
    return [word for word in choices if isinstance(word, str)]


def _is_input(word: str) -> bool:
    """Whether it is a graph, and the command was left out before it."""
    from ..generate.families import FAMILIES

    return Path(word).exists() or names.known(word.partition(":")[0], FAMILIES) is not None
