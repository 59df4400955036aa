"""Results are what they were: digests of the calls of `calls.py`, which `tools/golden.py` keeps in golden.json."""

from __future__ import annotations

import importlib.util
import json

import golden
import pytest

from . import calls

STORED = json.loads(golden.STORED.read_text())
KINDS = sorted({name.split()[0] for name in STORED})
ON_CPU = ("bounds", "convert", "dask", "disk", "generate", "quality")  # alone
ON_GPUS = ("gpus",)  # alone


def check(made: list[calls.Call]) -> None:
    """Compare with the stored digests."""
    assert made, "no stored call is left"
    now = calls.gather(made)
    if importlib.util.find_spec("graphblas") is None:  # calls that need it have no result
        now = {name: {x: y for x, y in found.items() if y != "MissingPackageError"} for name, found in now.items()}
    new = sorted(name for name, found in now.items() if not set(found) <= set(STORED.get(name, {})))
    assert not new, f"keep them: python tools/golden.py cpu --keep --contract --only {' '.join(map(repr, new))}"
    assert now == {name: {x: STORED[name][x] for x in found} for name, found in now.items()}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ON_GPUS])
def test_results_are_as_they_were(kind: str) -> None:
    check([call for call in calls.calls("cpu", "contract") if call.name.split()[0] == kind])


@pytest.mark.emulated(devices=2)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ON_CPU])
def test_a_gpu_gives_the_same(kind: str) -> None:
    check([call for call in calls.calls("emulated", "contract") if call.name.split()[0] == kind])


@pytest.mark.emulated
def test_all_stored_calls_are_made() -> None:
    """Or a call was removed, and its digests go, too; orders, which not every device has, left aside."""
    named = {call.name.partition(" | ")[0] for device in ("cpu", "emulated") for call in calls.calls(device, "all")}
    assert {name.partition(" | ")[0] for name in STORED} - named == set()
    assert sorted({name.split()[0] for name in named}) == KINDS
