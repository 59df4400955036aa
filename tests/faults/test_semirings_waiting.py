"""The threads of SuiteSparse sleep while they wait; where they do not, short products have one."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import semirings
from semirings import cpu, waiting

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
    kept = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
    env = kept | ({} if policy is None else {"OMP_WAIT_POLICY": policy}) | {"OMP_DISPLAY_ENV": "true"}
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


@pytest.mark.parametrize("verb", ["vxm", "mxv"])
def test_products_ask(monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    asked: list[int] = []
    real = waiting.threads_for
    monkeypatch.setattr(cpu.waiting, "threads_for", lambda entries: asked.append(entries) or real(entries))
    E = semirings.engine("cpu")
    A = E.matrix(np.array([0, 1, 2]), np.array([1, 0]), symmetric=True)
    u = E.from_numpy(np.array([1, 2], np.int32))
    t = E.vxm(u, A, semirings.max_times) if verb == "vxm" else E.mxv(A, u, semirings.max_times)
    assert asked == [2]
    assert E.to_numpy(t).tolist() == [2, 1]
