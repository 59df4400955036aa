"""Only verbs that give the host a number make it wait for the GPU: nobody can wait for a stream that is captured."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import semirings
from semirings import gt, identity, lor_land, max_times, min, plus

N = 3000
VERBS: dict[str, Callable[[Any, Any], Any]] = {
    "vxm, mask": lambda E, x: E.vxm(x.w, x.A, max_times, mask=x.few),
    "vxm, entries not counted": lambda E, x: E.vxm(x.few, x.A, lor_land, mask=x.w, complement=True),
    "vxm, push": lambda E, x: E.vxm(x.few, x.A, max_times, direction="push"),
    "vxm, pull": lambda E, x: E.vxm(x.few, x.A, max_times, direction="pull"),
    "mxv": lambda E, x: E.mxv(x.A, x.w, max_times, accum=plus, out=x.out),
    "ewise_add": lambda E, x: E.ewise_add(gt, x.w, x.few),
    "ewise_mult": lambda E, x: E.ewise_mult(plus, x.w, x.few, mask=x.few),
    "apply": lambda E, x: E.apply(plus, x.w, right=2),
    "select": lambda E, x: E.select(gt, x.w, 7),
    "assign": lambda E, x: E.assign(x.out, 3, mask=x.few),
    "extract": lambda E, x: E.extract(x.w, x.at),
    "scatter": lambda E, x: E.scatter(x.out, x.w, 1),
    "scatter, min": lambda E, x: E.scatter(x.out, x.w, x.w, dup=min),
}
WAITS: dict[str, Callable[[Any, Any], Any]] = {
    "reduce": lambda E, x: E.reduce(plus, x.w),
    "any": lambda E, x: E.any(x.w),
    "nvals": lambda E, x: E.nvals(E.apply(identity, x.few)),
    "to_numpy": lambda E, x: E.to_numpy(x.w),
}


class Inputs:
    """Vectors and a matrix with a hub, in arrays of the device."""

    def __init__(self, E: Any) -> None:
        r = np.random.default_rng(0)
        degrees = r.integers(0, 6, N)
        degrees[5] = N
        indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
        self.A = E.matrix(indptr, r.integers(0, N, indptr[-1]).astype(np.int32))
        self.w = E.from_numpy(r.permutation(N).astype(np.int32))
        self.few = E.from_numpy(r.permutation(N).astype(np.int32), r.random(N) < 0.01)
        self.out = E.zeros(N)
        self.at = E.cp.arange(0, N, 3)


def captured(call: Callable[[Any, Any], Any]) -> None:
    """Runs `call` twice, the second time while its stream is captured; raises if the host waits then."""
    E = semirings.engine("cuda")
    stream = E.cp.cuda.Stream(non_blocking=True)
    with stream:
        x = Inputs(E)
        call(E, x)  # compiles, plans, and leaves memory in the stream's pool
        stream.synchronize()
        stream.begin_capture()
        try:
            call(E, x)
        finally:
            with contextlib.suppress(RuntimeError):  # of a capture that has failed
                stream.end_capture()


@pytest.mark.gpu
@pytest.mark.parametrize("verb", [*VERBS, *WAITS])
def test_the_host_goes_on(verb: str) -> None:
    """But for a verb that gives a number, so that this test can fail."""
    if verb in VERBS:
        captured(VERBS[verb])
    else:
        with pytest.raises(RuntimeError, match=r"[Cc]aptur"):
            captured(WAITS[verb])
