"""The .npz files of compressions: a pattern, its colors, and what made them."""

from __future__ import annotations

import json
import os
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


def write(path: str | os.PathLike[str], P: Pattern, partition: str, coloring: Coloring) -> None:
    """Write a compression, whole or not at all; its index arrays are made again when it is read."""
    facts = {"schema": SCHEMA, "shape": P.shape, "partition": partition, "coloring": coloring.provenance()}
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
    P = Pattern.of((entries, arrays["indices"]), shape=(rows, columns)).on(device)
    made = facts["coloring"]
    G = Graph.of(P) if PROBLEMS[made["problem"]].symmetric else P
    colors = dev.to_device(arrays["colors"].astype(np.int32), P.device)
    coloring = Coloring(colors, G, made["algorithm"], made["order"], made["seed"], problem=made["problem"])
    coloring = described(P, coloring)
    check(P, coloring)
    return P, facts["partition"], coloring
