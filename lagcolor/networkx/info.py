"""What NetworkX shows of this backend. It calls `get_info` whenever it is imported: nothing is imported here."""

from __future__ import annotations

from typing import Any

FUNCTIONS = {
    "greedy_color": "Undirected graphs. All strategies, and `interchange` where NetworkX takes it; `largest_first`, "
    "`random_sequential` and `connected_sequential_*`, with and without `interchange`, and `DSATUR` give NetworkX's "
    "colors. Your own strategy functions are run by NetworkX.",
    "equitable_color": "Undirected graphs. Class sizes differ by at most 1; which vertices share a class is not "
    "the same as in NetworkX.",
    "is_coloring": "Undirected graphs; by default only where the graph has been converted already.",
    "is_equitable": "Undirected graphs; by default only where the graph has been converted already.",
    "maximal_independent_set": "Undirected graphs without self-loops. A seed gives NetworkX's set.",
    "color": "Undirected graphs. NetworkX's two colors.",
}


def get_info() -> dict[str, Any]:
    """The dictionary that the entry point `networkx.backend_info` is to give."""
    return {
        "backend_name": "lagcolor",
        "project": "lagcolor",
        "package": "lagcolor",
        "short_summary": "Graph coloring by compiled code.",
        "description": "Graph coloring: greedy strategies, equitable colorings, independent sets.",
        "functions": {name: {"additional_docs": docs} for name, docs in FUNCTIONS.items()},
    }
