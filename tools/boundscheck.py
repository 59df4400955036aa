"""Run tests of all compiled loops with bounds checks: an index out of range raises an IndexError.

    python tools/boundscheck.py                 run the selection below, and check that it compiles every loop
    python tools/boundscheck.py -- PYTEST…      run other tests, such as tests/reference/test_tabu.py -k crossover

Compiled code reads and writes past the end of an array without an error, and a test may still pass. With
NUMBA_BOUNDSCHECK=1, numba compiles a check of each index, and the atomic and vector operations of
lagcolor/base/device/intrinsics.py do the same. Numba's cache does not distinguish code with checks from code without,
so this code is in a separate folder, build/boundscheck.

The run fails if the selection leaves a function with `njit(cache=True)` uncompiled. Functions with `inner` have checks,
too, but the run does not check whether each of them is compiled.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lagcolor.base import caches

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "boundscheck"
PACKAGE = "lagcolor"
LEFT_OUT = ["-m", "not emulated and not gpu and not slow", "-k", "not 1100"]
SELECTION: dict[str, str] = {  # test file → its tests
    "algorithms": "own_priorities threads trace",
    "many_colors": "greedy chunks_on_copies task_and_speculative_round",
    "parallel_greedy": "chunks_on_copies_wait ranges_of_ids_wait lattices_are_guessed ids_in_order_on_threads "
    "exactly_one_end_yields",
    "first_fit": "chunks",
    "orders": "every_order_is_a_permutation",
    "pool": "colors_equal_colors_of_one_thread more_colors_than_a_word_has_are_found_again "
    "ids_by_hash_are_in_the_order_of_numpy a_fault_ends_waiting_threads",
    "inputs_threads": "any_number_of_threads_makes_the_same_graph any_number_of_threads_makes_the_same_pattern "
    "indices_out_of_range_are_named extremes_and_falls the_check_names_the_first_fault the_check_of_other_problems "
    "the_transpose_of_any_pattern the_transpose_by_many_threads",
    "powers": "powers_of_the_corpus any_colors",
    "edges": "corpus tables_against_dicts lower_keeps_what_it_cannot_color the_verifier_finds_each_conflict "
    "classes_of_one_size_by_paths",
    "rlf": "equals_its_definition",
    "mesh_elements": "random_elements shuffled_hexahedra_take_8_colors",
    "color_pairs": "first_fit_and_even_classes_of_as_many_colors",
    "net_qualities": "over_the_budget the_graph_of_conflicts meshes_in_their_own_order_take_the_optimum",
    "two_hop": "any_order rows_in_an_order passes_of_more_colors_than_threads orders_of_any_pattern any_colors "
    "colors_at_the_limits_of_the_tables",
    "star_acyclic": "first_fit_is_that_of_the_plain_loop vertices_of_a_window_that_meet",
    "bicoloring": "first_fit covers",
    "recovery": "bicolorings choices_are_listed_once",
    "problem_definitions": "colorings_of_small_graphs colorings_of_small_patterns",
    "derivatives": "every_order_of_every_kind",
    "hessian_neutral": "shapes",
    "rules": "corpus random_inputs forbidden_and_fixed_colors_of_later_words",
    "rules_search": "any_rules_on_small_graphs planted_colorings_are_found space_is_made dsatur_with_many_colors",
    "partial": "small_graphs_against_all_colorings any_rules_against_all_colorings tables_of_swaps_stay_true",
    "rules_checks": "broken_colorings",
    "certificates": "an_exhaustive_search_is_repeated certificates_of_the_corpus_hold",
    "tabu": "tables_stay_true a_full_tabu_list_changes_nothing_else crossover a_descent_is_proper_and_goes_on",
    "exact": "against_all_colorings more_than_a_word_of_colors the_kernel_is_the_core_of_networkx proofs_by_components "
    "largest_cliques more_colors_than_a_mask_holds bitmaps_at_word_boundaries",
    "learning": "all_colorings_are_found_once squares_are_counted limits_leave_the_same_search",
    "clique": "random_graphs many_candidates_are_compared_by_degree intervals_that_meet "
    "a_clique_at_the_highest_color_is_no_larger_than_the_largest",
    "twins": "random_graphs a_sample_tells_whether_there_are_twins",
    "samples_gpu": "a_mesh_in_another_numbering_is_none",
    "quality": "two_colors_where_two_do ejections_in_one_compiled_call_have_the_same_colors",
    "graph": "components_and_sides",
    "balance": "corpus with_rules",
    "equitable": "where_the_large_class_does_not_reach_the_small_one from_any_coloring swaps_where_no_vertex_can_move "
    "gaps_are_filled",
    "reduce": "random_graphs",
    "ejections_at_once": "equal_to_the_reference_on_random_graphs",
    "reduce_methods": "heuristics_equal_the_reference_on_random_graphs threads_give_the_same_colors "
    "ejections_on_threads_equal_ejections_on_one ejection_reaches_what_is_known",
    "changes": "first_fit_again keep many_colors",
    "pauli": "random degrees threads_do_not_matter the_check_counts_as_the_definition more_than_512_groups",
    "color_implicit": "random",
    "computed_qualities": "the_stored_graph",
    "networkx_backend": "colors_of_networkx independent_sets_by_definition independent_set_whatever_the_hashes "
    "two_colors_in_the_order_of_networkx "
    "independent_set_where_tables_are_rebuilt",
    "verify": "each_single_conflict_is_found millions_of_conflicts_are_counted_and_five_named",
    "inputs_canonical": "edges_and_matrices_of_the_corpus any_entries",
    "inputs_dense": "any_matrix",
    "io_round_trip": "random_graphs",
    "io_threads": "pairs_of_small_texts rows_of_small_texts files_of_graphs",
    "folder": "round_trip rows_that_are_no_graph",
    "convert": "random_files",
    "disk_coloring": "colors_equal_colors_in_memory the_check_of_a_folder_reports_what_that_in_memory_does",
    "scale_dask": "any_colors_to_begin_with the_colors_of_color",
    "frontier_operators": "advance advance_claims_each_once filter_and_compute helpers",
    "solvers_smoothing": "any_number_of_threads_gives_the_same faults_are_named_on_threads",
    "solvers_grid": "by_definition corpus",
    "solvers_inputs": "bsr_has_its_own_block_size both_ways_to_make_triangles_agree",
    "feluca": "random_graphs",
    "che": "hybrid_of_random_graphs workgroup_waits_for_its_longest_row",
    "ecl_gc": "any_priorities steps_of_the_papers_example",
}

FOR_A_GPU = {  # functions that only kernels of a GPU need; tests of the emulated device run them
    ("lagcolor/engines/two_colored/star_cuda.py", "longest_chain"),
    ("lagcolor/scale/disk/on_gpu.py", "_copy"),
}


def environment() -> dict[str, str]:
    """Return the environment of the tests."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(CACHE), "PYTHONPATH": path}


def path_of(file: str) -> Path:
    """Return the test file of a row of the selection, outside tests/contract."""
    (path,) = set((ROOT / "tests").glob(f"*/test_{file}.py")) - set((ROOT / "tests/contract").iterdir())
    return path


def loops(root: Path = ROOT) -> set[tuple[str, str]]:
    """Return file and name of each function with cached machine code, without functions that are only inlined."""
    found = set()
    for file in (root / PACKAGE).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                words = ast.unparse(decorator)
                cached = (words.startswith("njit(") and "cache=True" in words) or words.startswith("parallel")
                if cached and "inline=" not in words:
                    found.add((str(file.relative_to(root)), node.name))  # type: ignore[attr-defined]
    return found


def compiled(cache: Path = CACHE) -> set[tuple[str, str]]:
    """Return folder and stem of the file, and name of each function compiled from the present sources."""
    found = set()
    sources = caches.folder_name(f"{ROOT / PACKAGE}/")
    for index in cache.glob(f"lagcolor/{sources}/*/*.nbi"):
        stem, _, function = index.name.partition(".")
        folder = index.parent.name.rpartition("_")[0]
        found.add((f"{folder}/{stem}.py", re.sub(r"-\d+\.\w+\.nbi$", "", function).rpartition(".")[2]))
    return found


def missing(wanted: Iterable[tuple[str, str]], there: set[tuple[str, str]]) -> list[str]:
    """Return the functions that were not compiled, as ``file: function``."""
    short = {(file, name): ("/".join(Path(file).parts[-2:]), name) for file, name in wanted}
    return sorted(f"{file}: {name}" for (file, name), at in short.items() if at not in there)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tests; return their exit status, or 1 if a loop was not compiled."""
    p = argparse.ArgumentParser(prog="tools/boundscheck.py", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("tests", nargs="*", help="arguments of pytest instead of the selection")
    args = p.parse_args(argv)
    chosen = [f"{path_of(file)}::test_{name}" for file, names in SELECTION.items() for name in names.split()]
    tests = args.tests or ["-n", "auto", "--dist", "worksteal", *LEFT_OUT, *chosen]
    status = subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], cwd=ROOT, env=environment()).returncode
    if status or args.tests:
        return status
    left = missing(loops() - FOR_A_GPU, compiled())
    for line in left:
        print(f"no test of the selection compiles {line}: add one to SELECTION in tools/boundscheck.py")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
