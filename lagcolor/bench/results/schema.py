"""The schema of result files: which keys a line of each kind has, and of which types. docs/bench.md explains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import FormatError

SCHEMA = 2
Row = dict[str, Any]

NUMBER = (int, float)
TEXT, COUNT, OBJECT, LIST = (str,), (int,), (dict,), (list,)
NULL = (type(None),)

GRAPH = {"graph": TEXT, "spec": TEXT, "n": COUNT, "m": COUNT, "max_degree": COUNT}
UNKNOWN_GRAPH = {key: (*types, *NULL) for key, types in GRAPH.items()}
CODE = {"code": TEXT, "device": TEXT, "options": OBJECT}

REQUIRED: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "meta": {
        "schema": COUNT, "date": TEXT, "commit": TEXT, "command": LIST, "device": TEXT, "hardware": OBJECT,
        "versions": OBJECT, "settings": OBJECT,
    },
    "graph": GRAPH,
    "run": {"graph": TEXT, **CODE},
    "measurement": {"graph": (*TEXT, *NULL), **CODE, "figures": OBJECT},
    "reference": {"graph": TEXT, "code": TEXT, "colors": (*COUNT, *NULL), "ms": (*NUMBER, *NULL), "from": TEXT},
}  # fmt: skip
OPTIONAL: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "meta": {},
    "graph": {"degrees": LIST},
    "run": {
        **{key: types for key, types in UNKNOWN_GRAPH.items() if key != "graph"}, "variant": TEXT, "style": TEXT,
        "order": TEXT, "status": TEXT, "ms_all": LIST, "verified": (bool, *NULL), "same_colors": (bool, *NULL),
        "partial": (bool,), "notes": OBJECT, "trace": (*LIST, *NULL), "error": (*TEXT, *NULL),
        **dict.fromkeys(("seed", "threads", "colors", "rounds", "memory_bytes"), (*COUNT, *NULL)),
        **dict.fromkeys(("floor_ms", "ms", "order_ms", "convert_ms"), (*NUMBER, *NULL)),
    },
    "measurement": {key: types for key, types in UNKNOWN_GRAPH.items() if key != "graph"},
    "reference": {"n_there": COUNT, "m_there": COUNT},
}  # fmt: skip
STATUSES = ("ok", "failed", "timeout", "absent")
HARDWARE = ("cpu", "cores", "system", "load", "gpu", "cuda", "driver")


def check(row: Any) -> None:
    """Refuse what is no line of a result file.

    Raises
    ------
    FormatError
        The message names the key; the caller knows file and line.
    """
    if not isinstance(row, dict):
        raise FormatError("not a JSON object")
    kind = row.get("kind")
    if not isinstance(kind, str) or kind not in REQUIRED:
        raise FormatError(f"kind is {kind!r}, not one of {', '.join(REQUIRED)}")
    if kind == "meta" and row.get("schema") != SCHEMA:
        raise FormatError(f"schema {row.get('schema')}, not {SCHEMA}: of another version of lagcolor; measure again")
    required, optional = REQUIRED[kind], OPTIONAL[kind]
    if missing := [key for key in required if key not in row]:
        raise FormatError(f"a {kind} line without {', '.join(missing)}")
    types = {**required, **optional, "kind": TEXT}
    for key, value in row.items():
        if key not in types:
            raise FormatError(f"a {kind} line has no key {key!r}")
        if not isinstance(value, types[key]) or (isinstance(value, bool) and bool not in types[key]):
            raise FormatError(f"{key} of a {kind} line is {value!r}")
    if row.get("status", "ok") not in STATUSES:
        raise FormatError(f"status is {row['status']!r}, not one of {', '.join(STATUSES)}")
    if kind == "measurement":
        _check_figures(row["figures"])
    if not all(isinstance(ms, NUMBER) for ms in row.get("ms_all", ())):
        raise FormatError(f"ms_all of a run line is {row['ms_all']!r}")


def _check_figures(figures: Mapping[str, Any]) -> None:
    for name, value in figures.items():
        values = value if isinstance(value, list) else [value]
        if not all(x is None or isinstance(x, NUMBER) for x in values):
            raise FormatError(f"figure {name!r} of a measurement line is {value!r}, not a number nor a list of numbers")
