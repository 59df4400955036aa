"""What the library says of its parameters, in the words of the command line: every text that can reach its users."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lagcolor
from lagcolor import cli
from lagcolor.cli import exits
from lagcolor.cli.exits import as_flags
from lagcolor.run.request import REFUSALS

PACKAGE = Path(lagcolor.__file__).parent
ERRORS = {"OptionError", "GraphError", "ColoringError", "FormatError", "DeviceError", "malformed"}
WARNERS = {"warn"}
# Modules, and functions of them, that no command line reaches, and why.
OUT_OF_REACH = {
    "api/recolor": "recolor has no command",
    "run/computed": "pauli reads its strings from a file",
    "core/classes": "arrays with an entry per color are not printed",
    "derivatives": "no command",
    "frontier/operators": "for those who write algorithms",
    "api/color_implicit": "no command: an oracle is a function",
    "inputs/arrays": "objects of Python",
    "inputs/checks": "arrays of Python",
    "inputs/dense": "arrays of Python",
    "inputs/ends": "objects of Python",
    "inputs/pairs": "objects of Python",
    "inputs/sizes:whole": "n is given in Python only",
    "inputs/sizes:check_vertices": "n is given in Python only",
    "inputs/tables": "objects of Python",
    "inputs/tensors": "objects of Python",
    "inputs/networks": "objects of Python",
    "inputs/patterns": "objects of Python",
    "orders/user": "an order of numbers is given in Python only",
    "pauli/strings": "strings come from a file, checked by pauli/files",
    "progress": "a function of Python; commands have a line of their own",
    "plot": "functions of Python; the page has its own words",
    "core/result": "labels of results, in Python",
    "rules/reading:number": "rules come from files, as arrays",
    "rules/reading:_pairs_of_mapping": "rules come from files, as arrays",
    "rules/reading:_pairs_of_dense": "rules come from files, as sparse matrices",
    "rules/reading:_color": "rules come from files, as arrays",
    "rules/reading:_numbers": "rules come from files, as arrays of numbers",
    "rules/reading:_array": "its first text is of what is no array; the others are tested below",
    "rules/reading:capacity": "a file has one dimension",
    "scale/disk/convert/arrays": "arrays in files",
    "scale/disk/convert/call:convert": "its first text is of what a flag cannot be; the others are tested with it",
    "scale": "no command, but for what IN_REACH has",
    "solvers": "no command",
    "core/pattern": "what a pattern is made of in Python",
    "api/balance:equitable": "the command line asks color for it",
    "run/request:several": "orders come as words",
    "core/registry:add": "for those who write algorithms",
    "inputs/__init__:check_vertices": "n is given in Python only",
    "inputs/__init__:arrays_of": "n is given in Python only",
    "inputs/__init__:_read": "objects of Python",
    "inputs/__init__:whole": "n is given in Python only",
    "orders/__init__:of": "an order of numbers is given in Python only; unknown names are tested below",
    "problems/distance1:_inspect": "graphs of files are checked",
    "problems/distance1:_agreed": "graphs of files are checked",
}
IN_REACH = ("scale/disk/convert", "scale/disk/coloring", "scale/disk/check")
VERBS = ("7 is a rule for colors, and these are products", "the problem follows from", "balance goes with")
CHANGES = ("the old", "a change reshuffles", "order 7 at distance 2")  # recolor, and a cluster
PYTHON_ONLY = ("n is for problems of graphs", *VERBS, *CHANGES, "7 knows", "reduce keeps no rules")  # no command
FLAGS = {
    name
    for module in cli.COMMANDS
    for name in cli.parser()._subparsers._group_actions[0].choices[module.COMMAND[0]].parameters
}  # type: ignore[union-attr]
PYTHON = re.compile(r"\b(?!NAME=)[a-z_]{2,}=|\.astype|dtype")  # what no command line takes


def texts() -> Iterator[tuple[str, str]]:
    """Place and text of every error and warning of the library, with 7 for what is put in."""
    for row in REFUSALS:
        yield "run/request:REFUSALS", re.sub(r"\{[^{}]*\}", "7", row.words)
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        if module.startswith(("cli/", "bench/")):
            continue  # written for the command line
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef):
                continue
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and call.args:
                    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                    if name in ERRORS | WARNERS:
                        argument = call.args[1 if name == "malformed" and len(call.args) > 1 else 0]
                        yield f"{module}:{function.name}", _text(argument)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return str(node.value) if isinstance(node, ast.Constant) else "7"


def reachable(place: str) -> bool:
    """Whether a command can come there."""
    module = place.partition(":")[0]
    return not any(
        place == out or (":" not in out and (module == out or module.startswith(f"{out}/")))
        for out in OUT_OF_REACH
        if out != "scale" or not module.startswith(IN_REACH)
    )


TEXTS = sorted(
    {
        (place, text)
        for place, text in texts()
        if text.strip("7 :;,") and not text.startswith(PYTHON_ONLY) and reachable(place)
    }
)


def test_there_are_texts() -> None:
    assert len(TEXTS) > 100
    for out in OUT_OF_REACH:
        module = PACKAGE / out.partition(":")[0]
        assert module.is_dir() or module.with_suffix(".py").exists(), f"{out} is gone"


@pytest.mark.parametrize(("place", "text"), TEXTS, ids=lambda text: text[:50])
def test_every_text_that_reaches_the_command_line_is_in_its_words(place: str, text: str) -> None:
    said = as_flags(text, FLAGS, of_file=place.startswith("io/"))
    found = PYTHON.search(said)
    assert found is None, f"{place}: {found[0]!r} in: {said}"


SAID = {
    "a wrong length": (
        ("color", "p.txt", "--fixed", "short.txt"), "--fixed must have 4 entries, one per vertex, not 2\n",
    ),
    "a rule of no problem": (("color", "p.txt", "-p", "star", "--fixed", "c.txt"), "--fixed is for problems distance1"),
    "a rule and a quality": (
        ("color", "p.txt", "-q", "best", "--max-colors", "3"), "--max-colors goes with --quality fast alone",
    ),
    "a limit without its quality": (("color", "p.txt", "--time-limit", "3"), "--time-limit is for --quality best"),
    "a limit under 0": (
        ("color", "p.txt", "-q", "best", "--time-limit", "-1"), "--time-limit must be a number of seconds over 0, not",
    ),
    "a quality of an algorithm": (
        ("color", "p.txt", "-q", "best", "-a", "greedy"), "--quality is for --algorithm auto, and this call names",
    ),
    "weights and equitable": (
        ("color", "p.txt", "--equitable", "--weights", "c.txt"),
        "--equitable counts vertices: leave --weights out, or pass --balance 1",
    ),
    "an unknown order": (("color", "p.txt", "-r", "smalest_last"), "there are: natural, "),
    "names of vertices": (("verify", "p.txt", "named.csv"), "named.csv: there is no vertex 'a'"),
    "no proper coloring": (("reduce", "p.txt", "zeros.txt"), "'lagcolor color' makes a proper one"),
    "a format": (("color", "p.xyz"), "Or name it, as in --format mtx; there are: mtx, edges"),
    "memory of a file": (
        ("color", "p.txt", "--memory", "1GB"),
        "p.txt: --memory is for a graph in a folder, which 'lagcolor convert p.txt p.csr' makes",
    ),
    "memory of a generator": (
        ("color", "Grid-2D:4,5", "--memory", "1GB"), "'lagcolor generate grid2d 4 5 --out Grid-2D_4_5.csr'",
    ),
    "memory of a generator to verify": (
        ("verify", "rgg:8", "c.txt", "--memory", "1GB"), "which 'lagcolor generate rgg 8 --out rgg_8.csr' makes",
    ),
    "an order of no folder": (("color", "g.csr", "--memory", "1GB", "-r", "smallest_last"), "largest_log_first\n"),
    "a graph that is there": (("convert", "p.txt", "g.csr"), "there is a graph already; pass --force to replace it"),
    "a Matrix Market file": (("color", "matrix.txt"), "pass --format mtx"),
    "an option of another algorithm": (
        ("color", "p.txt", "-a", "che_hybrid", "--option", "switch=x"), "switch must be 'none_colored', a number",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_errors_as_they_are_said(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {
        "p.txt": "0 1\n1 2\n2 3\n", "p.xyz": "0 1\n", "c.txt": "0\n1\n0\n1\n", "short.txt": "0\n1\n",
        "zeros.txt": "0\n" * 4, "named.csv": "vertex,color\na,0\nb,1\nc,0\nd,1\n",
        "matrix.txt": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    lagcolor.io.write("g.csr", "path:4")
    words, expected = SAID[case]
    assert cli.main(list(words)) in (1, 2)
    err = capsys.readouterr().err
    assert expected in err, err
    assert PYTHON.search(err) is None, err


def test_rules_that_a_coloring_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.txt").write_text("0\n1\n0\n1\n")
    assert cli.main(["verify", "path:4", str(tmp_path / "c.txt"), "--max-colors", "1"]) == 1
    assert capsys.readouterr().out.startswith("not proper: --max-colors 1: 2 with a color from there on, the first")


def test_warnings_are_one_line_in_the_same_words(capsys: pytest.CaptureFixture[str]) -> None:
    remedy = "algorithm='greedy' takes one pass, for other colors; Ctrl-C ends it"
    exits.warn(lagcolor.RoundsWarning(f"very\nmany rounds. {remedy}"), FLAGS)
    said = "very many rounds. --algorithm greedy takes one pass, for other colors; Ctrl-C ends it"
    assert capsys.readouterr().err == f"lagcolor: warning: {said}\n"
    exits.warn(UserWarning("of another library: order='x'"), FLAGS)
    assert capsys.readouterr().err == "lagcolor: warning: of another library: order='x'\n"


def test_the_advice_for_a_vertex_0_without_edges_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "list.txt"
    file.write_text("1 2\n2 3\n3 1\n")
    assert cli.main(["color", str(file)]) == 0
    advice = re.search(r"first line '(# Nodes: 4 Edges: )m'", capsys.readouterr().err)
    assert advice is not None
    file.write_text(f"{advice[1]}3\n{file.read_text()}")
    assert cli.main(["color", str(file)]) == 0
    assert capsys.readouterr().err == ""
