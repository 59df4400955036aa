"""Tuned engines, one per idea, which the algorithms of papers and the qualities of `color` share."""
