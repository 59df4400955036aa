"""Tabu searches for a coloring with k colors: TabuCol, PartialCol, and HEAD with these, on CPU threads and on a GPU."""
