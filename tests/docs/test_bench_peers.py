"""The peers of `benchmarks.compare`: each method of each library colors properly, and where it must, as we do."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from corpus import first_fit, graph

import lagcolor
from benchmarks.harness import graphs, host, memory, peers
from benchmarks.harness.worker import Worker
from benchmarks.peers import native

LINUX_TELLS = memory.growth(int)[1] is not None
TINY = ("rmat", "isolated among others")
ON_CPU = [peer for peer in peers.PEERS.values() if peer.device == "cpu" and peer not in native.NATIVE]


def present(peer):
    if why := peer.absent():
        pytest.skip(f"{peer.name}: {why}")
    return peer


class Home:
    """Checks colorings, as the host that has the graph does."""

    def __init__(self, G):
        self._G = G
        self.colors = np.empty(0, np.int32)

    def check(self, file):
        self.colors = np.fromfile(file, np.int32)
        found = host.inspect(self._G, self.colors)
        return found["fault"], found["checksum"]


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("peer", native.NATIVE, ids=lambda p: p.name)
def test_every_code_of_a_driver_colors_properly_and_again_the_same(peer, name, tmp_path):
    G = graph(name)
    home, path = Home(G), tmp_path / f"g{graphs.SCRATCH}"
    graphs.write_scratch(path, G)
    command = [str(present(peer).binary()), str(path)]
    with contextlib.closing(Worker(lambda: command, 60, peer._word, home, OMP_NUM_THREADS="1")) as driver:
        for code in peer.codes():
            (sample,) = driver.run(code)
            fault, mark = driver.check()
            assert fault is None
            assert home.colors.max(initial=-1) + 1 == sample.colors
            assert sample.ms >= sample.color_ms >= 0
            if peer.words_are_methods:
                assert home.colors.tolist() == first_fit(G, range(G.n))
            if code.order == "largest_first":
                mine = lagcolor.color(G, "greedy", order="largest_first").colors
                assert np.array_equal(home.colors, mine)
            driver.run(code)
            assert driver.check() == (None, mark)


@pytest.mark.parametrize("library", ON_CPU, ids=lambda p: p.name)
def test_every_code_of_a_library_colors_properly(library):
    G = graph("rmat")
    session = present(library).load(G)
    for code in library.codes():
        answer = session.run(code)
        assert lagcolor.verify(G, session.colors).n_colors == answer["colors"]
        assert answer["color_ms"] > 0


@pytest.mark.gpu
@pytest.mark.parametrize("name", TINY)
@pytest.mark.inner
def test_csrcolor_colors_properly(name):
    G = graph(name).on("cuda")
    library = present(peers.PEERS["csrcolor"])
    session = library.load(G)
    answer = session.run(*library.codes())
    assert lagcolor.verify(G, session.colors).n_colors == answer["colors"]
