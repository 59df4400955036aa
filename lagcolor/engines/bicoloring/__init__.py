"""Bicolorings of rows and columns: star and acyclic first-fit of their bipartite graph, and neutral colors."""
