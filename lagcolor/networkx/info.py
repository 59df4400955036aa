"""The description of this backend. NetworkX calls `get_info` at its import, so this module imports nothing."""

from __future__ import annotations

from typing import Any

FUNCTIONS = {
    "greedy_color": "Undirected graphs. All strategies, and `interchange` as in NetworkX; `largest_first`, "
    "`random_sequential` and `connected_sequential_*`, with and without `interchange`, and `DSATUR` give NetworkX's "
    "colors. Your own strategy functions are run by NetworkX.",
    "equitable_color": "Undirected graphs. Class sizes differ by at most 1; which vertices share a class is not "
    "the same as in NetworkX.",
    "is_coloring": "Undirected graphs; by default only if the graph is converted already.",
    "is_equitable": "Undirected graphs; by default only if the graph is converted already.",
    "maximal_independent_set": "Undirected graphs without self-loops. A seed gives NetworkX's set.",
    "color": "Undirected graphs. NetworkX's two colors.",
}


def get_info() -> dict[str, Any]:
    """Return the dictionary of the entry point `networkx.backend_info`."""
    return {
        "backend_name": "lagcolor",
        "project": "lagcolor",
        "package": "lagcolor",
        "short_summary": "Graph coloring by compiled code.",
        "description": "Graph coloring: greedy strategies, equitable colorings, independent sets.",
        "functions": {name: {"additional_docs": docs} for name, docs in FUNCTIONS.items()},
    }
