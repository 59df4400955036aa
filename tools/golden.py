"""Results as they were: digests of all calls of tests/contract/calls.py, kept before code moves, compared after.

    python tools/golden.py cpu          compare with tests/contract/golden.json; 1 where something differs
    python tools/golden.py emulated     the kernels of a GPU, by the emulator of the tests (fewer graphs, slow)
    python tools/golden.py cuda         on a GPU
    python tools/golden.py history      commits that change a digest and leave CHANGELOG.md alone; 1 if there is one
    … --keep                            write the digests of these calls there, and leave the others
    … --only KIND…                      calls whose names begin so, such as "rule" "solver sor"
    … --contract                        those that the contract tests run
    … -j 8                              in that many processes (4 minutes of one core for `cpu`)
    … --renamed NEW=OLD                 an algorithm that had another name then

One file serves all devices, since they give the same results. What is new is listed, and is no difference.
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
KEPT = TESTS / "contract" / "golden.json"
START = "c6ee28f5b82b22ca292804aab2ff5fdfe098b2d1"  # `history` reads the commits after this one


class Selection(NamedTuple):
    """Which calls: for a device, of a scope ("all", "contract"), with names that begin with one of some words."""

    device: str
    scope: str = "all"
    only: tuple[str, ...] = ()


def gather(chosen: Selection, part: int = 0, parts: int = 1) -> Digests:
    """Digests of share `part` of the calls, of `parts` shares."""
    sys.path.insert(0, str(TESTS))  # of this process, for the calls and the emulator
    from contract import calls

    with emulator() if chosen.device == "emulated" else nullcontext():
        found = (c for c in calls.calls(chosen.device, chosen.scope) if c.name.startswith(chosen.only or ""))
        return calls.gather(itertools.islice(found, part, None, parts))


def gather_all(chosen: Selection, jobs: int) -> Digests:
    """Digests of all calls, by several processes."""
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        shares = pool.starmap(gather, [(chosen, part, jobs) for part in range(jobs)])
    out: Digests = {}
    for share in shares:
        for key, found in share.items():
            out.setdefault(key, {}).update(found)
    return out


@contextmanager
def emulator() -> Iterator[None]:
    """The GPUs of the tests."""
    import emulated

    with emulated.emulated_gpu(devices=2):
        yield


def compare(then: Digests, now: Digests, renamed: dict[str, str]) -> list[str]:
    """Lines that say what differs and what is new; the first kind begins with "differs"."""
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
    """What a command of git prints in this checkout."""
    done = subprocess.run(["git", *arguments], cwd=TESTS.parent, capture_output=True, encoding="utf-8", check=check)
    return done.stdout


def unannounced() -> list[str]:
    """Commits after START that change digests and not CHANGELOG.md. New names are no change; nor are removed ones.

    A merge is compared with each parent. It changes what differs from all of them.
    """
    kept = f"./{KEPT.relative_to(TESTS.parent)}"
    lines = []
    for line in git("rev-list", "--parents", "--full-history", f"{START}..HEAD", "--", kept).splitlines():
        commit, *parents = line.split()
        now, *then = (json.loads(git("show", f"{c}:{kept}", check=False) or "{}") for c in (commit, *parents))
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
    """Write digests, a name a line."""
    rows = (f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(digests.items()))
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def main() -> int:
    """Compare, or keep."""
    p = argparse.ArgumentParser(prog="tools/golden.py", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("device", choices=["cpu", "emulated", "cuda", "history"])
    p.add_argument("--keep", action="store_true", help="write what is so now")
    p.add_argument("--only", nargs="+", default=[], metavar="KIND", help="calls whose names begin with one of these")
    p.add_argument("--contract", action="store_true", help="the calls of the contract tests alone")
    p.add_argument("--renamed", action="append", default=[], metavar="NEW=OLD", help="an algorithm's name then")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--file", type=Path, default=KEPT, help="default: %(default)s")
    args = p.parse_args()
    if args.device == "history":
        return history()
    chosen = Selection(args.device, "contract" if args.contract else "all", tuple(args.only))
    now = gather(chosen) if args.jobs == 1 else gather_all(chosen, args.jobs)
    count, then = sum(map(len, now.values())), json.loads(args.file.read_text()) if args.file.exists() else {}
    errors = [f"{key} on {x}: {found}" for key in now for x, found in now[key].items() if found.endswith("Error")]
    if errors:
        print("not kept, nor compared:", *errors, sep="\n")
        return 1
    if args.keep:
        keep(args.file, {k: {**then.get(k, {}), **now.get(k, {})} for k in {**then, **now}})
        print(f"kept {count} digests in {args.file}")
        return 0
    lines = compare(then, now, dict(x.split("=", 1) for x in args.renamed))
    print("\n".join(lines) or f"all {count} digests as they were")
    return int(any(line.startswith("differs") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
