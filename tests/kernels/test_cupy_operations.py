"""How many kernels CuPy itself compiles in calls on a GPU: each takes 0.1 s once, a reduction several seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from emulated import GPU
from emulated.array import REDUCTIONS

import lagcolor
from lagcolor.engines.two_colored import star_cuda
from lagcolor.problems import on_gpu
from lagcolor.search import nets

COMPILED_BEFORE = {"sort", "argsort", "cumsum", "zeros"}  # parts of CuPy, in machine code
REDUCING = REDUCTIONS | {"argmax", "argmin", "bincount", "count_nonzero", "dot"}
CALLS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "distance2": (lambda G: lagcolor.color(G, problem="distance2"), 1),
    "columns": (lambda G: lagcolor.color(lagcolor.Pattern.of(G), problem="columns"), 1),
    "rows": (lambda G: lagcolor.color(lagcolor.Pattern.of(G), problem="rows"), 2),
    "star": (lambda G: lagcolor.color(G, "first_fit", problem="star"), 5),
    "acyclic": (lambda G: lagcolor.color(G, "speculative", problem="acyclic"), 5),
    "jacobian": (lambda G: lagcolor.derivatives.jacobian(lagcolor.Pattern.of(G)), 6),
    "both": (lambda G: lagcolor.derivatives.jacobian(lagcolor.Pattern.of(G), "both", algorithm="fewest"), 22),
    "hessian": (lambda G: lagcolor.derivatives.hessian(G, algorithm="first_fit"), 5),
    "numbers of colors": (lambda G: (c := lagcolor.color(G)) and (c.n_colors, c.n_used, c.class_sizes), 1),
}


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A grid on an emulated GPU, where no step goes to the CPU because it is small."""
    monkeypatch.setattr(on_gpu, "FEW", 0)
    monkeypatch.setattr(nets, "READS", 0)
    monkeypatch.setattr(star_cuda, "WINDOW", 64)
    line = sp.diags_array(np.ones(19), offsets=1, shape=(20, 20))
    A = sp.csr_array(sp.kronsum(line + line.T, line + line.T))
    return lagcolor.Graph.of(A).on("cuda")


@pytest.mark.emulated
@pytest.mark.parametrize("call", CALLS)
def test_few_operations_and_no_reduction(call: str, there: Any) -> None:
    run, most = CALLS[call]
    GPU.operations.clear()
    run(there)
    found = {name for name in GPU.operations if name[0] not in COMPILED_BEFORE}
    assert not {name for name, *_ in found} & REDUCING
    assert len(found) <= most, sorted(found)
