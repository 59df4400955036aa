"""The command `lagcolor`: one module for each subcommand.

Start with `color.py`. `parser.py` has the parser, `inputs.py` and `outputs.py` have the options and files that commands
share, and `exits.py` has exit codes and messages. The entry point in `pyproject.toml` calls `main`. Building the parser
imports nothing large, so that `lagcolor --help` and completion are quick.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

from semirings.interrupts import as_interrupt

from ..base import __version__
from . import bench, color, completion, convert, exits, generate, info, listing, pauli, reduce, verify
from .parser import Parser, filled

COMMANDS = (color, reduce, pauli, verify, info, listing, generate, convert, bench, completion)
LAYOUT: Any = {"epilog": exits.TABLE, "formatter_class": argparse.RawDescriptionHelpFormatter}


def parser() -> Parser:
    """Build the parser of the whole command line."""
    top = Parser(prog="lagcolor", description="Color graphs on CPU and NVIDIA GPU, and check colorings.", **LAYOUT)
    top.add_argument("--version", action="version", version=f"lagcolor {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    for module in COMMANDS:
        name, summary = module.COMMAND
        command = commands.add_parser(name, help=summary, description=filled(module.__doc__ or ""), **LAYOUT)
        top.commands[name] = declared(command, module)
    return top


def declared(command: Parser, module: Any) -> Parser:
    """Declare the options of a command: options of its module, and common options."""
    module.arguments(command)
    command.add_argument("--json", action="store_true", help="print one JSON object a line, for machines")
    command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    command.set_defaults(run=module.run, parser=command)
    return command


def main(argv: list[str] | None = None, make: Callable[[], Parser] = parser) -> int:
    """Run the command and return its exit code; `make` returns the parser of another command than `lagcolor`."""
    if sys.stdout is None:  # `>&-`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (for as long as the process lives)
    elif isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # pipes on Windows cannot encode all characters
    if sys.stderr is None:  # `2>&-`
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    code = exits.OK
    try:
        try:
            code = _run(make().parse_args(argv))
        except SystemExit as e:  # the parser raises it after --help or a wrong flag
            code = int(e.code or 0)
        sys.stdout.flush()
    except OSError as e:  # writing failed: an error, unless a reader such as `| head` closed the pipe
        if not isinstance(e, BrokenPipeError):
            code = code or exits.report(e, "standard output")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for the flush at the end of the process
    return code


def _run(args: argparse.Namespace) -> int:
    flags = args.parser.parameters
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: exits.warn(message, flags)
            try:
                return args.run(args)
            except SystemError as e:
                error = as_interrupt(e)
                raise error from error.__cause__
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt this message
        exits.complain("interrupted")
        return exits.INTERRUPTED
    except Exception as e:
        if isinstance(e, BrokenPipeError) and exits.reader_has_gone():
            raise  # `lagcolor list | head`: the reader has closed the pipe
        if args.debug:
            raise
        return exits.report(e, options=flags)
