"""Canonical CSR of arrays of a GPU on which canonical.cu does not compile: canonical_cpu.py on copies of them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base import device as dev
from . import canonical_cpu


def __getattr__(name: str) -> Any:
    """A function of canonical_cpu.py that takes and gives arrays of the GPU."""
    return functools.partial(_on_the_host, getattr(canonical_cpu, name))


def _on_the_host(function: Any, *args: Any) -> Any:
    cp = dev.cupy()
    found = function(*(x.get() if dev.is_cupy(x) else x for x in args))
    if not isinstance(found, tuple):
        return found
    return tuple(cp.asarray(x) if isinstance(x, np.ndarray) else x for x in found)
