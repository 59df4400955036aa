"""Colorings of vertices that constrain each other through nets (`Nets`): distance 2, columns and rows."""
