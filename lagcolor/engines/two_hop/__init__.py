"""Colorings of vertices that constrain each other through nets (`Hops`): distance 2, columns and rows."""
