"""Further peers of `benchmarks.compare`: C++ libraries behind drivers, ECL-GC, cuSPARSE, plain python-graphblas.

python -m benchmarks.compare rgg:16 --import benchmarks.peers --peers 'boost*' colpack ref
"""

from benchmarks.harness.peers import PEERS

from . import by_hand, csrcolor, native

for peer in (*native.NATIVE, native.ECL_GC, by_hand.Graphblas(), csrcolor.Csrcolor()):
    PEERS[peer.name] = peer
