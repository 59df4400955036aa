"""The public functions, a file each, and what every call shares: request, session, result, files.

Start with `color.py`. `request.py` checks the options and refuses combinations, `session.py` runs the call, and
`result.py` has `Coloring`. `color_implicit.py` has the session for graphs with computed edges. `places.py` names the
modules for folders on disk and for several GPUs. `files/` reads and writes graphs, colorings and rules.
"""
