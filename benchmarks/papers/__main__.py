"""Every table and figure of the five papers that is measured again here: python -m benchmarks.papers [NAME…]

Without a name they are listed. A name or a pattern runs, `all` runs all, each in a process of its own. An experiment
prints our figures and the paper's, and writes OUT/NAME.jsonl when it ends. The same command continues where it stopped:
it skips experiments that OUT has. All files of OUT are of one commit. On a machine without a GPU pass --device cpu: the
graphs are smaller, and only counts and colors can be compared. docs/measurements/papers.md has the outcomes.
"""

from __future__ import annotations

import argparse
import fnmatch
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from benchmarks.harness.provenance import git_commit
from benchmarks.harness.results import read_lines

from .. import report


class Experiment(NamedTuple):
    """A script's measurement, and its arguments on a GPU and on a CPU; `on_cpu`: the part that a CPU can measure."""

    name: str
    paper: str
    what: str
    module: str
    gpu: str
    cpu: str
    on_cpu: str


PAPERS = "benchmarks.papers."
EXPERIMENTS = (
    Experiment(
        "osama-figures", "Osama et al. 2019", "Figures 1 to 3: ratios of times and colors", f"{PAPERS}osama",
        "", "grid2d:300 grid3d:40 stencil27:20 delaunay:14 diagonals:20,10,5 rgg:14 rgg:15 rgg:16 --runs 1", "colors",
    ),
    Experiment(
        "osama-table2", "Osama et al. 2019", "Table II: Gunrock's five steps", "benchmarks.frontier_table2",
        "", "grid2d:300 grid3d:40 --runs 3", "nothing: times",
    ),
    Experiment(
        "ecl-gc-steps", "Alabandi and Burtscher 2022", "Table 4, Figures 10 to 12: steps, and who is colored how",
        f"{PAPERS}ecl_gc", "", "grid2d:1024 rmat:16 delaunay:16", "all: steps, shares",
    ),
    Experiment(
        "ecl-gc-shortcuts", "Alabandi and Burtscher 2022", "Table 5: speed-up by shortcuts",
        f"{PAPERS}ecl_gc_shortcuts", "",
        "grid2d:100 rmat:12 social:20000,10 --runs 3", "nothing: times",
    ),
    Experiment(
        "ecl-gc-rivals", "Alabandi and Burtscher 2022", "Figures 13 to 19: colors and speed of other codes",
        f"{PAPERS}ecl_gc_rivals", "", "grid2d:100 rmat:12 social:20000,10 --runs 3", "colors",
    ),
    Experiment(
        "ecl-gc-reduction", "Alabandi and Burtscher 2022", "Figures 13 and 14: what the color reduction saves",
        f"{PAPERS}ecl_gc_reduction", "", "grid2d:1024 rmat:16 delaunay:16 road:200 --runs 1", "colors",
    ),
    Experiment(
        "che-gains", "Che et al. 2015", "Figures 3 and 6: gains of stealing and of the hybrid", f"{PAPERS}che",
        "", "barabasi_albert:19928,4 --runs 3", "nothing: times",
    ),
    Experiment(
        "che-figures", "Che et al. 2015", "Table I, Figures 7 to 9: queues, rounds, when to switch",
        f"{PAPERS}che_figures", "", "barabasi_albert:19928,4 --runs 1", "elements, rounds",
    ),
    Experiment(
        "feluca-tables", "Zheng et al. 2020", "Tables 2 and 3: stages, and when to switch", f"{PAPERS}feluca",
        "", "road:200 rmat:14 uniform:2**15,4 social:20000,10 --runs 1", "colors",
    ),
    Experiment(
        "feluca-figures", "Zheng et al. 2020", "Figures 1, 5 and 6: conflicts, fractions, iterations",
        f"{PAPERS}feluca_figures", "", "rmat:14 road:200 --runs 1", "conflicts, iterations",
    ),
    Experiment(
        "feluca-profile", "Zheng et al. 2020", "Figures 7 and 8: issue slots and eligible warps, with Nsight Compute",
        f"{PAPERS}feluca_profile", "", "rmat:10", "nothing: needs a GPU and ncu",
    ),
    Experiment(
        "feluca-rivals", "Zheng et al. 2020", "Table 4: time and colors of other codes", f"{PAPERS}feluca_rivals",
        "", "road:60 rmat:12 social:20000,10 --runs 1", "colors",
    ),
    Experiment(
        "ipgc-table3", "IPGC, hybrid", "Table III: hybrid against its two pure modes", f"{PAPERS}ipgc",
        "", "rgg:14 rmat:14 grid2d:256 --runs 3", "colors, worklists",
    ),
    Experiment(
        "ipgc-table4", "IPGC, hybrid", "Table IV: colors compared with csrcolor's", f"{PAPERS}ipgc_colors",
        "", "kron_g500:14 rgg:16 road:400 --runs 3", "colors",
    ),
    Experiment(
        "ipgc-micro", "IPGC, hybrid", "Figure 3: visiting a worklist or all vertices", f"{PAPERS}ipgc_micro",
        "", "--n 200000 --points 21 --runs 2", "nothing: times",
    ),
    Experiment(
        "ipgc-profile", "IPGC, hybrid", "Table III: what its rounds do, with Nsight Compute", f"{PAPERS}ipgc_profile",
        "", "grid2d:100 --runs 1", "nothing: times",
    ),
)  # fmt: skip


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("name", nargs="*", help="names or patterns of the list, or all (default: print the list)")
    p.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="default %(default)s")
    p.add_argument("--commit", default=git_commit(), help="what is measured, if the tree has no history")
    p.add_argument("--out", type=Path, metavar="DIR", help="write NAME.jsonl there")
    p.add_argument("--timeout", type=float, metavar="SECONDS", help="end an experiment that takes longer")
    return p.parse_args(argv)


def words(e: Experiment, args: argparse.Namespace) -> list[str]:
    """The command line of an experiment's script; it writes NAME.part until it is through."""
    out = [*shlex.split(e.cpu if args.device == "cpu" else e.gpu), "--device", args.device, "--commit", args.commit]
    return out + (["--out", str(args.out / f"{e.name}.part")] if args.out else [])


def chosen(names: Sequence[str]) -> list[Experiment]:
    """Experiments by name or pattern; SystemExit for one that is none."""
    for name in names:
        if name != "all" and not fnmatch.filter([e.name for e in EXPERIMENTS], name):
            raise SystemExit(f"no experiment {name!r}; there are: {', '.join(e.name for e in EXPERIMENTS)}")
    return [e for e in EXPERIMENTS if any(n == "all" or fnmatch.fnmatch(e.name, n) for n in names)]


def table() -> Table:
    """The list."""
    out = Table(title="python -m benchmarks.papers NAME…", title_justify="left")
    for column in ("name", "paper", "what", "a CPU tells"):
        out.add_column(column)
    for e in EXPERIMENTS:
        out.add_row(e.name, e.paper, e.what, e.on_cpu)
    return out


def mixed(folder: Path, commit: str) -> str:
    """Why files of this commit cannot join those in a folder; empty if they can."""
    for e in EXPERIMENTS:
        for file in (folder / f"{e.name}.jsonl", folder / f"{e.name}.part"):
            lines = read_lines(file) if file.exists() else []
            if lines and lines[0]["commit"] != commit:
                return f"{file} is of commit {lines[0]['commit']}, not {commit}: name another folder or remove it"
    return ""


def run(e: Experiment, args: argparse.Namespace) -> bool:
    """Run a script in a process of its own, and name its file once it is through; whether it is."""
    line = words(e, args)
    report.console().print(f"python -m {e.module} {shlex.join(line)}", highlight=False, soft_wrap=True)
    try:
        code = subprocess.run([sys.executable, "-m", e.module, *line], timeout=args.timeout).returncode
    except subprocess.TimeoutExpired:
        report.console().print(f"[red]ended after {args.timeout:g} s[/]")
        return False
    if code not in (0, 3):  # 3 says that a claim does not hold
        return False
    if args.out:
        (args.out / f"{e.name}.part").rename(args.out / f"{e.name}.jsonl")
    return True


def main(argv: Sequence[str] | None = None) -> int:
    """List, or run; 2 where an experiment failed, or if the folder has files of another commit."""
    args = arguments(argv)
    console = report.console()
    if not args.name:
        console.print(table())
        return 0
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        if why := mixed(args.out, args.commit):
            console.print(f"[red]{why}[/]", soft_wrap=True)
            return 2
    failed = []
    for e in chosen(args.name):
        console.rule(f"{e.paper}: {e.what}")
        if args.out and (args.out / f"{e.name}.jsonl").exists():
            console.print(f"{e.name}: measured before")
        elif not run(e, args):
            failed.append(e.name)
    if failed:
        console.print(f"[red]failed: {', '.join(failed)}[/]")
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
