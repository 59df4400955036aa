"""Nouns of the library: patterns, graphs, nets, tasks, results, the registry, options and errors."""
