"""The .npz files of compressions: a pattern, its colors, and what made them."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import device as dev
from ..errors import FormatError
from ..graph import Graph
from ..io.files import atomic
from ..pattern import Pattern
from ..problems import PROBLEMS
from ..result import Coloring
from .neutral import check, described

SCHEMA = 1
ARRAYS = {"indptr", "indices", "colors", "facts"}
LABELS = ("labels", "column_labels")  # facts that are there where a pattern has them
KEPT = ("rounds", "seconds", "order_seconds", "convert_seconds", "notes")  # of a coloring, as they were


def write(path: str | os.PathLike[str], P: Pattern, partition: str, coloring: Coloring) -> None:
    """Write a compression, whole or not at all; its index arrays are made again when it is read."""
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
    """What `write` wrote, on a device: pattern, partition and coloring, which is checked.

    Raises
    ------
    FormatError
        The file is none of these, or its colors are none of its pattern.
    OSError
        It cannot be opened.
    """
    arrays, facts = _arrays(Path(path))
    try:
        return _made(arrays, facts, device)
    except (KeyError, TypeError, ValueError, IndexError) as e:
        raise FormatError(f"{path}: a damaged compression ({e}): make it anew with jacobian or hessian") from e


def _arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with path.open("rb") as file_:
        archive = zipfile.is_zipfile(file_)
    if not archive:
        raise FormatError(f"{path}: no .npz file of Compression.save, or a part of one: make it with C.save(path)")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
            facts = json.loads(str(arrays["facts"]))
    except OSError:
        raise
    except Exception as e:  # zip and npy readers raise what they like on damaged files
        raise FormatError(f"{path}: no .npz file of Compression.save ({e})") from e
    if set(arrays) != ARRAYS or facts.get("schema") != SCHEMA:
        raise FormatError(f"{path}: no compression that this version reads: make it anew with jacobian or hessian")
    return arrays, facts


def _made(arrays: dict[str, Any], facts: dict[str, Any], device: str) -> tuple[Pattern, str, Coloring]:
    rows, columns = facts["shape"]
    entries = np.repeat(np.arange(rows), np.diff(arrays["indptr"]))
    P = Pattern.of((entries, arrays["indices"]), shape=(rows, columns))
    of_rows, of_columns = ([_unpacked(x) for x in facts[name]] if name in facts else None for name in LABELS)
    for names, n in ((of_rows, rows), (of_columns, columns)):
        if names is not None and len(names) != n:
            raise ValueError(f"{len(names)} labels of {n} rows or columns")
    P = Pattern(P.indptr, P.indices, P.columns, of_rows, of_columns).on(device)
    made = facts["coloring"]
    G = Graph.of(P) if PROBLEMS[made["problem"]].symmetric else P
    colors = dev.to_device(arrays["colors"].astype(np.int32), P.device)
    more = {name: made[name] for name in KEPT if name in made}
    coloring = Coloring(colors, G, made["algorithm"], made["order"], made["seed"], problem=made["problem"], **more)
    coloring = described(P, coloring)
    # That of products is less than that of a coloring, also where all colors stayed.
    coloring.lower_bound = min(coloring.lower_bound, int(made["lower_bound"]))
    check(P, coloring)
    return P, facts["partition"], coloring


def _items(labels: Any) -> list[Any]:
    """NumPy's numbers as Python's."""
    return [x.item() if isinstance(x, np.generic) else x for x in labels]


def _is_plain(label: Any) -> bool:
    """Whether JSON gives a label back, which has no tuples: these are packed."""
    if isinstance(label, tuple):
        return all(map(_is_plain, label))
    return label is None or type(label) in (str, int, float, bool)


def _packed(label: Any) -> Any:
    return [_packed(x) for x in label] if isinstance(label, tuple) else label


def _unpacked(label: Any) -> Any:
    return tuple(_unpacked(x) for x in label) if isinstance(label, list) else label
