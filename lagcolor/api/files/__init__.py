"""Files that name vertices, problems or rules: graphs, colorings, edge colors, rules.

Start with `graphs.py`, which reads and writes graphs. `colorings.py` has files of results, and
`rules.py` files of fixed, forbidden and allowed colors. The public names are in `lagcolor.io`, which also has the table
of formats. The command and `lagcolor.io` call this package.
"""
