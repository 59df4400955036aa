r"""Print a script for a shell that completes commands, flags, names and files; pressing Tab runs no Python.

bash: lagcolor completion bash > \
      ~/.local/share/bash-completion/completions/lagcolor
zsh:  lagcolor completion zsh > DIR/_lagcolor
      (DIR in $fpath before compinit runs)
fish: lagcolor completion fish > ~/.config/fish/completions/lagcolor.fish

It contains the names of this version: print it again after an update.
"""

from __future__ import annotations

import argparse
from typing import Any

from ..base.extras import need

COMMAND = ("completion", "print a script that completes words in a shell")
SHELLS = ("bash", "zsh", "fish")
FILES = (
    *("files", "file", "graph", "colors", "out", "fixed", "forbidden", "allowed", "capacity", "weights"),
    *("edges", "folder"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    shtab = need("shtab", "completion in a shell", "cli")
    from . import parser

    top, names = parser(), _names()
    for command in top.commands.values():
        for action in command.actions:
            if action.dest in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # an attribute that shtab reads
            elif action.dest in names:
                action.choices = tuple(names[action.dest])
    print(shtab.complete(top, args.shell))
    return 0


def _names() -> dict[str, Any]:
    """Return the names that each argument accepts."""
    from ..api.reduce import METHODS
    from ..generate.families import FAMILIES
    from ..io.formats import FORMATS
    from ..orders import ORDERS, TWO_HOPS
    from ..pauli.grouping import RELATIONS
    from ..problems import PROBLEMS
    from ..problems.registry import TABLES
    from ..search import QUALITIES
    from . import listing

    rows: list[Any] = [*(row for table in TABLES.values() for row in table.values()), *METHODS.values()]
    algorithms = dict.fromkeys(name for table in TABLES.values() for name in table)
    return {
        "algorithm": ("auto", *algorithms), "algorithms": algorithms, "problem": PROBLEMS,
        "order": {**ORDERS, **TWO_HOPS}, "quality": QUALITIES, "reduce": METHODS, "method": METHODS, "format": FORMATS,
        "device": ("cpu", "cuda"), "commute": RELATIONS, "family": FAMILIES,
        "what": listing.TABLES,
        "option": dict.fromkeys(f"{option}=" for row in rows for option in row.options),
    }  # fmt: skip
