"""Compare digests of the results of all calls of tests/contract/calls.py with stored ones, after a change of code.

    python tools/golden.py cpu          compare with tests/contract/golden.json; 1 if a digest differs
    python tools/golden.py emulated     the kernels of a GPU, by the emulator of the tests (fewer graphs, slow)
    python tools/golden.py cuda         on a GPU
    python tools/golden.py history      list commits that change a digest but not CHANGELOG.md; 1 if there is one
    … --keep                            write the digests of these calls to the file, and leave the others unchanged
    … --only KIND…                      only calls whose names begin with these words, such as "rule" "solver sor"
    … --contract                        only calls of the contract tests
    … -j 8                              use this number of processes (4 minutes of one core for `cpu`)
    … --renamed NEW=OLD                 an algorithm that had another name in the file

One file serves all devices, because they give the same results. New calls are listed; they are no difference.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from contract.calls import Digests

TESTS = Path(__file__).resolve().parents[1] / "tests"
STORED = TESTS / "contract" / "golden.json"
START = "c6ee28f5b82b22ca292804aab2ff5fdfe098b2d1"  # `history` reads the commits after this one


class Selection(NamedTuple):
    """The calls to run: their device, scope ("all", "contract"), and the words that begin their names."""

    device: str
    scope: str = "all"
    only: tuple[str, ...] = ()


def gather(chosen: Selection, part: int = 0, parts: int = 1) -> Digests:
    """Compute the digests of share `part` of `parts` shares of the calls."""
    sys.path.insert(0, str(TESTS))  # for the calls and the emulator, in this process
    from contract import calls

    with emulator() if chosen.device == "emulated" else nullcontext():
        found = (c for c in calls.calls(chosen.device, chosen.scope) if c.name.startswith(chosen.only or ""))
        return calls.gather(itertools.islice(found, part, None, parts))


def gather_all(chosen: Selection, jobs: int) -> Digests:
    """Compute the digests of all calls in several processes."""
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        shares = pool.starmap(gather, [(chosen, part, jobs) for part in range(jobs)])
    out: Digests = {}
    for share in shares:
        for key, found in share.items():
            out.setdefault(key, {}).update(found)
    return out


@contextmanager
def emulator() -> Iterator[None]:
    """Emulate GPUs, as the tests do."""
    import emulated

    with emulated.emulated_gpu(devices=2):
        yield


def compare(then: Digests, now: Digests, renamed: dict[str, str]) -> list[str]:
    """Return lines about digests that differ, which begin with "differs", and about new ones."""
    lines = []
    for key, found in now.items():
        old = then.get(_old(key, renamed), {})
        if wrong := [x for x, digest in found.items() if old.get(x, digest) != digest]:
            lines.append(f"differs: {key}: on {', '.join(wrong)}")
        if new := [x for x in found if x not in old]:
            lines.append(f"new: {key}: on {', '.join(new)}")
    return lines


def _old(key: str, renamed: dict[str, str]) -> str:
    head, bar, order = key.partition(" | ")
    kind, _, name = head.partition(" ")
    return f"{kind} {renamed.get(name, name)}{bar}{order}" if name else key


def git(*arguments: str, check: bool = True) -> str:
    """Return the output of a git command in this checkout."""
    done = subprocess.run(["git", *arguments], cwd=TESTS.parent, capture_output=True, encoding="utf-8", check=check)
    return done.stdout


def unannounced() -> list[str]:
    """Return commits after START that change digests but not CHANGELOG.md. Added and removed names are no change.

    A merge changes the digests that differ from all its parents.
    """
    stored = f"./{STORED.relative_to(TESTS.parent)}"
    lines = []
    for line in git("rev-list", "--parents", "--full-history", f"{START}..HEAD", "--", stored).splitlines():
        commit, *parents = line.split()
        now, *then = (json.loads(git("show", f"{c}:{stored}", check=False) or "{}") for c in (commit, *parents))
        found = [
            f"differs: {key}: on {x}"
            for key, digests in now.items()
            for x, digest in digests.items()
            if all(old.get(key, {}).get(x, digest) != digest for old in then)
        ]
        if found and not all(git("diff", "--name-only", p, commit, "--", "CHANGELOG.md") for p in parents):
            name = git("show", "--no-patch", "--format=%h %s", commit).strip()
            lines += [f"{name}: CHANGELOG.md is unchanged", *found]
    return lines


def history() -> int:
    """Print the commits that change digests without a line in CHANGELOG.md; 1 if there is one."""
    try:
        lines = unannounced()
    except subprocess.CalledProcessError as err:
        print(f"{err.stderr.strip()}\nthis needs a clone with all commits: git fetch --unshallow")
        return 1
    print("\n".join(lines) or f"each commit after {START[:8]} that changes a digest also changes CHANGELOG.md")
    return int(bool(lines))


def keep(path: Path, digests: Digests) -> None:
    """Write digests, one name per line."""
    rows = (f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(digests.items()))
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def main() -> int:
    """Compare, or write."""
    p = argparse.ArgumentParser(prog="tools/golden.py", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("device", choices=["cpu", "emulated", "cuda", "history"])
    p.add_argument("--keep", action="store_true", help="write the present digests")
    p.add_argument("--only", nargs="+", default=[], metavar="KIND", help="calls whose names begin with one of these")
    p.add_argument("--contract", action="store_true", help="only calls of the contract tests")
    p.add_argument("--renamed", action="append", default=[], metavar="NEW=OLD", help="an algorithm's name in the file")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--file", type=Path, default=STORED, help="default: %(default)s")
    args = p.parse_args()
    if args.device == "history":
        return history()
    chosen = Selection(args.device, "contract" if args.contract else "all", tuple(args.only))
    now = gather(chosen) if args.jobs == 1 else gather_all(chosen, args.jobs)
    count, then = sum(map(len, now.values())), json.loads(args.file.read_text()) if args.file.exists() else {}
    errors = [f"{key} on {x}: {found}" for key in now for x, found in now[key].items() if found.endswith("Error")]
    if errors:
        print("neither stored nor compared:", *errors, sep="\n")
        return 1
    if args.keep:
        keep(args.file, {k: {**then.get(k, {}), **now.get(k, {})} for k in {**then, **now}})
        print(f"wrote {count} digests to {args.file}")
        return 0
    lines = compare(then, now, dict(x.split("=", 1) for x in args.renamed))
    print("\n".join(lines) or f"all {count} digests are unchanged")
    return int(any(line.startswith("differs") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
