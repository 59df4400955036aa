"""Canonical arrays of the graph or pattern in a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..base import device as dev
from ..base.compile_clock import clock
from ..base.errors import FormatError, GraphError
from ..inputs import Arrays, PatternArrays, Structure, arrays_of_structure, pattern_of_structure
from ..inputs.ends import Ends
from ..inputs.sizes import sized
from ..io.files import name_of
from ..io.formats import read


def arrays_of_file(
    path: str | os.PathLike[str],
    symmetrize: bool = False,
    format: str | None = None,
    device: str | None = None,
    n: int | None = None,
    first_line: Any = None,
    simple: bool = False,
) -> Arrays:
    """Return the canonical arrays of a file; `lagcolor.io.read` calls this."""
    if device is not None:
        dev.parse_device(device)

    def compute(structure: Structure) -> Arrays:
        begun = clock()
        return arrays_of_structure(sized(structure, n), symmetrize, device, begun, simple)

    return of_file(path, symmetrize, format, first_line, compute)


def of_file[Result](path: str | os.PathLike[str], symmetrize: bool, format: str | None, first_line: Any,
            compute: Callable[[Any], Result], matrix: bool = False) -> Result:  # fmt: skip
    """Return ``compute(structure)`` for a file. A GraphError names the file, and the line if it is known.

    `matrix`: a list of edges is read as pairs of row and column, as `Ends` or a `Structure`.
    """
    structure = read(path, symmetrize, format, first_line, matrix)
    try:
        return compute(structure)
    except FormatError:
        raise
    except GraphError as e:
        line_of = getattr(structure, "line_of", None)
        where = f", line {line_of(*e.entry)}" if line_of is not None and e.entry is not None else ""
        error = type(e)(f"{name_of(path)}{where}: {e}")
        error.entry = e.entry
        raise error from e


def pattern_arrays_of_file(
    path: str | os.PathLike[str], shape: tuple[int, int] | None, device: str | None, format: str | None, first_line: Any
) -> PatternArrays:
    """Return the canonical arrays of a file as a matrix of any shape; `Pattern.of` calls this."""
    if device is not None:
        dev.parse_device(device)

    def compute(found: Structure | Ends) -> PatternArrays:
        structure = found.matrix(shape) if isinstance(found, Ends) else found
        if structure.check is not None:
            structure.check(structure.distinct_edges())
        begun = clock()
        return pattern_of_structure(sized(structure, None), shape, device, begun)

    return of_file(path, False, format, first_line, compute, matrix=True)
