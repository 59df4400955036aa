"""Exit codes, and errors as one line each."""

from __future__ import annotations

import os
import select
import sys
import textwrap
from collections.abc import Collection

from ..core.errors import ColoringError, DeviceError, FormatError, LagcolorError, LagcolorWarning
from ..core.messages import legible
from .wording import as_flags

OK, IMPROPER, BAD_INPUT, NO_DEVICE, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 130

WIDTH = 80  # of a terminal that does not say
TABLE = """\
exit codes:
  0    success
  1    a coloring is improper or incomplete, or does not fit its graph; of bench also: no run succeeded
  2    wrong usage, or a file, graph, order or option that cannot be used
  3    a GPU was asked for and there is none
  4    an error that lagcolor did not foresee; please report it
  130  interrupted by Ctrl-C
"""


def complain(text: str) -> None:
    """One line on standard error."""
    _say(f"lagcolor: error: {text}")


def _say(text: str) -> None:
    """One line on standard error; on a terminal as many as it takes, broken between words."""
    text = legible(text)
    if sys.stderr.isatty():
        text = textwrap.fill(text, _width(), break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)


def _width() -> int:
    """Columns of the terminal of standard error, 80 where it does not say."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH
    except OSError:  # also of a stream without a number
        return WIDTH


def reader_has_gone() -> bool:
    """Whether what standard output is piped to reads no more."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(1, select.POLLERR)
    return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def warn(message: Warning | str, options: Collection[str] = ()) -> None:
    """A warning in one line on standard error, in the words of the command line."""
    text = " ".join(str(message).split())
    if isinstance(message, LagcolorWarning):
        text = as_flags(text, options)
    _say(f"lagcolor: warning: {text}")


def report(e: Exception, about: str = "", options: Collection[str] = ()) -> int:
    """Print an error as one line, with the input it is `about` where it does not say so, and return its exit code.

    `options` are the names of parameters that the command has flags for.
    """
    text = " ".join(str(e).split()) or type(e).__name__
    if isinstance(e, LagcolorError):
        text = as_flags(text, options, of_file=isinstance(e, FormatError))
    if isinstance(e, OSError) and e.strerror:
        text = as_flags(e.strerror, options, of_file=True)
        text = text if e.filename is None else f"{e.filename}: {text}"
    if isinstance(e, MemoryError):
        text = f"out of memory: {text}"
    code = exit_code(e)
    if code == BUG:
        text = f"unforeseen {type(e).__name__}: {text} (--debug shows where; please report it)"
    complain(text if about in text else f"{about}: {text}")
    return code


def exit_code(e: Exception) -> int:
    """The exit code that stands for an error."""
    if isinstance(e, ColoringError):
        return IMPROPER
    if isinstance(e, DeviceError):
        return NO_DEVICE
    if isinstance(e, (LagcolorError, OSError, MemoryError)):
        return BAD_INPUT
    return BUG
