"""Searches for colorings with rules: all vertices, or as many as possible (``partial=``).

Start with `rule_search.py`: `rows` are first-fit, DSATUR, ejection and clause learning in turn. `partial.py`
leaves out vertices. What a rule is, and how it is read and checked, is in `problems/rules/`. `api/session.py` calls
this folder if a call has rules.
"""
