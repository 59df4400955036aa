"""The command `lagcolor`: one module a subcommand; building the parser imports nothing heavy."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any, NoReturn

from .. import __version__
from . import bench, color, exits, generate, info, listing, pauli, reduce, report, verify


class _Parser(argparse.ArgumentParser):
    """Argument errors in one line, as every other error of this command."""

    def error(self, message: str) -> NoReturn:
        exits.complain(f"{message} (see '{self.prog} --help')")
        sys.exit(exits.BAD_INPUT)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    layout: Any = {"epilog": exits.TABLE, "formatter_class": argparse.RawDescriptionHelpFormatter}
    top = _Parser(prog="lagcolor", description="Color graphs on CPU and NVIDIA GPU, and check colorings.", **layout)
    top.add_argument("--version", action="version", version=f"lagcolor {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for module in (color, reduce, pauli, verify, info, listing, generate, bench, report):
        name, summary = module.COMMAND
        command = commands.add_parser(name, help=summary, description=module.__doc__, **layout)
        module.arguments(command)
        command.add_argument("--json", action="store_true", help="print one JSON object a line, for machines")
        command.add_argument("--debug", action="store_true", help="show the traceback of an error")
        command.set_defaults(run=module.run)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    args = parser().parse_args(argv)
    try:
        code = args.run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `lagcolor list | head`: the reader has gone, and no message would reach it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OK
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not break into the good-bye
        exits.complain("interrupted")
        return exits.INTERRUPTED
    except Exception as e:
        if args.debug:
            raise
        return exits.report(e, options=vars(args))
