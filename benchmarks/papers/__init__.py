"""Measurements of single papers, repeated: one module per table or figure."""
