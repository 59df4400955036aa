r"""Print a script by which a shell completes commands, flags, names and files; pressing Tab runs no Python.

bash: lagcolor completion bash > \
      ~/.local/share/bash-completion/completions/lagcolor
zsh:  lagcolor completion zsh > DIR/_lagcolor
      (DIR in $fpath before compinit runs)
fish: lagcolor completion fish > ~/.config/fish/completions/lagcolor.fish

The names in it are those of this version: print it again after an update.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from shlex import quote

COMMAND = ("completion", "print a script that completes words in a shell")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("shell", choices=[*SHELLS], metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from . import parser

    print(SHELLS[args.shell](commands(parser())), end="")
    return 0


@dataclass(frozen=True)
class Argument:
    """A flag with its values, or what stands without a flag.

    Attributes
    ----------
    flags : tuple of str
    help : str
    words : tuple of str
        What a value may be, or begin with.
    files : bool
        Whether it may also be a file.
    values : {0, 1, 2}
        None, one, or several.
    """

    flags: tuple[str, ...] = ()
    help: str = ""
    words: tuple[str, ...] = ()
    files: bool = False
    values: int = 1


@dataclass(frozen=True)
class Command:
    """A command: its flags, and its words and files."""

    name: str
    help: str
    flags: list[Argument] = field(default_factory=list)
    others: list[Argument] = field(default_factory=list)

    @property
    def words(self) -> tuple[str, ...]:
        """What may stand without a flag."""
        return tuple(dict.fromkeys(word for other in self.others for word in other.words))

    @property
    def files(self) -> bool:
        """Whether a file may stand without a flag."""
        return any(other.files for other in self.others)


FILES = {
    *("files", "file", "graph", "colors", "results", "out", "fixed", "forbidden", "capacity", "weights", "pictures"),
    *("data", "reference", "edges", "folder"),
}


def commands(parser: argparse.ArgumentParser) -> list[Command]:
    """All commands of a parser."""
    words = _names()
    (sub,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    help_of = {action.dest: action.help or "" for action in sub._choices_actions}
    out = []
    for name, command in sub.choices.items():
        every = [_argument(action, words) for action in command._actions]
        flags, others = [a for a in every if a.flags], [a for a in every if not a.flags]
        out.append(Command(name, help_of[name], flags, others))
    return out


def _argument(action: argparse.Action, words: dict[str, tuple[str, ...]]) -> Argument:
    chosen = tuple(word for word in action.choices or () if isinstance(word, str)) or words.get(action.dest, ())
    values = 0 if action.nargs in (0, "?") else 2 if action.nargs in ("*", "+") else 1
    text = " ".join((action.help or "").replace("%(default)s", str(action.default)).replace("%(default)g", "").split())
    return Argument(tuple(action.option_strings), text, chosen, action.dest in FILES, values)


def _names() -> dict[str, tuple[str, ...]]:
    """Names that an argument may have, by what it is called."""
    from ..api.reduce import METHODS
    from ..core.registry import TABLES
    from ..generate.families import FAMILIES
    from ..io.formats import FORMATS
    from ..orders import ORDERS, TWO_HOPS
    from ..pauli.grouping import RELATIONS
    from ..problems import PROBLEMS
    from ..search import QUALITIES
    from .bench import PEERS

    algorithms = dict.fromkeys(name for table in TABLES.values() for name in table)
    options = {o: None for table in TABLES.values() for row in table.values() for o in row.options}
    options |= {o: None for method in METHODS.values() for o in method.options}
    families = tuple(f"{name}:" for name in FAMILIES)
    return {
        "algorithm": ("auto", *algorithms), "algorithms": tuple(algorithms), "problem": tuple(PROBLEMS),
        "order": tuple(dict.fromkeys([*ORDERS, *TWO_HOPS])), "orders": tuple(ORDERS), "quality": QUALITIES,
        "reduce": tuple(METHODS), "method": tuple(METHODS), "device": ("cpu", "cuda"), "format": tuple(FORMATS),
        "commute": tuple(RELATIONS), "option": tuple(f"{name}=" for name in options), "peers": ("all", "none", *PEERS),
        "family": tuple(FAMILIES), "files": families, "graph": families,
    }  # fmt: skip


def bash(every: Sequence[Command]) -> str:
    """For bash 4 and later."""
    return BASH.format(commands=" ".join(c.name for c in every), cases=_cases(every))


def zsh(every: Sequence[Command]) -> str:
    """For zsh with compinit."""
    described = " ".join(quote(f"{c.name}:{c.help}") for c in every)
    return ZSH.format(commands=described, cases=_cases(every))


def _cases(every: Sequence[Command]) -> str:
    """The branches of a shell's `case`, of "command:flag:", "command:-" for flags and "command:" for the rest.

    After a flag of several values the number of words since it does not matter; after one of one value it is 1.
    """
    lines = []
    for command in every:
        for flag in command.flags:
            if flag.values:
                places = [f"{command.name}:{name}:{'*' if flag.values > 1 else '1'}" for name in flag.flags]
                lines.append((" | ".join(places), flag.words, flag.files))
        lines.append((f"{command.name}:-", tuple(name for flag in command.flags for name in flag.flags), False))
        lines.append((f"{command.name}:*", command.words, command.files))
    return "\n".join(
        f"        {place}) {' '.join(['_lagcolor_words', str(int(files)), *map(quote, words)])} ;;"
        for place, words, files in lines
    )


def fish(every: Sequence[Command]) -> str:
    """For fish."""
    lines = ["# Completion of lagcolor for fish, made by 'lagcolor completion fish'.", "complete -c lagcolor -f"]
    begun = f"__fish_seen_subcommand_from {' '.join(c.name for c in every)}"
    for command in every:
        lines.append(f"complete -c lagcolor -n 'not {begun}' -a {command.name} -d {quote(command.help)}")
        here = f"complete -c lagcolor -n '__fish_seen_subcommand_from {command.name}'"
        for flag in command.flags:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.flags)
            values = _fish_values(flag.words, flag.files) if flag.values else ""
            lines.append(" ".join(filter(None, (here, names, values, f"-d {quote(flag.help)}"))))
            if flag.values > 1 and flag.words:  # fish itself knows flags of one value only
                given = names.replace("-l ", "")
                since = f"__fish_seen_subcommand_from {command.name}; and __fish_contains_opt {given}"
                lines.append(f"complete -c lagcolor -n {quote(since)} -a {quote(' '.join(flag.words))}")
        if command.words or command.files:
            lines.append(f"{here} {_fish_values(command.words, command.files).replace('-r', '').strip()}")
    return "\n".join(lines) + "\n"


def _fish_values(words: Iterable[str], files: bool) -> str:
    """What may follow: -r: there is a value, -F: files too, -f: no files."""
    given = " ".join(words)
    return f"-r {'-F' if files else '-f'}" + (f" -a {quote(given)}" if given else "")


SHELLS: dict[str, Callable[[Sequence[Command]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}

# In both `key` is "command:flag:n", n words after the flag, "command:-" for a word that begins with a dash, and
# "command:0" where no flag is before it. A flag of one value is over after it.
BASH = """\
# Completion of lagcolor for bash, made by 'lagcolor completion bash'.
_lagcolor_words() {{
    local files=$1 there
    shift
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
    [[ ${{COMPREPLY[0]}} == *[=:] ]] && compopt -o nospace 2> /dev/null
    ((files)) && mapfile -t there < <(compgen -f -- "$cur")
    if ((${{#there[@]}})); then
        compopt -o filenames 2> /dev/null
        COMPREPLY+=("${{there[@]}}")
    fi
}}
_lagcolor() {{
    local cur command flag key n=0 i word words=()
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do  # "--flag=value" comes as three words
        [[ ${{COMP_WORDS[i]}} == = ]] || words+=("${{COMP_WORDS[i]}}")
    done
    cur=${{COMP_WORDS[COMP_CWORD]}}
    [[ $cur == = ]] && cur=
    for word in "${{words[@]}}"; do
        case $word in
            -*) flag=$word n=0 ;;
            *) if [[ -z $command ]]; then command=$word; else n=$((n + 1)); fi ;;
        esac
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "{commands} --help --version" -- "$cur")
        return
    fi
    key=$command:0
    [[ -n $flag ]] && key=$command:$flag:$((n + 1))
    [[ $cur == -* ]] && key=$command:-
    case $key in
{cases}
    esac
}}
complete -F _lagcolor lagcolor
"""
ZSH = """\
#compdef lagcolor
# Completion of lagcolor for zsh, made by 'lagcolor completion zsh'.
_lagcolor_words() {{
    local files=$1 ends
    shift
    ends=(${{(M)@:#*[=:]}})
    (( $#ends )) && compadd -S '' -- $ends
    compadd -- ${{@:#*[=:]}}
    (( files )) && _files
}}
_lagcolor() {{
    local command= flag= key= word= cur=$words[CURRENT]
    local -i n=0
    for word in ${{words[2,CURRENT-1]}}; do
        case $word in
            -*) flag=$word n=0 ;;
            *) if [[ -z $command ]]; then command=$word; else n+=1; fi ;;
        esac
    done
    if [[ -z $command ]]; then
        local -a commands=({commands})
        _describe command commands
        return
    fi
    key=$command:0
    [[ -n $flag ]] && key=$command:$flag:$((n + 1))
    [[ $cur == -* ]] && key=$command:-
    if [[ $cur == --*=* ]]; then
        key=$command:${{cur%%=*}}:1
        compset -P '*='
    fi
    case $key in
{cases}
    esac
}}
if [[ $funcstack[1] = _lagcolor ]]; then _lagcolor "$@"; else compdef _lagcolor lagcolor; fi
"""
