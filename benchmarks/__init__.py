"""Measurements: lagcolor and its peers on the same graphs, on the same machine, in one run."""
