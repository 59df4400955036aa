"""The threads of SuiteSparse sleep while they wait; where they do not, short products have one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from semirings import waiting

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
