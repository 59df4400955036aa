"""Constants that a launcher and its kernels need, and that are no macros of the launcher, are equal on both sides."""

from __future__ import annotations

import importlib
import operator
import re
import subprocess
from pathlib import Path

import compile_kernels as ck
import pytest
from emulated import compiler

import lagcolor
from lagcolor.base.device.source import INCLUDE_DIR

PACKAGE = Path(lagcolor.__file__).parent

# Source, launcher, and what is equal: NAME on both sides; or what the launcher calls NAME, and a C++ expression.
SIDES = """\
engines/greedy/spread_sort.cu engines.greedy.cuda KEYS INDEX_BITS LOW_DEGREE=LOW
engines/greedy/first_fit_grid.cu engines.greedy.cuda_small LISTS HUB MOST_EACH=RANGE/BLOCK WORDS=sizeof(Words)
engines/greedy/first_fit_sequence.cu engines.greedy.cuda_sequence PLACES=EACH*BLOCK HEAD=sizeof(Head)
engines/greedy/first_fit_sequence.cu engines.greedy.cuda_sequence UNCOLORED=(int)UNCOLORED
scale/gpus/parts.cu scale.gpus.parts SOURCE.block=BLOCK
scale/gpus/check.cu scale.gpus.check SOURCE.block=BLOCK
engines/two_colored/star.cu engines.two_colored.star_cuda NEUTRAL
orders/removal_rounds.cu orders.approximate_degeneracy WARP
orders/two_hop_degrees.cu orders.two_hop MANY
algorithms/cohen_castonguay.cu engines.rounds.worklists CLASSES ROW
algorithms/cohen_castonguay.cu algorithms.cohen_castonguay SOURCE.block=BLOCK
algorithms/ecl_gc/ecl_gc.cu algorithms.ecl_gc SOURCE.block=BLOCK BLOCKS WARP HUB WIDE=WORD_MOST+1
algorithms/ecl_gc/ecl_gc.cu algorithms.ecl_gc TALLY=__builtin_offsetof(Head,tally)/8
engines/change/incremental.cu engines.change.incremental ROWS_BLOCK BY_ID BY_HASH BY_PLACE NUMBERS LONG_NUMBERS FLAGS
engines/change/incremental.cu engines.change.incremental HEAD=sizeof(Words) OUTCOME=sizeof(Outcome)/8
engines/elements/elements.cu engines.elements.cuda MOST_COLORS
engines/exact/clique.cu engines.exact.clique SOURCE.block=BLOCK
engines/exact/clique.cu engines.exact.clique_cpu FEW
engines/improve/ejections.cu engines.improve.ejections LEAST_ROUNDS WORDS=sizeof(Words) ARRIVED=sizeof(Words::arrived)
engines/improve/ejections.cu engines.improve.ejections NUMBERS=sizeof(Outcome)/4
engines/improve/ejections.cu engines.improve.limits SAVED STOPPED PAUSED
engines/greedy/lattice.cu engines.greedy.lattice SOURCE.block=BLOCK GROUP
engines/improve/survey.cu engines.improve.survey SOURCE.block=BLOCK ROWS TWINS ROW BALLS LONG GOLDEN
engines/improve/survey.cu engines.improve.survey WORDS=__builtin_offsetof(Found,odd)/4+1
algorithms/ecl_gc/heuristics.cu algorithms.ecl_gc.heuristics SOURCE.block=BLOCK
engines/two_colored/direct.cu engines.two_colored.direct SOURCE.block=BLOCK EACH=TILE/BLOCK
problems/on_gpu.cu problems.on_gpu SOURCE.block=BLOCK
base/device/counts.cu base.device COUNTS.block=BLOCK
engines/two_colored/cover.cu engines.two_colored.cover SOURCE.block=BLOCK
graph/pattern.cu graph.pattern SOURCE.block=BLOCK EACH=TILE/BLOCK
base/device/extremes.cu base.device.extremes SOURCE.block=BLOCK WORDS=sizeof(Found)/8
graph/two_colors.cu graph.two_colors SOURCE.block=BLOCK EACH
frontier/advance.cu frontier.cuda BLOCK THREAD_MOST WARP_MOST
algorithms/chen.cu algorithms.chen SOURCE.block=BLOCK
algorithms/ipgc.cu algorithms.ipgc SOURCE.block=BLOCK RECORD.itemsize=sizeof(Record)
algorithms/feluca/feluca.cu algorithms.feluca.gpu SOURCE.block=BLOCK THREAD_MOST WARP_MOST NONE=LAST
algorithms/kokkos/edge_based.cu algorithms.kokkos.edge_based SOURCE.block=BLOCK MOST_PASSED VERTICES EACH=DEEP
solvers/gpu/factor.cu solvers.gpu.factors SOURCE.block=BLOCK
solvers/gpu/structure.cu solvers.gpu.structure SOURCE.block=BLOCK
solvers/gpu/structure.cu solvers.gpu.slices COLOR_SHIFT=2+KEY_WINDOW+2*KEY_LENGTH
solvers/gpu/slices.cu solvers.gpu.slices SOURCE.block=BLOCK KINDS COLOR_SHIFT=KEY_COLOR_SHIFT
solvers/gpu/sweep.cu solvers.gpu.sweeps SOURCE.block=BLOCK TOGETHER RHS KEEP TIMES LOWER UPPER SLOT OUT RELAX ALONE
solvers/gpu/sweep.cu solvers.gpu.sweeps LOCAL OTHERS
problems/distance1.cu problems.distance1 SOURCE.block=BLOCK EACH
inputs/is_canonical.cu inputs.canonical_gpu TILE IS_CANONICAL.block=BLOCK
""".splitlines()


@pytest.mark.skipif(not compiler.available(), reason="needs g++")
@pytest.mark.parametrize("side", SIDES)
def test_constants_of_both_sides(side: str) -> None:
    """Constants in Python and CUDA agree as a compiler sees them, with expressions and sizes of records."""
    source, launcher, *names = side.split()
    module, path = importlib.import_module(f"lagcolor.{launcher}"), PACKAGE / source
    macros = "".join(f"#define {macro.replace('=', ' ')}\n" for macro in ck.variants(path.read_text())[0])
    pairs = ((name, there or name) for name, _, there in (each.partition("=") for each in names))
    equal = "".join(
        f'static_assert((long long)({there}) == {int(operator.attrgetter(name)(module))}ll, "{name}");\n'
        for name, there in pairs
    )
    code = re.sub(r"__launch_bounds__\(.*?\)", "", compiler.paste(path.read_text(), (path.parent, INCLUDE_DIR)))
    command = ["g++", *compiler.FLAGS, "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(
        command, input=f'#include "device.h"\n{macros}{code}\n{equal}', capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error" in line)
