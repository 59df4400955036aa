"""`RawModule`: CUDA C++ compiled by the C++ compiler, each text once a machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cuda_emulator
import numpy as np

from .array import ndarray
from .runtime import LEDGER, current, demand


class RawModule:
    """Compiles like `cupy.RawModule`, includes and macros taken from the options.

    A module belongs to the device that is current when it is made, and so do its kernels.
    """

    def __init__(self, code: str, options: tuple[str, ...] = (), backend: str = "nvrtc") -> None:
        assert backend == "nvrtc"
        LEDGER.note("compilation")
        self.device = current()
        folders = [Path(o[2:]) for o in options if o.startswith("-I")]
        macros = [o[2:].partition("=") for o in options if o.startswith("-D")]
        text = "".join(f"#define {name} {value or 1}\n" for name, _, value in macros) + paste(code, folders)
        self._module = cuda_emulator.RawModule(text)

    def get_function(self, name: str) -> RawKernel:
        return RawKernel(name, self._module.get_function(name), self.device)


class RawKernel:
    """A kernel of one device."""

    max_dynamic_shared_size_bytes = 1 << 16

    def __init__(self, name: str, run: Any, device: int) -> None:
        self.name, self._run, self.device = name, run, device

    def __call__(self, grid: Any, block: Any, args: tuple[Any, ...], **options: Any) -> None:
        self.kernel(grid, block, args, **options)

    @property
    def kernel(self) -> Function:
        """What the driver launches."""
        demand(self.device, "a kernel")
        return Function(self._run, self.device)


class Function:
    """Launches a kernel, if all that it is given is of its device."""

    ptr = 0

    def __init__(self, run: Any, device: int) -> None:
        self._run, self._device = run, device

    def __call__(
        self,
        grid: Any,
        block: Any,
        args: tuple[Any, ...],
        shared_mem: int = 0,
        stream: Any = None,
        enable_cooperative_groups: bool = False,
    ) -> None:
        demand(self._device, "a kernel")
        LEDGER.note("launch")
        self._run(grid, block, tuple(self._argument(i, x) for i, x in enumerate(args)), shared_mem)

    def _argument(self, i: int, x: Any) -> Any:
        if isinstance(x, ndarray):
            demand(x._device, f"argument {i}")
            return x.host
        assert not (isinstance(x, np.ndarray) and x.ndim), f"argument {i} is an array of the host"
        if isinstance(x, int) and (device := LEDGER.device_at(x)) is not None:
            demand(device, f"the memory that argument {i} points to")
        return x


def paste(code: str, folders: list[Path]) -> str:
    """The text with the headers that it includes from these folders in place, each once."""
    seen: set[Path] = set()

    def included(m: re.Match[str]) -> str:
        path = next((p for f in folders if (p := (f / m[1]).resolve()).exists()), None)
        if path is None:
            return m[0]
        if path in seen:
            return ""
        seen.add(path)
        return re.sub(r'^#include "(.*)"$', included, path.read_text().replace("#pragma once", ""), flags=re.MULTILINE)

    return re.sub(r'^#include "(.*)"$', included, code, flags=re.MULTILINE)
