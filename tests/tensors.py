"""Stand-ins for tensors of other libraries."""

from __future__ import annotations

from typing import Any


class OnlyDLPack:
    """What a tensor of another library shows of itself."""

    def __init__(self, a: Any) -> None:
        self._a = a

    def __dlpack__(self, **options: Any) -> Any:
        return self._a.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._a.__dlpack_device__()
