"""Put small faults into the code one at a time, to see which ones the tests notice; no part of `make test`.

    python tools/mutations.py                       all faults, two at a time
    python tools/mutations.py 'osama_graphblas/*' -j 1      faults whose name fits a pattern
    python tools/mutations.py --file semirings      faults in files whose path begins with this text
    python tools/mutations.py --list                list their names and effects
    python tools/mutations.py --results FILE        store the outcomes, and run only faults without an outcome

The faults are listed in tools/mutants/*.toml: a file, a text that occurs in it exactly once, the text that replaces it,
and the tests that should then fail. Each fault is applied to a copy of the tree, and its tests run there.

caught      a test fails, or the tests crash
hang        the tests do not end; this counts as caught, and separately
survived    the tests pass: a test is missing, or `why` explains that the fault has no visible effect
broken      the tests fail without the fault, or cannot be collected with it, so there is no outcome

Compiling takes most of the time. Each copy has its own cache for Numba, and a fault clears only the code that depends
on its file.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lagcolor.base import caches

ROOT = Path(__file__).resolve().parents[1]
LISTS = ROOT / "tools" / "mutants"
PACKAGES = "lagcolor", "semirings"
CAUGHT, HANG, SURVIVED, BROKEN = "caught", "hang", "survived", "broken"
LATE = re.compile(r"^\+{5,} Timeout \+{5,}|Failed: Timeout", re.MULTILINE)  # messages of pytest-timeout


@dataclass(frozen=True)
class Mutation:
    """One fault."""

    name: str  # ``area/word``
    file: str  # path from the root
    # `old` occurs once in the file and is replaced by `new`
    old: str
    new: str
    tests: str  # arguments of pytest
    breaks: str  # the effect of the fault
    why: str = ""  # why no test can notice the fault; "" if a test must

    def applied(self, text: str) -> str:
        """Return the text with the fault.

        Raises
        ------
        ValueError
            The text to replace does not occur exactly once.
        """
        times = text.count(self.old)
        if times != 1:
            raise ValueError(f"{self.name}: the old text occurs {times} times in {self.file}, not once: {self.old!r}")
        return text.replace(self.old, self.new)


def load(folder: Path = LISTS) -> list[Mutation]:
    """Load all lists; mutations without a file or tests use the file and tests of their group."""
    out = []
    for path in sorted(folder.glob("*.toml")):
        for group in tomllib.loads(path.read_text())["group"]:
            shared = {k: group[k] for k in ("file", "tests") if k in group}
            for entry in group["mutation"]:
                out.append(Mutation(**{**shared, **entry, "name": f"{path.stem}/{entry['name']}"}))
    return out


def chosen(mutations: Iterable[Mutation], patterns: Sequence[str], file: str = "") -> list[Mutation]:
    """Return mutations whose name fits a pattern (or all), in files whose path begins with `file`."""
    return [
        m
        for m in mutations
        if m.file.startswith(file) and (not patterns or any(fnmatch.fnmatch(m.name, p) for p in patterns))
    ]


class Tree:
    """A copy of the working tree with its own cache.

    Parameters
    ----------
    folder : Path
    limit : float
        Seconds that tests may take.
    trust : bool
        Assume that the tests pass without a fault, instead of running them once.
    root : Path
        The folder to copy; files that git ignores are left out.
    """

    def __init__(self, folder: Path, limit: float, trust: bool = False, root: Path = ROOT) -> None:
        self.root, self.cache, self.limit, self._trust = folder / "tree", folder / "cache", limit, trust
        self.cache.mkdir(parents=True)
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            if (root / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.root / name)
        self._imports = imports(self.root)
        self._good: dict[str, bool] = {}
        self._child: subprocess.Popen[str] | None = None

    def judge(self, mutation: Mutation) -> tuple[str, str]:
        """Return the outcome, and the last line of the tests' output."""
        if self._trust:
            self._good[mutation.tests] = True
        if mutation.tests not in self._good:
            outcome, output = self._test(mutation.tests)
            self._good[mutation.tests] = outcome == SURVIVED
            if outcome != SURVIVED:
                return BROKEN, f"without it: {output}"
        elif not self._good[mutation.tests]:
            return BROKEN, "its tests fail without it"
        path = self.root / mutation.file
        text, times = path.read_text(), path.stat()
        self._forget(mutation.file)
        try:
            path.write_text(mutation.applied(text))
            return self._test(mutation.tests)
        finally:
            path.write_text(text)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            self._forget(mutation.file)

    def stop(self) -> None:
        """Stop the tests of this tree, and all processes that they started."""
        if self._child is not None and self._child.poll() is None:
            os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()

    def _forget(self, file: str) -> None:
        """Remove the cached code of a file and of files that import it, and the examples of Hypothesis."""
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)
        if not file.endswith(".py"):
            return
        for name in dependents(file, self._imports):
            folder, stem = Path(name).parent, Path(name).stem
            for compiled in self.cache.glob(f"lagcolor/*/{folder.name}_*/{stem}.*.nb?"):
                compiled.unlink()

    def _keep(self) -> None:
        """Rename the folder of remaining cached code: its name is a digest of the package's sources."""
        for folder in self.cache.glob("lagcolor/*"):
            folder.rename(folder.with_name(caches.folder_name(f"{self.root}/lagcolor/")))

    def _test(self, tests: str) -> tuple[str, str]:
        self._keep()
        options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
        command = ["nice", sys.executable, "-m", "pytest", *options, *shlex.split(tests)]
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(self.cache), "PYTHONPATH": str(self.root)}
        environment["LAGCOLOR_HYPOTHESIS"] = "unshrunk"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # a changed file may have the size and time of the original
        with tempfile.TemporaryFile("w+") as out:
            child = self._child = subprocess.Popen(
                command, cwd=self.root, env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL, text=True,
                start_new_session=True,
            )  # fmt: skip
            try:
                status: int | None = child.wait(self.limit)
            except subprocess.TimeoutExpired:
                status = None
                self.stop()
            out.seek(0)
            output = out.read()
        return outcome_of(status, output), last_word(output)


def outcome_of(status: int | None, output: str) -> str:
    """Return the outcome for an exit status of pytest; None: it was killed."""
    if status is None or LATE.search(output):
        return HANG
    if status == 0:
        return SURVIVED
    return CAUGHT if status == 1 or status < 0 or status >= 128 else BROKEN


def last_word(output: str) -> str:
    """Return the first named failure, else the last line."""
    lines = [line for line in output.splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return (failed or lines[-1:] or [""])[0][:160]


def imports(root: Path) -> dict[str, set[str]]:
    """Return a mapping of each file of the package to the files that it imports."""
    files = {str(p.relative_to(root)) for package in PACKAGES for p in (root / package).rglob("*.py")}
    return {file: set(_imported((root / file).read_text(), file)) & files for file in files}


def _imported(text: str, file: str) -> Iterable[str]:
    """Yield files that the imports of a file may name; `lagcolor` itself imports its modules on first use."""
    package = Path(file).parent.parts
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            base = (*base, *(node.module or "").split(".")) if node.module else base
            modules = [*([base] if len(base) > 1 else []), *((*base, alias.name) for alias in node.names)]
        elif isinstance(node, ast.Import):
            modules = [tuple(alias.name.split(".")) for alias in node.names if "." in alias.name]
        else:
            continue
        for module in modules:
            yield "/".join(module) + ".py"
            yield "/".join(module) + "/__init__.py"


def dependents(file: str, imported: dict[str, set[str]]) -> set[str]:
    """Return the file and all files that import it, directly or indirectly."""
    found, new = {file}, {file}
    while new:
        new = {f for f, of in imported.items() if of & new} - found
        found |= new
    return found


def run(
    mutations: Sequence[Mutation],
    jobs: int,
    limit: float,
    trust: bool,
    done: Callable[[Mutation, str, str, float], None],
) -> None:
    """Judge all mutations; each worker has its own tree, and tests of one kind stay with one worker."""
    kinds: dict[str, list[Mutation]] = {}
    for m in mutations:
        kinds.setdefault(m.tests, []).append(m)
    todo = sorted(kinds.values(), key=len)
    over: list[BaseException] = []

    def work(tree: Tree) -> None:
        try:
            while todo:
                for m in todo.pop():
                    start = time.perf_counter()
                    outcome = tree.judge(m)
                    if over:
                        return
                    done(m, *outcome, time.perf_counter() - start)
        except IndexError:
            pass  # another worker took the last one
        except BaseException as e:
            over.append(e)

    with tempfile.TemporaryDirectory(prefix="mutations-") as scratch:
        trees = [Tree(Path(scratch, str(i)), limit, trust) for i in range(jobs)]
        workers = [threading.Thread(target=work, args=(tree,)) for tree in trees]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        except BaseException as e:  # Ctrl-C
            over.append(e)
            for tree in trees:
                tree.stop()
            for worker in workers:
                worker.join()
    if over:
        raise over[0]


def score(outcomes: Sequence[tuple[Mutation, str]]) -> list[str]:
    """Return lines: the number of caught faults, and the other faults."""
    count = {o: sum(outcome == o for _, outcome in outcomes) for o in (CAUGHT, HANG, SURVIVED, BROKEN)}
    explained = [m for m, outcome in outcomes if outcome == SURVIVED and m.why]
    caught = count[CAUGHT] + count[HANG]
    lines = [
        f"{caught} of {len(outcomes)} caught ({count[HANG]} of them by a limit of time), {count[SURVIVED]} survived "
        f"({len(explained)} of them explained), {count[BROKEN]} broken"
    ]
    for m, outcome in sorted(outcomes, key=lambda pair: pair[0].name):
        if outcome in (SURVIVED, BROKEN) or m.why:
            lines.append(f"{outcome}: {m.name}: {m.breaks}" + (f" (explained: {m.why})" if m.why else ""))
    return lines


class Book:
    """Outcomes in a file, one line of JSON each. The last outcome of a fault counts while it and its tests' names stay.

    Changes inside the tests are not noticed: begin a new file to judge changed tests.

    Parameters
    ----------
    path : Path or None
        None: outcomes are only in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self._rows: dict[str, dict[str, str]] = {row["name"]: row for row in map(json.loads, lines)}

    def outcome(self, m: Mutation) -> str | None:
        """Return the outcome of a fault; None if it has not run in its present form."""
        row = self._rows.get(m.name)
        return row["outcome"] if row is not None and row["key"] == self._key(m) else None

    def add(self, m: Mutation, outcome: str, output: str) -> None:
        """Store an outcome."""
        row = {"name": m.name, "outcome": outcome, "output": output, "key": self._key(m)}
        self._rows[m.name] = row
        if self._path is not None:
            with open(self._path, "a") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    @staticmethod
    def _key(m: Mutation) -> str:
        return hashlib.sha256("\0".join((m.file, m.old, m.new, m.tests)).encode()).hexdigest()[:16]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 1 if a fault survived without an explanation, or is broken."""
    p = argparse.ArgumentParser(prog="tools/mutations.py", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("names", nargs="*", help="names or patterns, see --list; default: all")
    p.add_argument("--file", default="", help="only faults in files whose path begins with this text")
    p.add_argument("-j", "--jobs", type=int, default=2, help="faults at the same time (default: %(default)s)")
    p.add_argument("--limit", type=float, default=600, help="seconds that the tests of a fault may take (%(default)g)")
    p.add_argument(
        "--results", type=Path, metavar="FILE", help="store outcomes here; faults caught before do not run again"
    )
    p.add_argument("--trust", action="store_true", help="skip the tests without a fault, because they have just passed")
    p.add_argument("--list", action="store_true", help="list the faults")
    args = p.parse_args(argv)
    mutations = chosen(load(), args.names, args.file)
    if not mutations:
        p.error("no fault has this name or file: --list shows all names")
    for m in mutations:
        m.applied((ROOT / m.file).read_text())
        if args.list:
            print(f"{m.name}: {m.breaks} ({m.file}; {m.tests})")
    if args.list:
        return 0
    book = Book(args.results)
    todo = [m for m in mutations if book.outcome(m) not in (CAUGHT, HANG)]
    count = itertools.count(1)

    def done(m: Mutation, outcome: str, output: str, seconds: float) -> None:
        book.add(m, outcome, output)
        print(f"{next(count)}/{len(todo)} {outcome} {m.name} ({seconds:.0f} s): {output}", flush=True)

    run(todo, max(1, args.jobs), args.limit, args.trust, done)
    outcomes = [(m, book.outcome(m) or BROKEN) for m in mutations]
    print("\n".join(score(outcomes)))
    return int(any(o == BROKEN or (o == SURVIVED and not m.why) for m, o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
