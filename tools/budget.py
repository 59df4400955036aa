"""Compare the size of the project with tools/budget.toml, whose figures only fall. `make budget` runs this.

    python tools/budget.py            print the figures; 1 if a figure is over its budget
    python tools/budget.py --write    write the present figures as the budget

`--write` lists the figures that rise and fall, for the message of the commit. It refuses if figures rise and none
falls, unless the file has no figures. A figure may be lower than its budget.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = ROOT / "tools" / "budget.toml"
CODE = {".py", ".cu", ".cuh", ".cpp", ".h", ".hpp", ".txt"}  # .txt: tables of tests
PARAMETERS, DOCSTRING = 7, 5  # most parameters, fewest lines
RANDOM = "uniform:500,8"  # `color` makes several attempts on this graph, and one on a grid
LABELS = {
    "lines": "lines",
    "files": "files",
    "wide": f"functions of more than {PARAMETERS} parameters",
    "thin": f"packages whose docstring has fewer than {DOCSTRING} lines",
    "path": "files that color(A) passes through",
    "import": "modules that `import lagcolor` loads",
    "names": "modules that `lagcolor.color` loads",
}
Rows = dict[str, dict[str, int]]


def code(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield each code file with its row: a folder of lagcolor/ or of tests/, or the package."""
    for top in ("lagcolor", "semirings", "tests", "benchmarks"):
        for path in sorted((root / top).rglob("*.*")):
            if path.suffix in CODE:
                deep = top in ("lagcolor", "tests") and path.parent != root / top
                yield "/".join(path.relative_to(root).parts[: 2 if deep else 1]), path


def wide(function: ast.AST) -> bool:
    """Whether a node is a function of more than seven parameters, without `self` and `cls`."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    a = function.args
    named = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if x]
    return len(named) - (named[:1] in (["self"], ["cls"])) > PARAMETERS


def sizes(root: Path) -> Rows:
    """Count lines, files, wide functions and thin docstrings of each folder."""
    rows: Rows = {}
    for name, path in code(root):
        row = rows.setdefault(name, dict.fromkeys(("lines", "files", "wide", "thin"), 0))
        text = path.read_text(encoding="utf-8")
        row["lines"] += text.count("\n")
        row["files"] += 1
        if path.suffix == ".py":
            tree = ast.parse(text)
            row["wide"] += sum(map(wide, ast.walk(tree)))
            docstring = (ast.get_docstring(tree) or "").splitlines()
            row["thin"] += path.name == "__init__.py" and len(docstring) < DOCSTRING
    return rows


def calls() -> Rows:
    """Count files on the path of the default call, and modules that an import loads, in a new process."""
    import files

    count = "print(sum(m.partition('.')[0] in ('lagcolor', 'semirings') for m in sys.modules))"
    text = f"import sys, lagcolor; {count}; lagcolor.color; {count}"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded, named = map(int, done.stdout.split())
    colors = (files.calls(graph)["color"] for graph in (files.GRAPH, RANDOM))
    path = max(len(set(files.files(files.entered(color)))) for color in colors)
    return {"calls": {"path": path, "import": loaded, "names": named}}


def changes(old: Rows, new: Rows) -> Iterator[tuple[str, int, int]]:
    """Yield the figures that differ: label, old and new. A missing row counts as zeros."""
    for row in dict.fromkeys((*old, *new)):
        for column in dict.fromkeys((*old.get(row, {}), *new.get(row, {}))):
            a, b = old.get(row, {}).get(column, 0), new.get(row, {}).get(column, 0)
            if a != b:
                yield f"{row}: {LABELS[column]}", a, b


def faults(budget: Rows, now: Rows, minutes: dict[str, float]) -> list[str]:
    """Return figures over their budget, and times of `make test` longer than the time before."""
    over = [f"{what}: {b:,}, budget {a:,}" for what, a, b in changes(budget, now) if b > a]
    times = itertools.pairwise(sorted(minutes.items()))
    return over + [f"make test: {b:g} CPU minutes on {day}, before {a:g}" for (_, a), (day, b) in times if b > a]


def table(now: Rows, minutes: dict[str, float]) -> str:
    """Return the totals, in eight lines."""
    lines = [f"{'':20} {'lines':>7} {'files':>5} {'wide':>4} {'thin':>4}"]
    for tops in (("lagcolor", "semirings"), ("tests",), ("benchmarks",)):
        rows = [row for name, row in now.items() if name.partition("/")[0] in tops]
        total = {column: sum(row[column] for row in rows) for column in ("lines", "files", "wide", "thin")}
        lines.append("{:20} {lines:7,} {files:5} {wide:4} {thin:4}".format(", ".join(tops), **total))
    lines.append(f"wide: {LABELS['wide']}; thin: {LABELS['thin']}")
    lines += [f"{n} {LABELS[column]}" for column, n in now.get("calls", {}).items()]
    day, last = max(minutes.items())
    return "\n".join([*lines, f"{last:g} CPU minutes of `make test` on {day}, by hand"])


def write(budget: Rows, now: Rows, minutes: dict[str, float]) -> list[str]:
    """Write the present figures and print the differences. Return an error if figures rise and none falls."""
    differ = list(changes(budget, now))
    for what, a, b in differ:
        print(f"{'rises' if b > a else 'falls'}: {what}: {a:,} to {b:,}")
    if budget and differ and all(b > a for _, a, b in differ):
        return ["not written: figures rise and none falls; lower one in the same commit"]
    head = BUDGET.read_text(encoding="utf-8").partition("\n\n")[0]
    pairs = {name: ", ".join(f"{column} = {n}" for column, n in row.items()) for name, row in now.items()}
    rows = [f"{json.dumps(name)} = {{ {text} }}" for name, text in pairs.items()]
    times = [f"{day} = {n}" for day, n in sorted(minutes.items())]
    BUDGET.write_text("\n".join([head, "", *rows, "", "[make_test]", *times, ""]), encoding="utf-8")
    return []


def main(arguments: list[str] | None = None) -> int:
    if sys.version_info < (3, 12):  # noqa: UP036  (the message is for older versions)
        sys.exit("tools/budget.py needs Python 3.12, as lagcolor does: run make budget")
    p = argparse.ArgumentParser(prog="tools/budget.py", description=(__doc__ or "").partition("\n")[0])
    p.add_argument("--write", action="store_true", help="write the present figures as the budget")
    args = p.parse_args(arguments)
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    minutes = budget.pop("make_test")
    now = {**sizes(ROOT), **calls()}
    wrong = write(budget, now, minutes) if args.write else faults(budget, now, minutes)
    print("\n".join(wrong) or table(now, minutes))
    if wrong and not args.write:
        print("over budget: lower the figure, or pay with another one: CONTRIBUTING.md, section Budget")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
