"""Verbs that run on the device of what they are given, whichever device is current.

Operands name the device, so that a caller with several GPUs need not make one current for each verb. A verb without an
operand on a GPU, such as ``full`` or ``from_numpy`` of host memory, uses the current device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .algebra import BinaryOp, Monoid, Semiring, UnaryOp
from .devices import DeviceError
from .storage import Matrix, Vector

PLAIN = frozenset({type(None), bool, int, float, str, BinaryOp, Monoid, Semiring, UnaryOp})  # they live on no device


def on_operands_device(engine: type) -> type:
    """Class decorator: each public method of an engine that holds CuPy as `cp` runs where its operands are."""
    for name in dir(engine):
        verb = getattr(engine, name)
        if not name.startswith("_") and callable(verb):
            setattr(engine, name, _placed(name, verb))
    return engine


def _placed(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        device = -1
        for x in (*args, *kwargs.values()) if kwargs else args:
            kind = type(x)
            if kind is Vector:
                here = getattr(x.values.data, "device_id", -1)  # x.values.device would make an object each time
            elif kind is Matrix:
                here = getattr(x.indices.data, "device_id", -1)
            elif kind in PLAIN:
                continue
            else:
                here = getattr(getattr(x, "device", None), "id", -1)
            if here != device and here >= 0:
                if device >= 0:
                    raise DeviceError(f"{name}: operands on devices {device} and {here}; all must be on one")
                device = here
        if device < 0 or device == self.cp.cuda.runtime.getDevice():
            return verb(self, *args, **kwargs)
        with self.cp.cuda.Device(device):
            return verb(self, *args, **kwargs)

    return run
