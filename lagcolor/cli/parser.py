"""The parser of arguments: errors in one line, names as people write them, and a guess at what an unknown one is."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..base import options as names
from . import exits


class Parser(argparse.ArgumentParser):
    """Takes commands, flags and words of a choice in any case and with `_` for `-`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        self.actions: list[argparse.Action] = []
        self.commands: dict[str, Parser] = {}
        super().__init__(*args, **settings)

    def add_argument(self, *args: Any, **settings: Any) -> argparse.Action:
        """As of argparse; words of a choice are taken as people write them."""
        return self._add(super().add_argument, args, settings)

    def group(self, title: str, description: str) -> Callable[..., argparse.Action]:
        """A function like `add_argument`; the help shows its arguments under a title of their own."""
        add = self.add_argument_group(title, filled(description, indent=2)).add_argument
        return lambda *args, **settings: self._add(add, args, settings)

    def _add(
        self, add: Callable[..., argparse.Action], args: Sequence[str], settings: dict[str, Any]
    ) -> argparse.Action:
        """Add an argument, and keep it for `flags` and for completion."""
        if "choices" in settings:
            settings = {"type": Choice(settings["choices"]), **settings}
        self.actions.append(add(*args, **settings))
        return self.actions[-1]

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
        """As of argparse, with commands and flags as they are spelled here."""
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        first = next((i for i, word in enumerate(words[:end]) if not word.startswith("-")), None)
        if self.commands and first is not None:
            words[first] = self._command(words[first])
            end = first  # what follows a command is its own
        return super().parse_known_args([*map(self._flag, words[:end]), *words[end:]], namespace)

    @property
    def flags(self) -> list[str]:
        """Long flags without their dashes."""
        return [flag[2:] for action in self.actions for flag in action.option_strings if flag.startswith("--")]

    @property
    def parameters(self) -> list[str]:
        """Names of the library's parameters that have a flag here."""
        return [name.replace("-", "_") for name in self.flags]

    def _flag(self, word: str) -> str:
        """A word of the command line; a flag, with its value perhaps, as it is spelled here."""
        flag, equals, value = word.partition("=")
        found = names.known(flag[2:], self.flags) if flag.startswith("--") else None
        return word if found is None else f"--{found}{equals}{value}"

    def _command(self, word: str) -> str:
        """The command that a word means; the error for any other word."""
        found = names.known(word, self.commands)
        if found is None:
            color = f"; to color it: lagcolor color {word}" if _is_input(word) else ""
            self.error(names.unknown("command", word, self.commands) + color)
        return found

    def _refuse(self, extras: Sequence[str]) -> NoReturn:
        """Say what is wrong with words that no argument takes."""
        flag = next((word for word in extras if word.startswith("--")), extras[0]).partition("=")[0]
        if any(flag in action.option_strings for action in self.actions):
            self.error(f"{flag} goes after the command: {self.prog} … {flag}")
        hint = names.hint(flag[2:], self.flags, "--{}") if flag.startswith("--") else ""
        if not any(word.startswith("-") for word in extras):
            hint = "; files go together, before all flags or after them"
        self.error(f"unrecognized arguments: {' '.join(extras)}{hint}")


class Choice:
    """The type of an argument that is one of some words."""

    def __init__(self, choices: Iterable[Any]) -> None:
        self.words = [word for word in choices if isinstance(word, str)]

    def __call__(self, word: str) -> str:
        """The word that is meant."""
        found = names.known(word, self.words)
        if found is None:
            raise argparse.ArgumentTypeError(
                f"invalid choice: {word!r}{names.hint(word, self.words)}; choose from {', '.join(self.words)}"
            )
        return found


def filled(text: str, indent: int = 0) -> str:
    """Paragraphs as wide as the help; one with a command or a line that is indented stays as it is."""
    width = max(shutil.get_terminal_size().columns - 2 - indent, 11)
    return "\n\n".join(
        block if re.search(r"^ |^\w+: +lagcolor ", block, re.M) else textwrap.fill(block, width)
        for block in text.strip().split("\n\n")
    )


def _is_input(word: str) -> bool:
    """Whether it is a graph, and the command was left out before it."""
    from ..generate.families import FAMILIES

    return Path(word).exists() or names.known(word.partition(":")[0], FAMILIES) is not None
