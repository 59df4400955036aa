"""The schema of result files: keys of each kind of line, and their types, as in docs/development/bench.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lagcolor.base.errors import FormatError

SCHEMA = 2
Row = dict[str, Any]

NUMBER = (int, float)
TEXT, COUNT, OBJECT, LIST = (str,), (int,), (dict,), (list,)
NULL = (type(None),)

GRAPH: dict[str, tuple[type, ...]] = {"graph": TEXT, "spec": TEXT, "n": COUNT, "m": COUNT, "max_degree": COUNT}
UNKNOWN_GRAPH: dict[str, tuple[type, ...]] = {key: (*types, *NULL) for key, types in GRAPH.items()}
CODE: dict[str, tuple[type, ...]] = {"code": TEXT, "device": TEXT, "options": OBJECT}

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
# What each item of a list, and each value of an object, is.
ITEMS: Mapping[str, tuple[type, ...]] = {
    "command": TEXT, "ms_all": NUMBER, "degrees": LIST, "trace": OBJECT, "versions": (*TEXT, *NULL),
}  # fmt: skip
STATUSES = ("ok", "failed", "timeout", "absent")
TRACED = ("active", "colored", "conflicts")  # numbers of a round
HARDWARE = ("cpu", "cores", "system", "load", "gpu", "cuda", "driver")


def check(row: Any) -> None:
    """Refuse what is no line of a result file."""
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
        if not _fits(value, types[key]):
            raise FormatError(f"{key} of a {kind} line is {value!r}")
    if row.get("status", "ok") not in STATUSES:
        raise FormatError(f"status is {row['status']!r}, not one of {', '.join(STATUSES)}")
    if kind == "measurement":
        _check_figures(row["figures"])
    for key, allowed in ITEMS.items():
        _check_items(kind, key, row.get(key) or (), allowed)
    if kind == "meta":
        _check_hardware(row["hardware"])
    for bin_ in row.get("degrees", ()):
        if len(bin_) != 2 or not all(_fits(x, COUNT) for x in bin_):
            raise FormatError(f"degrees of a graph line have {bin_!r}, not a degree and a count")
    for round_ in row.get("trace") or ():
        if not all(_fits(round_.get(key), (*NUMBER, *NULL)) for key in TRACED):
            raise FormatError(f"trace of a run line has {round_!r}, not numbers of {', '.join(TRACED)}")


def _check_items(kind: str, key: str, value: Any, types: tuple[type, ...]) -> None:
    for item in value.values() if isinstance(value, dict) else value:
        if not _fits(item, types):
            raise FormatError(f"{key} of a {kind} line has {item!r}")


def _check_hardware(hardware: Mapping[str, Any]) -> None:
    types = {"cpu": (*TEXT, *NULL), "cores": (*COUNT, *NULL), "gpu": (*TEXT, *NULL)}
    for key, allowed in types.items():
        if not _fits(hardware.get(key), allowed) or (key not in hardware and key != "gpu"):
            raise FormatError(f"{key} in hardware of a meta line is {hardware.get(key, 'missing')!r}")


def _fits(value: Any, types: tuple[type, ...]) -> bool:
    """Whether a value has one of these types; a bool is no number, and a whole number fits int64."""
    if isinstance(value, bool) and bool not in types:
        return False
    return isinstance(value, types) and not (isinstance(value, int) and abs(value) >= 2**63)


def _check_figures(figures: Mapping[str, Any]) -> None:
    for name, value in figures.items():
        values = value if isinstance(value, list) else [value]
        if not all(_fits(x, (*NUMBER, bool, *NULL)) for x in values):
            raise FormatError(f"figure {name!r} of a measurement line is {value!r}, not a number nor a list of numbers")
