"""The examples, the README and the documentation do what they say: all of their code is run."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import extras
import numpy as np
import page_blocks
import pytest
from forks import SCRIPT, Forks

import lagcolor

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [
    p for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page_blocks.BLOCK.search(p.read_text())
]

# Whether this installation has NetworkX's entry points, and what is printed then.
BACKEND = any(point.name == "lagcolor" for point in entry_points(group="networkx.backends"))
BACKEND_PRINTS = ["the same colors", "equitable: 80 groups of 3 or 4"]
# What each example prints, at the least.
PRINTS = {
    "changing_graph.py": ["16,384 vertices", "exact: ", "keep: 1 have another color", "verified: True"],
    "probing_a_diagonal.py": ["k = 1: 2 products", "k = 8: 5"],
    "coloring_in_a_loop.py": ["color(A): ", "color(G): ", "one call for all: "],
    "che_hybrid.py": [
        "largest degree 63; hybrid: 9 rounds of degree labelling, 20 colors",
        "degree: 200 active, largest degree 16,   0 colored",
        "elements consumed by each workgroup: [5, 9, 9, 9], stolen: 3",
    ],
    "compare_orders.py": ["largest_first", "smallest_last"],
    "compare_with_graphblas.py": ["luby_is: 51 ", "luby_mis: 17 ", "jones_plassmann_gb: 48 colors"],
    "demo.py": ["regalloc_sqlite3_all", "copter2", "debian-bookworm-deps", "Every coloring was checked."],
    "dimacs_comparison.py": ["myciel7        191   2,360      8", "queen8_8        64     728      9", "DSATUR"],
    "ecl_gc_shortcuts.py": [
        "step 2, D: shortcut 1\nstep 2, E: shortcut 2 removes the edge from C\nstep 2, G: shortcut 1\n",
        "step 3, E: nothing is pending\nstep 3, F: shortcut 1\n",
        "3 steps with shortcuts, 5 without",
    ],
    "edges_in_many_files.py": [
        "90,000 vertices, 179,400 edges",
        "natural: 2 colors",
        "4 rounds, 724,320 bytes of colors, checked: True\nthe same colors as in memory: True",
    ],
    "elementwise_kernels.py": ["by hand: 15 colors" if lagcolor.has_gpu() else "nothing to show: a GPU was requested"],
    "frontier_by_hand.py": ["5 colors for 3,600 vertices in 10 rounds, as first-fit"],
    "osama_hash.py": ["gunrock_is: 11 ", "gunrock_hash table=1: 13 ", "table=32: 7 colors", "64 uncolored"],
    "exam_timetable.py": ["16 exams, 59 conflicts: 6 slots, every rule is obeyed", "Tue 9:00 ", " of 22 seats: "],
    "round_robin.py": ["day 7: ", "with rules: 9 days", "7 teams: 7 days, certificate: overfull"],
    "circuit_layers.py": ["68 qubits, 76 couplers: 3 layers", "sizes [30, 27, 19], even: [26, 25, 25]"],
    "communication_rounds.py": ["30 processes, 93 pairs: 10 rounds, proved the fewest: True", "process 9: [19, 3, "],
    "feluca_by_hand.py": [
        "round 1: 128 active,  41 in conflict",
        "step 0: ",
        "sequential only: 27 colors",
        "both: 37 colors, 7 rounds",
    ],
    "gpu_jacobian.py": ["largest difference 0.0" if lagcolor.has_gpu() else "nothing to show: a GPU was requested"],
    "ipgc_worklist.py": [
        "round  3, topology-driven: 44 assigned, 32 in conflict",
        "round  4, data-driven: 32 assigned, 15 in conflict",
        "8 colors in 8 rounds\n 1 threads: topology, 0 conflicts;\n16 threads: topology, ",
    ],
    "jax_hessian.py": ["Hessian-vector products for 576 unknowns", "gradient "],
    "large_graph.py": ["4,096 vertices, 23,868 edges", "7 colors, checked: True", "most memory at once"],
    "pytensor_jacobian.py": ["3 products, 5,998 entries" if find_spec("pytensor") else "nothing to show: PyTensor"],
    "scipy_least_squares.py": ["3 colors", "Jacobians and 25 evaluations", "the same solution: True"],
    "file_and_save.py": ["copter2.json", "0 conflicts"],
    "luby_by_hand.py": ["luby_is: 15 colors", "jones_plassmann_gb: 11 colors", "luby_mis: 7 colors, as in the library"],
    "networkx_backend.py": ["DSATUR: 16 colors", *(BACKEND_PRINTS if BACKEND else ["install lagcolor anew"])],
    "networkx_labels.py": ["10 colors for 77 vertices", "0: ", "9: "],
    "poisson_cg.py": ["13,824 unknowns on", "2 colors", "Jacobi: ", "IC(0): ", "updated, colors as before"],
    "mesh_assembly.py": ["27,000 elements: 8 colors of 3,375 elements", "the same as one after the other: True"],
    "contact_solver.py": ["at most 9 colors; mean overlap: Gauss–Seidel 0.00"],
    "pauli_groups.py": ["qubitwise: 3 groups of 32 strings", "measure ZZZZZZZZ for 8 strings", "16 qubits"],
    "on_the_gpu.py": ["2 colors on cuda:0" if lagcolor.has_gpu() else "nothing to show: a GPU was requested"],
    "smoother.py": [
        "2 colors for 40,000 vertices",
        "the same to rounding: True",
        "by color: residual 8.7%",
        "one by one: residual 6.2%",
        "after 10 cycles: residual 0.3%",
    ],
}


def needs(example: Path) -> list[str]:
    """The extras that an example names."""
    return [name.strip("[]") for name in extras.needs(extras.introduction(example)) if name[0] == "["]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example(example: Path, tmp_path: Path, forks: Forks) -> None:
    done = forks.run(SCRIPT, str(example), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for text in PRINTS[example.name]:
        assert text in done.stdout
    if example.name == "file_and_save.py":
        document = json.loads((tmp_path / "copter2.json").read_text())
        assert document["algorithm"] == "first_fit"
        assert lagcolor.verify(ROOT / "examples/data/copter2.npz", np.array(document["colors"])).ok
    if example.name == "demo.py":
        assert (tmp_path / "demo/colors.png").read_bytes().startswith(b"\x89PNG")


WITHOUT = """
import runpy, sys
sys.modules |= dict.fromkeys(["asdex", "distributed", "graphblas", "jax", "matplotlib", "networkx", "rich"])
for path in sys.argv[1:]:
    print("example")
    try:
        runpy.run_path(path, run_name="__main__")
    except (Exception, SystemExit) as e:
        print(type(e).__name__, e)
"""


def test_an_example_names_the_extra_that_is_missing(tmp_path: Path) -> None:
    """One of each kind, in one process."""
    examples = list({tuple(needs(e)): e for e in EXAMPLES if needs(e)}.values())
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WITHOUT, *map(str, examples)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    for example, shown in zip(examples, done.stdout.split("example\n")[1:], strict=True):
        assert f"pip install 'lagcolor[{','.join(needs(example))}]', or" in shown, shown
        assert "ModuleNotFoundError" not in shown, shown


@pytest.mark.emulated
@pytest.mark.parametrize("name", ["elementwise_kernels", "luby_by_hand", "frontier_by_hand"])
def test_an_example_on_an_emulated_gpu(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)  # it saves its picture there
    runpy.run_path(str(ROOT / f"examples/{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    if name == "elementwise_kernels":
        lines = printed.splitlines()[1:]
        assert printed.startswith("by hand: 15 colors, equal to elementwise_is\n")
        assert len(lines) == sum(row.startswith("elementwise_") for row in lagcolor.ALGORITHMS) > 3
        assert all(re.fullmatch(r"elementwise_\w+: \d+ colors, equal to \w+", line) for line in lines)
    else:
        assert all(text in printed for text in PRINTS[f"{name}.py"])


def test_data_is_as_its_table_says() -> None:
    import csv

    from lagcolor.orders import degeneracy

    with open(ROOT / "examples/data/graphs.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    assert {f"{row['name']}.npz" for row in rows} == {p.name for p in (ROOT / "examples/data").glob("*.npz")}
    for row in rows:
        G = lagcolor.Graph.of(ROOT / "examples/data" / f"{row['name']}.npz")
        figures = (G.n, G.n_edges, G.max_degree, degeneracy(G))
        assert figures == tuple(int(row[k]) for k in ("vertices", "edges", "max_degree", "degeneracy"))
        colors = lagcolor.color(G, order="smallest_last").n_colors
        assert int(row["clique_lower_bound"]) <= colors <= int(row["degeneracy"]) + 1
        assert colors >= int(row["optimal_colors"] or 0)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks: Forks) -> None:
    """Blocks in their order, in one folder: `$` lines by the shell, `>>>` lines by doctest, in one namespace."""
    monkeypatch.chdir(tmp_path)
    page_blocks.run(page, before=f'lagcolor() {{ {shlex.join(forks.lagcolor)} "$@"; }}; ')
