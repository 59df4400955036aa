"""Speculative coloring: color at once, find conflicts, repair."""
