"""The threads of SuiteSparse sleep while they wait; where they do not, short products have one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import semirings
from semirings import gt, identity, lor_land, max_times, min, plus, waiting

ENGINE = "import semirings; semirings.engine('cpu')"


@pytest.mark.parametrize(
    ("policy", "before", "expected", "asleep"),
    [
        pytest.param(None, "", "PASSIVE", True, id="loaded here"),
        pytest.param("active", "", "ACTIVE", False, id="as the user wants it"),
        pytest.param("passive", "from graphblas import binary;", "PASSIVE", True, id="loaded before, asleep"),
        pytest.param(None, "from graphblas import binary;", "", False, id="loaded before"),
    ],
)
def test_policy(policy: str | None, before: str, expected: str, asleep: bool) -> None:
    code = f"{before}{ENGINE}; import os; print(os.environ.get('OMP_WAIT_POLICY'), semirings.waiting.ASLEEP)"
    inherited = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
    env = inherited | ({} if policy is None else {"OMP_WAIT_POLICY": policy}) | {"OMP_DISPLAY_ENV": "true"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(policy), str(asleep)]
    if "OMP_WAIT_POLICY" in done.stderr and expected:  # what the OpenMP of GNU says when it is loaded
        assert f"OMP_WAIT_POLICY = '{expected}'" in done.stderr


@pytest.mark.parametrize(
    ("asleep", "entries", "one"), [(False, 9, True), (False, waiting.SHORT, False), (True, 9, False)]
)
def test_threads(monkeypatch: pytest.MonkeyPatch, asleep: bool, entries: int, one: bool) -> None:
    monkeypatch.setattr(waiting, "ASLEEP", asleep)
    with waiting.threads_for(entries) as context:
        assert (context is not None and context["nthreads"] == 1) is one


# Only verbs that give the host a number make it wait for the GPU: no thread can wait for a stream that is captured.

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
