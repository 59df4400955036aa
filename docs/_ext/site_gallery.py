"""The gallery: examples by need, and whether the build runs them."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

# True: the build runs the example, one "On a GPU" on an emulated one. The others need more of a GPU, take long, write
# files, or show times alone, which differ from run to run and machine to machine.
GALLERY: dict[str, dict[str, bool]] = {
    "First calls": {
        "demo": False,
        "networkx_labels": True,
        "file_and_save": False,
        "networkx_backend": False,
    },
    "Derivatives and solvers": {
        "scipy_least_squares": True,
        "jax_hessian": True,
        "pytensor_jacobian": False,
        "smoother": True,
        "poisson_cg": True,
        "probing_a_diagonal": True,
    },
    "Meshes and simulation": {
        "mesh_assembly": True,
        "contact_solver": True,
    },
    "Schedules, circuits and messages": {
        "exam_timetable": True,
        "round_robin": True,
        "circuit_layers": True,
        "communication_rounds": True,
        "pauli_groups": True,
    },
    "Large graphs and graphs that change": {
        "large_graph": False,
        "edges_in_many_files": True,
        "coloring_in_a_loop": False,
        "changing_graph": True,
    },
    "On a GPU": {
        "on_the_gpu": False,
        "gpu_jacobian": False,
        "elementwise_kernels": True,
    },
    "Algorithms, step by step": {
        "compare_orders": False,
        "dimacs_comparison": True,
        "luby_by_hand": True,
        "frontier_by_hand": True,
        "osama_hash": True,
        "feluca_by_hand": True,
        "che_hybrid": True,
        "ecl_gc_shortcuts": True,
        "ipgc_worklist": True,
        "compare_with_graphblas": True,
    },
}
EXAMPLES = {name: run for part in GALLERY.values() for name, run in part.items()}
ON_GPU = tuple(GALLERY["On a GPU"])
_gpu = ExitStack()

CARD = re.compile(
    r"^\.\. raw:: html\n\n    <div class=\"sphx-glr-thumbcontainer\"(?:(?!thumbcontainer).)*?:doc:`/gallery/(\w+)`"
    r".*?^    </div>\n\n",
    re.MULTILINE | re.DOTALL,
)
TREE = re.compile(r"^\.\. toctree::\n   :hidden:\n\n(   /gallery/\w+\n)+", re.MULTILINE)
OPEN = '.. raw:: html\n\n    <div class="sphx-glr-thumbnails">\n\n.. thumbnail-parent-div-open\n\n'
CLOSE = ".. thumbnail-parent-div-close\n\n.. raw:: html\n\n    </div>\n\n"


def on_example(conf: dict[str, Any], file: str | None, when: str) -> None:
    """The tests' emulated GPU for an example that needs one; sphinx-gallery calls this before and after each."""
    if file is not None and EXAMPLES.get(name := Path(file).stem) and name in ON_GPU:
        import emulated

        _gpu.enter_context(emulated.emulated_gpu()) if when == "before" else _gpu.close()


def by_need(text: str) -> str:
    """The page of all examples, in parts."""
    cards = {match[1]: match[0] for match in CARD.finditer(text)}
    parts = [
        f"{title}\n{'-' * len(title)}\n\n{OPEN}{''.join(cards[name] for name in part)}{CLOSE}"
        for title, part in GALLERY.items()
        if cards
    ]
    start, end = text.find(OPEN), text.rfind(CLOSE)
    return text[:start] + "".join(parts) + TREE.sub(trees(), text[end + len(CLOSE) :]) if cards else text


def trees() -> str:
    """The lists of pages for the sidebar, one for each part."""
    return "".join(
        f".. toctree::\n   :hidden:\n   :caption: {title}\n\n{''.join(f'   /gallery/{name}\n' for name in part)}\n"
        for title, part in GALLERY.items()
    )
