"""Arguments of a call, checked."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import GraphError
from ...core.options import choice, flag, resolve, whole
from ...inputs.sizes import whole as whole_n
from ...problems import DEFAULT
from ...run.request import Call, Request, refuse
from ..keys import GlobalOrder

PROBLEMS = (DEFAULT, "distance2")


@dataclass(frozen=True)
class Asked:
    """Arguments of a call, checked."""

    problem: str
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
    def of(
        cls, problem: Any, n: Any, order: Any, seed: Any, parts: Any, core: Any, device: Any, verify: Any, trace: Any
    ) -> Asked:  # fmt: skip
        """Those of `color`."""
        problem = choice("problem", problem, PROBLEMS)
        n = None if n is None else whole_n(n)
        if n is not None and n < 0:
            raise GraphError(f"n must not be negative, but is {n}")
        request = Request.of({"problem": problem, "algorithm": "first_fit", "order": order, "seed": seed})
        row, order, priorities = request.row, request.order, None
        if order is not None and not isinstance(order, str):
            order, priorities = "user", np.asarray(order)
        else:
            order = GlobalOrder.of(
                row.order if order is None else order, None, lambda: None, 1 + (problem != DEFAULT)
            ).name
            refuse(Call("color", "cluster", {"order": order}, problem))
        return cls(
            problem, n, order, resolve(seed, row.seed), priorities,
            whole("parts", parts, 1, none=True),
            whole("core", core, none=True), choice("device", device, ("cpu", "cuda", "auto")),
            flag("verify", verify, none=True), flag("trace", trace),
        )  # fmt: skip

    @property
    def hops(self) -> int:
        """Vertices that are up to so many edges apart have different colors."""
        return 1 if self.problem == DEFAULT else 2

    def record(self) -> dict[str, Any]:
        """What decides the files of a run."""
        given = None if self.priorities is None else zlib.crc32(np.ascontiguousarray(self.priorities).tobytes())
        return {"problem": self.problem, "n": self.n, "order": self.order, "seed": self.seed, "priorities": given,
                "parts": self.parts, "core": self.core}  # fmt: skip
