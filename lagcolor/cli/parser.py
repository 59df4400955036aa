"""The parser of arguments: errors in one line, names in several spellings, and hints for unknown names."""

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
    """A parser that accepts commands, flags and choices in any case and with `_` for `-`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        self.actions: list[argparse.Action] = []
        self.commands: dict[str, Parser] = {}
        super().__init__(*args, **settings)

    def add_argument(self, *args: Any, **settings: Any) -> argparse.Action:
        """Add an argument, as in argparse; choices are accepted in several spellings."""
        return self._add(super().add_argument, args, settings)

    def group(self, title: str, description: str) -> Callable[..., argparse.Action]:
        """Return a function like `add_argument`, whose arguments the help shows under this title."""
        add = self.add_argument_group(title, filled(description, indent=2)).add_argument
        return lambda *args, **settings: self._add(add, args, settings)

    def _add(
        self, add: Callable[..., argparse.Action], args: Sequence[str], settings: dict[str, Any]
    ) -> argparse.Action:
        """Add an argument, and store it for `flags` and for completion."""
        if "choices" in settings:
            settings = {"type": Choice(settings["choices"]), **settings}
        self.actions.append(add(*args, **settings))
        return self.actions[-1]

    def error(self, message: str) -> NoReturn:
        """Print an error in one line, as all errors of this command, and exit."""
        exits.complain(f"{message} (see '{self.prog} --help')")
        sys.exit(exits.BAD_INPUT)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, as argparse does; the error of an unknown flag names similar flags."""
        parsed, extras = self.parse_known_args(args, namespace)
        if extras:
            getattr(parsed, "parser", self)._refuse(extras)
        return parsed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, as argparse does, after correcting the spelling of commands and flags."""
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        first = next((i for i, word in enumerate(words[:end]) if not word.startswith("-")), None)
        if self.commands and first is not None:
            words[first] = self._command(words[first])
            end = first  # the command parses the words that follow it
        return super().parse_known_args([*map(self._flag, words[:end]), *words[end:]], namespace)

    @property
    def flags(self) -> list[str]:
        """Long flags without their dashes."""
        return [flag[2:] for action in self.actions for flag in action.option_strings if flag.startswith("--")]

    @property
    def parameters(self) -> list[str]:
        """Names of the library's parameters that have a flag in this parser."""
        return [name.replace("-", "_") for name in self.flags]

    def _flag(self, word: str) -> str:
        """Return a word of the command line; correct the spelling of a flag."""
        flag, equals, value = word.partition("=")
        found = names.known(flag[2:], self.flags) if flag.startswith("--") else None
        return word if found is None else f"--{found}{equals}{value}"

    def _command(self, word: str) -> str:
        """Return the command that a word names, or exit with an error."""
        found = names.known(word, self.commands)
        if found is None:
            color = f"; to color it: lagcolor color {word}" if _is_input(word) else ""
            self.error(names.unknown("command", word, self.commands) + color)
        return found

    def _refuse(self, extras: Sequence[str]) -> NoReturn:
        """Exit with an error for words that no argument accepts."""
        from ..api.request import ELSEWHERE

        flag = next((word for word in extras if word.startswith("--")), extras[0]).partition("=")[0]
        if any(flag in action.option_strings for action in self.actions):
            self.error(f"{flag} goes after the command: {self.prog} … {flag}")
        elsewhere = {**ELSEWHERE, "distance": "problem", "random_state": "seed", "rng": "seed"}
        wanted = elsewhere.get(flag[2:].replace("-", "_"), flag[2:])
        hint = names.hint(wanted, self.flags, "--{}") if flag.startswith("--") else ""
        if not any(word.startswith("-") for word in extras):
            hint = "; files go together, before all flags or after them"
        self.error(f"unrecognized arguments: {' '.join(extras)}{hint}")


class Choice:
    """The type of an argument whose value is one of some words."""

    def __init__(self, choices: Iterable[Any]) -> None:
        self.words = [word for word in choices if isinstance(word, str)]

    def __call__(self, word: str) -> str:
        """Return the choice that a word names."""
        found = names.known(word, self.words)
        if found is None:
            raise argparse.ArgumentTypeError(
                f"invalid choice: {word!r}{names.hint(word, self.words)}; choose from {', '.join(self.words)}"
            )
        return found


def filled(text: str, indent: int = 0) -> str:
    """Wrap paragraphs to the width of the help, except paragraphs with a command or an indented line."""
    width = max(shutil.get_terminal_size().columns - 2 - indent, 11)
    return "\n\n".join(
        block if re.search(r"^ |^\w+: +lagcolor ", block, re.M) else textwrap.fill(block, width)
        for block in text.strip().split("\n\n")
    )


def _is_input(word: str) -> bool:
    """Whether a word names a graph, so that the command before it is missing."""
    from ..generate.families import FAMILIES

    return Path(word).exists() or names.known(word.partition(":")[0], FAMILIES) is not None
