"""Files that name vertices, problems or rules: graphs, colorings, edge colors, rules.

The public names are in `lagcolor.io`, which also has the table of formats. `graphs.py` reads and writes graphs; start
there. The command and `lagcolor.io` call this package. `lagcolor/io/` parses the formats.
"""
