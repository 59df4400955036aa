"""The .npz files of compressions: a pattern, its colors, and their algorithm."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..api.result import Coloring
from ..base import device as dev
from ..base.errors import FormatError
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..io.csr import checked
from ..io.files import atomic
from ..io.json_text import parsed
from ..io.npy import archive
from ..problems import PROBLEMS
from .neutral import check, described

SCHEMA = 1
# The problems of each partition.
PARTITIONS: dict[str, tuple[str, ...]] = {
    "columns": ("columns",),
    "rows": ("rows",),
    "both": ("star_bicoloring", "acyclic_bicoloring"),
    "symmetric": ("star", "acyclic"),
}
ARRAYS = {"indptr", "indices", "colors", "facts"}
LABELS = ("labels", "column_labels")  # facts of a pattern with labels
STORED = ("rounds", "seconds", "order_seconds", "convert_seconds", "notes")  # attributes of a coloring


def write(path: str | os.PathLike[str], P: Pattern, partition: str, coloring: Coloring) -> None:
    """Write a compression, completely or not at all; `read` computes its index arrays again."""
    facts = {"schema": SCHEMA, "shape": P.shape, "partition": partition, "coloring": coloring.provenance()}
    for name in LABELS:
        labels = getattr(P, name)
        if labels is not None and all(map(_is_plain, labels := _items(labels))):
            facts[name] = [_packed(label) for label in labels]
    arrays = {
        "indptr": dev.to_device(P.indptr, "cpu"),
        "indices": dev.to_device(P.indices, "cpu"),
        "colors": coloring.to_numpy(),
        "facts": np.array(json.dumps(facts, default=str)),
    }
    with atomic(Path(path)) as out:
        np.savez_compressed(out, **arrays)


def read(path: str | os.PathLike[str], device: str) -> tuple[Pattern, str, Coloring]:
    """Read a file of `write` to a device; return pattern, partition and coloring, which is checked."""
    arrays, facts = _arrays(Path(path))
    try:
        return _compression(arrays, facts, device)
    except ValueError as e:
        raise damaged(Path(path), e) from e


def _arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with archive(path) as members:
            known = members.names == ARRAYS
            arrays = {name: members[name] for name in ARRAYS} if known else {}
        facts = parsed(str(arrays["facts"])) if known else None
    except ValueError as e:
        what = f"no .npz file of Compression.save, or a damaged one ({e}): write it with C.save(path)"
        raise FormatError(f"{path}: {what}") from e
    if not isinstance(facts, dict) or facts.get("schema") != SCHEMA:
        raise FormatError(f"{path}: no compression that this version reads: compute it again with jacobian or hessian")
    _check(path, arrays, facts)
    return arrays, facts


def _check(path: Path, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    """Check that facts have the right types, and that the arrays are a pattern and colors."""
    coloring = facts.get("coloring")
    about: dict[str, Any] = {**coloring, **facts} if isinstance(coloring, dict) else facts
    for name, fits in FACTS.items():
        if not fits(about.get(name)):
            raise damaged(path, f"{name} is {str(about.get(name))[:60]!r}")
    if about.get("problem") not in PARTITIONS[facts["partition"]]:
        raise damaged(path, f"problem is {str(about.get('problem'))[:60]!r} of partition {facts['partition']!r}")
    for name in ("indptr", "indices", "colors"):
        if arrays[name].dtype.kind not in "iu" or arrays[name].ndim != 1:
            raise damaged(path, f"{name} holds {arrays[name].dtype} of shape {arrays[name].shape}")
    rows, columns = facts["shape"]
    checked(path, arrays["indptr"], arrays["indices"], rows, columns)
    colors = arrays["colors"]
    lines = {"rows": rows, "columns": columns, "symmetric": columns, "both": rows + columns}[facts["partition"]]
    if len(colors) != lines or colors.min(initial=0) < -1 or colors.max(initial=0) >= 2**31:
        raise damaged(path, f"colors are {len(colors)} numbers, not {lines} from -1 on")


def damaged(path: Path, what: Any) -> FormatError:
    """Return the error for a damaged file."""
    return FormatError(f"{path}: a damaged compression ({what}): compute it again with jacobian or hessian")


def _is_count(x: Any) -> bool:
    return type(x) is int and 0 <= x < 2**31


def _is_time(x: Any) -> bool:
    return type(x) in (int, float) and 0 <= x < 2**63


# The check of each fact of the file and of its coloring.
FACTS: dict[str, Callable[[Any], bool]] = {
    "shape": lambda x: isinstance(x, list) and len(x) == 2 and all(map(_is_count, x)),
    "partition": lambda x: isinstance(x, str) and x in PARTITIONS,
    "algorithm": lambda x: isinstance(x, str),
    "order": lambda x: isinstance(x, str),
    "seed": lambda x: x is None or type(x) is int,
    "lower_bound": _is_count,
    "rounds": _is_count,
    "seconds": _is_time,
    "order_seconds": _is_time,
    "convert_seconds": _is_time,
    "notes": lambda x: x is None or isinstance(x, dict),
    **dict.fromkeys(LABELS, lambda x: x is None or (isinstance(x, list) and all(_is_plain(_unpacked(y)) for y in x))),
}


def _compression(arrays: dict[str, Any], facts: dict[str, Any], device: str) -> tuple[Pattern, str, Coloring]:
    rows, columns = facts["shape"]
    entries = np.repeat(np.arange(rows), np.diff(arrays["indptr"].astype(np.int64)))
    P = Pattern.of((entries, arrays["indices"]), shape=(rows, columns))
    of_rows, of_columns = ([_unpacked(x) for x in facts[name]] if name in facts else None for name in LABELS)
    for names, n in ((of_rows, rows), (of_columns, columns)):
        if names is not None and len(names) != n:
            raise ValueError(f"{len(names)} labels of {n} rows or columns")
    P = Pattern(P.indptr, P.indices, P.columns, of_rows, of_columns).on(device)
    made = facts["coloring"]
    G = Graph.of(P) if PROBLEMS[made["problem"]].symmetric else P
    colors = dev.to_device(arrays["colors"].astype(np.int32), P.device)
    more = {name: made[name] for name in STORED if name in made}
    coloring = Coloring(colors, G, made["algorithm"], made["order"], made.get("seed"), problem=made["problem"], **more)
    coloring = described(P, coloring)
    # The bound of products is less than the bound of a coloring, even if all colors remain.
    coloring.lower_bound = min(coloring.lower_bound, int(made["lower_bound"]))
    check(P, coloring)
    return P, facts["partition"], coloring


def _items(labels: Any) -> list[Any]:
    """Return the labels with numbers of Python instead of NumPy."""
    return [x.item() if isinstance(x, np.generic) else x for x in labels]


def _is_plain(label: Any) -> bool:
    """Whether JSON preserves a label; tuples are packed as lists."""
    if isinstance(label, tuple):
        return all(map(_is_plain, label))
    return label is None or type(label) in (str, int, float, bool)


def _packed(label: Any) -> Any:
    return [_packed(x) for x in label] if isinstance(label, tuple) else label


def _unpacked(label: Any) -> Any:
    return tuple(_unpacked(x) for x in label) if isinstance(label, list) else label
