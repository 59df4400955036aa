"""Exit codes, and errors as one line each."""

from __future__ import annotations

import os
import re
import select
import sys
import textwrap
from collections.abc import Collection

from ..base.compile_clock import is_terminal
from ..base.errors import ColoringError, DeviceError, FormatError, LagcolorError, LagcolorWarning
from ..base.messages import legible

OK, IMPROPER, BAD_INPUT, NO_DEVICE, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 130
TABLE = """\
exit codes:
  0    success; with "interrupted" in the output if Ctrl-C ended a search
  1    a coloring is improper or incomplete, or does not fit its graph;
       of bench also: no run succeeded
  2    wrong usage, or a file, graph, order or option that cannot be used
  3    the command requests a GPU, and there is none
  4    an unexpected error; please report it
  130  interrupted by Ctrl-C before there was a result
"""
ASSIGNED = re.compile(
    r"""(?<!--option )(?<![\w.-])([a-z_]+)=('[^']*'|"[^"]*"|\([^()]*\)|[\w.]+(?![\w.(]))"""
)  # as in `pass symmetrize=True`
# Phrases about calls and objects of Python, and their replacements on the command line.
WORDS = (
    (r"\(`partial` of the error\)", "(--out FILE writes it)"),
    (r" \((?:of lagcolor\.io\.read and lagcolor\.convert;|to lagcolor\.Graph\.of) [^)]*\)", ""),  # commands have flags
    (r",? \(?or (?:pass )?an array of priorities(?:\)|, such as .*)?", ""),
    (r"numpy\.unique\(.*\)\[1\] numbers", "for distance1 'lagcolor reduce' with --out saves some, or numbers"),
    (
        r"must have shape \((\d+),\), one (?:entry )?per (\w+), not \((\d+),\)(?:; or pass a mapping.*)?",
        r"must have \1 entries, one per \2, not \3",
    ),
    (r"; it has: algorithm, .*", "; 'lagcolor list options' names what each --algorithm has, and --help has all flags"),
    (r"\blagcolor\.(color|convert)\b", r"'lagcolor \1'"),
    (r"\bpass n=\d+, or (?=begin a file)", ""),  # commands with --n pass it
)


def complain(text: str) -> None:
    """Print an error in one line on standard error."""
    _say(f"lagcolor: error: {text}")


def note(text: str) -> None:
    """Print one more line about an error on standard error."""
    _say(f"lagcolor: {text}")


def warn(message: Warning | str, options: Collection[str] = ()) -> None:
    """Print a warning in one line on standard error, in the words of the command line."""
    text = " ".join(str(message).split())
    _say(f"lagcolor: warning: {as_flags(text, options) if isinstance(message, LagcolorWarning) else text}")


def _say(text: str) -> None:
    """Print one line on standard error; wrap it between words on a terminal."""
    text = legible(text)
    if is_terminal():
        text = textwrap.fill(text, _width(), break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)


def _width() -> int:
    """Columns of the terminal of standard error; 80 if unknown."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:  # also if the stream has no file descriptor
        return 80


def reader_has_gone() -> bool:
    """Whether the reader of standard output has closed its pipe."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(1, select.POLLERR)
    return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def report(e: Exception, about: str = "", options: Collection[str] = ()) -> int:
    """Print an error as one line, with the input it is `about`, and return its exit code; `options`: names of flags."""
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
    """Return the exit code of an error."""
    if isinstance(e, ColoringError):
        return IMPROPER
    if isinstance(e, DeviceError):
        return NO_DEVICE
    return BAD_INPUT if isinstance(e, (LagcolorError, OSError, MemoryError)) or type(e) is ImportError else BUG


def as_flags(text: str, options: Collection[str], *, of_file: bool = False) -> str:
    """Translate advice for Python to the command line: ``pass symmetrize=True`` becomes ``pass --symmetrize``.

    A name without a value becomes a flag unless it is a word of English. `of_file`: the text quotes a file, which may
    contain such names by chance, so that only names with a value become flags.
    """

    def flag(name: str) -> str:
        return f"--{name.replace('_', '-')}"

    def assigned(found: re.Match[str]) -> str:
        name, value = found[1], found[2].strip("'\"")
        if value.startswith("("):  # several values: keep the quotes for the shell
            value = re.sub(r"""(?<=['"]), (?=['"])""", " ", value[1:-1])
        if value == "False" and f"no_{name}" in options:
            return flag(f"no_{name}")
        if name not in options or value in ("False", "None"):
            return found[0]
        return flag(name) + ("" if value == "True" else f" {value}")

    if options and not of_file:
        names, long = "|".join(options), "|".join(name for name in options if "_" in name) or "(?!)"
        alone = (
            rf"^(?:{names})(?=:? )|(?<=\bleave )(?:{names})(?= out\b)|(?<=\bleave it or )(?:{names})(?= out\b)|"
            rf"(?<=\bpass )(?:{names})(?=[,:;]|$)|(?<=mean ')(?:{names})\b|(?<![\w.='\"-])(?:{long})(?![\w='\"]|\.\w)"
        )
        text = re.sub(alone, lambda found: flag(found[0]), text)
    if text.startswith("--"):
        text = text.replace(", or None, not ", ", not ")
    text = ASSIGNED.sub(assigned, text)
    for phrase, words in WORDS:
        text = re.sub(phrase, words, text)
    return text
