"""Arguments of a call, checked."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import GraphError
from ...inputs.sizes import whole as whole_n
from ...options import choice, flag, whole
from ...options import seed as as_seed
from ...registry import TABLES
from ...strategies import meant
from ..keys import GlobalOrder


@dataclass(frozen=True)
class Asked:
    """Arguments of a call, checked."""

    n: int | None
    order: str
    seed: int | None
    priorities: np.ndarray | None
    parts: int | None
    core: int | None
    device: str
    verify: bool | None
    trace: bool

    @classmethod
    def of(cls, n: Any, order: Any, seed: Any, parts: Any, core: Any, device: Any, verify: Any, trace: Any) -> Asked:
        """Those of `color`.

        Raises
        ------
        OptionError
            One is none that it can take.
        """
        row = TABLES["distance1"]["first_fit"]
        n = None if n is None else whole_n(n)
        if n is not None and n < 0:
            raise GraphError(f"n must not be negative, but is {n}")
        priorities = None
        if order is not None and not isinstance(order, str):
            priorities = np.asarray(order)
            order = "user"
        order = row.order if order is None else order
        if priorities is None:
            order = GlobalOrder.of(meant("first_fit", order)[1], None, lambda: None, two_hops=False).name
        return cls(
            n, order, row.seed if seed is None else as_seed(seed), priorities, whole("parts", parts, 1, none=True),
            whole("core", core, none=True), choice("device", device, ("cpu", "cuda", "auto")),
            flag("verify", verify, none=True), flag("trace", trace),
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """What decides the files of a run."""
        given = None if self.priorities is None else zlib.crc32(np.ascontiguousarray(self.priorities).tobytes())
        return {"n": self.n, "order": self.order, "seed": self.seed, "priorities": given, "parts": self.parts,
                "core": self.core}  # fmt: skip
