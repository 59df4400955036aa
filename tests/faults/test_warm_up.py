"""What the command line and benchmarks do before the clock starts: small graphs colored once in a process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpus import graph
from emulated import GPU as EMULATED_GPU

import lagcolor
from lagcolor.api import warm_up


@pytest.mark.emulated(warms=True)
def test_code_is_loaded_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "_WARM", set())
    row, G = lagcolor.ALGORITHMS["che_hybrid"], graph("rmat").on("cuda")
    warm_up.warm_up(G, row, None, False, {})
    before = len(EMULATED_GPU.texts)
    lagcolor.color(G, "che_hybrid", verify=False)
    assert len(EMULATED_GPU.texts) == before > 0
    assert {g.device for g in warm_up.small_graphs(G)} == {G.device}


def test_ctrl_c_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best so far of a small graph is of no use."""

    def run(G: Any, p: Any, log: Any, **options: Any) -> Any:
        log.notes["interrupted"] = True
        return np.zeros(G.n, np.int32)

    monkeypatch.setattr(warm_up, "_WARM", set())
    with pytest.raises(KeyboardInterrupt):
        warm_up.warm_up(graph("grid"), replace(lagcolor.ALGORITHMS["greedy"], run=run), None, False, {})
    assert not warm_up._WARM
