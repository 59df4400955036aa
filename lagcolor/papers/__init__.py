"""Algorithms as published: a module a paper, or a folder where it takes several files."""
