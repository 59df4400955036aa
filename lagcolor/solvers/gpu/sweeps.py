"""Sweeps over the colors of a matrix on a GPU: their steps, and how they are launched.

A step updates the rows of a color; see sweep.cuh. The ways to launch the steps of a sweep:

===========  =========================================================================================================
launches     a launch per step; a run of small colors is one launch of one block
graph        these launches, captured once as a CUDA graph; within a capture of the caller, as "launches"
cooperative  one launch for all: blocks wait for each other after a step; one block runs consecutive small colors
===========  =========================================================================================================

The hubs of a color need another launch (hubs.cu), so that a matrix with hubs has no cooperative launch. If all colors
are small, one launch of one block runs them in each mode, because its barriers are the fastest.

Temporary memory of a sweep belongs to a stream. So calls on several streams are independent, and calls on one stream
run one after the other. A lock keeps the launches of a call together if several threads use a stream.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.pinned import Pinned
from ...base.device.source import WrongDeviceError, has_cooperative_launch
from ...base.errors import DeviceError
from .slices import C_TYPES, WARP, Slices

SOURCE, HUBS = (dev.Source(__file__, name) for name in ("sweep.cu", "hubs.cu"))
TOGETHER = 1024  # threads of a block that updates small colors, or a hub
SMALL = TOGETHER // WARP  # most slices of a color that one block updates as fast as several
KERNELS = ("lower_color", "upper_color", "any_color", "small_colors", "aim")
LARGE, PART = 1 << 20, 32  # from LARGE slots on, a last step with at least 1 / PART of them writes all results
MODES = ("launches", "graph", "cooperative")

# As in sweep.cu.
RHS, KEEP, TIMES, LOWER, UPPER, SLOT, OUT, RELAX, ALONE, LOCAL, OTHERS = (1 << i for i in range(11))

Steps = list[tuple[int, int]]  # color, flags


def preconditioner(colors: int, sweep: str) -> Steps:
    """Return the steps of one application: a forward sweep, a backward sweep, or both."""
    last = colors - 1
    if sweep == "forward":
        return [(c, RHS | (LOWER if c else 0) | SLOT) for c in range(colors)]
    if sweep == "backward":
        return [(c, RHS | (UPPER if c < last else 0) | SLOT) for c in reversed(range(colors))]
    down = [(c, RHS | (LOWER if c else 0) | SLOT) for c in range(last)]
    turn = [(last, RHS | (LOWER if last else 0) | TIMES | SLOT)] if colors else []  # it has no upper entries
    return [*down, *turn, *((c, KEEP | UPPER | SLOT) for c in reversed(range(last)))]


def put_out(steps: Steps, table: np.ndarray, large: int) -> Steps:
    """Return steps with flags to write the results to `out`.

    The last step writes the results of all colors if there are many rows and it has enough of them, so that each
    sector of memory is written once. Otherwise the last step of each color writes its results, which is earlier.
    """
    final = {c: i for i, (c, _) in enumerate(steps)}
    slots = table[-1, 0] if len(table) else 0
    if steps and slots >= large and table[steps[-1][0], 3] * WARP * PART >= slots:
        return [*steps[:-1], *((c, flags & ~SLOT | OUT | OTHERS) for c, flags in steps[-1:])]
    return [(c, flags | (OUT if final[c] == i else 0)) for i, (c, flags) in enumerate(steps)]


def relaxation(colors: int, sweep: str, iterations: int, exact: bool) -> Steps:
    """Return the steps of several relaxations; `exact`: ω is 1, so that a second step of the same color is left out.

    Then old values are not read, because a NaN or infinite value times zero is NaN.
    """
    ahead, back = list(range(colors)), list(reversed(range(colors)))
    once = {"forward": ahead, "backward": back, "symmetric": ahead + back}[sweep]
    wanted = once * iterations
    if exact:
        wanted = [c for i, c in enumerate(wanted) if not i or wanted[i - 1] != c]
    old = 0 if exact else KEEP | RELAX
    return [(c, RHS | old | LOWER | UPPER | SLOT) for c in wanted]


@dataclass
class SweepBuffers:
    """Temporary memory and graphs of the sweeps on a stream."""

    w: Any
    arrived: Any
    buffers: Any
    graphs: dict[int, Any] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)


@dataclass
class SweepProgram:
    """The steps of a sweep, ready for launches."""

    steps: Steps
    on_device: Any
    shares: Any  # as in sweep.cuh: the part of each color that a slice of the last step writes to `out`
    runs: list[tuple[int, int]]  # (first, last): one step, or several small steps of one launch
    most: int  # most slices of a step


class Sweeps:
    """A matrix in slices, and sweeps over it."""

    layout: Slices
    dtype: np.dtype[Any]
    mode: str

    def __init__(
        self,
        layout: Slices,
        dtype: Any,  # Type of vectors
        *,
        ahead: int = 2,  # Entries that a lane reads at a time
        mode: str = "graph",  # One of `MODES`
        small: int = SMALL,  # Most slices of a color that one block updates alone
        large: int = LARGE,  # Slots from which on the last step writes the results of all colors
    ) -> None:
        cp = dev.cupy()
        self.layout, self.dtype, self.mode = layout, np.dtype(dtype), mode
        self._small, self._large = small, large
        self._has_hubs = bool(layout.hubs.any())
        if mode == "cooperative" and (self._has_hubs or not has_cooperative_launch(cp.cuda.runtime.getDevice())):
            self.mode = "graph"
        loops = {"LANES": layout.lanes, "BLOCK_SIZE": layout.b, "AHEAD": ahead}
        self._macros = loops | {"VECTOR": C_TYPES[self.dtype.name]}
        self._values: Any = None
        self._scale: Any = None
        self._scalars = cp.zeros(2, self.dtype)
        self._kernels: Any = None
        self._hub_kernels: Any = None
        self._programs: dict[Any, SweepProgram] = {}
        self._states: dict[int, SweepBuffers] = {}
        self._lock = threading.Lock()

    def load(self, values: Any, scale: Any, weight: float) -> None:
        """Set the values of all entries of the matrix, shape (m,) or (m, b, b), and of rows, (n,) or (n, b, b)."""
        scale = self.layout.by_slot(scale, self._scale)
        self._take(values, scale, weight)

    def load_sor(self, values: Any, omega: float, dtype: Any) -> bool:
        """Set the values for SOR, stored as `dtype`; return False, unchanged, if a number or pivot is bad."""
        with Pinned.take(1) as wrong:
            scale = self.layout.pivots(values, dtype, omega, wrong.ptr)
            if dtype != values.dtype:
                self.layout.fits(values, dtype, wrong.ptr)
            wrong.launched()
            if wrong.wait()[0]:
                return False
        if self._scale is not None and self._scale.dtype == dtype:
            self._scale[...] = scale
            scale = self._scale
        self._take(values, scale, 2 - omega)
        return True

    def _take(self, values: Any, scale: Any, weight: float) -> None:
        before = self._scale
        self._values, self._scale = self.layout.fill(values, scale.dtype, self._values), scale
        self._scalars[0] = weight
        if before is not scale:  # graphs refer to other arrays
            self._states.clear()
        self._kernels, self._hub_kernels = (
            source.of(**self._macros, STORAGE=C_TYPES[scale.dtype.name]) for source in (SOURCE, HUBS)
        )

    def apply(self, r: Any, out: Any, sweep: str) -> None:
        """Apply the preconditioner to `r`, shape (n · b,)."""
        program, state = self._program(sweep), self._state()
        with state.lock:
            self._run(program, state, r, out)

    def relax(self, x: Any, b: Any, omega: float, sweep: str, iterations: int) -> None:
        """Relax `x` towards the solution for `b`, in place."""
        state, layout = self._state(), self.layout
        program = self._program((sweep, iterations, omega == 1))
        if not program.steps:
            return
        with state.lock:
            self._scalars[1] = 1 - omega
            self._kernels.launch("enter", layout.slots, np.int32(layout.slots), layout.rows, x, state.w)
            self._run(program, state, b, x)

    # ---- programs --------------------------------------------------------------------------------------------------

    def _program(self, key: Any) -> SweepProgram:
        """Return the program of a sweep by its name, or of a relaxation by (sweep, iterations, whether ω is 1)."""
        if key not in self._programs:
            colors = len(self.layout.table)
            self._programs[key] = self._compose(
                preconditioner(colors, key) if isinstance(key, str) else relaxation(colors, *key)
            )
        return self._programs[key]

    def _compose(self, steps: Steps) -> SweepProgram:
        steps = put_out(steps, self.layout.table, self._large)
        slices = self.layout.table[:, 3].tolist()
        small = [slices[c] <= self._small and not self.layout.hubs[c] for c, _ in steps]
        flagged: Steps = []
        runs: list[tuple[int, int]] = []
        for i, (color, flags) in enumerate(steps):
            local = small[i] and i + 1 < len(steps) and small[i + 1]
            flagged.append((color, flags | (ALONE if small[i] else 0) | (LOCAL if local else 0)))
            if i and small[i] and small[i - 1]:
                runs[-1] = runs[-1][0], i + 1
            else:
                runs.append((i, i + 1))
        table = np.array(flagged, np.int32).reshape(-1, 2)
        most = max((slices[c] for c, _ in steps), default=0)
        return SweepProgram(flagged, dev.cupy().asarray(table), dev.cupy().asarray(self._shares(steps)), runs, most)

    def _shares(self, steps: Steps) -> np.ndarray:
        table = self.layout.table.astype(np.int64)
        shares = np.diff(np.append(table[:, 0], self.layout.slots)) // WARP
        if steps:
            last = steps[-1][0]
            shares = -(-(shares << 32) // table[last, 3])
            shares[last] = 0
        return shares.astype(np.uint64)

    # ---- launches --------------------------------------------------------------------------------------------------

    def _state(self) -> SweepBuffers:
        """Return the temporary memory for the current stream."""
        cp = dev.cupy()
        key = cp.cuda.get_current_stream().ptr
        state = self._states.get(key)
        if state is None:
            w = cp.empty(self.layout.slots * self.layout.b, self.dtype)
            with self._lock:
                new = SweepBuffers(w, cp.zeros(1, np.int32), cp.zeros(2, np.uint64))
                state = self._states.setdefault(key, new)
        return state

    def _run(self, program: SweepProgram, state: SweepBuffers, r: Any, out: Any) -> None:
        if not program.steps:
            return
        single = len(program.runs) == 1
        if not single and self.mode == "cooperative" and self._all_at_once(program, state, r, out):
            return
        if not single and self.mode == "graph" and self._graph(program, state, r, out):
            return
        self._one_by_one(program, state, r, out, np.uint64(0))

    def _arrays(self, state: SweepBuffers, r: Any, out: Any, buffers: Any) -> tuple[Any, ...]:
        triangles = (*self.layout.lower, self._values, *self.layout.upper, self._values)
        return (*triangles, self._scale, self.layout.rows, self._scalars, state.w, r, out, buffers)

    def _colors(self, program: SweepProgram) -> tuple[Any, ...]:
        return self.layout.on_device, program.shares, np.int32(len(self.layout.table))

    def _one_by_one(self, program: SweepProgram, state: SweepBuffers, r: Any, out: Any, buffers: Any) -> None:
        """Launch each step, and each run of small steps."""
        arrays = (*self._arrays(state, r, out, buffers), *self._colors(program))
        launch = self._kernels.launch
        for first, last in program.runs:
            if last - first > 1:
                numbers = np.int32(first), np.int32(last), state.arrived
                launch("small_colors", (1,), *arrays, program.on_device, *numbers, block=TOGETHER)
                continue
            color, flags = program.steps[first]
            *where, slices = self.layout.table[color]
            hubs = self.layout.hubs[color]
            if others := int(slices - hubs):
                name = "lower_color" if not flags & UPPER else "upper_color" if not flags & LOWER else "any_color"
                numbers = *where, np.int32(others), np.int32(flags)
                launch(name, others * WARP, *arrays, *numbers)
            if hubs:
                numbers = *where, slices, np.int32(flags)
                self._hub_kernels.launch("hub_rows", (int(hubs),), *arrays, *numbers, block=TOGETHER)

    def _all_at_once(self, program: SweepProgram, state: SweepBuffers, r: Any, out: Any) -> bool:
        """Run all steps by one cooperative launch; return False if the grid cannot be resident."""
        arrays = (*self._arrays(state, r, out, np.uint64(0)), *self._colors(program))
        numbers = np.int32(0), np.int32(len(program.steps)), state.arrived
        args = (*arrays, program.on_device, *numbers)
        try:
            self._kernels.cooperative("all_colors", program.most * WARP, *args)
        except WrongDeviceError:
            raise
        except DeviceError:  # for example under MPS
            return False
        return True

    def _graph(self, program: SweepProgram, state: SweepBuffers, r: Any, out: Any) -> bool:
        """Launch all steps as a graph; return False if the current stream is being captured."""
        cp = dev.cupy()
        stream = cp.cuda.get_current_stream()
        if stream.is_capturing():
            return False
        graph = state.graphs.get(id(program))
        if graph is None:
            for name in KERNELS:  # compile before the capture
                self._kernels.kernel(name)
            if self._has_hubs:
                self._hub_kernels.kernel("hub_rows")
            capture = cp.cuda.Stream(non_blocking=True)
            with capture:
                capture.begin_capture()
                try:
                    self._one_by_one(program, state, r, out, state.buffers)
                finally:
                    graph = capture.end_capture()
            state.graphs[id(program)] = graph
        addresses = np.uint64(r.data.ptr), np.uint64(out.data.ptr)
        self._kernels.launch("aim", (1,), state.buffers, *addresses, block=1)
        graph.launch(stream)
        return True
