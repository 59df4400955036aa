"""Acyclic colorings: first-fit, and the order in which entries are substituted."""
