"""Host memory of a run in `benchmarks.compare`: the peak of the resident set over what was there."""

from __future__ import annotations

import numpy as np
import pytest

import lagcolor
from benchmarks.harness import memory
from benchmarks.harness.codes import Code
from benchmarks.harness.library import Library

TELLS = memory.growth(int)[1] is not None
told = pytest.mark.skipif(not TELLS, reason="/proc does not tell peaks here")
MB = 1 << 20
NOISE = 3 * MB  # Linux counts pages in batches, one per core
HUGE = 2 * MB  # a page of a large array


def temporaries(megabytes: int, at_once: int) -> int:
    """Several arrays at once, none of which is left; each again and again, so that the sum says nothing."""
    for _ in range(3):
        arrays = [np.ones(megabytes * MB, np.uint8) for _ in range(at_once)]
        del arrays
    return 17


@told
@pytest.mark.parametrize(("megabytes", "at_once"), [(16, 1), (16, 4), (64, 2)])
def test_growth_is_the_peak_of_arrays_that_are_gone_at_the_end(megabytes, at_once):
    for _ in range(3):  # the free memory of one run is not there for the next one
        result, grown = memory.growth(lambda: temporaries(megabytes, at_once))
        assert result == 17
        assert -NOISE < grown - megabytes * at_once * MB < NOISE + HUGE * at_once


@told
def test_of_a_coloring_it_is_some_bytes_a_vertex_and_repeatable():
    G = lagcolor.generate.from_spec("grid2d:1024")
    code = Code("lagcolor", "greedy", "natural")
    took = []
    for _ in range(3):
        session = Library(G)
        session.warm(code)
        took.append(session.run(code)["memory_bytes"])
    assert 4 * G.n <= min(took) and max(took) < 24 * G.n  # colors, degrees, marks
    assert max(took) < 1.1 * min(took) + NOISE


def test_only_the_first_run_of_a_code_is_measured():
    calls = []

    def meter(call):
        calls.append(call)
        return call(), 100 * len(calls)

    took = memory.Memory(meter)
    a, b = Code("lagcolor", "greedy", "natural"), Code("lagcolor", "greedy", "random")
    assert [took.of(code, lambda: "done") for code in (a, b, a, b)] == ["done"] * 4
    assert (took[a], took[b], len(calls)) == (100, 200, 2)


@pytest.mark.parametrize(
    "status",
    [
        None,
        "VmRSS:\t    1000 kB\n",  # a sandbox that knows no peak
        "VmHWM:\t  90000 kB\nVmRSS:\t    1000 kB\nRssFile:\t    100 kB\n",  # one that does not reset it
        "VmHWM:\t    1000 kB\nVmRSS:\t    1000 kB\n",  # an old Linux, which does not tell files apart
    ],
)
def test_where_proc_does_not_tell_it_is_unknown(status, tmp_path, monkeypatch):
    if status is not None:
        (tmp_path / "status").write_text(status)
    monkeypatch.setattr(memory, "PROC", tmp_path if status is not None else tmp_path / "none")
    assert memory.growth(lambda: 3) == (3, None)
